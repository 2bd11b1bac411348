package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"gorgonia.org/tensor"
)

// prediction is the answer to a request: the class of each row or its target, of several targets only the scores.
type prediction struct {
	Model   string      `json:"model"` // SHA-256 of the file
	Classes []string    `json:"classes,omitempty"`
	Targets []float64   `json:"targets,omitempty"`
	Scores  [][]float64 `json:"scores,omitempty"` // the output of the head: of a softmax the probabilities of the classes
}

// predict answers a request by the model that is served when it begins.
func (s *server) predict(w http.ResponseWriter, r *http.Request) {
	l := s.current.Load()
	x, err := s.readRows(w, r, l.model.Dims())
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		s.refuse(w, err)
		return
	}
	scores := false
	if text := r.URL.Query().Get("scores"); text != "" {
		if scores, err = strconv.ParseBool(text); err != nil {
			s.refuse(w, refusal(http.StatusBadRequest, "?scores=%s: want true or false", text))
			return
		}
	}
	p, err := s.compute(r.Context(), l, x, scores)
	if err != nil {
		s.refuse(w, err)
		return
	}
	s.metrics.rows.Add(float64(x.Shape()[0]))
	s.answer(w, http.StatusOK, p)
}

// compute waits for its turn and predicts.
func (s *server) compute(ctx context.Context, l *loaded, x *tensor.Dense, scores bool) (*prediction, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return nil, refusal(http.StatusServiceUnavailable, "no turn within %v, -concurrent %d predictions are being computed; send it again later", s.timeout, s.concurrent)
	}
	y, err := l.model.Scores(x)
	if err != nil {
		return nil, err
	}
	n, k := y.Dims()
	for i := range n {
		for _, v := range y.RawRowView(i) {
			if v-v != 0 {
				return nil, fmt.Errorf("serve: the model's output for row %d is %v; scale the row to the size of those that the model was fitted on: %w", i, v, ops.ErrDomain)
			}
		}
	}
	p := &prediction{Model: l.card.SHA256}
	if l.model.Classes != nil {
		for _, c := range train.ArgMax(y) {
			p.Classes = append(p.Classes, l.model.Classes[c])
		}
	} else if k == 1 {
		p.Targets = y.RawMatrix().Data
	}
	if scores || p.Classes == nil && p.Targets == nil {
		for i := range n {
			p.Scores = append(p.Scores, y.RawRowView(i))
		}
	}
	return p, nil
}
