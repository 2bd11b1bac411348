package service

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// asked is what a request wants beside the class or the target of each row.
type asked struct {
	scores       bool
	distribution bool
	level        float64 // of intervals and sets
}

const defaultLevel = .9

// asked reads a query. Errors: 400 for what is no value or does nothing; the model's own for a level that its held-out
// rows are too few for.
func (l *loaded) asked(query url.Values) (asked, error) {
	a := asked{level: defaultLevel}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if key != "scores" && key != "distribution" && key != "level" {
			return a, refusal(http.StatusBadRequest, "?%s is not looked at; there are scores, distribution and level", quote(key))
		}
		if len(query[key]) > 1 {
			return a, refusal(http.StatusBadRequest, "?%s is there %d times; give it once", key, len(query[key]))
		}
	}
	for name, to := range map[string]*bool{"scores": &a.scores, "distribution": &a.distribution} {
		text := query.Get(name)
		if text == "" {
			continue
		}
		var err error
		if *to, err = strconv.ParseBool(text); err != nil {
			return a, refusal(http.StatusBadRequest, "?%s=%s: want true or false", name, quote(text))
		}
	}
	text := query.Get("level")
	if text != "" {
		var err error
		if a.level, err = strconv.ParseFloat(text, 64); err != nil || !(a.level > 0 && a.level < 1) {
			return a, refusal(http.StatusBadRequest, "?level=%s: want a probability between 0 and 1, such as %v", quote(text), defaultLevel)
		}
	}
	switch {
	case text != "" && !a.distribution:
		return a, refusal(http.StatusBadRequest, "?level does nothing without ?distribution=true")
	case !a.distribution:
		return a, nil
	case !knows(l.model):
		return a, refusal(http.StatusBadRequest, "?distribution=true: the model has not learned its uncertainty; serve one that examples/train -distribution saved")
	}
	return a, l.checkLevel(a.level)
}

// knows says whether a model has learned its uncertainty.
func knows(m *train.Model) bool {
	u := m.Uncertainty
	switch {
	case u == nil:
		return false
	case m.Classes == nil:
		return u.Intervals != nil
	}
	return u.Calibration != nil && u.Sets != nil
}

// checkLevel wants a level that the held-out rows of the model suffice for.
func (l *loaded) checkLevel(level float64) (err error) {
	if l.model.Classes == nil {
		_, err = l.model.Uncertainty.Intervals.Radius(level)
	} else {
		_, err = l.model.Uncertainty.Sets.Threshold(level)
	}
	return err
}

// distribution is how sure the model is of each row, as train.Model has it. Of targets it has a number for each row and
// target.
type distribution struct {
	Level         float64     `json:"level"`
	Std           [][]float64 `json:"std,omitempty"`          // of the target, with its noise; nil without a posterior
	FunctionStd   [][]float64 `json:"function_std,omitempty"` // of the function; nil without a posterior
	Lower         [][]float64 `json:"lower,omitempty"`        // conformal intervals of the level
	Upper         [][]float64 `json:"upper,omitempty"`
	Probabilities [][]float64 `json:"probabilities,omitempty"` // of the classes, calibrated
	Sets          [][]string  `json:"sets,omitempty"`          // conformal sets of the level, the most probable class first
}

// add predicts some rows more, and returns their scores.
func (d *distribution) add(m *train.Model, rows ops.Matrix) (*mat.Dense, error) {
	if m.Classes != nil {
		return d.addClasses(m, rows)
	}
	return d.addTargets(m, rows)
}

func (d *distribution) addTargets(m *train.Model, rows ops.Matrix) (mean *mat.Dense, err error) {
	var std *mat.Dense
	if m.Uncertainty.Posterior == nil {
		mean, err = m.Scores(rows)
	} else {
		var of *train.Distribution
		if of, err = m.PredictDistribution(rows); err == nil {
			mean, std = of.Mean, of.Std
			d.Std, d.FunctionStd = appendRows(d.Std, of.Std), appendRows(d.FunctionStd, of.FunctionStd)
		}
	}
	if err == nil {
		err = finite(mean)
	}
	if err != nil {
		return nil, err
	}
	lower, upper, err := m.Uncertainty.Intervals.Bounds(d.Level, mean, std)
	if err != nil {
		return nil, err
	}
	d.Lower, d.Upper = appendRows(d.Lower, lower), appendRows(d.Upper, upper)
	for _, bound := range []*mat.Dense{lower, upper} {
		if err := finite(bound); err != nil {
			return nil, err
		}
	}
	return mean, nil
}

// addClasses maps rows once where the scores suffice for the probabilities.
func (d *distribution) addClasses(m *train.Model, rows ops.Matrix) (*mat.Dense, error) {
	scores, err := m.Scores(rows)
	if err == nil {
		err = finite(scores)
	}
	if err != nil {
		return nil, err
	}
	p := scores
	switch u := m.Uncertainty; {
	case u.Laplace != nil:
		p, err = m.Probabilities(rows)
	default:
		if m.Head.Classifies() {
			p, err = calibrate.LogProbabilities(scores)
		}
		if err == nil {
			p, err = u.Calibration.Probabilities(p)
		}
	}
	if err != nil {
		return nil, err
	}
	sets, err := m.Uncertainty.Sets.All(d.Level, p)
	if err != nil {
		return nil, err
	}
	d.Probabilities = appendRows(d.Probabilities, p)
	for _, set := range sets {
		names := make([]string, len(set)) // not nil where it is empty
		for i, c := range set {
			names[i] = m.Classes[c]
		}
		d.Sets = append(d.Sets, names)
	}
	return scores, nil
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

// notFinite is a row whose output is no number.
type notFinite struct {
	row   int
	value float64
}

func (e *notFinite) Error() string {
	return fmt.Sprintf("serve: the model's output for row %d is %v; scale the row to the size of those that the model was fitted on", e.row, e.value)
}

func (e *notFinite) Unwrap() error { return ops.ErrDomain }

// finite wants finite numbers.
func finite(m *mat.Dense) error {
	n, _ := m.Dims()
	for i := range n {
		for _, v := range m.RawRowView(i) {
			if v-v != 0 {
				return &notFinite{i, v}
			}
		}
	}
	return nil
}

// sureTakes is what the distribution of a row takes beside its score: bytes, multiply-adds, and bytes of scratch
// whatever the rows.
func (l *loaded) sureTakes() (row, scratch, work int64) {
	features, outputs := int64(l.model.Map.Features()), int64(l.model.Head.Features())
	switch u := l.model.Uncertainty; {
	case u == nil:
		return 0, 0, 0
	case u.Posterior != nil: // the features about their mean, what the posterior makes of them, and matrices of targets
		return 8 * (2*features + 10*outputs), 0, features * features / 2
	case u.Laplace != nil:
		n, each := features+1, features+1
		switch work = n * n; u.Laplace.Covariance {
		case linear.ExactCovariance:
			work, each = work*outputs*(outputs+1)/2, n*outputs*outputs
		case linear.ClassesCovariance:
			work *= outputs
		}
		const laplace = 2 << 20 // numbers, or a row that has more
		return 8 * (n + 6*outputs + outputs*outputs), 8 * max(laplace, each), work
	}
	return 8 * 6 * outputs, 0, 0
}

// cost is the work of so many bytes of rows or of a body.
func (l *loaded) cost(bytes int64, a asked) int64 {
	if !a.distribution || bytes > math.MaxInt64/l.dearer {
		return bytes
	}
	return bytes * l.dearer
}
