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
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sync/semaphore"
)

// server is the model that is served now, and what all requests share.
type server struct {
	*options
	current  atomic.Pointer[loaded]
	stopping atomic.Bool
	held     atomic.Int64 // bytes, by the requests in flight
	open     atomic.Int64 // connections
	turns    *semaphore.Weighted
	hangUp   chan os.Signal
	metrics  *metrics
	log      *log.Logger
}

// newServer loads the model.
func newServer(o *options) (*server, error) {
	s := &server{options: o, turns: semaphore.NewWeighted(int64(o.Concurrent)), hangUp: make(chan os.Signal, 1),
		log: log.New(os.Stderr, "serve: ", log.LstdFlags)}
	s.metrics = newMetrics(&s.held, &s.open)
	l, err := load(o)
	if err != nil {
		return nil, err
	}
	s.take(l)
	signal.Notify(s.hangUp, syscall.SIGHUP)
	return s, nil
}

// handler routes requests.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /predict", s.metrics.instrument(s.predict))
	mux.HandleFunc("GET /{$}", s.page)
	mux.Handle("POST /{$}", s.metrics.instrument(s.submit))
	mux.HandleFunc("GET /model", func(w http.ResponseWriter, _ *http.Request) {
		s.answer(w, http.StatusOK, s.current.Load().card)
	})
	mux.HandleFunc("GET /model.onnx", s.onnx)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s.stopping.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", s.metrics.handler())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, route := mux.Handler(r)
		if route != "" {
			h.ServeHTTP(w, r)
			return
		}
		status := &statusOnly{ResponseWriter: w}
		h.ServeHTTP(status, r)
		if status.code == http.StatusMethodNotAllowed {
			s.refuse(w, refusal(status.code, "%s does not take %s; use %s", r.URL.Path, r.Method, w.Header().Get("Allow")))
			return
		}
		s.refuse(w, refusal(http.StatusNotFound, "there is no page %s; POST /predict takes rows, and GET / explains", r.URL.Path))
	})
}

// statusOnly keeps the status and the headers of an answer, and drops its text.
type statusOnly struct {
	http.ResponseWriter
	code int
}

func (w *statusOnly) WriteHeader(code int) { w.code = code }

func (w *statusOnly) Write(text []byte) (int, error) { return len(text), nil }

// knownHosts refuses requests for a host other than this machine and --hosts if the server listens at a loopback
// address: the name of another site may be resolved to 127.0.0.1, and its pages would read the answers.
func (s *server) knownHosts(listens net.Addr, h http.Handler) http.Handler {
	at, ok := listens.(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() || slices.Contains(s.Hosts, "*") {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
		if host != "" && host != "localhost" && !strings.HasSuffix(host, ".localhost") &&
			!net.ParseIP(host).IsLoopback() &&
			!slices.ContainsFunc(s.Hosts, func(name string) bool { return strings.EqualFold(name, host) }) {
			w.Header().Set("Connection", "close") // the body is not read
			s.refuse(w, refusal(http.StatusMisdirectedRequest,
				"the host %s is not this machine; ask for localhost, or start serve with --hosts and that name",
				quote(r.Host)))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// serve answers requests until ctx ends, and then waits for the requests that have begun.
func (s *server) serve(ctx context.Context, l net.Listener) error {
	// The write timeout starts with the head of a request: times to read its body, to wait for a turn, and to write.
	h := &http.Server{Handler: s.knownHosts(l.Addr(), s.handler()), ReadTimeout: s.Timeout, WriteTimeout: 3 * s.Timeout,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: s.log,
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.open.Add(1)
			case http.StateClosed:
				s.open.Add(-1)
			}
		}}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go s.follow(watching)

	failed := make(chan error, 1)
	go func() { failed <- h.Serve(netutil.LimitListener(l, s.MaxConnections)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.log.Printf("stopping: %v to go on, then %v for the requests that have begun", s.Linger, s.Drain)
	select {
	case err := <-failed:
		return err
	case <-time.After(s.Linger):
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Drain)
	defer cancel()
	if err := h.Shutdown(draining); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off that had no answer after --drain %v: %w", s.Drain, err),
			h.Close())
	}
	return nil
}

// follow loads new models, at SIGHUP and when the file has changed, until ctx ends.
func (s *server) follow(ctx context.Context) {
	defer signal.Stop(s.hangUp)
	var look <-chan time.Time
	if s.Watch > 0 {
		t := time.NewTicker(s.Watch)
		defer t.Stop()
		look = t.C
	}
	seen := s.current.Load().file
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.hangUp:
			if info, err := os.Stat(s.Model); err == nil {
				seen = info
			}
			s.reload()
		case <-look:
			// A missing file may be in the middle of being replaced.
			if info, err := os.Stat(s.Model); err == nil && !same(info, seen) {
				seen = info
				s.reload()
			}
		}
	}
}

// reload reads the model file. If it cannot be served, the current model stays.
func (s *server) reload() {
	l, err := load(s.options)
	if err != nil {
		s.metrics.loads.WithLabelValues("failed").Inc()
		s.log.Printf("the new model is not used: %v", err)
		return
	}
	s.take(l)
	s.log.Printf("now serves %s, sha256 %.12s", s.Model, l.card.SHA256)
}

// take serves a model from now on. Requests that have begun keep theirs.
func (s *server) take(l *loaded) {
	s.current.Store(l)
	s.metrics.took(l.card)
	collectLess(l.memory)
}
