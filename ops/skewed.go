package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SkewedFourier is Fourier(LogShift(x, c), W), the pair form of the skewed maps, as one op. Unlike the two ops it has a
// gradient for c also if x is sparse. x is [n, d]; c is [1], or [d] with an entry for each column; W is [d, m]; z is
// [n, 2m]. Attr.Frozen has X, C and W for x, c and W. Li et al. (2010), proposition 1 and equation (5).
//
// Backward, with u = ln(x + c) and r = 1/(x + c): dP as for Fourier, dW = uᵀ·dP, dx = r∘(dP·Wᵀ), dc = the sum of dx,
// over everything or over each column. For sparse rows dc does not need dx: it is <dP, r·W> over everything, and for
// column j the product of row j of W and of rᵀ·dP; r is a sparse matrix plus a constant row, like u.
//
// Errors are as for LogShift and Fourier.
func SkewedFourier(x, c, w *G.Node, a Attr) (*G.Node, error) {
	return apply(skewedOp("SkewedFourier", "2122", a), x, c, w)
}

// SkewedPhase is Phase(LogShift(x, c), W, b), the phase form, as SkewedFourier is the pair form. b is [m] and z is [n,
// m]. Attr.Frozen has X, C, W and B for x, c, W and b. Errors are as for LogShift and Phase.
func SkewedPhase(x, c, w, b *G.Node, a Attr) (*G.Node, error) {
	if b == nil {
		return nil, fmt.Errorf("%s: b is nil: %w", a.who("SkewedPhase"), ErrShape)
	}
	p, err := apply(skewedOp("SkewedAffine", "21212", a), x, c, w, b)
	if err != nil {
		return nil, err
	}
	return cosine(p, X|C|W|B, a)
}

// SkewedFourierInto writes SkewedFourier(x, c, W), of dense or sparse rows, to dst [n, 2m], allocated if nil, without a
// graph. The logarithm of dense rows is part of the product; for sparse rows only the entries have one.
func SkewedFourierInto(dst *tensor.Dense, x Matrix, c *tensor.Dense, w *Weights, a Attr) (*tensor.Dense, error) {
	const op = "SkewedFourier"
	if s, ok := x.(*CSR); ok {
		u, err := LogShiftCSR(s, c, a)
		if err != nil {
			return nil, err
		}
		return FourierInto(dst, u, w, Attr{Layer: a.Layer})
	}
	_, m := w.Dims()
	dst, xs, cs, err := skewedInput(op, a, dst, x, c, w, 2*m)
	if err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), skewedPair[float32], skewedPair[float64])(dst, xs, cs, w, 1/math.Sqrt(float64(m)))
	return dst, overflow(op, a, bad, dst.Dtype())
}

// SkewedPhaseInto writes SkewedPhase(x, c, W, b), of dense or sparse rows, to dst [n, m], allocated if nil, without a
// graph.
func SkewedPhaseInto(dst *tensor.Dense, x Matrix, c *tensor.Dense, w *Weights, b *tensor.Dense,
	a Attr) (*tensor.Dense, error) {
	const op = "SkewedPhase"
	if s, ok := x.(*CSR); ok {
		u, err := LogShiftCSR(s, c, a)
		if err != nil {
			return nil, err
		}
		return PhaseInto(dst, u, w, b, Attr{Layer: a.Layer})
	}
	b, err := bias(op, a, w, b)
	if err != nil {
		return nil, err
	}
	_, m := w.Dims()
	dst, xs, cs, err := skewedInput(op, a, dst, x, c, w, m)
	if err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), skewedPhase[float32], skewedPhase[float64])(dst, xs, cs, b, w, phaseScale(m))
	return dst, overflow(op, a, bad, dst.Dtype())
}

func skewedPair[T domain.Float](dst, x, c *tensor.Dense, w *Weights, scale float64) (badRow int) {
	return simd.SkewedPair(data[T](dst), data[T](x), data[T](c), x.Shape()[0], packed[T](w), scale)
}

func skewedPhase[T domain.Float](dst, x, c, b *tensor.Dense, w *Weights, scale float64) (badRow int) {
	return simd.SkewedPhase(data[T](dst), data[T](x), data[T](c), data[T](b), x.Shape()[0], packed[T](w), scale)
}

// skewedInput checks the arguments of both Into functions for dense rows.
func skewedInput(op string, a Attr, dst *tensor.Dense, x Matrix, c *tensor.Dense, w *Weights, cols int) (out, xs,
	cs *tensor.Dense, err error) {
	out, in, err := projected(op, a, dst, x, w, cols)
	if err != nil {
		return nil, nil, nil, err
	}
	xs, cs, err = shiftable(a.who(op), in.(*tensor.Dense), c)
	return out, xs, cs, err
}

