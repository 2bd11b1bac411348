package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Positive is positive random features of x, W and s,
//
//	z(x) = exp(xW - ½‖s∘x‖²) / √m.
//
// With w ~ N(0, I/σ²) and s = 1/σ its inner products are unbiased for the softmax kernel exp(x·x'/σ²). x is [n, d], W
// [d, m], s [1], or [d] with an entry for each column; z is [n, m], above 0 but where it underflows to exactly 0. The
// length is computed in float64 for either element type. Choromanski et al. (2021), lemma 1.
//
// Backward, from the output alone: dP = g·z, dW = xᵀ·dP, and with t = Σ dP of a row, dx = dP·Wᵀ - t s²∘x, ds = -Σ t s∘x²
// over everything or over each column.
//
// Pack takes W. Errors while building: shapes. Errors while running (ErrDomain): a cell of x outside Attr.Domain, an
// entry of W or s that is not finite, a row with a feature that overflows.
func Positive(a Attr) Op { return Op{decl: &positive, attr: a} }

var positive = decl{kind: "Positive", sig: parse("nd,dm,1|d->nm"), names: []string{"x", "W", "s"},
	in: []Inputs{X, W, S}, sparse: native, pack: packFrequencies, prepare: frequenciesIn(reals), finite: []int{2},
	forward: kernel{positiveForward[float32], positiveForward[float64]},
	reads:   []int{0, 1, 2, theOutput}, backward: kernel{positiveBackward[float32], positiveBackward[float64]}}

func positiveForward[T domain.Float](c *call) error {
	n, less := c.at('n'), scratch[T](c, c.at('n'))
	exponents(c, square, cells[T](c, 2), func(i int, e float64) { less[i] = T(e) })
	row := simd.ExpLess(result[T](c), packedW[T](c.w), inputRows[T](c), less, n, pairScale(c.at('m')))
	if row < 0 {
		return nil
	}
	return fmt.Errorf("%s: a feature of row %d, exp(w·x - ½‖s∘x‖²), is not finite in %v; scale the rows, to a length of "+
		"about 1/s: %w", c.who(), row, c.x.Dtype(), ErrDomain)
}

func positiveBackward[T domain.Float](c *call) error {
	to := simd.Gradients[T]{DX: gradientFor[T](c, 0), DW: gradientFor[T](c, 1)}
	if err := ofSlopes(c, packedW[T](c.w), to, simd.ExpSlopes(outputOf[T](c), gradientOf[T](c), c.at('m'), 1)); err != nil {
		return err
	}
	exponentGradients(c, square, cells[T](c, 2), to.DX, gradientFor[T](c, 2))
	return nil
}
