package service

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// server is the model that is served now, and what all requests share.
type server struct {
	*options
	current  atomic.Pointer[loaded]
	stopping atomic.Bool
	turns    *turns
	budget   *budget
	conns    *connections
	hangUp   chan os.Signal // SIGHUP, which ends a process that does not listen
	metrics  *metrics
	log      *log.Logger
}

// newServer loads the model.
func newServer(o *options) (*server, error) {
	s := &server{options: o, turns: newTurns(o.concurrent), budget: newBudget(0), conns: newConnections(o.maxConnections),
		log: log.New(os.Stderr, "serve: ", log.LstdFlags)}
	s.metrics = newMetrics(s.budget.held, s.conns.count)
	l, err := load(o.model, o)
	if err != nil {
		return nil, err
	}
	s.take(l)
	s.hangUp = make(chan os.Signal, 1)
	signal.Notify(s.hangUp, syscall.SIGHUP)
	return s, nil
}

// handler is the table of what is answered.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /predict", s.metrics.instrument(http.HandlerFunc(s.predict)))
	mux.HandleFunc("GET /{$}", s.page)
	mux.Handle("POST /{$}", s.metrics.instrument(http.HandlerFunc(s.try)))
	mux.HandleFunc("GET /model", func(w http.ResponseWriter, _ *http.Request) { s.answer(w, http.StatusOK, s.current.Load().card) })
	mux.HandleFunc("GET /model.onnx", s.onnx)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", s.metrics.handler())
	return mux
}

func (s *server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.stopping.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// Idle connections are kept for that long, and a request's head has at most that many bytes.
const (
	idle    = 2 * time.Minute
	maxHead = 16 << 10
)

// serve answers requests until ctx ends, and then lets the requests that have begun come to their end.
func (s *server) serve(ctx context.Context, l net.Listener) error {
	// A write's time counts from the head of the request: it is that to read the body, to wait for a turn, and to
	// write.
	h := &http.Server{Handler: s.fromKnownHosts(l.Addr(), s.handler()), ReadTimeout: s.timeout, WriteTimeout: 3 * s.timeout, IdleTimeout: idle, MaxHeaderBytes: maxHead, ErrorLog: s.log,
		ConnState: s.conns.changed}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go s.follow(watching)

	failed := make(chan error, 1)
	go func() { failed <- h.Serve(roomy{l, s.conns}) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.log.Printf("stopping: %v to go on, then %v for the requests that have begun", s.linger, s.drain)
	select {
	case err := <-failed:
		return err
	case <-time.After(s.linger):
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.drain)
	defer cancel()
	if err := h.Shutdown(draining); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off that had no answer after -drain %v: %w", s.drain, err), h.Close())
	}
	return nil
}
