package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// fake is a server that answers what say says to the n-th request.
func fake(t *testing.T, kind string, say func(n int64) (int, string)) (url string) {
	t.Helper()
	var n atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /model", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, `{"input_dim": 3}`) })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "# HELP x\nprocess_cpu_seconds_total %d\nprocess_resident_memory_bytes 1048576\n", n.Load())
	})
	mux.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || len(body) == 0 || r.Header.Get("Content-Type") != kind {
			http.Error(w, "another body", http.StatusTeapot)
			return
		}
		status, text := say(n.Add(1))
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

const two = `{"classes": ["a", "b"]}`

// TestLoad: all requests are sent, in either form, and what the server took is told.
func TestLoad(t *testing.T) {
	for format, kind := range contentTypes {
		url := fake(t, kind, func(int64) (int, string) { return 200, two })
		ob := clitest.Run(t, t.TempDir(), "-url "+url+" -rate 200 -duration 500ms -rows 2 -json -format "+format).Object(t)
		if ob["requests"] != 100. || ob["errors"] != 0. || ob["server_cpu_seconds"] != 100. || ob["server_resident_bytes"] != 1048576. || ob["format"] != format || ob["input_dim"] != 3. {
			t.Errorf("%v", ob)
		}
		l := ob["latency_seconds"].(map[string]any)
		if a, b, c := l["median"].(float64), l["p99"].(float64), l["max"].(float64); !(0 < a && a <= b && b <= c) {
			t.Errorf("the latencies are %v", l)
		}
		if rate := ob["achieved"].(float64); !(rate > 0 && rate <= 200) {
			t.Errorf("the rate is %v", rate)
		}
	}
}

// TestErrorsAreCounted: another status and a wrong number of predictions are errors, and the exit status says so.
func TestErrorsAreCounted(t *testing.T) {
	url := fake(t, "application/json", func(n int64) (int, string) {
		switch {
		case n%10 == 1:
			return 503, `{"error": "no turn"}`
		case n%10 == 2:
			return 200, `{"targets": [1]}`
		}
		return 200, two
	})
	r := clitest.Run(t, t.TempDir(), "-url "+url+" -rate 200 -duration 500ms -rows 2 -connections 1")
	if r.Status != 1 || !strings.Contains(r.Stderr, `load: 20 of 100 requests failed, the first: 503 Service Unavailable: {"error": "no turn"}`) || !strings.Contains(r.Stdout, "errors       20\n") {
		t.Errorf("%+v", r)
	}
}

// TestFlags: wrong flags, and servers that are none.
func TestFlags(t *testing.T) {
	dir := t.TempDir()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	for _, tc := range []struct {
		args   string
		status int
		text   string
	}{
		{"", 2, "either -url of a server or -model"},
		{"-url http://a -model m", 2, "either -url of a server or -model"},
		{"-url localhost:8080", 2, "want http://host:port"},
		{"-url http://a -format csv", 2, "want json or npy"},
		{"-url http://a -rate 0", 2, "want 1 to 10000000 requests"},
		{"-url http://a -rate NaN", 2, "want 1 to 10000000 requests"},
		{"-url http://a -duration 1ns", 2, "want 1 to 10000000 requests"},
		{"-url http://a -rows 0", 2, "want at least 1"},
		{"-url http://a -idle -1", 2, "want 0 to 10000 together"},
		{"-url http://localhost:1 -idle 9000 -hostile 9000", 2, "want 0 to 10000 together"},
		{"-url http://a -memory 1000", 2, "want 0 or more, and -model"},
		{"-url http://192.0.2.1 -hostile 1", 2, "want a server on this machine"},
		{"-url http://127.0.0.1:1", 1, "connection refused"},
		{"-url " + other.URL, 1, "404 Not Found; is it a server of examples/serve?"},
	} {
		clitest.Run(t, dir, tc.args).Fails(t, tc.status, "load", tc.text)
	}
}
