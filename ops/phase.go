package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Phase is the phase form of random Fourier features,
//
//	z(x) = √(2/m) cos(xW + b),   b ~ U[0, 2π),
//
// with half the columns of Fourier for the same frequencies and a higher variance. x is [n, d], W [d, m], b [m], z [n, m].
// Rahimi and Recht (2007), algorithm 1; Li et al. (2010), equation (5).
//
// The cosine alone loses the sign of the sine, so the projection P = xW + b is a node of its own and the backward reads it:
// dP = -√(2/m) sin(P)·g, dx = dP·Wᵀ, dW = xᵀ·dP, db = the column sums of dP. Errors as for Fourier.
func Phase(x, w, b *G.Node, a Attr) (*G.Node, error) {
	p, err := Affine(x, w, b, a)
	if err != nil {
		return nil, err
	}
	return cosine(p, First|Second|Third, a)
}

// cosine is √(2/m) cos(P) of a projection P with the given inputs.
func cosine(p *G.Node, inputs Inputs, a Attr) (*G.Node, error) {
	frozen := Attr{Layer: a.Layer}
	if a.Frozen&inputs == inputs {
		frozen.Frozen = First
	}
	return apply(cosOp{base{kind: "Phase", ranks: "22", attr: frozen}}, p)
}

// PhaseInto writes Phase(x, W, b), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph.
func PhaseInto(dst *tensor.Dense, x Matrix, w *Weights, b *tensor.Dense, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	b, err := bias("Phase", a, w, b)
	if err != nil {
		return nil, err
	}
	if dst, x, err = input("Phase", a, dst, x, w, m); err != nil {
		return nil, err
	}
	bad := -1
	if w.f32 != nil {
		bad = phase(dst, x, b, w, w.f32, phaseScale(m))
	} else {
		bad = phase(dst, x, b, w, w.f64, phaseScale(m))
	}
	return dst, overflow("Phase", a, bad, x.Dtype())
}

// bias is b [m], contiguous and of W's element type.
func bias(op string, a Attr, w projection, b *tensor.Dense) (*tensor.Dense, error) {
	_, m := w.Dims()
	b, err := contiguous(b)
	if err != nil {
		return nil, fmt.Errorf("%s: b: %w", a.who(op), err)
	}
	if b.Dtype() != w.Dtype() {
		return nil, fmt.Errorf("%s: b is %v, W is %v: %w", a.who(op), b.Dtype(), w.Dtype(), ErrDtype)
	}
	if b.Shape().TotalSize() != m {
		return nil, fmt.Errorf("%s: b has shape %v, want [%d]: %w", a.who(op), b.Shape(), m, ErrShape)
	}
	return b, nil
}

func phaseScale(m int) float64 { return math.Sqrt(2 / float64(m)) }

// cosOp is √(2/m) cos(P) for P [n, m].
type cosOp struct{ base }

var (
	_ G.SDOp = cosOp{}
	_ G.ADOp = cosOp{}
)

func (o cosOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

func (o cosOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	p, bad := ts[0], -1
	n, m := p.Shape()[0], p.Shape()[1]
	z := tensor.New(tensor.WithShape(n, m), tensor.Of(p.Dtype()))
	if p.Dtype() == tensor.Float32 {
		bad = simd.Cos(data[float32](z), data[float32](p), n, m, phaseScale(m))
	} else {
		bad = simd.Cos(data[float64](z), data[float64](p), n, m, phaseScale(m))
	}
	return result(z, overflow("Phase", o.attr, bad, p.Dtype()))
}

func (o cosOp) backward(t *tracer, in []any, _, grad any) []any {
	return []any{t.apply(cosGradOp, in[0], grad)}
}

func (o cosOp) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return symDiff(o, in, out, grad)
}

func (o cosOp) DoDiff(_ G.ExecutionContext, in G.Nodes, out *G.Node) error { return doDiff(o, in, out) }
