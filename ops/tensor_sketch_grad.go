package ops

import (
	"fmt"
	"math/cmplx"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// sketchGrad is the gradient of TensorSketch for x, from x, the buckets, the signs and the gradient g of z. The sketches are made again.
type sketchGrad struct{ sketchOp }

var _ G.Op = sketchGrad{}

// DiffWRT is false: there is no second derivative.
func (o sketchGrad) DiffWRT(n int) []bool { return make([]bool, n) }

func (o sketchGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.gradShape(ss[0], ss[1], ss[2], ss[3])
}

func (o sketchGrad) gradShape(x, buckets, signs, g tensor.Shape) (tensor.Shape, error) {
	z, err := o.shape(x, buckets, signs)
	if err != nil {
		return nil, err
	}
	if !z.Eq(g) {
		return nil, fmt.Errorf("ops: %s: the gradient has shape %v, want %v: %w", o.kind, g, z, ErrShape)
	}
	return x.Clone(), nil
}

func (o sketchGrad) Do(in ...G.Value) (G.Value, error) {
	x, f, rest, err := o.prepared(in)
	if err != nil {
		return nil, err
	}
	shape, err := o.gradShape(x.Shape(), tensor.Shape{f.p, f.d + 1}, tensor.Shape{f.p, f.d + 1}, rest[0].Shape())
	if err != nil {
		return nil, err
	}
	out := tensor.New(tensor.WithShape(shape...), tensor.Of(x.Dtype()))
	if out.Dtype() == tensor.Float32 {
		sketchGradient(data[float32](out), x, data[float32](rest[0]), f)
	} else {
		sketchGradient(data[float64](out), x, data[float64](rest[0]), f)
	}
	return out, nil
}

func sketchGradient[T domain.Float](dst []T, x Matrix, g []T, f *Sketches) {
	n, d, m := x.Shape()[0], f.d, f.Columns
	row := rowsIn[T](x)
	simd.Share(n, 4, func(lo, hi int) {
		w := f.work.Get().(*sketcher)
		defer f.work.Put(w)
		dx, spectrum := make([]float64, d), make([]complex128, len(w.product))
		for i := lo; i < hi; i++ {
			columns, values := row(i)
			transformed(w, columns, values)
			recast(w.sketch, g[i*m:(i+1)*m])
			w.fft.Coefficients(spectrum, w.sketch)
			w.gradient(dx, spectrum)
			recast(dst[i*d:(i+1)*d], dx)
		}
	})
}

// gradient is dx of a row whose sketches are transformed, from the spectrum of g.
func (w *sketcher) gradient(dx []float64, g []complex128) {
	clear(dx)
	half := len(w.product)
	for j := range w.p {
		copy(w.product, g)
		for k := range w.p {
			if k == j {
				continue
			}
			for b, v := range w.spectra[k*half : (k+1)*half] {
				w.product[b] *= cmplx.Conj(v)
			}
		}
		dc := w.back(w.sketch)
		for i := range dx {
			at := j*(w.d+1) + i
			dx[i] += w.weights[at] * dc[w.buckets[at]]
		}
	}
}
