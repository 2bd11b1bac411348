package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Fourier is the pair form of random Fourier features,
//
//	z(x) = [cos(xW) | sin(xW)] / √m,
//
// whose inner products are unbiased for E cos(w·(x - x')) and exact for x = x'. x is [n, d], W [d, m], z [n, 2m]: the m
// cosines, then the m sines. Rahimi and Recht (2007), algorithm 1, in the form that Sutherland and Schneider (2015)
// show to have the lower variance.
//
// Backward: dP = g_sin·z_cos - g_cos·z_sin from the output alone, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Errors while building: shapes. Errors while running: a cell of x outside Attr.Domain, or a row whose projection xW
// overflows (ErrDomain).
func Fourier(x, w *G.Node, a Attr) (*G.Node, error) {
	return apply(fourierOp{base{kind: "Fourier", ranks: "222", attr: a}}, x, w)
}

// FourierInto writes Fourier(x, W), of dense or sparse rows, to dst [n, 2m], allocated if nil, without a graph.
func FourierInto(dst *tensor.Dense, x Matrix, w *Weights, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	dst, x, err := circular("Fourier", a, dst, x, w, 2*m)
	if err != nil {
		return nil, err
	}
	scale, bad := 1/math.Sqrt(float64(m)), -1
	if w.f32 != nil {
		bad = pair(dst, x, w, w.f32, scale)
	} else {
		bad = pair(dst, x, w, w.f64, scale)
	}
	return dst, notFinite("Fourier", a, x, bad)
}

// overflow is the error for a row whose projection is not finite.
func overflow(op string, a Attr, row int, dt tensor.Dtype) error {
	if row < 0 {
		return nil
	}
	return fmt.Errorf("%s: the projection of row %d on the frequencies is not finite in %v; scale the data, or look for NaN in the frequencies: %w",
		a.who(op), row, dt, ErrDomain)
}

type fourierOp struct{ base }

var _ backwarder = fourierOp{}

func (o fourierOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) { return o.inferAffine(ds, 2) }

func (o fourierOp) Do(in ...G.Value) (G.Value, error) {
	return o.doProjection(in, func(x Matrix, w *Weights) (*tensor.Dense, error) { return FourierInto(nil, x, w, o.attr) })
}

func (o fourierOp) backward(t *tracer, in []any, out, grad any) []any {
	return t.gradients(pairMap, o, in[0], in[1], out, grad)
}

// inferAffine is the shape of a map of x [n,d] and W [d,m], with or without a bias [m], to [n, factor·m].
func (b base) inferAffine(ds []G.DimSizer, factor int) (tensor.Shape, error) {
	ss, err := b.shapes(ds)
	if err != nil {
		return nil, err
	}
	x, w := ss[0], ss[1]
	if x[1] != w[0] {
		return nil, fmt.Errorf("%s: x is %v and W is %v: x has %d columns, W wants %d: %w", b.attr.who(b.kind), x, w, x[1], w[0], ErrShape)
	}
	if len(ss) > 2 && ss[2][0] != w[1] {
		return nil, fmt.Errorf("%s: W is %v and the bias %v: %w", b.attr.who(b.kind), w, ss[2], ErrShape)
	}
	return tensor.Shape{x[0], factor * w[1]}, nil
}

// doProjection is Do for a map of x and W.
func (b base) doProjection(in []G.Value, f func(x Matrix, w *Weights) (*tensor.Dense, error)) (G.Value, error) {
	x, ts, err := b.mixed(in, b.wants(0))
	if err != nil {
		return nil, err
	}
	w, err := b.weights(ts[1])
	if err != nil {
		return nil, err
	}
	return result(f(x, w))
}

// weights is W as it is kept packed, if it was packed from the memory of w, or borrowed.
func (b base) weights(w *tensor.Dense) (*Weights, error) {
	if b.attr.Packed != nil {
		if kept := b.attr.Packed.Load(); kept != nil && kept.first == firstCell(w) {
			return kept, nil
		}
	}
	return Borrow(w)
}
