package service

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// status is that of a refusal.
func status(err error) int {
	var r *refused
	if errors.As(err, &r) {
		return r.status
	}
	return 0
}

// TestBudget: where memory is short the request that holds the most gives way, of equal ones the oldest, and nobody
// that computes; others wait for what it leaves. More than there is at all is another error.
func TestBudget(t *testing.T) {
	b := newBudget(100)
	var told []string
	open := func(name string, n int64, waits bool) *hold {
		h := b.open()
		if err := h.grow(n); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if waits {
			if err := h.waits(func() {
				told = append(told, name)
				go h.close() // as its request does
			}); err != nil {
				t.Fatal(err)
			}
		}
		return h
	}
	computes, first, second, small := open("computes", 40, false), open("first", 25, true), open("second", 25,
		true), open("small", 5, true)
	asks := b.open()
	if err := asks.grow(101); status(err) != http.StatusRequestEntityTooLarge {
		t.Errorf("101 of 100: %v", err)
	}
	if err := asks.grow(20); err != nil || !slices.Equal(told, []string{"first"}) {
		t.Errorf("20 of 5: %v, %v gave way", err, told)
	}
	if err := first.grow(1); err == nil || first.waits(nil) == nil {
		t.Error("a request that gave way goes on")
	}
	if err := asks.grow(11); status(err) != http.StatusServiceUnavailable || len(told) != 1 {
		t.Errorf("it would hold 31, the others that wait 25 and 5: %v, %v gave way", err, told)
	}
	if got := b.held(); got != 90 {
		t.Errorf("%d are held, want 40 + 25 + 5 + 20", got)
	}
	for _, h := range []*hold{computes, second, small, asks, asks} {
		h.close()
	}
	if got := b.held(); got != 0 || len(b.holds) != 0 {
		t.Errorf("%d are held at the end, by %d", got, len(b.holds))
	}
}

// TestTurns: the least request is the next, of equal ones the first; one that stops waiting takes no turn.
func TestTurns(t *testing.T) {
	ts := newTurns(1)
	now := turn{t: ts, work: 5, left: time.Minute}
	if err := now.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	order := make(chan string)
	ctx, cancel := context.WithCancel(t.Context())
	var waiters []*turn
	add := func(name string, work int64, ctx context.Context) {
		w := &turn{t: ts, work: work, left: time.Minute}
		waiters = append(waiters, w)
		go func() {
			if err := w.take(ctx); err != nil {
				name += " not"
			}
			order <- name
		}()
		wait(t, func() bool {
			ts.mu.Lock()
			defer ts.mu.Unlock()
			return len(ts.queue) == len(waiters)
		})
	}
	add("large", 7, t.Context())
	if now.outdone() {
		t.Error("7 outdoes 5")
	}
	add("small", 3, t.Context())
	add("gone", 1, ctx)
	add("small too", 3, t.Context())
	if !now.outdone() {
		t.Error("3 does not outdo 5")
	}
	cancel()
	got := []string{<-order}
	for range 3 {
		now.give()
		got = append(got, <-order)
	}
	if want := []string{"gone not", "small", "small too", "large"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	late := turn{t: ts, work: 1, left: time.Millisecond}
	if err := late.take(t.Context()); status(err) != http.StatusServiceUnavailable {
		t.Errorf("after its time: %v", err)
	}
	now.give()
	if ts.free != 1 || len(ts.queue) != 0 {
		t.Errorf("%d turns are free and %d wait at the end", ts.free, len(ts.queue))
	}
}

// dial opens a connection and sends a text.
func (r *running) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn := must(net.Dial("tcp", strings.TrimPrefix(r.url, "http://")))
	t.Cleanup(func() { conn.Close() })
	must(io.WriteString(conn, text))
	return conn
}

// closed says whether the server closes the connection within a while.
func closed(conn net.Conn, while time.Duration) bool {
	_ = conn.SetReadDeadline(time.Now().Add(while))
	_, err := io.Copy(io.Discard, conn)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestConnections: with one connection too many the one is closed that has waited longest for a request, and none whose
// request has begun.
func TestConnections(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.maxConnections = 3 })
	begun := r.dial(t,
		"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	wait(t, func() bool {
		r.conns.mu.Lock()
		defer r.conns.mu.Unlock()
		return len(r.conns.open) == 1 && r.conns.waiting.Len() == 0
	})
	first := r.dial(t, "GET /hea")
	wait(t, func() bool { return r.conns.count() == 2 })
	second := r.dial(t, "")
	wait(t, func() bool { return r.conns.count() == 3 })
	third := r.dial(t, "")
	if !closed(first, patience) {
		t.Error("the connection that has waited longest is still open")
	}
	for name, conn := range map[string]net.Conn{"begun": begun, "second": second, "third": third} {
		if closed(conn, 20*time.Millisecond) {
			t.Errorf("the connection %s is closed", name)
		}
	}
	if n := r.conns.count(); n != 3 {
		t.Errorf("%d connections", n)
	}
	if status, _ := r.post(t, "", "application/json", strings.NewReader(asJSON(randomRows(2,
		1)))); status != http.StatusOK {
		t.Errorf("a request is answered with %d", status)
	}
}

