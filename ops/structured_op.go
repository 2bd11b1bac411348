package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// structuredOp is [cos(xW) | sin(xW)]/√m, or the projection xW + b, of a structured W. The inputs are x, signs, norms, then ρ and b
// where there are.
type structuredOp struct {
	base
	rho, bias bool
}

var _ backwarder = structuredOp{}

func applyStructured(kind string, a Attr, x, signs, norms, rho, b *G.Node) (*G.Node, error) {
	o := structuredOp{base{kind: kind, ranks: "221", attr: a}, rho != nil, b != nil}
	in := []*G.Node{x, signs, norms}
	if o.rho {
		in, o.ranks, o.kind = append(in, rho), o.ranks+"1", o.kind+" with bandwidth"
	}
	if o.bias {
		in, o.ranks = append(in, b), o.ranks+"1"
	}
	o.ranks += "2"
	return apply(o, in...)
}

// wants says whether the gradient for an input is wanted; signs and norms have none.
func (o structuredOp) wants(input int) bool {
	frozen := o.attr.Frozen
	switch {
	case input == 0:
		return frozen&First == 0
	case o.rho && input == 3:
		return frozen&Second == 0
	case o.bias && input == len(o.ranks)-2:
		return frozen&Third == 0
	}
	return false
}

// DiffWRT is true for the inputs that are wanted, and for data.
func (o structuredOp) DiffWRT(n int) []bool {
	wrt := make([]bool, n)
	for i := range wrt {
		wrt[i] = o.wants(i) || o.refuses(i)
	}
	return wrt
}

func (o structuredOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	who, m := o.attr.who(o.kind), ss[2][0]
	if err := checkStructured(who, ss[0][1], ss[1], ss[2]); err != nil {
		return nil, err
	}
	if o.rho && ss[3][0] != 1 {
		return nil, fmt.Errorf("%s: the log bandwidth has shape %v, want [1]: %w", who, ss[3], ErrShape)
	}
	if !o.bias {
		return tensor.Shape{ss[0][0], 2 * m}, nil
	}
	if b := ss[len(ss)-1]; b[0] != m {
		return nil, fmt.Errorf("%s: there are %d norms and the bias is %v: %w", who, m, b, ErrShape)
	}
	return tensor.Shape{ss[0][0], m}, nil
}

func (o structuredOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	w, err := structuredWeights(x.Shape()[1], ts[1:], o.rho, o.attr)
	if err != nil {
		return nil, err
	}
	if !o.bias {
		return result(StructuredFourierInto(nil, x, w, o.attr))
	}
	return result(structuredAffine(x, w, ts[len(ts)-1], o.attr))
}

// structuredWeights is W from inputs: signs, norms, and ρ where there is.
func structuredWeights(d int, in []*tensor.Dense, withRho bool, a Attr) (*Structured, error) {
	var rho *tensor.Dense
	if withRho {
		rho = in[2]
	}
	return borrowStructured(d, in[0], in[1], rho, a)
}

// structuredAffine is xW + b.
func structuredAffine(x Matrix, w *Structured, b *tensor.Dense, a Attr) (*tensor.Dense, error) {
	const op = "StructuredAffine"
	_, m := w.Dims()
	b, err := bias(op, a, w, b)
	if err != nil {
		return nil, err
	}
	dst, x, err := input(op, a, nil, x, w, m)
	if err != nil {
		return nil, err
	}
	if n := x.Shape()[0]; w.f32 != nil {
		w.f32.Affine(data[float32](dst), structuredRows[float32](x), data[float32](b), n)
	} else {
		w.f64.Affine(data[float64](dst), structuredRows[float64](x), data[float64](b), n)
	}
	return dst, nil
}

