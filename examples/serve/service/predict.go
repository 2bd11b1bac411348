package service

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
)

// prediction is the answer to a request: the class of each row or its target, of several targets only the scores.
type prediction struct {
	Model   string      `json:"model"` // SHA-256 of the file
	Classes []string    `json:"classes,omitempty"`
	Targets []float64   `json:"targets,omitempty"`
	Scores  [][]float64 `json:"scores,omitempty"` // the output of the head: of a softmax the probabilities of the classes
	Notes   []string    `json:"notes,omitempty"`  // how the rows of a table are unlike the training rows
}

// predict answers a request by the model that is served when it begins.
func (s *server) predict(w http.ResponseWriter, r *http.Request) {
	l := s.current.Load()
	h := s.budget.open()
	defer h.close()
	text, err := s.respond(w, r, l, h)
	if err == nil {
		err = h.waits(func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) })
	}
	if err != nil {
		h.close()
		s.refuse(w, err)
		return
	}
	writeJSON(w, http.StatusOK, text)
}

// respond reads a request and computes the answer to it.
func (s *server) respond(w http.ResponseWriter, r *http.Request, l *loaded, h *hold) ([]byte, error) {
	scores := false
	if text := r.URL.Query().Get("scores"); text != "" {
		var err error
		if scores, err = strconv.ParseBool(text); err != nil {
			return nil, refusal(http.StatusBadRequest, "?scores=%s: want true or false", text)
		}
	}
	b, err := s.checkHead(r, l)
	if err == nil {
		err = b.receive(w, r, s.maxBody, h)
	}
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	p := &work{server: s, l: l, h: h, ctx: ctx, cancel: cancel, scores: scores, turn: turn{t: s.turns, work: b.size, left: s.timeout}}
	if b.packed { // nobody knows yet; at most
		p.turn.work = int64(l.maxRows) * int64(l.model.Dims()) * 8
	}
	if err := p.take(); err != nil {
		return nil, err
	}
	defer func() { p.give() }()
	return p.run(b)
}

// work is the work on a request that has been received.
type work struct {
	*server
	l      *loaded
	h      *hold
	ctx    context.Context
	cancel context.CancelFunc
	scores bool // whether the answer has them
	turn   turn
	has    bool // the turn
}

// take waits for the turn of the request. What it holds may have to give way until then.
func (p *work) take() error {
	if err := p.h.waits(p.cancel); err != nil {
		return err
	}
	err := p.turn.take(p.ctx)
	p.has = err == nil
	if shed := p.h.waits(nil); shed != nil {
		err = shed
	}
	return err
}

func (p *work) give() {
	if p.has {
		p.turn.give()
	}
	p.has = false
}

// run reads the body and predicts its rows, some at a time, between which others have their turns.
func (p *work) run(b *body) ([]byte, error) {
	x, notes, err := b.rows(p.l, p.h)
	if err != nil {
		return nil, err
	}
	n, k, holds := x.Shape()[0], p.l.model.Head.Features(), p.l.held(x.Shape()[0], p.scores, notes)
	p.h.shrink(b.size)
	if err := p.h.grow(holds); err != nil {
		return nil, err
	}
	p.turn.work = 8 * int64(n) * int64(p.l.model.Dims())
	y := mat.NewDense(n, k, nil)
	for at, rows := range data.Blocks(x, p.l.atOnce) {
		if at > 0 && p.turn.outdone() {
			p.give()
			if err := p.take(); err != nil {
				return nil, err
			}
		}
		part, err := p.l.model.Scores(rows)
		if err != nil {
			return nil, p.l.inColumn(domain.InBlock(at, err))
		}
		y.Slice(at, at+rows.Shape()[0], 0, k).(*mat.Dense).Copy(part)
	}
	for i := range n {
		for _, v := range y.RawRowView(i) {
			if v-v != 0 {
				return nil, fmt.Errorf("serve: the model's output for row %d is %v; scale the row to the size of those that the model was fitted on: %w", i, v, ops.ErrDomain)
			}
		}
	}
	answer := p.l.predictionOf(y, p.scores)
	answer.Notes = notes
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	p.metrics.rows.Add(float64(n))
	p.h.shrink(holds - int64(len(text)))
	return text, nil
}

// predictionOf is the answer of so much output of the head.
func (l *loaded) predictionOf(y *mat.Dense, scores bool) *prediction {
	n, k := y.Dims()
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
	return p
}
