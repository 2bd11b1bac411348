package data

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Scaler changes rows before a map. Matrices are [n, d], float64 or float32, dense or sparse; arithmetic is in float64
// and rounded once. For sets of samples (ops.Bags) the rows are all samples. Apply does not change the scaler and may
// run in several goroutines. A train.Model scales the rows that it is given, so give it rows as they were read.
//
// Sparse rows stay sparse under none, l1 and l2, and under minmax and cube if the least value of every column that
// varies is 0, as for counts. A scaler that would change zeros, such as standard, returns an error that wraps ErrZeros;
// make the rows dense then (Options.Form, ops.CSR.Dense).
type Scaler interface {
	// Fit learns from the training rows, which stay as they are. Errors, which leave the scaler as it was:
	// domain.ErrDomain for a value that is not finite; domain.ErrShape for a matrix without rows or columns.
	Fit(x ops.Matrix) error
	// Apply returns the scaled rows in the element type of x; x stays as it is. Errors: domain.ErrShape for another
	// number of columns than in Fit; domain.ErrParam for a scaler that is not fitted; domain.ErrDomain for a value that
	// is not finite or overflows when scaled.
	Apply(x ops.Matrix) (ops.Matrix, error)
	// ApplyInPlace is Apply without the copy. It scales the rows where they are, which must be contiguous or sparse.
	// After a domain.ErrDomain the rows before the one named are already scaled.
	ApplyInPlace(x ops.Matrix) error
	// Name returns the name that ParseScalers reads.
	Name() string
	// State returns a copy of what was learned, as float64 vectors, empty if there is nothing; SetState is its inverse.
	// A state that does not fit the scaler is a domain.ErrParam and changes nothing.
	State() map[string]*tensor.Dense
	SetState(state map[string]*tensor.Dense) error
}

// step is a Scaler of this package. fit and apply below implement Fit and Apply for one step or a chain of steps.
type step interface {
	Scaler
	// learns says whether the scaler learns anything.
	learns() bool
	// learn learns from finite rows of d columns, which it may read several times, in addition to earlier rows.
	learn(rows iter.Seq[[]float64], d int)
	// fitted is the number of columns of Fit: 0 before Fit, anyWidth if the scaler learns nothing.
	fitted() int
	// scale scales one row of finite values. It may leave infinities if a result overflows.
	scale(row []float64)
	// learnSparse is learn for the entries of n rows.
	learnSparse(rows iter.Seq2[[]int32, []float64], n, d int)
	// moved is the first column whose zeros do not stay 0, or -1.
	moved() int
	// scaleSparse is scale for the entries of a row, if zeros stay 0.
	scaleSparse(cols []int32, values []float64)
}

const anyWidth = -1

// newStep makes the scaler with that name, or nil.
func newStep(name string) step {
	switch name {
	case "none":
		return None{}
	case "l1":
		return L1{}
	case "l2":
		return L2{}
	case "minmax":
		return new(MinMax)
	case "cube":
		return new(Cube)
	case "standard":
		return new(Standard)
	case "auto":
		return new(Auto)
	default:
		return nil
	}
}

// ParseScalers reads a list of none, l1, l2, minmax, cube, standard and auto, separated by commas, such as "minmax,l2".
// An empty list is none. Errors: domain.ErrParam for another name.
func ParseScalers(list string) (*Chain, error) {
	if strings.TrimSpace(list) == "" {
		list = "none"
	}
	c := new(Chain)
	for name := range strings.SplitSeq(list, ",") {
		s := newStep(strings.TrimSpace(name))
		if s == nil {
			return nil, fmt.Errorf("data: scaler %q in %q is unknown, want none, l1, l2, minmax, cube, standard or auto: %w", strings.TrimSpace(name), list, domain.ErrParam)
		}
		c.steps = append(c.steps, s)
	}
	return c, nil
}

// who names a scaler in messages.
func who(s Scaler) string { return fmt.Sprintf("data: scaler %q", s.Name()) }

