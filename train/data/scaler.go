package data

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Scaler changes rows before a map, by one or more scalers in their order; ParseScalers makes it. Each scaler is fitted
// to the training rows as the scalers before it return them. A scaler must be fitted even if it learns nothing, since
// it keeps the number of columns. Do not copy it while it is being fitted.
//
//   - none leaves the rows as they are. Like all scalers it checks that they are finite.
//   - l1 divides each row by its l1 norm, x / Σ|x_j|, so that a histogram sums to 1, and l2 by its Euclidean norm,
//     x / √Σx_j². A row of zeros stays as it is.
//   - minmax maps each column to [0, 1] by the range that it was fitted to, (x - min) / (max - min). Values outside of
//     the range are not clipped. A column that was constant becomes 0.
//   - cube is minmax with values clipped to the unit cube. It serves sets of samples, whose densities are estimated on
//     the cube, and kernels of histograms, x >= 0, for which a later row below the fitted range would be negative.
//   - standard is (x - mean) / scale with the population standard deviation as scale, by n, not n - 1. A constant
//     column is centred and divided by 1.
//   - auto is standard for the columns of real numbers. It leaves a column whose values are all 0 or 1 as it is: these
//     are categories and booleans, which standard scales up the more the rarer their level is.
//   - robust is z / √(1 + (z/3)²) with z = (x - median) / (upper quartile - lower quartile), so that outliers end at ±3
//     (Holzmüller, Grinsztajn and Steinwart 2024). If the quartiles are equal, half the range takes their place.
//   - quantile maps each column to the quantiles of the normal distribution, by the ranks of the training rows: linear
//     between at most 1000 knots, and constant beyond the first and the last. quantile-uniform maps to the ranks
//     themselves, in (0, 1).
//
// robust and quantile are fitted on all rows, or on 10,000 of them that are drawn uniformly (fewer if there are more
// than 6,700 columns: 2^26 numbers).
//
// Matrices are [n, d], float64 or float32, dense or sparse; a row goes through all scalers in float64 and is rounded
// once. For sets of samples (ops.Bags) the rows are all samples. Apply does not change the scaler and may run in
// several goroutines. A train.Model scales the rows that it is given, so give it rows as they were read.
//
// Sparse rows stay sparse under none, l1 and l2, under minmax and cube if the least value of every column that varies
// is 0, as for counts, and under robust if all medians are 0. A scaler that would change zeros, such as standard,
// returns an error that wraps ErrZeros; make the rows dense then (Options.Form, ops.CSR.Dense).
type Scaler struct {
	names []string
	steps []step
	cols  int // 0 before Fit
}

// step is one scaler of a list. It sees a row as its entries: values in the columns cols, or in all columns if cols is
// nil. Columns that are not there are 0.
type step interface {
	// learn learns from n finite rows of d columns, which it may go through several times, in addition to earlier rows.
	learn(rows entries, n, d int)
	// finish ends the learning.
	finish()
	// scale scales a row of finite values. It may leave infinities if a result overflows.
	scale(cols []int32, values []float64)
	// vectors are that the scaler learns; nil if it learns nothing.
	vectors() []stateVector
	// flaw says what is wrong with finite vectors for so many columns, and "" if nothing is.
	flaw(cols int) string
	// centres says whether zeros move whatever the scaler learns.
	centres() bool
}

// stateVector is a vector of a state.
type stateVector struct {
	name string
	at   *[]float64
}

// columnOf is the column of entry t.
func columnOf(cols []int32, t int) int {
	if cols == nil {
		return t
	}
	return int(cols[t])
}

// newStep makes a scaler by its name.
var newStep = map[string]func() step{
	"none":             func() step { return norm{} },
	"l1":               func() step { return norm{l1} },
	"l2":               func() step { return norm{l2} },
	"minmax":           func() step { return &ranges{} },
	"cube":             func() step { return &ranges{clip: true} },
	"standard":         func() step { return &moments{} },
	"auto":             func() step { return &moments{auto: true} },
	"robust":           func() step { return &robust{} },
	"quantile":         func() step { return &quantiles{score: normalQuantile} },
	"quantile-uniform": func() step { return &quantiles{score: func(p float64) float64 { return p }} },
}

