package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// cells is a row-major matrix of either element type; one of f64 and f32 is nil.
type cells struct {
	f64        []float64
	f32        []float32
	rows, cols int
}

// cellsOf returns the cells of a tensor; who and what name the caller and the argument in errors.
func cellsOf(who, what string, t *tensor.Dense) (cells, error) {
	if t == nil {
		return cells{}, fmt.Errorf("report: %s: %s is nil: %w", who, what, ErrShape)
	}
	if t.Dims() != 2 {
		return cells{}, fmt.Errorf("report: %s: %s has shape %v, not [rows, columns]: %w", who, what, t.Shape(), ErrShape)
	}
	c := cells{rows: t.Shape()[0], cols: t.Shape()[1]}
	if c.rows < 1 || c.cols < 1 {
		return cells{}, fmt.Errorf("report: %s: %s has shape %v, it needs at least one row and one column: %w", who, what, t.Shape(), ErrShape)
	}
	switch t.Dtype() {
	case tensor.Float64:
		c.f64 = t.Float64s()
	case tensor.Float32:
		c.f32 = t.Float32s()
	default:
		return cells{}, fmt.Errorf("report: %s: %s holds %v; convert it to float64 or float32: %w", who, what, t.Dtype(), ErrDtype)
	}
	if t.RequiresIterator() || !t.DataOrder().IsRowMajor() || len(c.f64)+len(c.f32) != c.rows*c.cols {
		return cells{}, fmt.Errorf("report: %s: %s is a view or not row-major; materialize it first: %w", who, what, ErrShape)
	}
	return c, nil
}

// block writes columns lo to hi of every row to dst as float64. It returns an error at the first value that is not
// finite.
func (c cells) block(dst []float64, who, what string, lo, hi int) error {
	for i := range c.rows {
		out := dst[i*(hi-lo) : (i+1)*(hi-lo)]
		if c.f64 != nil {
			copy(out, c.f64[i*c.cols+lo:i*c.cols+hi])
		} else {
			for j, v := range c.f32[i*c.cols+lo : i*c.cols+hi] {
				out[j] = float64(v)
			}
		}
		for j, v := range out {
			if !finite(v) {
				return cellError(who, what, i, lo+j, v)
			}
		}
	}
	return nil
}

// finite is false for NaN and the infinities.
func finite(v float64) bool { return v-v == 0 }

func cellError(who, what string, i, j int, v float64) error {
	return fmt.Errorf("report: %s: %s[%d,%d] = %v is not a finite number: %w", who, what, i, j, v, ErrDomain)
}

// sameDims returns the size of two matrices, which must be the same and not 0.
func sameDims(who string, exact, approx *mat.Dense) (rows, cols int, err error) {
	for i, m := range []*mat.Dense{exact, approx} {
		if m == nil || m.IsEmpty() {
			what := []string{"exact", "approx"}[i]
			return 0, 0, fmt.Errorf("report: %s: %s has no rows: %w", who, what, ErrShape)
		}
	}
	rows, cols = exact.Dims()
	if r, c := approx.Dims(); r != rows || c != cols {
		return 0, 0, fmt.Errorf("report: %s: exact is %d×%d and approx is %d×%d: %w", who, rows, cols, r, c, ErrShape)
	}
	return rows, cols, nil
}

// maxAbs is the largest magnitude in m, all of whose values must be finite.
func maxAbs(who, what string, m *mat.Dense) (float64, error) {
	rows, _ := m.Dims()
	top := 0.0
	for i := range rows {
		for j, v := range m.RawRowView(i) {
			if !finite(v) {
				return 0, cellError(who, what, i, j, v)
			}
			top = max(top, math.Abs(v))
		}
	}
	return top, nil
}

// downscale is a power of two f with |v|·f <= 1 for every |v| <= top. Squares and sums of scaled values neither
// overflow nor underflow where it matters, and the scaling rounds nothing that matters.
func downscale(top float64) float64 {
	_, exp := math.Frexp(top)
	return math.Ldexp(1, -max(exp, -1000))
}