func (o structuredOp) backward(t *tracer, in []any, out, grad any) []any {
	grads, dp := make([]any, len(in)), grad
	if !o.bias {
		dp = t.apply(pairGradOp, out, grad)
	} else if b := len(in) - 1; o.wants(b) {
		grads[b] = t.apply(colSumOp, dp)
	}
	scaled := o.rho && o.wants(3)
	if !o.wants(0) && !scaled {
		return grads
	}
	w := in[1:3]
	if o.rho {
		w = in[1:4]
	}
	if scaled {
		grads[3] = t.apply(structuredGradRhoOp, append([]any{in[0], dp}, w...)...)
	}
	if o.wants(0) {
		grads[0] = t.apply(newStructuredGradX(columns(in[0]), o.rho), append([]any{dp}, w...)...)
	}
	return grads
}

// columns is the width of a matrix, node or value.
func columns(handle any) int {
	return handle.(interface{ Shape() tensor.Shape }).Shape()[1]
}

// structuredGradX is dx = dP·Wᵀ [n, d] from dP [n, m], signs, norms, and ρ where there is.
type structuredGradX struct {
	base
	rho bool
	d   int // columns of x, in the kind too and so in the hash
}

var _ G.Op = structuredGradX{}

func newStructuredGradX(d int, rho bool) structuredGradX {
	o := structuredGradX{base{kind: fmt.Sprintf("structuredGradX of %d columns", d), ranks: "2212"}, rho, d}
	if rho {
		o.ranks = "22112"
	}
	return o
}

func (o structuredGradX) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{ss[0][0], o.d}, nil
}

func (o structuredGradX) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	w, err := structuredWeights(o.d, ts[1:], o.rho, o.attr)
	if err != nil {
		return nil, err
	}
	dp := ts[0]
	if _, m := w.Dims(); dp.Shape()[1] != m {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, dp.Shape(), ts[2].Shape(), ErrShape)
	}
	n := dp.Shape()[0]
	dx := tensor.New(tensor.WithShape(n, o.d), tensor.Of(dp.Dtype()))
	if w.f32 != nil {
		structuredGrad(w.f32, dx, dp, n)
	} else {
		structuredGrad(w.f64, dx, dp, n)
	}
	return dx, nil
}

func structuredGrad[T simd.Float](w *simd.Structured[T], dx, dp *tensor.Dense, n int) {
	w.GradX(data[T](dx), data[T](dp), n)
}

// structuredRows is x for a structured W.
func structuredRows[T simd.Float](x Matrix) simd.Rows[T] {
	if s, ok := x.(*CSR); ok {
		return simd.Rows[T]{Sparse: &sparseOf[T](s).CSR, Base: sparseOf[T](s).columnBase()}
	}
	return simd.Rows[T]{Dense: data[T](x.(*tensor.Dense))}
}

// structuredGradRhoOp is dρ = -<dP, xW> [1] from x [n, d], dP [n, m], signs, norms and ρ.
var structuredGradRhoOp = structuredGradRho{base{kind: "structuredGradRho", ranks: "222111"}}

type structuredGradRho struct{ base }

var _ G.Op = structuredGradRho{}

func (o structuredGradRho) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	if _, err := o.shapes(ds); err != nil {
		return nil, err
	}
	return tensor.Shape{1}, nil
}

func (o structuredGradRho) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, false)
	if err != nil {
		return nil, err
	}
	w, err := structuredWeights(x.Shape()[1], ts[2:], true, o.attr)
	if err != nil {
		return nil, err
	}
	dp, n := ts[1], x.Shape()[0]
	if _, m := w.Dims(); !dp.Shape().Eq(tensor.Shape{n, m}) {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, x.Shape(), dp.Shape(), ErrShape)
	}
	drho := tensor.New(tensor.WithShape(1), tensor.Of(dp.Dtype()))
	if w.f32 != nil {
		structuredRhoSum(w.f32, drho, dp, x)
	} else {
		structuredRhoSum(w.f64, drho, dp, x)
	}
	return drho, nil
}

func structuredRhoSum[T simd.Float](w *simd.Structured[T], drho, dp *tensor.Dense, x Matrix) {
	p := make([]T, dp.Shape().TotalSize())
	w.Affine(p, structuredRows[T](x), nil, dp.Shape()[0])
	minusRowDots(data[T](drho), p, data[T](dp), dp.Shape()[1])
}
