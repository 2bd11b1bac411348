package service

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/linear"
)

// dial opens a connection and sends a text.
func (r *running) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn := must(net.Dial("tcp", strings.TrimPrefix(r.url, "http://")))
	t.Cleanup(func() { conn.Close() })
	must(io.WriteString(conn, text))
	return conn
}

// head is the head of a request with a body of so many bytes.
func head(contentType string, bytes int) string {
	return fmt.Sprintf("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		contentType, bytes)
}

// rest is what the server sends before it closes the connection, which it does soon.
func rest(t *testing.T, conn net.Conn) string {
	t.Helper()
	ok(t, conn.SetReadDeadline(time.Now().Add(patience)))
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("%v after %q", err, text)
	}
	return string(text)
}

// closed says whether the server closes the connection within a while.
func closed(conn net.Conn, while time.Duration) bool {
	_ = conn.SetReadDeadline(time.Now().Add(while))
	_, err := io.Copy(io.Discard, conn)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestHeldOpen: a request holds what it has sent, not what it announces: a small packed array of the most rows, held
// open, takes a few kilobytes.
func TestHeldOpen(t *testing.T) {
	const rows, clients = 1 << 17, 30
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxRows, o.MaxBody = rows, 1<<20 })
	body := clitest.Gzip(asNPY(rows, dims, make([]float64, rows*dims))[:rows*dims*4])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range clients {
		r.dial(t, head(typeNPY, 100000)+body)
	}
	r.counts(t, fmt.Sprint("bochner_predict_in_flight ", clients))
	time.Sleep(50 * time.Millisecond) // what would be allocated is by then
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(32<<20); got > most {
		t.Errorf("%d requests of %d bytes each took %d bytes of memory, want less than %d", clients, len(body), got,
			most)
	}
	if got, most := r.held.Load(), int64(received*clients*len(body)); got == 0 || got > most {
		t.Errorf("they hold %d bytes of the budget, want more than 0 and at most %d", got, most)
	}
}

// TestAtOnce: rows that are mapped a few at a time have the predictions of all at once, and the same distributions but
// for the rounding of products of matrices of other sizes. An error in a row has its number.
func TestAtOnce(t *testing.T) {
	for _, tc := range []struct {
		model *train.Model
		query string
		same  func(a, b any) bool
	}{
		{newModel("exp-semigroup", 3, 1), "?scores=true", reflect.DeepEqual},
		{sureModel("exp-semigroup", 1, nil, false), "?distribution=true", near},
		{sureModel("exp-semigroup", 0, linear.LogisticOptions{}, true), "?distribution=true", near},
	} {
		r := runServer(t, tc.model, nil)
		x := randomRows(29, 5)
		_, want := r.post(t, tc.query, typeJSON, asJSON(x))
		l := r.current.Load()
		l.atOnce, l.atOnceSure = 4, 4
		status, got := r.post(t, tc.query, typeJSON, asJSON(x))
		if status != http.StatusOK || !tc.same(got, want) {
			t.Errorf("%s of %d targets: %d %v, want %v", tc.query, l.card.Outputs, status, got, want)
		}
		x.Float64s()[17*dims+2] = -1
		r.refuses(t, tc.query, typeJSON, asJSON(x), 422, "x[17,2] = -1")
	}
}

// near says whether two answers are the same but for rounding.
func near(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		same := ok && len(a) == len(b)
		for k, v := range a {
			same = same && near(v, b[k])
		}
		return same
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, near)
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-12*(1+math.Abs(a))
	}
	return a == b
}

// TestShare: a request may have as many rows as its part of the memory holds, which the card tells, and a part that
// holds none is an error that says what is needed.
func TestShare(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxMemory, o.MaxRows = 80<<20, 1<<24 })
	l := r.current.Load()
	if l.maxRows < 1000 || l.maxRows >= 1<<24 || l.card.MaxRows != l.maxRows {
		t.Errorf("%d rows, the card says %d", l.maxRows, l.card.MaxRows)
	}
	o := *r.options
	o.MaxMemory = 1 << 20
	if _, err := newServer(&o); err == nil || !strings.Contains(err.Error(),
		"--max-memory 1048576: this model with --concurrent 2 takes at least ") {
		t.Errorf("1 MB: %v", err)
	}
}

// endless are rows without end, which counts the bytes that were taken.
type endless struct{ taken atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	at := int(e.taken.Add(int64(len(p)))) - len(p)
	for i := range p {
		p[i] = "[1,2,3,4,5],"[(at+i)%12]
	}
	return len(p), nil
}

