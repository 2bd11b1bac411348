package data

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// entries are sparse rows under a scaler.
type entries struct {
	*ops.CSR
	ptr  []int
	cols []int32
}

func entriesOf(x *ops.CSR) entries { return entries{x, x.Pointers(), x.Columns()} }

// load copies the values of row i into buf, which it returns with the columns.
func (x entries) load(i int, buf []float64) (cols []int32, values []float64) {
	lo, hi := x.ptr[i], x.ptr[i+1]
	buf = buf[:0]
	if v := x.Float64s(); v != nil {
		return x.cols[lo:hi], append(buf, v[lo:hi]...)
	}
	for _, v := range x.Float32s()[lo:hi] {
		buf = append(buf, float64(v))
	}
	return x.cols[lo:hi], buf
}

// store rounds values into row i. It returns the index of the first value that is too large for the element type, or
// -1.
func (x entries) store(i int, values []float64) int {
	lo := x.ptr[i]
	if v := x.Float64s(); v != nil {
		copy(v[lo:], values)
		return -1
	}
	for t, v := range values {
		if f := float32(v); f-f != 0 {
			return t
		}
	}
	for t, v := range values {
		x.Float32s()[lo+t] = float32(v)
	}
	return -1
}

// through yields the rows as the steps return them, in one buffer.
func (x entries) through(steps []step) iter.Seq2[[]int32, []float64] {
	return func(yield func([]int32, []float64) bool) {
		var buf []float64
		for i := range x.Rows() {
			cols, values := x.load(i, buf)
			buf = values
			for _, s := range steps {
				s.scaleSparse(cols, values)
			}
			if !yield(cols, values) {
				return
			}
		}
	}
}

// fitSparse is fit for sparse rows.
func fitSparse(owner Scaler, x *ops.CSR, steps []step) (cols int, err error) {
	n, d := x.Rows(), x.Cols()
	if n == 0 || d == 0 {
		return 0, fmt.Errorf("%s: cannot be fitted to %d rows of %d columns: %w", who(owner), n, d, domain.ErrShape)
	}
	if err := ops.CheckRows(domain.Reals(), who(owner), x); err != nil {
		return 0, err
	}
	if slices.ContainsFunc(steps, step.learns) {
		if err := domain.CheckSize(who(owner), 32, d); err != nil { // what is learnt of a column, twice
			return 0, err
		}
	}
	trial := make([]step, len(steps)) // so that an error changes nothing
	for k, s := range steps {
		trial[k] = newStep(s.Name())
		trial[k].learnSparse(entriesOf(x).through(trial[:k]), n, d)
		if err := keepsZeros(owner, trial[k]); err != nil {
			return 0, err
		}
	}
	return d, adopt(steps, trial)
}

// keepsZeros returns an error for a step that changes zeros.
func keepsZeros(owner Scaler, s step) error {
	j := s.moved()
	if j < 0 {
		return nil
	}
	return fmt.Errorf("%s: %s makes another number of the zeros of column %d, which sparse rows do not store; read the rows dense, or scale by l1 or l2: %w",
		who(owner), s.Name(), j, ErrZeros)
}

// applySparse is apply for sparse rows.
func applySparse(owner Scaler, x *ops.CSR, cols int, steps []step) error {
	if err := checkFitted(owner, cols, x.Cols()); err != nil {
		return err
	}
	for _, s := range steps {
		if err := keepsZeros(owner, s); err != nil {
			return err
		}
	}
	e := entriesOf(x)
	var buf, before []float64
	for i := range x.Rows() {
		var at []int32
		at, buf = e.load(i, buf)
		before = append(before[:0], buf...)
		if t := notFiniteAt(buf); t >= 0 {
			return domain.Reals().Violation(who(owner), i, int(at[t]), buf[t])
		}
		for _, s := range steps {
			s.scaleSparse(at, buf)
			if t := notFiniteAt(buf); t >= 0 {
				return overflowAt(owner, i, int(at[t]), before[t], fmt.Sprintf("overflows when scaled by %s", s.Name()))
			}
		}
		if t := e.store(i, buf); t >= 0 {
			return overflowAt(owner, i, int(at[t]), before[t], "overflows float32 when scaled")
		}
	}
	return nil
}

// KeepsZeros says whether the fitted scalers leave every 0 at 0, so that they apply to sparse rows.
func (c *Chain) KeepsZeros() bool {
	for _, s := range c.steps {
		if s.moved() >= 0 {
			return false
		}
	}
	return true
}
