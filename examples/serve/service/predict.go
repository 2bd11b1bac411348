package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
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
	// Distribution is what ?distribution=true asks for.
	Distribution *distribution `json:"distribution,omitempty"`
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
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refusal(http.StatusBadRequest, "the query %s: %v", quote(r.URL.RawQuery), err)
	}
	a, err := l.asked(query)
	if err != nil {
		return nil, err
	}
	b, err := s.checkHead(r, l)
	if err == nil {
		err = b.receive(w, r, s.maxBody, h)
	}
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		return nil, err
	}
	return s.compute(r, b, &work{server: s, l: l, h: h, asked: a, render: func(p *prediction) ([]byte, error) { return json.Marshal(p) }})
}

// compute waits for the turn of a request that has been received, and makes its answer.
func (s *server) compute(r *http.Request, b *body, p *work) ([]byte, error) {
	var cancel context.CancelFunc
	p.ctx, cancel = context.WithCancel(r.Context())
	p.cancel = cancel
	defer cancel()
	p.turn = turn{t: s.turns, work: p.l.cost(b.size, p.asked), left: s.timeout}
	if b.packed { // nobody knows yet; at most
		p.turn.work = p.l.cost(int64(p.l.maxRows)*int64(p.l.model.Dims())*8, p.asked)
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
	asked  asked
	render func(*prediction) ([]byte, error) // makes a text of the answer
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
		p.give() // it may have come meanwhile
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
	n, k, holds := x.Shape()[0], p.l.model.Head.Features(), p.l.held(x.Shape()[0], p.asked, notes)
	p.h.shrink(b.size)
	if err := p.h.grow(holds); err != nil {
		return nil, err
	}
	p.turn.work = p.l.cost(8*int64(n)*int64(p.l.model.Dims()), p.asked)
	y, atOnce := mat.NewDense(n, k, nil), p.l.atOnce
	var sure *distribution
	if p.asked.distribution {
		sure, atOnce = &distribution{Level: p.asked.level}, min(atOnce, p.l.atOnceSure)
	}
	for at, rows := range data.Blocks(x, atOnce) {
		if at > 0 && p.turn.outdone() {
			p.give()
			if err := p.take(); err != nil {
				return nil, err
			}
		}
		part, err := p.l.scores(rows, sure)
		if err != nil {
			var bad *notFinite
			if errors.As(err, &bad) {
				return nil, &notFinite{at + bad.row, bad.value}
			}
			return nil, p.l.inColumn(domain.InBlock(at, err))
		}
		y.Slice(at, at+rows.Shape()[0], 0, k).(*mat.Dense).Copy(part)
	}
	answer := p.l.predictionOf(y, p.asked.scores)
	answer.Notes, answer.Distribution = notes, sure
	text, err := p.render(answer)
	if err != nil {
		return nil, err
	}
	p.metrics.rows.Add(float64(n))
	p.h.shrink(holds - int64(len(text)))
	return text, nil
}

// scores is the output of the head, which is finite, for some rows; what sure wants of them is added to it.
func (l *loaded) scores(rows ops.Matrix, sure *distribution) (*mat.Dense, error) {
	if sure != nil {
		return sure.add(l.model, rows)
	}
	y, err := l.model.Scores(rows)
	if err == nil {
		err = finite(y)
	}
	return y, err
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
