package service

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.maxBody, o.maxRows = 1<<20, 1<<20 })
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

// TestSlowClient: a client that stops amid its body is told so when its time is over, and loses the connection; others
// do not notice.
func TestSlowClient(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.timeout = 300 * time.Millisecond })
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
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.timeout = 300 * time.Millisecond })
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
