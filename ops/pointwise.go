package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// pointwise is the gradient for a projection P [n, m] from a matrix that the forward left and the gradient of the output,
// two matrices of one shape.
type pointwise struct {
	base
	columns int // columns of an operand for each of the result
	f32     func(dp, a, g []float32, n, m int)
	f64     func(dp, a, g []float64, n, m int)
}

var _ G.Op = pointwise{}

var (
	// pairGradOp is dP = g_sin·z_cos - g_cos·z_sin from the output z [n, 2m].
	pairGradOp = pointwise{base{kind: "pairGrad", ranks: "222"}, 2, simd.PairGrad[float32], simd.PairGrad[float64]}
	// cosGradOp is dP = -√(2/m) sin(P)·g from P.
	cosGradOp = pointwise{base{kind: "cosGrad", ranks: "222"}, 1, cosGrad[float32], cosGrad[float64]}
)

func cosGrad[T simd.Float](dp, p, g []T, n, m int) { simd.CosGrad(dp, p, g, n, m, phaseScale(m)) }

func (o pointwise) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss[0], ss[1])
}

func (o pointwise) shape(a, g tensor.Shape) (tensor.Shape, error) {
	if !a.Eq(g) || a[1]%o.columns != 0 {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, a, g, ErrShape)
	}
	return tensor.Shape{a[0], a[1] / o.columns}, nil
}

func (o pointwise) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	a, g := ts[0], ts[1]
	shape, err := o.shape(a.Shape(), g.Shape())
	if err != nil {
		return nil, err
	}
	dp := tensor.New(tensor.WithShape(shape...), tensor.Of(a.Dtype()))
	if a.Dtype() == tensor.Float32 {
		o.f32(data[float32](dp), data[float32](a), data[float32](g), shape[0], shape[1])
	} else {
		o.f64(data[float64](dp), data[float64](a), data[float64](g), shape[0], shape[1])
	}
	return dp, nil
}
