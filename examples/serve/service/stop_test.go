package service

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// begin sends the head and half the body of a request, and returns the other half and the answer to come.
func begin(t *testing.T, r *running) (finish func(), answer chan error) {
	t.Helper()
	body := asJSON(randomRows(8, 5))
	conn := r.dial(t, head(typeJSON, len(body))+body[:len(body)/2])
	answer = make(chan error, 1)
	go func() {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			var text []byte
			text, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil && (resp.StatusCode != http.StatusOK || !strings.Contains(string(text), "class ")) {
				err = fmt.Errorf("%s: %s", resp.Status, text)
			}
		}
		answer <- err
	}()
	r.counts(t, "bochner_predict_in_flight 1")
	return func() { _, _ = io.WriteString(conn, body[len(body)/2:]) }, answer // what fails here, the answer says
}

// fresh opens a connection for each request.
var fresh = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// TestStopDrains: a request that has begun when the server begins to stop is answered; later ones are not accepted.
func TestStopDrains(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	finish, answer := begin(t, r)
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	wait(t, func() bool {
		resp, err := fresh.Get(r.url + "/healthz")
		if err == nil {
			resp.Body.Close()
		}
		return err != nil
	})
	select {
	case err := <-stopped:
		t.Fatalf("it stops before the request has its answer: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	finish()
	if err := <-answer; err != nil {
		t.Error(err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestLinger: before that it goes on to accept requests for a while, and says that it will stop.
func TestLinger(t *testing.T) {
	const linger = 500 * time.Millisecond
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Linger = linger })
	if status, text := r.get(t, "/readyz"); status != http.StatusOK || text != "ok\n" {
		t.Errorf("/readyz: %d %q", status, text)
	}
	start := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	wait(t, r.stopping.Load)
	for page, want := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/healthz": http.StatusOK, "/": http.StatusOK} {
		resp, err := fresh.Get(r.url + page)
		if err == nil {
			resp.Body.Close()
		}
		if time.Since(start) < linger && (err != nil || resp.StatusCode != want) {
			t.Errorf("%s: %v, %v, want %d", page, resp, err, want)
		}
	}
	if err := <-stopped; err != nil || time.Since(start) < linger {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// TestDrainEnds: a request that never ends is cut off after the limit, and the error says so.
func TestDrainEnds(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Drain = 50 * time.Millisecond })
	finish, answer := begin(t, r)
	if err := r.stop(); err == nil || !strings.Contains(err.Error(), "--drain 50ms") {
		t.Errorf("%v", err)
	}
	finish()
	if err := <-answer; err == nil {
		t.Error("a request that was cut off has an answer")
	}
}
