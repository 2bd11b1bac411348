package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SkewedFourier is Fourier(LogShift(x, c), W), the pair form of the skewed maps, in one op, which can be tuned in c for sparse rows too.
// x is [n, d], c has one entry, or one a dimension, W is [d, m], z [n, 2m]. Attr.Frozen counts x, c and W as First, Second and Third.
// Li et al. (2010), proposition 1 and equation (5).
//
// Backward, with u = ln(x + c) and r = 1/(x + c): dP as for Fourier, dW = uᵀ·dP, dx = r∘(dP·Wᵀ), dc = the sum of dx, over everything or
// over a column each. Of sparse rows dc comes without dx: over everything it is <dP, r·W>, over column j the product of row j of W and of
// rᵀ·dP, and r is a sparse matrix with a base, as u is.
//
// Errors: those of LogShift and Fourier.
func SkewedFourier(x, c, w *G.Node, a Attr) (*G.Node, error) {
	return apply(skewedOp{base{kind: "SkewedFourier", ranks: "2122", attr: a}, false}, x, c, w)
}

// SkewedPhase is Phase(LogShift(x, c), W, b), the phase form; b is [m] and z [n, m]. Attr.Frozen counts b as Fourth. For the rest see
// SkewedFourier.
func SkewedPhase(x, c, w, b *G.Node, a Attr) (*G.Node, error) {
	if b == nil {
		return nil, fmt.Errorf("%s: b is nil: %w", a.who("SkewedPhase"), ErrShape)
	}
	p, err := apply(skewedOp{base{kind: "SkewedAffine", ranks: "21212", attr: a}, true}, x, c, w, b)
	if err != nil {
		return nil, err
	}
	return cosine(p, First|Second|Third|Fourth, a)
}

// skewedOp is [cos(uW) | sin(uW)]/√m, or uW + b, of u = ln(x + c). The inputs are x, c, W, and b where there is.
type skewedOp struct {
	base
	bias bool
}

var _ backwarder = skewedOp{}

func (o skewedOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	who, x, w := o.attr.who(o.kind), ss[0], ss[2]
	if k := ss[1][0]; k != 1 && k != x[1] {
		return nil, lengthError(who, "c", k, x[1])
	}
	if x[1] != w[0] {
		return nil, fmt.Errorf("%s: x is %v and W is %v: x has %d columns, W wants %d: %w", who, x, w, x[1], w[0], ErrShape)
	}
	if !o.bias {
		return tensor.Shape{x[0], 2 * w[1]}, nil
	}
	if ss[3][0] != w[1] {
		return nil, fmt.Errorf("%s: W is %v and the bias %v: %w", who, w, ss[3], ErrShape)
	}
	return tensor.Shape{x[0], w[1]}, nil
}

func (o skewedOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	w, err := o.weights(ts[2])
	if err != nil {
		return nil, err
	}
	if !o.bias {
		return result(SkewedFourierInto(nil, x, ts[1], w, o.attr))
	}
	u, err := logShifted(x, ts[1], o.attr)
	if err != nil {
		return nil, err
	}
	return result(AffineInto(nil, u, w, ts[3], Attr{Layer: o.attr.Layer})) // the domain of x is checked
}

// logShifted is ln(x + c) of dense or sparse rows.
func logShifted(x Matrix, c *tensor.Dense, a Attr) (Matrix, error) {
	if s, ok := x.(*CSR); ok {
		return LogShiftCSR(s, c, a)
	}
	return LogShiftInto(nil, x.(*tensor.Dense), c, a)
}

func (o skewedOp) backward(t *tracer, in []any, out, grad any) []any {
	grads, dp := make([]any, len(in)), grad
	logarithm := logShiftOp{base{kind: "LogShift", ranks: "212", attr: Attr{Layer: o.attr.Layer, Frozen: First | Second, Domain: o.attr.Domain}}}
	switch {
	case o.bias && o.wants(3):
		grads[3] = t.apply(colSumOp, dp)
	case !o.bias && (o.wants(0) || !o.wants(1)): // x is dense, or c needs no dP
		return o.pairBackward(t, logarithm, in, out, grad)
	case !o.bias:
		dp = t.apply(pairGradOp, out, grad)
	}
	if o.wants(2) {
		grads[2] = t.apply(gradWOp, t.apply(logarithm, in[0], in[1]), dp)
	}
	switch {
	case o.wants(0):
		grads[0] = t.apply(logShiftGradOp, in[0], in[1], t.apply(gradXOp, dp, in[2]))
		if o.wants(1) {
			grads[1] = t.apply(columnsOrAll(in[1]), grads[0])
		}
	case o.wants(1):
		grads[1] = t.apply(skewedGradCOp, in[0], in[1], in[2], dp)
	}
	return grads
}

