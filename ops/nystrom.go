package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Nystrom is z(x) = k(x, L) P, the kernel values of x [n, d] with the landmarks L [m, d], times a projection P [m, D].
// With P = U Λ^{-1/2} from the eigenvectors and eigenvalues of k(L, L) its inner products are k(x, L) k(L, L)⁻¹ k(L,
// x'), exact where x or x' is a landmark. Williams and Seeger (2001); Vedaldi and Zisserman (2012), equation (16).
//
// It computes in float64 for either element type, because P amplifies the rounding of k by the inverse roots of small
// eigenvalues. A row takes m·d operations for a RadialKernel or m calls of At for another Kernel, and m·D for P.
//
// Backward: dx = Σ_j (g Pᵀ)_j ∂k(x, l_j)/∂x, by products for a RadialKernel and by m calls of Gradient a row for a
// GradientKernel. A derivative that is not finite, as at an empty bin of a histogram, counts as 0. L and P have no
// gradient.
//
// Errors while building: shapes or a nil kernel (ErrShape); a kernel that is neither a GradientKernel nor a
// RadialKernel while X is not frozen (ErrParam). Errors while running (ErrDomain): a cell of x or L outside the domain
// of the kernel, features that are not finite.
func Nystrom(x, landmarks, projection *G.Node, k Kernel, a Attr) (*G.Node, error) {
	if err := given(a.who("Nystrom"), "the kernel", k); err != nil {
		return nil, err
	}
	if a.Frozen&X == 0 && !differentiable(k) {
		return nil, fmt.Errorf("%s: %T has no method Gradient, and a gradient for x is wanted; give it one, or "+
			"freeze x: %w", a.who("Nystrom"), k, ErrParam)
	}
	o := &op{kind: "Nystrom", params: k, in: []Inputs{X, 0, 0}, ranks: "2222", attr: a, spread: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) { return nystromShape(o.who(), in) }
	o.forward = func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
		l, err := NewLandmarks(k, in[1], in[2], a)
		if err != nil {
			return nil, err
		}
		return NystromInto(nil, in[0], l, a)
	}
	o.backward = func(t *tracer) { t.gradient(X, nystromGrad(k, a), t.in[0], t.in[1], t.in[2], t.grad) }
	return apply(o, x, landmarks, projection)
}

func differentiable(k Kernel) bool {
	_, gradient := k.(GradientKernel)
	_, radial := k.(RadialKernel)
	return gradient || radial
}

// NystromInto writes Nystrom(x, L, P) to dst [n, D], allocated if nil, without a graph.
func NystromInto(dst, x *tensor.Dense, l *Landmarks, a Attr) (*tensor.Dense, error) {
	who := a.who("Nystrom")
	if err := given(who, "the landmarks", l); err != nil {
		return nil, err
	}
	x, err := l.input(who, x)
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()[0], l.cols); err != nil {
		return nil, err
	}
	if err := CheckRows(l.kernel.Domain(), who, x); err != nil {
		return nil, err
	}
	return dst, typed(dst.Dtype(), nystrom[float32], nystrom[float64])(dst, x, l, who)
}

// input returns x as a contiguous matrix and checks its width and type.
func (l *Landmarks) input(who string, x *tensor.Dense) (*tensor.Dense, error) {
	x, err := contiguous(x)
	if err != nil {
		return nil, fmt.Errorf("%s: x: %w", who, err)
	}
	if x.Dims() != 2 || x.Shape()[1] != l.d {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x.Shape(), l.d, ErrShape)
	}
	if x.Dtype() != l.dt {
		return nil, fmt.Errorf("%s: x is %v, the landmarks are %v: %w", who, x.Dtype(), l.dt, ErrDtype)
	}
	return x, nil
}

// nystromCells is about the number of kernel values in memory at a time, 4 MiB.
const nystromCells = 1 << 19