// given returns an error for nil rows.
func given(owner Scaler, x ops.Matrix) error {
	if domain.IsNil(x) {
		return fmt.Errorf("%s: x is nil, want a matrix [n, d]: %w", who(owner), domain.ErrShape)
	}
	return nil
}

// fit fits each step to x as the steps before it return it.
func fit(owner Scaler, x ops.Matrix, steps ...step) (cols int, err error) {
	if err := given(owner, x); err != nil {
		return 0, err
	}
	if b, ok := x.(*ops.Bags); ok {
		cols, err = fit(owner, b.Samples(), steps...)
		return cols, b.InBag(err)
	}
	if s, ok := x.(*ops.CSR); ok {
		return fitSparse(owner, s, steps)
	}
	t, _ := x.(*tensor.Dense)
	m, err := matrixOf(who(owner), t)
	if err != nil {
		return 0, err
	}
	if m.rows == 0 || m.cols == 0 {
		return 0, fmt.Errorf("%s: cannot be fitted to %d rows of %d columns: %w", who(owner), m.rows, m.cols, domain.ErrShape)
	}
	if !m.single {
		err = domain.CheckRows(domain.Reals(), who(owner), m.f64, m.rows, m.cols, m.cols)
	} else {
		err = domain.CheckRows(domain.Reals(), who(owner), m.f32, m.rows, m.cols, m.cols)
	}
	if err != nil {
		return 0, err
	}
	trial := make([]step, len(steps)) // fresh ones: a scaler that is fitted again forgets
	for k, s := range steps {
		trial[k] = newStep(s.Name())
		trial[k].learn(m.through(trial[:k]), m.cols)
	}
	return m.cols, adopt(steps, trial)
}

// adopt gives the steps the states of trial.
func adopt(steps, trial []step) error {
	for k, s := range steps {
		if err := s.SetState(trial[k].State()); err != nil {
			return err
		}
	}
	return nil
}

// fitOne is Fit of a single scaler.
func fitOne(s step, x ops.Matrix) error {
	_, err := fit(s, x, s)
	return err
}

// applyOne is ApplyInPlace of a single scaler.
func applyOne(s step, x ops.Matrix) error { return apply(s, x, s.fitted(), s) }

// applied is Apply of every scaler: ApplyInPlace of a copy, which is contiguous.
func applied(s Scaler, x ops.Matrix) (ops.Matrix, error) {
	if err := given(s, x); err != nil {
		return nil, err
	}
	own := x // of another type: ApplyInPlace refuses it
	switch v := x.(type) {
	case *ops.Bags:
		samples, err := applied(s, v.Samples())
		if err != nil {
			return nil, v.InBag(err)
		}
		return v.With(samples.(*tensor.Dense))
	case *ops.CSR:
		own = v.Clone().(*ops.CSR)
	case *tensor.Dense:
		var err error
		if own, err = ops.Copy(nil, v, ops.Attr{Layer: who(s)}); err != nil {
			return nil, err
		}
	}
	if err := s.ApplyInPlace(own); err != nil {
		return nil, err
	}
	return own, nil
}

