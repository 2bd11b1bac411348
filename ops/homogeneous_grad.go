package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// homogeneousGrad is one of the gradients of Homogeneous, from x, L, the output z and the gradient g.
type homogeneousGrad struct {
	base
	of      string
	h       Harmonics
	entries int // of the gradient, where it is no matrix
}

var _ G.Op = homogeneousGrad{}

const (
	gradOfX     = "x"
	gradOfBase  = "L"
	gradOfRoots = "roots"
)

func newHomogeneousGrad(of string, h Harmonics, entries int) homogeneousGrad {
	ranks := "21221"
	if of == gradOfX {
		ranks = "21222"
	}
	return homogeneousGrad{newHomogeneousOp(fmt.Sprintf("homogeneousGrad of %d %s, ", entries, of), ranks, h, Attr{}).base, of, h, entries}
}

func (o homogeneousGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss[0], ss[2], ss[3])
}

func (o homogeneousGrad) shape(x, z, g tensor.Shape) (tensor.Shape, error) {
	if !z.Eq(g) || !z.Eq(tensor.Shape{x[0], x[1] * o.h.Width()}) {
		return nil, fmt.Errorf("ops: %s of shapes %v, %v and %v: %w", o.kind, x, z, g, ErrShape)
	}
	if o.of == gradOfX {
		return x.Clone(), nil
	}
	return tensor.Shape{o.entries}, nil
}

func (o homogeneousGrad) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.of == gradOfX)
	if err != nil {
		return nil, err
	}
	if ts[0], err = spread(x); err != nil {
		return nil, err
	}
	shape, err := o.shape(ts[0].Shape(), ts[2].Shape(), ts[3].Shape())
	if err != nil {
		return nil, err
	}
	out := tensor.New(tensor.WithShape(shape...), tensor.Of(ts[0].Dtype()))
	if out.Dtype() == tensor.Float32 {
		homogeneousGradient[float32](o, out, ts)
	} else {
		homogeneousGradient[float64](o, out, ts)
	}
	return out, nil
}

func homogeneousGradient[T domain.Float](o homogeneousGrad, out *tensor.Dense, in []*tensor.Dense) {
	m, n, d := scalarMap[T](o.h, in[1], nil), in[0].Shape()[0], in[0].Shape()[1]
	x, z, g, dst := data[T](in[0]), data[T](in[2]), data[T](in[3]), data[T](out)
	switch o.of {
	case gradOfX:
		m.GradX(dst, x, z, g, n, d)
	case gradOfBase:
		m.GradBase(dst, x, z, g, n, d)
	case gradOfRoots:
		m.Root = make([]T, o.entries)
		m.GradRoot(dst, x, g, n, d)
	}
}