// pairBackward is the backward of the pair form by that of Fourier for u = ln(x + c).
func (o skewedOp) pairBackward(t *tracer, logarithm G.Op, in []any, out, grad any) []any {
	var inputs wanted
	if o.wants(0) {
		inputs |= wanted(First)
	}
	if o.wants(2) {
		inputs |= wanted(Second)
	}
	fourier := t.gradients(pairMap, inputs, t.apply(logarithm, in[0], in[1]), in[2], out, grad)
	grads := []any{nil, nil, fourier[1]}
	if o.wants(0) {
		grads[0] = t.apply(logShiftGradOp, in[0], in[1], fourier[0])
		if o.wants(1) {
			grads[1] = t.apply(columnsOrAll(in[1]), grads[0])
		}
	}
	return grads
}

// wanted is a set of inputs whose gradients are wanted.
type wanted Inputs

func (w wanted) wants(i int) bool { return w&(1<<i) != 0 }

// columnsOrAll is the sum of a matrix for the gradient of c: over everything, or over a column each.
func columnsOrAll(c any) G.Op {
	if length(c) == 1 {
		return sumOp
	}
	return colSumOp
}

// skewedGradCOp is dc from x, c, W and dP.
var skewedGradCOp = skewedGradC{base{kind: "skewedGradC", ranks: "21221"}}

type skewedGradC struct{ base }

var _ G.Op = skewedGradC{}

func (o skewedGradC) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return ss[1].Clone(), nil
}

func (o skewedGradC) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, false)
	if err != nil {
		return nil, err
	}
	c, w, dp := ts[1], ts[2], ts[3]
	if n, d := x.Shape()[0], x.Shape()[1]; w.Shape()[0] != d || dp.Shape()[0] != n || dp.Shape()[1] != w.Shape()[1] {
		return nil, fmt.Errorf("ops: %s of shapes %v, %v and %v: %w", o.kind, x.Shape(), w.Shape(), dp.Shape(), ErrShape)
	}
	s, sparse := x.(*CSR)
	switch {
	case !sparse:
		return o.dense(in)
	case s.f32 != nil:
		return result(sparseGradC(s.f32, c, w, dp))
	default:
		return result(sparseGradC(s.f64, c, w, dp))
	}
}

// dense is the sum of dx.
func (o skewedGradC) dense(in []G.Value) (G.Value, error) {
	du, err := gradXOp.Do(in[3], in[2])
	if err != nil {
		return nil, err
	}
	dx, err := logShiftGradOp.Do(in[0], in[1], du)
	if err != nil {
		return nil, err
	}
	return columnsOrAll(in[1]).Do(dx)
}

// sparseGradC is dc for sparse rows.
func sparseGradC[T domain.Float](x *sparse[T], c, w, dp *tensor.Dense) (*tensor.Dense, error) {
	r, err := shifted(x, data[T](c), "ops: skewedGradC", inverseOfSum)
	if err != nil {
		return nil, err
	}
	d, m := w.Shape()[0], w.Shape()[1]
	dc := tensor.New(tensor.WithShape(c.Shape().TotalSize()), tensor.Of(c.Dtype()))
	ws, g := data[T](w), data[T](dp)
	if len(r.base) == 1 {
		packed, p := &Weights{}, simd.Borrow(ws, d, m)
		rw := make([]T, len(g))
		p.AffineCSR(rw, r.CSR, background(wrap(r), packed, p, nil))
		minusRowDots(data[T](dc), rw, g, m)
	} else {
		rg := make([]T, d*m)
		simd.GradWCSR(rg, r.CSR, r.base, g, m)
		minusRowDots(data[T](dc), ws, rg, m)
	}
	for j, v := range data[T](dc) {
		data[T](dc)[j] = -v
	}
	return dc, nil
}
