package service

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// follow takes over new models, at SIGHUP and when the file is seen to be another, until ctx ends.
func (s *server) follow(ctx context.Context) {
	defer signal.Stop(s.hangUp)
	var look <-chan time.Time // never, if there is no watch
	if s.watch > 0 {
		t := time.NewTicker(s.watch)
		defer t.Stop()
		look = t.C
	}
	seen := s.current.Load().file
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.hangUp:
			if info, err := os.Stat(s.model); err == nil {
				seen = info
			}
			s.reload()
		case <-look:
			// A file that is away for a moment is one that is being replaced.
			if info, err := os.Stat(s.model); err == nil && !same(info, seen) {
				seen = info
				s.reload()
			}
		}
	}
}

// reload reads the model file. One that cannot be served leaves the model that is served now.
func (s *server) reload() {
	l, err := load(s.model, s.options)
	if err != nil {
		s.metrics.loads.WithLabelValues("failed").Inc()
		s.log.Printf("the new model is not taken over: %v", err)
		return
	}
	s.take(l)
	s.log.Printf("took over %s, sha256 %.12s", s.model, l.card.SHA256)
}

// take serves a model from now on. Requests that have begun keep the one that they began with.
func (s *server) take(l *loaded) {
	all, room := l.memory(s.options) // the new model may be of another size
	s.budget.resize(room / 2)
	s.current.Store(l)
	s.metrics.took(l.card)
	collectLess(all)
}
