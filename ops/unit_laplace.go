package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// UnitLaplace is Laplace with rows of unit length,
//
//	z(x) = exp(-xW) / ‖exp(-xW)‖₂,   x >= 0, W >= 0.
//
// Its inner products are near E exp(-w·(x + x')) divided by the roots of that of x and x and of x' and x'; Damp puts these back. A row that is so
// far out that all of Laplace underflows keeps its direction here. x is [n, d], W [d, m], z [n, m].
//
// Backward: dP = (g·z) z² - g z from the output alone, row by row, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Errors as for Laplace.
func UnitLaplace(x, w *G.Node, a Attr) (*G.Node, error) {
	a.Domain = domain.NonNegative()
	return apply(unitLaplaceOp{laplaceOp{base{kind: "UnitLaplace", ranks: "222", attr: a}}}, x, w)
}

// UnitLaplaceInto writes UnitLaplace(x, W), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph. W must be non-negative.
func UnitLaplaceInto(dst *tensor.Dense, x Matrix, w *Weights, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	a.Domain = domain.NonNegative()
	dst, x, err := input("UnitLaplace", a, dst, x, w, m)
	if err != nil {
		return nil, err
	}
	if w.f32 != nil {
		unitLaplace(dst, x, w, w.f32)
	} else {
		unitLaplace(dst, x, w, w.f64)
	}
	return dst, nil
}

func unitLaplace[T domain.Float](dst *tensor.Dense, x Matrix, w *Weights, p *simd.Weights[T]) {
	n, m := dst.Shape()[0], dst.Shape()[1]
	exponential(dst, x, w, p, 1)
	var behind []T // of sparse rows, what is not stored
	if s, ok := x.(*CSR); ok {
		behind = background(s, w, p, nil)
	}
	simd.UnitRows(data[T](dst), n, m, func(row []T, i int) {
		if s, ok := x.(*CSR); ok {
			p.AffineCSR(row, sparseOf[T](s.Slice(i, i+1)).CSR, behind)
			return
		}
		d := x.Shape()[1]
		p.Affine(row, data[T](x.(*tensor.Dense))[i*d:i*d+d], nil, 1)
	})
}

// unitLaplaceOp has the shapes and the checks of laplaceOp.
type unitLaplaceOp struct{ laplaceOp }

var _ backwarder = unitLaplaceOp{}

// unitRowsGradOp is dP = (g·z) z² - g z of rows z and g.
var unitRowsGradOp = pointwise{base{kind: "unitRowsGrad", ranks: "222"}, 1, simd.UnitRowsGrad[float32], simd.UnitRowsGrad[float64]}

func (o unitLaplaceOp) Do(in ...G.Value) (G.Value, error) {
	return o.do(in, UnitLaplaceInto)
}

func (o unitLaplaceOp) backward(t *tracer, in []any, out, grad any) []any {
	dp := t.apply(unitRowsGradOp, out, grad)
	grads := make([]any, 2)
	if o.wants(0) {
		grads[0] = t.apply(gradXOp, dp, in[1])
	}
	if o.wants(1) {
		grads[1] = t.apply(gradWOp, in[0], dp)
	}
	return grads
}
