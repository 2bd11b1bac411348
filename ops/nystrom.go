package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Nystrom is z(x) = k(x, L) P, the kernel values of x [n, d] with the landmarks L [m, d] under a projection P [m, D]. With P = U Λ^{-1/2} from
// the eigenvectors and eigenvalues of k(L, L) its inner products are k(x, L) k(L, L)⁻¹ k(L, x'), exact where x or x' is a landmark.
// Williams and Seeger (2001); Vedaldi and Zisserman (2012), equation (16).
//
// Everything is computed in float64, in float32 graphs too: P holds roots of small eigenvalues, by which the rounding of k is
// multiplied. A RadialKernel costs a product, m·d operations a row, and any Kernel m calls of At; then m·D operations for P.
//
// Backward: dx = Σ_j (g Pᵀ)_j ∂k(x, l_j)/∂x, of a RadialKernel by products and of a GradientKernel by m calls of Gradient a row. A
// derivative that is not finite counts as 0, as that at an empty bin of a histogram. L and P have none.
//
// Errors while building: shapes; a kernel without a gradient where one for x is wanted (ErrParam). Errors while running (ErrDomain): a cell of
// x or L outside the domain of the kernel, features that are not finite.
func Nystrom(x, landmarks, projection *G.Node, k Kernel, a Attr) (*G.Node, error) {
	if err := given(a.who("Nystrom"), "the kernel", k); err != nil {
		return nil, err
	}
	a.Frozen |= Second | Third
	if a.Frozen&First == 0 && !differentiable(k) {
		return nil, fmt.Errorf("%s: %T has no method Gradient, and a gradient for x is wanted; give it one, or freeze x: %w", a.who("Nystrom"), k, ErrParam)
	}
	return apply(nystromOp{base{kind: fmt.Sprintf("Nystrom of %T%+v", k, k), ranks: "2222", attr: a}, k}, x, landmarks, projection)
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
	if dst.Dtype() == tensor.Float32 {
		return dst, nystrom(data[float32](dst), data[float32](x), x.Shape()[0], l, who)
	}
	return dst, nystrom(data[float64](dst), data[float64](x), x.Shape()[0], l, who)
}

// input is x contiguous, of the landmarks' width and type.
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

// nystromCells is about how many kernel values stand in memory at a time, 4 MiB.
const nystromCells = 1 << 19

// rowsOf yields n rows of x in blocks, in float64.
func rowsOf[T domain.Float](x []T, n, d, m int, f func(from, rows int, x []float64) error) error {
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

func nystrom[T domain.Float](dst, x []T, n int, l *Landmarks, who string) error {
	var values *kernelBlock
	var features []float64
	return rowsOf(x, n, l.d, l.m, func(from, rows int, x []float64) error {
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

// finiteFeatures is the error for features [rows, cols], of the rows from `from` on, of which one is not finite.
func finiteFeatures[T domain.Float](z []T, from, cols int, who string) error {
	if simd.Within(z, -simd.Largest[T]()) {
		return nil
	}
	for i, v := range z {
		if v-v != 0 {
			return fmt.Errorf("%s: the features of row %d are not finite in %T; scale the data: %w", who, from+i/cols, v, ErrDomain)
		}
	}
	return nil
}

// nystromOp is the map.
type nystromOp struct {
	base
	k Kernel
}

var _ backwarder = nystromOp{}

func (o nystromOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss[0], ss[1], ss[2])
}

func (o nystromOp) shape(x, landmarks, projection tensor.Shape) (tensor.Shape, error) {
	who := o.attr.who("Nystrom")
	if err := checkLandmarks(who, landmarks, projection); err != nil {
		return nil, err
	}
	if x[1] != landmarks[1] {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x, landmarks[1], ErrShape)
	}
	return tensor.Shape{x[0], projection[1]}, nil
}

// prepared are the rows and landmarks among the values of an op whose first three inputs are x, L and P.
func (o nystromOp) prepared(in []G.Value) (x *tensor.Dense, l *Landmarks, rest []*tensor.Dense, err error) {
	rows, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, nil, nil, err
	}
	if x, err = spread(rows); err != nil {
		return nil, nil, nil, err
	}
	l, err = NewLandmarks(o.k, ts[1], ts[2], o.attr)
	return x, l, ts[3:], err
}

func (o nystromOp) Do(in ...G.Value) (G.Value, error) {
	x, l, _, err := o.prepared(in)
	if err != nil {
		return nil, err
	}
	return result(NystromInto(nil, x, l, o.attr))
}

func (o nystromOp) backward(t *tracer, in []any, _, grad any) []any {
	grads := make([]any, 3)
	if o.wants(0) {
		op := o
		op.kind, op.ranks = "gradient of "+o.kind, "22222"
		grads[0] = t.apply(nystromGrad{op}, in[0], in[1], in[2], grad)
	}
	return grads
}
