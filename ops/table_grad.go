package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// tableGrad is the gradient of Table for x, from x, the knots, the tables and the gradient g of z.
type tableGrad struct{ tableOp }

var _ G.Op = tableGrad{}

// DiffWRT is false: there is no second derivative.
func (o tableGrad) DiffWRT(n int) []bool { return make([]bool, n) }

func (o tableGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss[0], ss[1], ss[2], ss[3])
}

func (o tableGrad) shape(x, knots, tables, g tensor.Shape) (tensor.Shape, error) {
	if err := o.s.fits(o.attr.who("Table"), x, knots, tables); err != nil {
		return nil, err
	}
	if want := (tensor.Shape{x[0], x[1] * o.s.Width}); !g.Eq(want) {
		return nil, fmt.Errorf("ops: %s: the gradient has shape %v, want %v: %w", o.kind, g, want, ErrShape)
	}
	return x.Clone(), nil
}

func (o tableGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	shape, err := o.shape(ts[0].Shape(), ts[1].Shape(), ts[2].Shape(), ts[3].Shape())
	if err != nil {
		return nil, err
	}
	r, err := newTableReader(o.attr.who("Table"), ts[1], ts[2], o.s)
	if err != nil {
		return nil, err
	}
	out := tensor.New(tensor.WithShape(shape...), tensor.Of(ts[0].Dtype()))
	if out.Dtype() == tensor.Float32 {
		tableGradient(r, data[float32](out), data[float32](ts[0]), data[float32](ts[3]), shape[0], shape[1])
	} else {
		tableGradient(r, data[float64](out), data[float64](ts[0]), data[float64](ts[3]), shape[0], shape[1])
	}
	return out, nil
}

func tableGradient[T domain.Float](r *tableReader, dx, x, g []T, n, d int) {
	w := r.Width
	simd.Share(n, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range x[i*d : (i+1)*d] {
				low, high, _, slope := r.column(j, float64(v))
				sum := 0.0
				for k, c := range g[(i*d+j)*w : (i*d+j+1)*w] {
					sum += float64(c) * (high[k] - low[k])
				}
				dx[i*d+j] = T(slope * sum)
			}
		}
	})
}
