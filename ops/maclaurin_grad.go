package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// maclaurinGrad is the gradient of Maclaurin for x, from x, W, N, s and the gradient g of z. The projections are computed again.
type maclaurinGrad struct{ maclaurinOp }

var _ G.Op = maclaurinGrad{}

// DiffWRT is false: there is no second derivative.
func (o maclaurinGrad) DiffWRT(n int) []bool { return make([]bool, n) }

func (o maclaurinGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if _, err := o.shape(ss[0], ss[1], ss[2], ss[3]); err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

func (o maclaurinGrad) Do(in ...G.Value) (G.Value, error) {
	rows, f, rest, err := o.prepared(in)
	if err != nil {
		return nil, err
	}
	x, err := spread(rows)
	if err != nil {
		return nil, err
	}
	d, m := f.Dims()
	if want := (tensor.Shape{x.Shape()[0], m}); x.Shape()[1] != d || !rest[0].Shape().Eq(want) {
		return nil, fmt.Errorf("ops: %s: x has shape %v and the gradient %v, want [n, %d] and %v: %w", o.kind, x.Shape(), rest[0].Shape(), d, want, ErrShape)
	}
	out := tensor.New(tensor.WithShape(x.Shape().Clone()...), tensor.Of(x.Dtype()))
	if out.Dtype() == tensor.Float32 {
		err = maclaurinGradient(data[float32](out), x, data[float32](rest[0]), f)
	} else {
		err = maclaurinGradient(data[float64](out), x, data[float64](rest[0]), f)
	}
	return result(out, err)
}

func maclaurinGradient[T domain.Float](dst []T, x *tensor.Dense, g []T, f *Products) error {
	d, m := f.Dims()
	var dp, dx []float64
	return f.project(x, func(from, rows int, p []float64) error {
		if dp == nil { // the first block is the largest
			dp, dx = make([]float64, rows*f.cols), make([]float64, rows*d)
		}
		simd.Share(rows, 16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				f.others(dp[i*f.cols:(i+1)*f.cols], p[i*f.cols:(i+1)*f.cols])
				for k := range m {
					for j := f.first[k]; j < f.first[k+1]; j++ {
						dp[i*f.cols+j] *= f.scales[k] * float64(g[(from+i)*m+k])
					}
				}
			}
		})
		if f.cols > 0 {
			f.w.GradX(dx, dp, rows)
		}
		recast(dst[from*d:(from+rows)*d], dx[:rows*d])
		return nil
	})
}

// others writes for each projection the product of the other ones of its feature, without a division, since a projection may be 0.
func (f *Products) others(dst, p []float64) {
	for i := range f.scales {
		lo, hi := f.first[i], f.first[i+1]
		before := 1.
		for j := lo; j < hi; j++ {
			dst[j] = before
			before *= p[j]
		}
		after := 1.
		for j := hi - 1; j >= lo; j-- {
			dst[j] *= after
			after *= p[j]
		}
	}
}
