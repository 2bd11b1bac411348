package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// KDE is the kernel density estimate of bags at the points of a grid on the unit cube,
//
//	p_i(t) = 1/N_i Σ_s Π_j K(t_j, x_sj),   K(t, x) = Σ φ((t - x')/h_j)/h_j over the images x' = ±x + 2k of x,
//
// a Gaussian kernel with reflections at 0 and 1, so that the integral is 1 and the estimate does not fall at the boundary. x is [N, l], bag
// after bag; bag i has the rows offsets[i] to offsets[i+1], which are as fixed in a graph as N is. h is [l], one bandwidth an axis for all
// bags (ScottBandwidth, CrossValidatedBandwidth); the result is [n, V]. The kernel is a product, so on a grid the sum over the samples is a
// matrix product, and exponentials are taken for each axis alone; at other points (NewPoints) the time is
// longer, and where that is shorter than with exponentials at all points the kernel is summed as cosines in float64, whose error is 1e-15 of its largest
// value and not of p. Far from all samples p underflows to 0.
//
// Backward: with the gradient g of p, dx and dh by the same products with K replaced by dK/dx or dK/dh on one axis.
//
// Errors while building: offsets, shapes. Errors while running: a sample outside the cube or not finite (ErrDomain); a bandwidth of less than
// half the distance of two points, whose bumps would fall between them, or of more than 4, where the estimate is uniform (ErrParam).
func KDE(x, h *G.Node, offsets []int, g Grid, a Attr) (*G.Node, error) {
	return apply(kdeOp{newKDEBase("KDE", "212", offsets, g, a)}, x, h)
}

// KDEInto writes KDE of bags to dst [n, V], allocated if nil, without a graph.
func KDEInto(dst *tensor.Dense, b *Bags, h *tensor.Dense, g Grid, a Attr) (*tensor.Dense, error) {
	dst, err := densities("KDE", dst, b, g, a)
	if err != nil {
		return nil, err
	}
	hs, err := sameType(a.who("KDE"), b.Dtype(), []string{"the bandwidth"}, h)
	if err != nil {
		return nil, err
	}
	if err := g.checkBandwidth(a.who("KDE"), hs[0]); err != nil {
		return nil, err
	}
	if dst.Dtype() == tensor.Float32 {
		estimator[float32](g, hs[0]).Forward(data[float32](dst), data[float32](b.x), b.offsets)
	} else {
		estimator[float64](g, hs[0]).Forward(data[float64](dst), data[float64](b.x), b.offsets)
	}
	return dst, nil
}

func estimator[T domain.Float](g Grid, h *tensor.Dense) *simd.KDE[T] {
	k := &simd.KDE[T]{Points: g.points, H: float64s(h)}
	if g.at == nil {
		return k
	}
	k.At = make([][]T, g.axes)
	for j := range k.At {
		k.At[j] = make([]T, g.Len())
		for v := range k.At[j] {
			k.At[j][v] = T(g.at[v*g.axes+j])
		}
	}
	return k
}

// maxBandwidth is where the estimate is uniform to 1e-34.
const maxBandwidth = 4

func (g Grid) checkBandwidth(who string, h *tensor.Dense) error {
	if h.Shape().TotalSize() != g.Axes() {
		return fmt.Errorf("%s: %d bandwidths for %d dimensions, want one for each: %w", who, h.Shape().TotalSize(), g.Axes(), ErrShape)
	}
	for j, v := range float64s(h) {
		points := g.points[min(j, len(g.points)-1)]
		if low := .5 / float64(points); !(v >= low*(1-1e-6) && v <= maxBandwidth) { // 1e-6 for a bandwidth in float32
			return fmt.Errorf("%s: the bandwidth of axis %d is %v, want %v to %d for %d points: more points allow a narrower one: %w", who, j, v, low, maxBandwidth, points, ErrParam)
		}
	}
	return nil
}

// kdeBase is what the estimate and its gradient share.
type kdeBase struct {
	bagBase
	grid Grid
}

// kdeOp is the estimate.
type kdeOp struct{ kdeBase }

var (
	_ backwarder = kdeOp{}
	_ G.Op       = kdeGrad{}
)

func newKDEBase(kind, ranks string, offsets []int, g Grid, a Attr) kdeBase {
	return kdeBase{newBagBase(fmt.Sprintf("%s at %v", kind, g), ranks, offsets, a), g}
}

func (o kdeOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	who := o.attr.who("KDE")
	if ss[0][1] != o.grid.Axes() || ss[1][0] != o.grid.Axes() {
		return nil, fmt.Errorf("%s: x is %v and h %v, and the grid has %d axes: %w", who, ss[0], ss[1], o.grid.Axes(), ErrShape)
	}
	if err := checkOffsets(who, o.offsets, ss[0][0]); err != nil {
		return nil, err
	}
	return tensor.Shape{len(o.offsets) - 1, o.grid.Len()}, nil
}

func (o kdeOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	if err := checkOffsets(o.attr.who("KDE"), o.offsets, ts[0].Shape()[0]); err != nil {
		return nil, err
	}
	return result(KDEInto(nil, &Bags{ts[0], o.offsets}, ts[1], o.grid, o.attr))
}

func (o kdeOp) backward(t *tracer, in []any, _, grad any) []any {
	op := kdeGrad{newKDEBase("gradients of KDE", "2121", o.offsets, o.grid, Attr{})}
	return t.parts(o, t.apply(op, in[0], in[1], grad), shapeOf(in[0]), shapeOf(in[1]))
}

// parts are the gradients of an op out of the vector of all of them, one after another; nil for what is frozen.
func (t *tracer) parts(o interface{ wants(int) bool }, all any, shapes ...tensor.Shape) []any {
	grads, at := make([]any, len(shapes)), 0
	for i, shape := range shapes {
		if o.wants(i) {
			grads[i] = t.apply(newPart(at, shape), all)
		}
		at += shape.TotalSize()
	}
	return grads
}

// kdeGrad is the vector [dx | dh] from x, h and the gradient of the densities. The forward has checked the values.
type kdeGrad struct{ kdeBase }

func (o kdeGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{ss[0].TotalSize() + ss[1].TotalSize()}, nil
}

func (o kdeGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	x, h, g := ts[0], ts[1], ts[2]
	if !g.Shape().Eq(tensor.Shape{len(o.offsets) - 1, o.grid.Len()}) || x.Shape()[0] != o.offsets[len(o.offsets)-1] {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, x.Shape(), g.Shape(), ErrShape)
	}
	n := x.Shape().TotalSize()
	out := tensor.New(tensor.WithShape(n+h.Shape().TotalSize()), tensor.Of(x.Dtype()))
	if x.Dtype() == tensor.Float32 {
		v := data[float32](out)
		estimator[float32](o.grid, h).Backward(v[:n], v[n:], data[float32](x), data[float32](g), o.offsets)
	} else {
		v := data[float64](out)
		estimator[float64](o.grid, h).Backward(v[:n], v[n:], data[float64](x), data[float64](g), o.offsets)
	}
	return out, nil
}
