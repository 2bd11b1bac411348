package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Laplace is random Laplace features of x and W,
//
//	z(x) = exp(-xW) / √m,   x >= 0, W >= 0.
//
// Its inner products are unbiased for E exp(-w·(x + x')). x is [n, d], W [d, m], z [n, m] with 0 <= z <= 1/√m. x = 0
// gives exactly 1/√m, and a feature that underflows is exactly 0. Yang et al. (2014), equation (4).
//
// Backward, from the output alone: dP = -g·z, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Pack takes W. Errors while building: shapes. Errors while running: a cell
// of x or of W that is negative or not finite (ErrDomain).
func Laplace(a Attr) Op { return Op{decl: &laplace, attr: a} }

// UnitLaplace is Laplace with rows of unit length,
//
//	z(x) = exp(-xW) / ‖exp(-xW)‖₂,   x >= 0, W >= 0.
//
// With k(x, x') = E exp(-w·(x + x')), its inner products approximate k(x, x')/√(k(x, x) k(x', x')); Damp multiplies by
// the roots. A row for which all of Laplace underflows still has its direction here. x is [n, d], W [d, m], z [n, m].
//
// Backward, row by row from the output alone: dP = (g·z) z² - g z, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Errors are as for Laplace.
func UnitLaplace(a Attr) Op { return Op{decl: &unitLaplace, attr: a} }

var (
	laplace = laplaceDecl("Laplace", kernel{laplaceForward[float32], laplaceForward[float64]},
		kernel{laplaceBackward[float32], laplaceBackward[float64]})
	unitLaplace = laplaceDecl("UnitLaplace", kernel{unitForward[float32], unitForward[float64]},
		kernel{unitBackward[float32], unitBackward[float64]})
)

func laplaceDecl(kind string, forward, backward kernel) decl {
	return decl{kind: kind, sig: parse("nd,dm->nm"), names: []string{"x", "W"}, in: []Inputs{X, W}, on: nonNegative,
		sparse: native, pack: packPositive, forward: forward, backward: backward,
		reads: []int{0, 1, theOutput}, prepare: frequenciesIn(nonNegative)}
}

// frequenciesIn is a prepare that checks a W that is not packed.
func frequenciesIn(on func(*Op) Domain) func(c *call) error {
	return func(c *call) error {
		if c.in[1] == nil {
			return nil
		}
		return checkW(on(nil), c.who(), c.in[1])
	}
}

func nonNegative(*Op) Domain { return domain.NonNegative() }

func laplaceForward[T domain.Float](c *call) error {
	exponential[T](c, pairScale(c.at('m')))
	return nil
}

func laplaceBackward[T domain.Float](c *call) error {
	return ofSlopes(c, packedW[T](c.w), gradientsXWB[T](c), simd.ExpSlopes(outputOf[T](c), gradientOf[T](c), c.at('m'), -1))
}

// exponential writes scale·exp(-xW).
func exponential[T domain.Float](c *call, scale float64) {
	simd.Exp(result[T](c), packedW[T](c.w), inputRows[T](c), c.at('n'), scale)
}

func unitForward[T domain.Float](c *call) error {
	exponential[T](c, 1)
	p, d, x := packedW[T](c.w), c.at('d'), inputRows[T](c)
	simd.UnitRows(result[T](c), c.at('n'), c.at('m'), func(row []T, i int) {
		simd.Affine(row, p, x.Part(i, i+1, d), nil, 1)
	})
	return nil
}

func unitBackward[T domain.Float](c *call) error {
	n, m := c.at('n'), c.at('m')
	dp := scratch[T](c, n*m)
	simd.UnitRowsGrad(dp, outputOf[T](c), gradientOf[T](c), n, m)
	return ofProduct(c, packedW[T](c.w), gradientsXWB[T](c), dp)
}
