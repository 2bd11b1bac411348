package service

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
)

// prediction is the answer to a request: the class of each row or its target, or the scores if there are several
// targets.
type prediction struct {
	Model        string        `json:"model"` // SHA-256 of the file
	Classes      []string      `json:"classes,omitempty"`
	Targets      []float64     `json:"targets,omitempty"`
	Scores       [][]float64   `json:"scores,omitempty"` // the outputs of the head: class probabilities of a softmax
	Notes        []string      `json:"notes,omitempty"`  // how the rows of a table are unlike the training rows
	Distribution *distribution `json:"distribution,omitempty"`
}

// distribution is the uncertainty of each row, as train.Model has it: for targets a number for each row and target.
type distribution struct {
	Level         float64     `json:"level"`
	Std           [][]float64 `json:"std,omitempty"`          // of the target, with its noise; nil without a posterior
	FunctionStd   [][]float64 `json:"function_std,omitempty"` // of the function; nil without a posterior
	Lower         [][]float64 `json:"lower,omitempty"`        // conformal intervals of the level
	Upper         [][]float64 `json:"upper,omitempty"`
	Probabilities [][]float64 `json:"probabilities,omitempty"` // of the classes, calibrated
	Sets          [][]string  `json:"sets,omitempty"`          // conformal sets of the level, in descending probability
}

// compute reads the rows of a body and predicts them, some at a time, between which other requests have their turns.
// Memory is taken before the first turn: a request with a turn never waits for one without.
func (q *request) compute(text []byte, array bool) (*prediction, error) {
	each := q.rowTakes(q.asked)
	if err := q.wait(&q.work, each*q.mostRows(text, array), errFull); err != nil {
		return nil, err
	}
	if err := q.next(); err != nil {
		return nil, err
	}
	defer q.turn.shrink(0)
	x, notes, err := q.rows(text, array)
	if err != nil {
		return nil, err
	}
	n, k := x.Shape()[0], q.model.Head.Features()
	q.body.shrink(0)
	q.work.shrink(int64(n) * each)
	y, atOnce := mat.NewDense(n, k, nil), q.atOnce
	var sure *distribution
	if q.asked.distribution {
		sure, atOnce = &distribution{Level: q.asked.level}, q.atOnceSure
	}
	for at, rows := range data.Blocks(x, atOnce) {
		if at > 0 {
			if err := q.next(); err != nil {
				return nil, err
			}
		}
		part, err := q.scores(at, rows, sure)
		if err != nil {
			return nil, err
		}
		y.Slice(at, at+rows.Shape()[0], 0, k).(*mat.Dense).Copy(part)
	}
	q.metrics.rows.Add(float64(n))
	p := q.prediction(y)
	p.Notes, p.Distribution = notes, sure
	return p, nil
}

// prediction is the answer with the outputs of the head.
func (q *request) prediction(y *mat.Dense) *prediction {
	_, k := y.Dims()
	p := &prediction{Model: q.card.SHA256}
	if m := q.model; m.Classes != nil {
		for _, c := range train.ArgMax(y) {
			p.Classes = append(p.Classes, m.Classes[c])
		}
	} else if k == 1 {
		p.Targets = y.RawMatrix().Data
	}
	if q.asked.scores || p.Classes == nil && p.Targets == nil {
		p.Scores = appendRows(nil, y)
	}
	return p
}

// scores returns the outputs of the head for the rows from at on, which are finite, and adds to d what it asks for.
func (l *loaded) scores(at int, rows ops.Matrix, d *distribution) (*mat.Dense, error) {
	if d == nil {
		y, err := l.model.Scores(rows)
		if err != nil {
			return nil, domain.InBlock(at, err)
		}
		return y, finite(at, y)
	}
	p, err := l.model.Prediction(rows)
	if err != nil {
		return nil, domain.InBlock(at, err)
	}
	if l.model.Classes != nil {
		return p.Scores, d.addClasses(p, l.model.Classes)
	}
	lower, upper, err := p.Intervals(d.Level)
	if err != nil {
		return nil, err
	}
	if of := p.Distribution; of != nil {
		d.Std, d.FunctionStd = appendRows(d.Std, of.Std), appendRows(d.FunctionStd, of.FunctionStd)
	}
	d.Lower, d.Upper = appendRows(d.Lower, lower), appendRows(d.Upper, upper)
	return p.Scores, cmp.Or(finite(at, lower), finite(at, upper))
}

// addClasses adds the probabilities of the classes of some rows, and their sets.
func (d *distribution) addClasses(p *train.Prediction, classes []string) error {
	sets, err := p.Sets(d.Level)
	if err != nil {
		return err
	}
	d.Probabilities = appendRows(d.Probabilities, p.Probabilities)
	for _, set := range sets {
		names := make([]string, len(set)) // not nil if it is empty
		for i, c := range set {
			names[i] = classes[c]
		}
		d.Sets = append(d.Sets, names)
	}
	return nil
}

// appendRows appends the rows of a matrix, which share its memory.
func appendRows(to [][]float64, m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	to = slices.Grow(to, n)
	for i := range n {
		to = append(to, m.RawRowView(i))
	}
	return to
}

// finite wants finite numbers in the rows from at on.
func finite(at int, m *mat.Dense) error {
	n, _ := m.Dims()
	for i := range n {
		for _, v := range m.RawRowView(i) {
			if v-v != 0 {
				return refusal(http.StatusUnprocessableEntity, "the model's output for row %d is %v; scale the row to "+
					"the size of those that the model was fitted on", at+i, v)
			}
		}
	}
	return nil
}
