package ops

import (
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// cosine is √(2/m) cos(P) of a projection P that is a node of its own, with the given inputs: the backward of a structured W cannot compute P again for less.
func cosine(p *G.Node, inputs Inputs, a Attr) (*G.Node, error) {
	frozen := Attr{Layer: a.Layer}
	if a.Frozen&inputs == inputs {
		frozen.Frozen = First
	}
	return apply(cosOp{base{kind: "Phase", ranks: "22", attr: frozen}}, p)
}

// cosOp is √(2/m) cos(P) for P [n, m].
type cosOp struct{ base }

var _ backwarder = cosOp{}

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
	return result(cosineOf(ts[0], o.attr))
}

// cosineOf is √(2/m) cos(P) of a contiguous P [n, m].
func cosineOf(p *tensor.Dense, a Attr) (*tensor.Dense, error) {
	n, m, bad := p.Shape()[0], p.Shape()[1], -1
	z := tensor.New(tensor.WithShape(n, m), tensor.Of(p.Dtype()))
	if p.Dtype() == tensor.Float32 {
		bad = simd.Cos(data[float32](z), data[float32](p), n, m, phaseScale(m))
	} else {
		bad = simd.Cos(data[float64](z), data[float64](p), n, m, phaseScale(m))
	}
	return z, overflow("Phase", a, bad, p.Dtype())
}

func (o cosOp) backward(t *tracer, in []any, _, grad any) []any {
	return []any{t.apply(cosGradOp, in[0], grad)}
}