// ParseScalers reads a list of none, l1, l2, minmax, cube, standard, auto, robust, quantile and quantile-uniform,
// separated by commas, such as "minmax,l2". An empty list is none. Errors: domain.ErrParam for another name.
func ParseScalers(list string) (*Scaler, error) {
	if strings.TrimSpace(list) == "" {
		list = "none"
	}
	s := new(Scaler)
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if newStep[name] == nil {
			return nil, fmt.Errorf("data: scaler %q in %q is unknown, want none, l1, l2, minmax, cube, standard, auto, "+
				"robust, quantile or quantile-uniform: %w", name, list, domain.ErrParam)
		}
		s.names = append(s.names, name)
	}
	s.steps = s.fresh()
	return s, nil
}

// fresh returns steps that have learned nothing.
func (s *Scaler) fresh() (steps []step) {
	for _, name := range s.names {
		steps = append(steps, newStep[name]())
	}
	return steps
}

// Name returns the list that ParseScalers reads.
func (s *Scaler) Name() string { return strings.Join(s.names, ",") }

// who names the scaler in messages.
func (s *Scaler) who() string { return fmt.Sprintf("data: scaler %q", s.Name()) }

// Clipped returns a new scaler that is not fitted, with cube in place of minmax and auto.
func (s *Scaler) Clipped() *Scaler {
	out := new(Scaler)
	for _, name := range s.names {
		if name == "minmax" || name == "auto" {
			name = "cube"
		}
		out.names = append(out.names, name)
	}
	out.steps = out.fresh()
	return out
}

// KeepsZeros says whether the fitted scaler leaves every 0 at 0, so that it applies to sparse rows.
func (s *Scaler) KeepsZeros() bool { return s.keepsZeros() == nil }

func (s *Scaler) keepsZeros() error {
	for k := range s.steps {
		if err := s.stepKeepsZeros(s.steps, k, s.cols); err != nil {
			return err
		}
	}
	return nil
}

// stepKeepsZeros returns an error if step k, fitted to so many columns, changes zeros.
func (s *Scaler) stepKeepsZeros(steps []step, k, cols int) error {
	moved := 0
	if !steps[k].centres() {
		if steps[k].vectors() == nil {
			return nil
		}
		zeros := make([]float64, cols)
		steps[k].scale(nil, zeros)
		moved = slices.IndexFunc(zeros, func(v float64) bool { return v != 0 })
	}
	if moved < 0 {
		return nil
	}
	return fmt.Errorf("%s: %s makes another number of the zeros of column %d, which sparse rows do not store; "+
		"read the rows dense, or scale by l1 or l2: %w", s.who(), s.names[k], moved, ErrZeros)
}

// Apply returns the scaled rows in the element type of x; x stays as it is. Errors: domain.ErrShape for another number
// of columns than in Fit; domain.ErrParam for a scaler that is not fitted; domain.ErrDomain for a value that is not
// finite or overflows when scaled.
func (s *Scaler) Apply(x ops.Matrix) (ops.Matrix, error) {
	if domain.IsNil(x) {
		return nil, s.ApplyInPlace(x)
	}
	own := x // of another type: ApplyInPlace refuses it
	switch v := x.(type) {
	case *ops.Bags:
		samples, err := s.Apply(v.Samples())
		if err != nil {
			return nil, v.InBag(err)
		}
		return v.With(samples.(*tensor.Dense))
	case *ops.CSR:
		own = v.Clone().(*ops.CSR)
	case *tensor.Dense:
		var err error
		if own, err = ops.Copy(nil, v, ops.Attr{Layer: s.who()}); err != nil {
			return nil, err
		}
	}
	if err := s.ApplyInPlace(own); err != nil {
		return nil, err
	}
	return own, nil
}