// rowsOf calls f with blocks of rows of x, in float64.
func rowsOf[T domain.Float](t *tensor.Dense, m int, f func(from, rows int, x []float64) error) error {
	x, n, d := data[T](t), t.Shape()[0], t.Shape()[1]
	size := min(n, max(32, nystromCells/max(m, d)))
	var buffer []float64
	if _, double := any(x).([]float64); !double {
		buffer = make([]float64, size*d)
	}
	for from := 0; from < n; from += size {
		rows := min(size, n-from)
		part := x[from*d : (from+rows)*d]
		block, double := any(part).([]float64)
		if !double {
			block = buffer[:rows*d]
			recast(block, part)
		}
		if err := f(from, rows, block); err != nil {
			return err
		}
	}
	return nil
}

func nystrom[T domain.Float](to, x *tensor.Dense, l *Landmarks, who string) error {
	var values *kernelBlock
	var features []float64
	dst := data[T](to)
	return rowsOf[T](x, l.m, func(from, rows int, x []float64) error {
		if values == nil { // the first block is the largest
			values = l.newBlock(rows, false)
		}
		l.values(values, x, rows)
		out := dst[from*l.cols : (from+rows)*l.cols]
		z, double := any(out).([]float64)
		if !double {
			if features == nil {
				features = make([]float64, rows*l.cols)
			}
			z = features[:rows*l.cols]
		}
		l.projection.Affine(z, values.k, nil, rows)
		if !double {
			recast(out, z)
		}
		return finiteFeatures(out, from, l.cols, who)
	})
}

// finiteFeatures returns an error unless the features [rows, cols] are finite. from is the number of their first row.
func finiteFeatures[T domain.Float](z []T, from, cols int, who string) error {
	if simd.Within(z, -simd.Largest[T]()) {
		return nil
	}
	for i, v := range z {
		if v-v != 0 {
			return fmt.Errorf("%s: the features of row %d are not finite in %T; scale the data: %w",
				who, from+i/cols, v, ErrDomain)
		}
	}
	return nil
}

func nystromShape(who string, in []tensor.Shape) (tensor.Shape, error) {
	x, landmarks, projection := in[0], in[1], in[2]
	if err := checkLandmarks(who, landmarks, projection); err != nil {
		return nil, err
	}
	if x[1] != landmarks[1] {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x, landmarks[1], ErrShape)
	}
	return tensor.Shape{x[0], projection[1]}, nil
}

// likeX returns the shape of x for the gradient of a map. It checks the shape of the last input, the gradient of z.
func likeX(kind string, shape shaper) shaper {
	return func(in []tensor.Shape) (tensor.Shape, error) {
		z, err := shape(in)
		if err != nil {
			return nil, err
		}
		if g := in[len(in)-1]; !z.Eq(g) {
			return nil, gradientError(kind, g, z)
		}
		return in[0].Clone(), nil
	}
}

// nystromGrad is the gradient of Nystrom for x, from x, L, P and the gradient g of z. It computes the kernel values
// again.
func nystromGrad(k Kernel, a Attr) *op {
	o := &op{kind: "gradient of Nystrom", params: k, ranks: "22222"}
	o.shape = likeX(o.kind, func(in []tensor.Shape) (tensor.Shape, error) { return nystromShape(o.who(), in) })
	o.fill = func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		l, err := NewLandmarks(k, in[1], in[2], a)
		if err == nil {
			typed(dx.Dtype(), nystromGradient[float32], nystromGradient[float64])(dx, in[0], in[3], l)
		}
		return err
	}
	return o
}

func nystromGradient[T domain.Float](to, x, gradient *tensor.Dense, l *Landmarks) {
	dst, g := data[T](to), data[T](gradient)
	var values *kernelBlock
	var dk, grad, dx []float64
	rowsOf[T](x, max(l.m, l.cols), func(from, rows int, x []float64) error {
		if values == nil { // the first block is the largest
			values, dk, grad, dx = l.newBlock(rows, l.radial != nil), make([]float64, rows*l.m),
				make([]float64, rows*l.cols), make([]float64, rows*l.d)
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
