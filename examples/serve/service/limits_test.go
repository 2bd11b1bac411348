package service

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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

// TestHeldOpen: a request holds what it has sent, not what it announces: a small packed array of the most rows, held
// open, takes a few kilobytes.
func TestHeldOpen(t *testing.T) {
	const rows, clients = 1 << 17, 30
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxRows, o.MaxBody = rows, 1<<20 })
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
	if got, most := r.held.Load(), int64(received*clients*len(body)); got == 0 || got > most {
		t.Errorf("they hold %d bytes of the budget, want more than 0 and at most %d", got, most)
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

// TestWindow: a zstd body that asks for a larger window than is allowed is refused with the remedy.
func TestWindow(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	status, ob := r.post(t, "", "application/x-npy", strings.NewReader("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00")) // 2^27 bytes
	wantRefusal(t, "128 MB", status, ob, 400, "larger window than is allowed; pack them without --long")
}

// endless is a body of so many bytes that is never held, and counts those that were taken.
type endless struct {
	head        string
	left, taken atomic.Int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.head[min(int(e.taken.Load()), len(e.head)):])
	if n == 0 {
		n = int(min(int64(len(p)), e.left.Load()))
		for i := range n {
			p[i] = "[1,2,3,4,5],"[(int(e.taken.Load())-len(e.head)+i)%12]
		}
		e.left.Add(int64(-n))
	}
	if n == 0 {
		return 0, io.EOF
	}
	e.taken.Add(int64(n))
	return n, nil
}

// TestGigabyte: a body of 1 GB is refused with 413 after at most its limit, announced or not, and neither taken nor
// held.
func TestGigabyte(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxBody, o.MaxRows = 1<<20, 1<<20 })
	for _, kind := range []string{"application/json", "application/x-npy"} {
		for _, announced := range []bool{true, false} {
			body := new(endless)
			if body.head = `{"rows": [`; kind == "application/x-npy" {
				body.head = strings.Replace(asNPY(7, dims, make([]float64, 7*dims))[:80], "(7, ", "(999999, ", 1)
			}
			body.left.Store(1 << 30)
			req := must(http.NewRequest(http.MethodPost, r.url+"/predict", io.NopCloser(body)))
			req.Header.Set("Content-Type", kind)
			if announced {
				req.ContentLength = 1<<30 + int64(len(body.head))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			wantRefusal(t, kind, resp.StatusCode, object(t, resp), 413, "more than 1048576 bytes", "in several requests")
			runtime.ReadMemStats(&after)
			// What the client had sent may lie in the buffers of both ends of the connection.
			if taken := body.taken.Load(); taken > 64<<20 {
				t.Errorf("%s: %d bytes of the body were taken", kind, taken)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20 {
				t.Errorf("%s: %d bytes were allocated", kind, got)
			}
		}
	}
}

// TestSlowClient: a client that stops within its body gets status 408 after the timeout and loses the connection; others
// do not notice.
func TestSlowClient(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Timeout = 300 * time.Millisecond })
	for kind, half := range map[string]string{"application/json": `{"rows": [[1, 2, 3`, "application/x-npy": asNPY(2, dims, make([]float64, 2*dims))[:100]} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n%s", kind, half)
		wait(t, func() bool { // another client; one that is halted meanwhile is slow as well
			status, _ := r.post(t, "", "application/json", strings.NewReader(asJSON(randomRows(2, 1))))
			return status == http.StatusOK
		})
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(conn)
		if err != nil {
			t.Fatalf("%s: %v after %q", kind, err, text)
		}
		for _, want := range []string{"HTTP/1.1 408 ", "Connection: close", "the body was not here after 300ms", "send fewer rows at a time"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %q does not hold %q", kind, text, want)
			}
		}
	}
}

// TestBrokenConnection: a client that breaks off amid its body is no failure of the server.
func TestBrokenConnection(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	for i, linger := range []int{-1, 0} { // an end of the stream, and a reset
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"rows\": [[1")
		wait(t, func() bool {
			_, text := r.get(t, "/metrics")
			return strings.Contains(text, "bochner_predict_in_flight 1\n")
		})
		if err := errors.Join(conn.(*net.TCPConn).SetLinger(linger), conn.Close()); err != nil {
			t.Fatal(err)
		}
		wait(t, func() bool {
			_, text := r.get(t, "/metrics")
			return strings.Contains(text, fmt.Sprintf("bochner_predict_requests_total{code=\"400\"} %d\n", i+1))
		})
	}
}

// TestSlowHead: a connection that sends no whole head is closed.
func TestSlowHead(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Timeout = 300 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /predict HTTP/1.1\r\nHost: local")
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(conn); err != nil {
		t.Errorf("%v after %q", err, text)
	}
}

// TestNoTurn: a request that waits longer than the limit for its turn gets status 503 and Retry-After.
func TestNoTurn(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Timeout = 100 * time.Millisecond })
	if err := r.turns.Acquire(t.Context(), int64(r.Concurrent)); err != nil {
		t.Fatal(err)
	}
	defer r.turns.Release(int64(r.Concurrent))
	var resp *http.Response
	wait(t, func() bool { // a client that is halted for that long is a slow one
		resp = must(http.Post(r.url+"/predict", "application/json", strings.NewReader(asJSON(randomRows(2, 1)))))
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
	head := fmt.Sprintf("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n", size)
	refused := make(chan string)
	var large []net.Conn
	for range 3 {
		conn := r.dial(t, head)
		large = append(large, conn)
		go func() { _, _ = io.WriteString(conn, strings.Repeat(" ", size*2/5)) }()
		go func() {
			text, _ := io.ReadAll(conn)
			refused <- string(text)
		}()
	}
	text := <-refused
	for _, want := range []string{"HTTP/1.1 503 ", "Retry-After: 1", "Connection: close",
		"as much memory as --max-memory allows; send it again later"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not hold %q", text, want)
		}
	}
	for range 20 {
		status, ob := r.post(t, "", "application/json", strings.NewReader(asJSON(randomRows(2, 1))))
		if status != http.StatusOK {
			t.Errorf("a short request is answered with %d %v", status, ob)
		}
	}
	for _, conn := range large {
		conn.Close()
	}
	<-refused
	<-refused
	wait(t, func() bool { return r.held.Load() == 0 })
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
