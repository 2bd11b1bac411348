package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// nystromGrad is the gradient of Nystrom for x, from x, L, P and the gradient g of z. The kernel values are computed again.
type nystromGrad struct{ nystromOp }

var _ G.Op = nystromGrad{}

// DiffWRT is false: there is no second derivative.
func (o nystromGrad) DiffWRT(n int) []bool { return make([]bool, n) }

func (o nystromGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.gradShape(ss[0], ss[1], ss[2], ss[3])
}

func (o nystromGrad) gradShape(x, landmarks, projection, g tensor.Shape) (tensor.Shape, error) {
	z, err := o.shape(x, landmarks, projection)
	if err != nil {
		return nil, err
	}
	if !z.Eq(g) {
		return nil, fmt.Errorf("ops: %s: the gradient has shape %v, want %v: %w", o.kind, g, z, ErrShape)
	}
	return x.Clone(), nil
}

func (o nystromGrad) Do(in ...G.Value) (G.Value, error) {
	x, l, rest, err := o.prepared(in)
	if err != nil {
		return nil, err
	}
	g := rest[0]
	shape, err := o.gradShape(x.Shape(), tensor.Shape{l.m, l.d}, tensor.Shape{l.m, l.cols}, g.Shape())
	if err != nil {
		return nil, err
	}
	out := tensor.New(tensor.WithShape(shape...), tensor.Of(x.Dtype()))
	if out.Dtype() == tensor.Float32 {
		nystromGradient(data[float32](out), data[float32](x), data[float32](g), shape[0], l)
	} else {
		nystromGradient(data[float64](out), data[float64](x), data[float64](g), shape[0], l)
	}
	return out, nil
}

func nystromGradient[T domain.Float](dst, x, g []T, n int, l *Landmarks) {
	var values *kernelBlock
	var dk, grad, dx []float64
	rowsOf(x, n, l.d, max(l.m, l.cols), func(from, rows int, x []float64) error {
		if values == nil { // the first block is the largest
			values, dk, grad, dx = l.newBlock(rows, l.radial != nil), make([]float64, rows*l.m), make([]float64, rows*l.cols), make([]float64, rows*l.d)
		}
		recast(grad, g[from*l.cols:(from+rows)*l.cols])
		l.projection.GradX(dk, grad, rows)
		if l.radial != nil {
			l.radialGradient(dx, values, dk, x, rows)
		} else {
			l.gradient(dx, dk, x, rows)
		}
		recast(dst[from*l.d:(from+rows)*l.d], dx[:rows*l.d])
		return nil
	})
}

// radialGradient is Σ_j dk_j k'(s_j) 2(x - l_j), with k' the slope: a product with the landmarks and a multiple of x.
func (l *Landmarks) radialGradient(dx []float64, b *kernelBlock, dk, x []float64, n int) {
	l.values(b, x, n)
	for i, v := range b.slope[:n*l.m] {
		b.slope[i] = 2 * v * dk[i]
	}
	l.centred.Affine(dx, b.slope, nil, n)
	for i := range n {
		sum := 0.0
		for _, v := range b.slope[i*l.m : (i+1)*l.m] {
			sum += v
		}
		for c := range l.d {
			dx[i*l.d+c] = sum*b.centred[i*l.d+c] - dx[i*l.d+c]
		}
	}
}

// gradient is Σ_j dk_j ∂k(x, l_j)/∂x.
func (l *Landmarks) gradient(dx, dk, x []float64, n int) {
	k := l.kernel.(GradientKernel)
	simd.Share(n, 1, func(lo, hi int) {
		dst := make([]float64, l.d)
		for i := lo; i < hi; i++ {
			row := dx[i*l.d : (i+1)*l.d]
			clear(row)
			for j := range l.m {
				for c, v := range k.Gradient(dst, x[i*l.d:(i+1)*l.d], l.rows[j*l.d:(j+1)*l.d]) {
					if v-v == 0 {
						row[c] += dk[i*l.m+j] * v
					}
				}
			}
		}
	})
}