// ApplyInPlace is Apply without the copy. It scales the rows where they are, which must be contiguous or sparse. After
// a domain.ErrDomain the rows before the one named are already scaled.
func (s *Scaler) ApplyInPlace(x ops.Matrix) error {
	if b, ok := x.(*ops.Bags); ok && b != nil {
		return b.InBag(s.ApplyInPlace(b.Samples()))
	}
	m, err := rowsOf(s.who(), x)
	switch {
	case err != nil:
		return err
	case s.cols == 0:
		return fmt.Errorf("%s: is not fitted; call Fit or SetState first: %w", s.who(), domain.ErrParam)
	case s.cols != m.cols:
		return fmt.Errorf("%s: was fitted to %d columns and x has %d: %w", s.who(), s.cols, m.cols, domain.ErrShape)
	}
	if m.ptr != nil {
		if err := s.keepsZeros(); err != nil {
			return err
		}
	}
	var row []float64
	for i := range m.rows {
		var cols []int32
		cols, row = m.load(i, row)
		if t := notFiniteAt(row); t >= 0 {
			return domain.Reals().Violation(s.who(), i, columnOf(cols, t), row[t])
		}
		for k, step := range s.steps {
			step.scale(cols, row)
			if t := notFiniteAt(row); t >= 0 {
				return s.overflow(m, i, t, "overflows when scaled by "+s.names[k])
			}
		}
		if t := m.store(i, row); t >= 0 {
			return s.overflow(m, i, t, "overflows float32 when scaled")
		}
	}
	return nil
}

// overflow is the error for entry t of row i, which still has its original value.
func (s *Scaler) overflow(m matrix, i, t int, reason string) error {
	cols, row := m.load(i, nil)
	return &domain.CellError{Who: s.who(), Row: i, Col: columnOf(cols, t), Value: row[t], Reason: reason,
		Remedy: "the value is far outside those fitted: drop the row or fit with it"}
}

// State returns a copy of what was learned, as float64 vectors: those of each scaler, with names such as "0.minmax.min"
// (position, scaler, name), and "cols", the number of columns. It is empty before Fit.
func (s *Scaler) State() map[string]*tensor.Dense {
	state := make(map[string]*tensor.Dense)
	if s.cols == 0 {
		return state
	}
	state["cols"] = vector([]float64{float64(s.cols)})
	for k, step := range s.steps {
		for _, v := range step.vectors() {
			state[s.key(k, v.name)] = vector(*v.at)
		}
	}
	return state
}

// key is the name in the state of a vector of step k.
func (s *Scaler) key(k int, name string) string { return fmt.Sprintf("%d.%s.%s", k, s.names[k], name) }

// SetState sets the State of a scaler with the same name. A state that does not fit is a domain.ErrParam and changes
// nothing.
func (s *Scaler) SetState(state map[string]*tensor.Dense) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: "+format+": %w", append(append([]any{s.who()}, args...), domain.ErrParam)...)
	}
	left := maps.Clone(state)
	take := func(key string) (v []float64, err error) {
		t := left[key]
		delete(left, key)
		switch {
		case t == nil:
			return nil, fail("state %q is missing", key)
		case t.Dtype() != tensor.Float64 || t.Dims() > 1 || t.RequiresIterator():
			return nil, fail("state %q is a %v of shape %v, want a float64 vector", key, t.Dtype(), t.Shape())
		}
		v = slices.Clone(t.Float64s())
		if j := notFiniteAt(v); j >= 0 {
			return nil, fail("state %q has the value %v at %d", key, v[j], j)
		}
		return v, nil
	}
	v, err := take("cols")
	if err != nil {
		return err
	}
	if len(v) != 1 || v[0] != float64(int(v[0])) || v[0] < 1 {
		return fail("state \"cols\" is %v, want one whole number above 0", v)
	}
	cols, steps := int(v[0]), s.fresh()
	for k, step := range steps {
		length := 0
		for i, l := range step.vectors() {
			key := s.key(k, l.name)
			if *l.at, err = take(key); err != nil {
				return err
			}
			if n := len(*l.at); n == 0 || n%cols != 0 || i > 0 && n != length {
				return fail("state %q has the length %d, which does not fit %d columns", key, n, cols)
			}
			length = len(*l.at)
		}
		if flaw := step.flaw(cols); flaw != "" {
			return fail("state of %s, place %d, has %s", s.names[k], k, flaw)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return fail("state %q is not one of this scaler's", name)
	}
	s.steps, s.cols = steps, cols
	return nil
}

// vector is a copy of v as a tensor.
func vector(v []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(slices.Clone(v)))
}
