package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Unit is what Units makes of projections.
type Unit int

const (
	StepUnit    Unit = iota // s(t), 1 for t > 0 and else 0
	ReLUUnit                // r(t) = max(t, 0)
	TangentUnit             // r(t) of the first half of the columns of W, then s(t) t' with t' of the second half
)

var unitNames = []string{"step", "relu", "tangent"}

func (u Unit) String() string {
	if u < 0 || int(u) >= len(unitNames) {
		return fmt.Sprintf("Unit(%d)", int(u))
	}
	return unitNames[u]
}

// Units is the random feature map of the arc-cosine kernels and of the neural tangent kernel,
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
// Errors while building: shapes, an odd D for TangentUnit, an unknown unit (ErrParam). Errors while running: a cell of x
// outside Attr.Domain, or a row whose projection xW is not finite (ErrDomain).
func Units(x, w *G.Node, u Unit, a Attr) (*G.Node, error) {
	o := projectionOp("Units", "222", a, 1, func(x Matrix, w *Weights, _ []*tensor.Dense) (*tensor.Dense, error) {
		return UnitsInto(nil, x, w, u, a)
	})
	o.params = u
	if err := u.check(o.who(), 0); err != nil {
		return nil, err
	}
	fit := o.shape
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if err := u.check(o.who(), in[1][1]); err != nil {
			return nil, err
		}
		return fit(in)
	}
	o.backward = func(t *tracer) {
		dp := t.apply(unitsGradOps[u], t.out, t.grad)
		t.gradient(X, gradXOp, dp, t.in[1])
		t.gradient(W, gradWOp, t.in[0], dp)
	}
	return apply(o, x, w)
}

// UnitsInto writes Units(x, W), of dense or sparse rows, to dst [n, D], allocated if nil, without a graph.
func UnitsInto(dst *tensor.Dense, x Matrix, w *Weights, u Unit, a Attr) (*tensor.Dense, error) {
	_, cols := w.Dims()
	if err := u.check(a.who("Units"), cols); err != nil {
		return nil, err
	}
	dst, x, err := circular("Units", a, dst, x, w, cols)
	if err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), units[float32], units[float64])(dst, x, w, u)
	return dst, notFinite("Units", a, x, bad)
}

func (u Unit) check(who string, cols int) error {
	if u < 0 || int(u) >= len(unitNames) {
		return fmt.Errorf("%s: %v is none of step, relu and tangent: %w", who, u, ErrParam)
	}
	if u == TangentUnit && cols%2 != 0 {
		return fmt.Errorf("%s: W has %d columns, want as many of A as of V: %w", who, cols, ErrShape)
	}
	return nil
}

// unitScale is √(2/m) for D columns.
func (u Unit) scale(cols int) float64 {
	if u == TangentUnit {
		cols /= 2
	}
	return math.Sqrt(2 / float64(cols))
}

// units returns the first row with a projection that is not finite, or -1.
func units[T domain.Float](dst *tensor.Dense, x Matrix, w *Weights, u Unit) int {
	affine[T](dst, x, nil, w)
	n, cols := dst.Shape()[0], dst.Shape()[1]
	return simd.Units(data[T](dst), n, cols, u == StepUnit, u == TangentUnit, T(u.scale(cols)))
}

// unitsGradOps is √(2/m) g where the unit is active and no step, from rows z and g.
var unitsGradOps = []*op{unitsGradOp(StepUnit), unitsGradOp(ReLUUnit), unitsGradOp(TangentUnit)}

func unitsGradOp(u Unit) *op {
	return pointwise("unitsGrad of "+u.String(), 1,
		func(dp, z, g []float32, n, m int) { unitsGrad(dp, z, g, n, m, u) },
		func(dp, z, g []float64, n, m int) { unitsGrad(dp, z, g, n, m, u) })
}

func unitsGrad[T domain.Float](dp, z, g []T, n, cols int, u Unit) {
	if u == StepUnit {
		clear(dp)
		return
	}
	simd.UnitsGrad(dp, z, g, n, cols, u == TangentUnit, T(u.scale(cols)))
}