// through yields the rows as the steps return them, to be read before the next one. No step overflows on the rows that it was fitted to:
// norms and ranges end in [-1, 1], and standard scores are at most √n.
func (m matrix) through(steps []step) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		row, apart := make([]float64, m.cols), m.single || len(steps) > 0
		for i := range m.rows {
			if apart {
				m.load(i, row)
			} else {
				row = m.f64[i*m.cols : (i+1)*m.cols]
			}
			for _, s := range steps {
				s.scale(row)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// apply runs each row through the steps in float64 and rounds it back into x.
func apply(owner Scaler, x ops.Matrix, cols int, steps ...step) error {
	if err := given(owner, x); err != nil {
		return err
	}
	if b, ok := x.(*ops.Bags); ok {
		return b.InBag(apply(owner, b.Samples(), cols, steps...))
	}
	if s, ok := x.(*ops.CSR); ok {
		return applySparse(owner, s, cols, steps)
	}
	t, _ := x.(*tensor.Dense)
	m, err := matrixOf(who(owner), t)
	if err != nil {
		return err
	}
	if err := checkFitted(owner, cols, m.cols); err != nil {
		return err
	}
	row := make([]float64, m.cols)
	for i := range m.rows {
		m.load(i, row)
		if j := notFiniteAt(row); j >= 0 {
			return domain.Reals().Violation(who(owner), i, j, row[j])
		}
		for _, s := range steps {
			s.scale(row)
			if j := notFiniteAt(row); j >= 0 {
				return m.overflow(owner, i, j, fmt.Sprintf("overflows when scaled by %s", s.Name()))
			}
		}
		if j := m.fits(row); j >= 0 {
			return m.overflow(owner, i, j, "overflows float32 when scaled")
		}
		m.store(i, row)
	}
	return nil
}

// checkFitted returns an error unless the scaler was fitted to cols columns.
func checkFitted(owner Scaler, fitted, cols int) error {
	switch {
	case fitted == 0:
		return fmt.Errorf("%s: is not fitted; call Fit or SetState first: %w", who(owner), domain.ErrParam)
	case fitted != anyWidth && fitted != cols:
		return fmt.Errorf("%s: was fitted to %d columns and x has %d: %w", who(owner), fitted, cols, domain.ErrShape)
	}
	return nil
}

// overflow is the error for a cell of x, which still holds its original value.
func (m matrix) overflow(owner Scaler, i, j int, reason string) error {
	row := make([]float64, m.cols)
	m.load(i, row)
	return overflowAt(owner, i, j, row[j], reason)
}

func overflowAt(owner Scaler, i, j int, v float64, reason string) error {
	return &domain.CellError{Who: who(owner), Row: i, Col: j, Value: v, Reason: reason, Remedy: "the value is far outside those fitted: drop the row or fit with it"}
}

// notFiniteAt is the first column whose value is NaN or an infinity, or -1.
func notFiniteAt(row []float64) int {
	carry := uint64(0) // an exponent of ones alone carries into the sign
	for _, v := range row {
		carry |= math.Float64bits(v)&^(1<<63) + 1<<52
	}
	if carry>>63 == 0 {
		return -1
	}
	for j, v := range row {
		if v-v != 0 {
			return j
		}
	}
	return -1
}

// noState is SetState of a scaler without a state.
func noState(owner Scaler, state map[string]*tensor.Dense) error {
	_, err := vectors(owner, state)
	return err
}

// vectors returns the vectors with the given names from a state that has no others. They are finite and of one length.
func vectors(owner Scaler, state map[string]*tensor.Dense, names ...string) ([][]float64, error) {
	bad := func(name, what string) error {
		return fmt.Errorf("%s: state %q %s: %w", who(owner), name, what, domain.ErrParam)
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if !slices.Contains(names, name) {
			return nil, bad(name, "is not one of this scaler's")
		}
	}
	out := make([][]float64, len(names))
	for i, name := range names {
		t := state[name]
		switch {
		case t == nil:
			return nil, bad(name, "is missing")
		case t.Dtype() != tensor.Float64 || t.Dims() > 1 || t.RequiresIterator():
			return nil, bad(name, fmt.Sprintf("is a %v of shape %v, want a float64 vector", t.Dtype(), t.Shape()))
		}
		v := slices.Clone(t.Float64s())
		switch j := notFiniteAt(v); {
		case len(v) == 0 || len(v) != len(out[0]) && i > 0:
			return nil, bad(name, fmt.Sprintf("has the length %d, which does not fit", len(v)))
		case j >= 0:
			return nil, bad(name, fmt.Sprintf("has the value %v at %d", v[j], j))
		}
		out[i] = v
	}
	return out, nil
}

// vector is a copy of v as a tensor.
func vector(v []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(slices.Clone(v)))
}
