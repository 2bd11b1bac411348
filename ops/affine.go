package ops

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Affine is xW + b for x [n, d], W [d, k] and b [k].
//
// Backward: dx = g·Wᵀ, dW = xᵀ·g, db = the column sums of g. Errors while building: shapes. Errors while running: a
// cell of x outside Attr.Domain (ErrDomain).
func Affine(x, w, b *G.Node, a Attr) (*G.Node, error) {
	o := projectionOp("Affine", "2212", a, 1, func(x Matrix, w *Weights, in []*tensor.Dense) (*tensor.Dense, error) {
		return AffineInto(nil, x, w, in[2], a)
	})
	o.backward = func(t *tracer) {
		t.gradient(X, gradXOp, t.grad, t.in[1])
		t.gradient(W, gradWOp, t.in[0], t.grad)
		t.gradient(B, colSumOp, t.grad)
	}
	return apply(o, x, w, b)
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
	typed(w.Dtype(), affine[float32], affine[float64])(dst, x, b, w)
	return dst, nil
}
