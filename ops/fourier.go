package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Fourier is the pair form of random Fourier features,
//
//	z(x) = [cos(xW) | sin(xW)] / √m.
//
// Its inner products are unbiased for E cos(w·(x - x')) and exact for x = x'. x is [n, d], W [d, m], z [n, 2m]: the m
// cosines, then the m sines. Rahimi and Recht (2007), algorithm 1, in the form for which Sutherland and Schneider
// (2015) show the lower variance.
//
// Backward, from the output alone: dP = g_sin·z_cos - g_cos·z_sin, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Errors while building: shapes. Errors while running: a cell of x outside Attr.Domain, or a row whose projection xW is
// not finite (ErrDomain).
func Fourier(x, w *G.Node, a Attr) (*G.Node, error) {
	o := projectionOp("Fourier", "222", a, 2, func(x Matrix, w *Weights, _ []*tensor.Dense) (*tensor.Dense, error) {
		return FourierInto(nil, x, w, a)
	})
	o.backward = func(t *tracer) { t.ofRows(pairMap, t.out) }
	return apply(o, x, w)
}

// FourierInto writes Fourier(x, W), of dense or sparse rows, to dst [n, 2m], allocated if nil, without a graph.
func FourierInto(dst *tensor.Dense, x Matrix, w *Weights, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	dst, x, err := circular("Fourier", a, dst, x, w, 2*m)
	if err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), pair[float32], pair[float64])(dst, x, w, 1/math.Sqrt(float64(m)))
	return dst, notFinite("Fourier", a, x, bad)
}

// overflow is the error for a row whose projection is not finite.
func overflow(op string, a Attr, row int, dt tensor.Dtype) error {
	if row < 0 {
		return nil
	}
	return fmt.Errorf("%s: the projection of row %d on the frequencies is not finite in %v; scale the data, or look "+
		"for NaN in the frequencies: %w",
		a.who(op), row, dt, ErrDomain)
}

// projectionOp is a map of x [n, d], W [d, m] and, depending on ranks, a bias [m], to factor·m columns. The caller adds
// the backward.
func projectionOp(kind, ranks string, a Attr, factor int,
	into func(x Matrix, w *Weights, in []*tensor.Dense) (*tensor.Dense, error)) *op {
	o := &op{kind: kind, in: []Inputs{X, W, B}[:min(len(ranks)-1, 3)], ranks: ranks, attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		x, w := in[0], in[1]
		if x[1] != w[0] {
			return nil, widthError(o.who(), x, w)
		}
		if len(in) > 2 && in[2][0] != w[1] {
			return nil, biasError(o.who(), w, in[2])
		}
		return tensor.Shape{x[0], factor * w[1]}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		w, err := a.weights(in[1])
		if err != nil {
			return nil, err
		}
		return into(x, w, in)
	}
	return o
}

func widthError(who string, x, w tensor.Shape) error {
	return fmt.Errorf("%s: x is %v and W is %v: x has %d columns, W wants %d: %w", who, x, w, x[1], w[0], ErrShape)
}

func biasError(who string, w, b tensor.Shape) error {
	return fmt.Errorf("%s: W is %v and the bias %v: %w", who, w, b, ErrShape)
}

// weights returns the packed W if it was packed from the memory of w, else w borrowed.
func (a Attr) weights(w *tensor.Dense) (*Weights, error) {
	if a.Packed != nil {
		if kept := a.Packed.Load(); kept != nil && kept.first == firstCell(w) {
			return kept, nil
		}
	}
	return Borrow(w)
}
