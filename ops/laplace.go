package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Laplace is the random Laplace feature map
//
//	z(x) = exp(-xW) / √m,   x >= 0, W >= 0,
//
// whose inner products are unbiased for E exp(-w·(x + x')). x is [n, d], W [d, m], z [n, m]; 0 <= z <= 1/√m. A row that is
// far out relative to a frequency gives an exact 0; x = 0 gives an exact 1/√m. Yang et al. (2014), equation (4).
//
// Backward: dP = -g·z from the output alone, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Errors while building: shapes. Errors while running: a cell of x or of W that is negative or not finite (ErrDomain).
func Laplace(x, w *G.Node, a Attr) (*G.Node, error) {
	a.Domain = domain.NonNegative()
	return apply(laplaceOp{base{kind: "Laplace", ranks: "222", attr: a}}, x, w)
}

// LaplaceInto writes Laplace(x, W), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph. W must be non-negative.
func LaplaceInto(dst *tensor.Dense, x Matrix, w *Weights, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	a.Domain = domain.NonNegative()
	dst, x, err := input("Laplace", a, dst, x, w, m)
	if err != nil {
		return nil, err
	}
	scale := 1 / math.Sqrt(float64(m))
	if w.f32 != nil {
		exponential(dst, x, w, w.f32, scale)
	} else {
		exponential(dst, x, w, w.f64, scale)
	}
	return dst, nil
}

type laplaceOp struct{ base }

var _ backwarder = laplaceOp{}

func (o laplaceOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) { return o.inferAffine(ds, 1) }

func (o laplaceOp) Do(in ...G.Value) (G.Value, error) { return o.do(in, LaplaceInto) }

// do is Do by one of the forwards of exp(-xW), once W is checked.
func (o laplaceOp) do(in []G.Value, into func(dst *tensor.Dense, x Matrix, w *Weights, a Attr) (*tensor.Dense, error)) (G.Value, error) {
	_, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	if err := CheckFrequencies(domain.NonNegative(), o.attr.who("Laplace"), ts[1]); err != nil {
		return nil, err
	}
	return o.doProjection(in, func(x Matrix, w *Weights) (*tensor.Dense, error) { return into(nil, x, w, o.attr) })
}

func (o laplaceOp) backward(t *tracer, in []any, out, grad any) []any {
	return t.gradients(expMap, o, in[0], in[1], out, grad)
}
