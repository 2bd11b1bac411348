package ops

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Affine is xW + b, for x [n, d], W [d, k], b [k].
//
// Backward: dx = g·Wᵀ, dW = xᵀ·g, db = the column sums of g. Errors: shapes while building; a cell of x outside Attr.Domain
// while running.
func Affine(x, w, b *G.Node, a Attr) (*G.Node, error) {
	return apply(affineOp{base{kind: "Affine", ranks: "2212", attr: a}}, x, w, b)
}

// AffineInto writes Affine(x, W, b), of dense or sparse rows, to dst [n, k], allocated if nil, without a graph.
func AffineInto(dst *tensor.Dense, x Matrix, w *Weights, b *tensor.Dense, a Attr) (*tensor.Dense, error) {
	_, k := w.Dims()
	b, err := bias("Affine", a, w, b)
	if err != nil {
		return nil, err
	}
	if dst, x, err = input("Affine", a, dst, x, w, k); err != nil {
		return nil, err
	}
	if w.f32 != nil {
		affine(dst, x, b, w, w.f32)
	} else {
		affine(dst, x, b, w, w.f64)
	}
	return dst, nil
}

type affineOp struct{ base }

var _ backwarder = affineOp{}

func (o affineOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) { return o.inferAffine(ds, 1) }

func (o affineOp) Do(in ...G.Value) (G.Value, error) {
	return o.doProjection(in, func(x Matrix, w *Weights) (*tensor.Dense, error) {
		return AffineInto(nil, x, w, in[2].(*tensor.Dense), o.attr)
	})
}

func (o affineOp) backward(t *tracer, in []any, _, grad any) []any {
	grads := make([]any, 3)
	if o.wants(0) {
		grads[0] = t.apply(gradXOp, grad, in[1])
	}
	if o.wants(1) {
		grads[1] = t.apply(gradWOp, in[0], grad)
	}
	if o.wants(2) {
		grads[2] = t.apply(colSumOp, grad)
	}
	return grads
}
