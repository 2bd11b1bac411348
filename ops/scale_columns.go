package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// ScaleColumns is x·diag(s) of x >= 0 and s >= 0. x is [n, d]; s is [1], or [d] with an entry for each column.
//
// Backward: dx = g·diag(s), ds = Σ g∘x, over everything or over each column. For sparse rows the result is sparse,
// unless s has a gradient. Attr.Domain is not used.
//
// Errors while building: shapes. Errors while running (ErrDomain): a cell of x or an entry of s that is negative or not
// finite; a product that is not finite.
func ScaleColumns(a Attr) Op { return Op{decl: &scaleColumns, attr: a} }

var scaleColumns = decl{kind: "ScaleColumns", sig: parse("nd,1|d->nd"), names: []string{"x", "s"}, in: []Inputs{X, S},
	on: nonNegative, prepare: checkScales, forward: kernel{scaleForward[float32], scaleForward[float64]},
	stays: byCoordinate,
	reads: []int{0, 1}, backward: kernel{scaleBackward[float32], scaleBackward[float64]}}

// checkScales checks that all scales, the second input, are finite and not negative.
func checkScales(c *call) error {
	s := Float64s(c.in[1])
	return checkEach(c.who(), "scale", "is not a finite number from 0 on", reset, s, len(s), domain.NonNegative().Contains)
}

func scaleForward[T domain.Float](c *call) error {
	if multiplyColumns(result[T](c), cells[T](c, 0), ofColumns[T](c, 1)); within(domain.Reals(), result[T](c)) {
		return nil
	}
	return checkFeatures[T](c, 1, unscaled, rescale)
}

// multiplyColumns writes x·diag(s) for one entry of s a column, or one for all.
func multiplyColumns[T domain.Float](dst, x, s []T) {
	d := len(s)
	if d == 1 {
		d = max(len(x), 1)
	}
	for lo := 0; lo < len(x); lo += d {
		simd.Multiply(dst[lo:lo+d], x[lo:lo+d], s)
	}
}

func scaleBackward[T domain.Float](c *call) error {
	g, s := gradientOf[T](c), cells[T](c, 1)
	if dx := gradientFor[T](c, 0); dx != nil {
		multiplyColumns(dx, g, s)
	}
	if ds := gradientFor[T](c, 1); ds != nil {
		sums, d := make([]float64, len(ds)), c.at('d')
		for i, v := range cells[T](c, 0) {
			sums[i%d%len(sums)] += float64(v) * float64(g[i])
		}
		recast(ds, sums)
	}
	return nil
}

// The reason and the remedy for a cell that overflows on its way to the unit of the kernel.
const (
	unscaled = "is not finite in %T in the unit of the kernel"
	rescale  = "scale the data and the kernel's parameter together"
)