// skewedOp is [cos(uW) | sin(uW)]/√m with u = ln(x + c), or uW + b with a bias. The inputs are x, c, W and the bias.
func skewedOp(kind, ranks string, a Attr) *op {
	bias := len(ranks) > 4
	o := &op{kind: kind, in: []Inputs{X, C, W, B}[:len(ranks)-1], ranks: ranks, attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		x, w := in[0], in[2]
		if k := in[1][0]; k != 1 && k != x[1] {
			return nil, lengthError(o.who(), "c", k, x[1])
		}
		if x[1] != w[0] {
			return nil, widthError(o.who(), x, w)
		}
		if !bias {
			return tensor.Shape{x[0], 2 * w[1]}, nil
		}
		if in[3][0] != w[1] {
			return nil, biasError(o.who(), w, in[3])
		}
		return tensor.Shape{x[0], w[1]}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		w, err := a.weights(in[2])
		if err != nil {
			return nil, err
		}
		if !bias {
			return SkewedFourierInto(nil, x, in[1], w, a)
		}
		u, err := logShifted(x, in[1], a)
		if err != nil {
			return nil, err
		}
		return AffineInto(nil, u, w, in[3], Attr{Layer: a.Layer}) // the domain of x is checked
	}
	o.backward = skewedBackward
	return o
}

func skewedBackward(t *tracer) {
	x, c, w := t.in[0], t.in[1], t.in[2]
	dp, bias := t.grad, len(t.in) > 3
	if bias {
		t.gradient(B, colSumOp, dp)
	}
	logarithm := logShiftOp(Attr{Layer: t.attr.Layer, Frozen: X | C, Domain: t.attr.Domain})
	if !bias && (t.wanted(X) || !t.wanted(C)) { // x is dense, or c needs no dP: as Fourier of u = ln(x + c)
		u := *t
		u.in = []handle{t.apply(logarithm, x, c), nil, w}
		u.gradientsOf([]Inputs{X, W}, func(wanted Inputs) *op {
			return rowGradients(pairMap, wanted)
		}, u.in[0], w, t.out, t.grad)
		t.err = u.err
		if t.wanted(X) {
			t.grads[0] = t.apply(logShiftGradOp, x, c, t.grads[0])
			t.gradient(C, sumFor(c), t.grads[0])
		}
		return
	}
	if !bias {
		dp = t.apply(pairGradOp, t.out, t.grad)
	}
	if t.wanted(W) {
		t.gradient(W, gradWOp, t.apply(logarithm, x, c), dp)
	}
	if t.wanted(X) {
		t.gradient(X, logShiftGradOp, x, c, t.apply(gradXOp, dp, w))
		t.gradient(C, sumFor(c), t.grads[0])
		return
	}
	t.gradient(C, skewedGradCOp, x, c, w, dp)
}

// skewedGradCOp is dc from x, c, W and dP.
var skewedGradCOp = &op{kind: "skewedGradC", ranks: "21221", sparse: true,
	shape: func(in []tensor.Shape) (tensor.Shape, error) {
		x, w, dp := in[0], in[2], in[3]
		if w[0] != x[1] || dp[0] != x[0] || dp[1] != w[1] {
			return nil, misfit("skewedGradC", in)
		}
		return in[1].Clone(), nil
	},
	fill: func(dc *tensor.Dense, x Matrix, in []*tensor.Dense) error {
		if s, ok := x.(*CSR); ok {
			return typed(dc.Dtype(), sparseGradC[float32], sparseGradC[float64])(dc, s, in)
		}
		dx := tensor.New(tensor.WithShape(x.Shape().Clone()...), tensor.Of(x.Dtype()))
		typed(dx.Dtype(), gradX[float32], gradX[float64])(dx, in[3], in[2])
		typed(dx.Dtype(), logShiftGrad[float32], logShiftGrad[float64])(dx, in[0], in[1], dx)
		return sumFor(dc).fill(dc, dx, []*tensor.Dense{dx})
	}}

// sparseGradC is dc for sparse rows.
func sparseGradC[T domain.Float](dc *tensor.Dense, x *CSR, in []*tensor.Dense) error {
	c, w, dp := in[1], in[2], in[3]
	r, err := shifted[T](x, c, "ops: skewedGradC", inverseOfSum)
	if err != nil {
		return err
	}
	if len(r.base) == 1 {
		borrowed, err := Borrow(w)
		if err != nil {
			return err
		}
		rw := tensor.New(tensor.WithShape(dp.Shape().Clone()...), tensor.Of(dp.Dtype()))
		packed[T](borrowed).AffineCSR(data[T](rw), r.CSR, background[T](&CSR{r}, borrowed, nil))
		minusRowDots[T](dc, rw, dp)
	} else {
		rg := tensor.New(tensor.WithShape(w.Shape().Clone()...), tensor.Of(w.Dtype()))
		simd.GradWCSR(data[T](rg), r.CSR, r.base, data[T](dp), w.Shape()[1])
		minusRowDots[T](dc, w, rg)
	}
	for j, v := range data[T](dc) {
		data[T](dc)[j] = -v
	}
	return nil
}