// TestHeldOpen: a request holds what it has sent, not what it announces: a small packed array of the most rows, held
// open, takes a few kilobytes.
func TestHeldOpen(t *testing.T) {
	const rows, clients = 1 << 17, 30
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.maxRows, o.maxBody = rows, 1<<20 })
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, asNPY(rows, dims, make([]float64, rows*dims))[:rows*dims*4])
	z.Close()
	body := packed.String()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range clients {
		r.dial(t,
			"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npy\r\nContent-Length: 100000\r\n\r\n"+body)
	}
	wait(t, func() bool {
		_, text := r.get(t, "/metrics")
		return strings.Contains(text, fmt.Sprintf("bochner_predict_in_flight %d\n", clients))
	})
	time.Sleep(50 * time.Millisecond) // what would be allocated is by then
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(32<<20); got > most {
		t.Errorf("%d requests of %d bytes each took %d bytes of memory, want less than %d", clients, len(body), got,
			most)
	}
	if got, most := r.budget.held(), int64(clients*(len(body)+2*maxBlock)); got == 0 || got > most {
		t.Errorf("they hold %d bytes of the budget, want more than 0 and at most %d", got, most)
	}
}

// TestFull: those who hold the most are told to come again where memory ends, and small requests beside them have their
// answers.
func TestFull(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) {
		o.maxMemory, o.maxBody, o.concurrent = 40<<20,
			16<<20, 1
	})
	const each = 8 << 20 // two fit into half of the memory, three do not
	large := make([]net.Conn, 3)
	for i := range large {
		large[i] = r.dial(t,
			fmt.Sprintf("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", 2*each))
		go func() { _, _ = io.WriteString(large[i], strings.Repeat(" ", each)) }()
	}
	refused := make(chan string)
	for _, conn := range large {
		go func() {
			text, _ := io.ReadAll(conn)
			refused <- string(text)
		}()
	}
	text := <-refused
	for _, want := range []string{"HTTP/1.1 503 ", "Retry-After: 1", "Connection: close",
		"as much as -max-memory allows; send it again later"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not hold %q", text, want)
		}
	}
	for range 20 {
		if status, ob := r.post(t, "", "application/json", strings.NewReader(asJSON(randomRows(2,
			1)))); status != http.StatusOK {
			t.Errorf("a small request is answered with %d %v", status, ob)
		}
	}
	for _, conn := range large {
		conn.Close()
	}
	<-refused
	<-refused
	wait(t, func() bool { return r.budget.held() == 0 })
}

// TestShedGivesItsTurn: a request that has to give way just when its turn comes leaves the turn to others.
func TestShedGivesItsTurn(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.concurrent = 1 })
	first := turn{t: r.turns}
	if err := first.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := r.budget.open()
	defer h.close()
	p := &work{server: r.server, h: h, ctx: t.Context(), cancel: func() {}, turn: turn{t: r.turns, left: patience}}
	taken := make(chan error)
	go func() { taken <- p.take() }()
	wait(t, func() bool {
		r.turns.mu.Lock()
		defer r.turns.mu.Unlock()
		return len(r.turns.queue) == 1
	})
	r.budget.mu.Lock()
	h.shed = true
	r.budget.mu.Unlock()
	first.give()
	if err := <-taken; !errors.Is(err, errFull) {
		t.Errorf("it was told to give way, and has the error %v", err)
	}
	if r.turns.free != 1 {
		t.Errorf("%d turns are free, want 1", r.turns.free)
	}
}

// TestAtOnce: rows that are mapped a few at a time have the predictions of all at once, and errors name their rows.
func TestAtOnce(t *testing.T) {
	r := runServer(t, newModel("exp-semigroup", 3, 1), nil)
	body := asJSON(randomRows(29, 5))
	_, want := r.post(t, "?scores=true", "application/json", strings.NewReader(body))
	r.current.Load().atOnce = 4
	status, got := r.post(t, "?scores=true", "application/json", strings.NewReader(body))
	if status != http.StatusOK || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d %v, want %v", status, got, want)
	}
	x := randomRows(29, 5)
	x.Float64s()[17*dims+2] = -1
	status, got = r.post(t, "", "application/json", strings.NewReader(asJSON(x)))
	wantRefusal(t, "row 17", status, got, 422, "x[17,2] = -1")
}

// TestShare: a request may have as many rows as its part of the memory holds, which the card tells, and a part that
// holds none is an error that says what is needed.
func TestShare(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.maxMemory, o.maxRows = 80<<20, 1<<24 })
	l := r.current.Load()
	if l.maxRows < 1000 || l.maxRows >= 1<<24 || l.card.MaxRows != l.maxRows {
		t.Errorf("%d rows, the card says %d", l.maxRows, l.card.MaxRows)
	}
	o := *r.options
	o.maxMemory = 1 << 20
	if _, err := newServer(&o); err == nil || !strings.Contains(err.Error(),
		"-max-memory 1048576: this model with -concurrent 2 takes at least ") {
		t.Errorf("1 MB: %v", err)
	}
}

// TestWindow: a zstd body that asks for a larger window than is allowed is refused with the remedy.
func TestWindow(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	status, ob := r.post(t, "", "application/x-npy", strings.NewReader("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00")) // 2^27 bytes
	wantRefusal(t, "128 MB", status, ob, 400, "larger window than is allowed; pack them without --long")
}
