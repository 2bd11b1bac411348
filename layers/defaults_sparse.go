package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// sqrtDVar is spectral.SqrtDVar for dense or sparse rows.
func sqrtDVar(x ops.Matrix) (float64, error) {
	s, sparse := x.(*ops.CSR)
	if !sparse {
		return spectral.SqrtDVar(denseOf(x))
	}
	scale, variance, err := deviation(s, func(e float64) float64 { return e * e })
	return scale * math.Sqrt(float64(s.Cols())/2*variance), err
}

// sqrtVar is sqrtDVar for one column.
func sqrtVar(x ops.Matrix) (float64, error) {
	sigma, err := sqrtDVar(x)
	if err != nil {
		return 0, err
	}
	return sigma / math.Sqrt(float64(x.Shape()[1])), nil
}

// dMeanAbsDev is spectral.DMeanAbsDev for dense or sparse rows.
func dMeanAbsDev(x ops.Matrix) (float64, error) {
	s, sparse := x.(*ops.CSR)
	if !sparse {
		return spectral.DMeanAbsDev(denseOf(x))
	}
	scale, mean, err := deviation(s, math.Abs)
	return scale * float64(s.Cols()) * mean, err
}

// denseOf returns x if it is dense, and otherwise nil, which every function of dense rows refuses.
func denseOf(x ops.Matrix) *tensor.Dense {
	t, _ := x.(*tensor.Dense)
	return t
}

// deviation returns scale, the largest |x|, and the mean over all cells, stored or not, of f(x/scale - mean of
// x/scale). The division keeps squares from overflowing.
func deviation(x *ops.CSR, f func(float64) float64) (scale, mean float64, err error) {
	cells := float64(x.Rows()) * float64(x.Cols())
	if cells == 0 {
		return 0, 0, fmt.Errorf("there are no rows: %w", ErrShape)
	}
	if err := ops.CheckRows(domain.Reals(), "the data", x); err != nil {
		return 0, 0, err
	}
	values := storedValues(x)
	for _, v := range values {
		scale = math.Max(scale, math.Abs(v))
	}
	if scale == 0 {
		return 0, 0, fmt.Errorf("all cells are 0, the data have no spread; set the bandwidth by hand: %w", ErrDomain)
	}
	centre, sum := 0.0, 0.0
	for _, v := range values {
		centre += v / scale
	}
	centre /= cells
	for _, v := range values {
		sum += f(v/scale - centre)
	}
	return scale, (sum + (cells-float64(len(values)))*f(-centre)) / cells, nil
}

// storedValues returns the stored values in float64.
func storedValues(x *ops.CSR) []float64 {
	p := x.Pointers()
	lo, hi := p[0], p[len(p)-1]
	if v := x.Float64s(); v != nil {
		return v[lo:hi]
	}
	out := make([]float64, hi-lo)
	for i, v := range x.Float32s()[lo:hi] {
		out[i] = float64(v)
	}
	return out
}

// sampled returns at most limit rows of x, evenly spread.
func sampled(x *ops.CSR, limit int) *ops.CSR {
	idx := make([]int, min(x.Rows(), limit))
	for k := range idx {
		idx[k] = k * x.Rows() / len(idx)
	}
	return x.Take(idx)
}