// TestGigabyte: a body of 1 GB that announces no length is refused with 413 after at most its limit, and neither taken
// nor held.
func TestGigabyte(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxBody, o.MaxRows = 1<<20, 1<<20 })
	rows := new(endless)
	body := io.MultiReader(strings.NewReader(`{"rows": [`), io.LimitReader(rows, 1<<30))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp := must(http.Post(r.url+"/predict", typeJSON, body))
	wantRefusal(t, "1 GB", resp.StatusCode, object(t, resp), 413, "more than 1048576 bytes", "in several requests")
	runtime.ReadMemStats(&after)
	// What the client had sent may lie in the buffers of both ends of the connection.
	if taken, got := rows.taken.Load(), after.TotalAlloc-before.TotalAlloc; taken > 64<<20 || got > 64<<20 {
		t.Errorf("%d bytes of the body were taken, and %d allocated", taken, got)
	}
}

// TestSlowClient: a client that stops within its body gets status 408 after the timeout and loses the connection, as
// one does that stops within the head; others do not notice.
func TestSlowClient(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Timeout = 300 * time.Millisecond })
	for kind, half := range map[string]string{
		typeJSON: `{"rows": [[1, 2, 3`, typeNPY: asNPY(2, dims, make([]float64, 2*dims))[:100],
	} {
		conn := r.dial(t, head(kind, 1000)+half)
		wait(t, func() bool { // another client; one that is halted meanwhile is slow as well
			status, _ := r.post(t, "", typeJSON, asJSON(randomRows(2, 1)))
			return status == http.StatusOK
		})
		holds(t, kind, rest(t, conn), "HTTP/1.1 408 ", "Connection: close", "the body was not here after 300ms",
			"send fewer rows at a time")
	}
	rest(t, r.dial(t, "POST /predict HTTP/1.1\r\nHost: local"))
}

// TestBrokenConnection: a client that breaks off amid its body is no failure of the server.
func TestBrokenConnection(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	for i, linger := range []int{-1, 0} { // an end of the stream, and a reset
		conn := r.dial(t, head(typeJSON, 1000)+`{"rows": [[1`)
		r.counts(t, "bochner_predict_in_flight 1")
		ok(t, errors.Join(conn.(*net.TCPConn).SetLinger(linger), conn.Close()))
		r.counts(t, fmt.Sprint(`bochner_predict_requests_total{code="400"} `, i+1))
	}
}

// TestNoTurn: a request that waits longer than the limit for its turn gets status 503 and Retry-After.
func TestNoTurn(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Timeout = 100 * time.Millisecond })
	ok(t, r.turns.Acquire(t.Context(), int64(r.Concurrent)))
	defer r.turns.Release(int64(r.Concurrent))
	var resp *http.Response
	wait(t, func() bool { // a client that is halted for that long is a slow one
		resp = must(http.Post(r.url+"/predict", typeJSON, strings.NewReader(asJSON(randomRows(2, 1)))))
		return resp.StatusCode != http.StatusRequestTimeout
	})
	if after := resp.Header.Get("Retry-After"); after == "" {
		t.Error("no Retry-After")
	}
	wantRefusal(t, "no turn", resp.StatusCode, object(t, resp), 503, "no turn in time", "send it again later")
}

// TestFull: slow clients with long bodies leave memory to short requests; a long body for which there is none gets
// status 503.
func TestFull(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) {
		o.MaxMemory, o.MaxBody, o.Concurrent = 40<<20, 16<<20, 1
	})
	size := int(r.current.Load().maxBody) // two halves fit, and not three
	refused := make(chan string)
	var large []net.Conn
	for range 3 {
		conn := r.dial(t, head(typeJSON, size))
		large = append(large, conn)
		go func() { _, _ = io.WriteString(conn, strings.Repeat(" ", size*2/5)) }()
		go func() {
			text, _ := io.ReadAll(conn)
			refused <- string(text)
		}()
	}
	holds(t, "a long body", <-refused, "HTTP/1.1 503 ", "Retry-After: 1", "Connection: close",
		"as much memory as --max-memory allows; send it again later")
	for range 20 {
		r.works(t) // a short request
	}
	for _, conn := range large {
		conn.Close()
	}
	<-refused
	<-refused
}

// TestConnections: a connection too many waits until another is closed.
func TestConnections(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxConnections = 2 })
	first := r.dial(t, "")
	r.dial(t, "")
	wait(t, func() bool { return r.open.Load() == 2 })
	third := r.dial(t, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	if closed(third, 20*time.Millisecond) {
		t.Error("a third connection is served")
	}
	first.Close()
	if !closed(third, patience) {
		t.Error("the third connection is not served after another is closed")
	}
}
