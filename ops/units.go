package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Unit is what Units makes of projections.
type Unit int

const (
	StepUnit    Unit = iota // s(t), 1 for t > 0 and else 0
	ReLUUnit                // r(t) = max(t, 0)
	TangentUnit             // r(t) of the first half of the columns of W, then s(t) t' with t' of the second half
)

var unitNames = []string{"step", "relu", "tangent"}

func (u Unit) String() string { return domain.Word(u, unitNames...) }

// Units is the random feature map, of x and W, of the arc-cosine kernels and of the neural tangent kernel,
//
//	z(x) = √(2/m) s(xW)                        StepUnit
//	z(x) = √(2/m) r(xW)                        ReLUUnit
//	z(x) = √(2/m) [r(xA) | s(xA)∘(xV)]         TangentUnit, W = [A | V]
//
// with m frequencies, which are the columns of W, or half of them for TangentUnit. x is [n, d], W [d, D], z [n, D]. Cho
// and Saul (2009), equation (1); Jacot, Gabriel and Hongler (2018).
//
// Backward, from the output alone: with g' = √(2/m) g where the unit is active, z > 0, and else 0, dx = g'·Wᵀ and dW =
// xᵀ·g'. For TangentUnit a column of the second half is active with its column of the first half. All gradients of
// StepUnit are 0.
//
// Pack takes W. Errors while building: shapes, an odd D for TangentUnit, an unknown unit (ErrParam). Errors while
// running: a cell of x outside Attr.Domain, or a row whose projection xW is not finite (ErrDomain).
func Units(u Unit, a Attr) Op {
	return units.with(u, a, func(who string) error { return checkWord(who, u, unitNames) })
}

// scale is √(2/m) for D columns.
func (u Unit) scale(cols int) float64 {
	if u == TangentUnit {
		cols /= 2
	}
	return math.Sqrt(2 / float64(cols))
}

var units = decl{kind: "Units", sig: parse("nd,dm->nm"), names: []string{"x", "W"}, in: []Inputs{X, W}, circular: true,
	sparse: native, pack: packFrequencies, forward: kernel{unitsForward[float32], unitsForward[float64]},
	check: func(c *call) error {
		if m := c.at('m'); c.params.(Unit) == TangentUnit && m%2 != 0 {
			return fmt.Errorf("%s: W has %d columns, want as many of A as of V: %w", c.who(), m, ErrShape)
		}
		return nil
	},
	reads: []int{0, 1, theOutput}, backward: kernel{unitsBackward[float32], unitsBackward[float64]}}

func unitsForward[T domain.Float](c *call) error {
	if err := affineOf(c, inputRows[T](c), nil); err != nil {
		return err
	}
	u, m := c.params.(Unit), c.at('m')
	return c.notFinite(simd.Units(result[T](c), c.at('n'), m, u == StepUnit, u == TangentUnit, T(u.scale(m))))
}

func unitsBackward[T domain.Float](c *call) error {
	u, n, m := paramsOf[Unit](c), c.at('n'), c.at('m')
	if u == StepUnit {
		clear(result[T](c))
		return nil
	}
	dp := scratch[T](c, n*m)
	simd.UnitsGrad(dp, outputOf[T](c), gradientOf[T](c), n, m, u == TangentUnit, T(u.scale(m)))
	return ofProduct(c, packedW[T](c.w), gradientsXWB[T](c), dp)
}
