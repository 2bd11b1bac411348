package ops

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// KDE is the kernel density estimate of bags at the points of a grid on the unit cube,
//
//	p_i(t) = 1/N_i Σ_s Π_j K(t_j, x_sj),   K(t, x) = Σ φ((t - x')/h_j)/h_j over the images x' = ±x + 2k of x,
//
// a Gaussian kernel with reflections at 0 and 1, so that the integral is 1 and the estimate does not fall off at the
// boundary. x is [N, l]; bag i has the rows offsets[i] to offsets[i+1], which are fixed in the graph. h is [l], a
// bandwidth for each axis (ScottBandwidth, CrossValidatedBandwidth). The result is [n, V].
//
// On a grid the sum over the samples is a matrix product. At other points (NewPoints) it takes longer. Where this is
// faster the kernel is summed there as a cosine series in float64, with an error of 1e-15 of its largest value, not of
// p. Far from all samples p underflows to 0.
//
// Backward: dx and dh by the same products, with K replaced by dK/dx or dK/dh on one axis.
//
// Errors while building: offsets, shapes. Errors while running: a sample outside the cube or not finite (ErrDomain); a
// bandwidth below half the distance of two grid points, whose bumps could fall between them, or above 4, where the
// estimate is uniform (ErrParam).
func KDE(x, h *G.Node, offsets []int, g Grid, a Attr) (*G.Node, error) {
	offsets = slices.Clone(offsets)
	o := &op{kind: "KDE", params: []any{offsets, g.String()}, in: []Inputs{X, H}, ranks: "212", attr: a}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if in[0][1] != g.Axes() || in[1][0] != g.Axes() {
			return nil, fmt.Errorf("%s: x is %v and h %v, and the grid has %d axes: %w",
				o.who(), in[0], in[1], g.Axes(), ErrShape)
		}
		if err := checkOffsets(o.who(), offsets, in[0][0]); err != nil {
			return nil, err
		}
		return tensor.Shape{len(offsets) - 1, g.Len()}, nil
	}
	o.forward = func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
		if err := checkOffsets(o.who(), offsets, in[0].Shape()[0]); err != nil {
			return nil, err
		}
		return KDEInto(nil, &Bags{in[0], offsets}, in[1], g, a)
	}
	o.backward = func(t *tracer) {
		all := t.apply(kdeGrad(offsets, g), t.in[0], t.in[1], t.grad)
		t.gradient(X, partOp(0, shapeOf(t.in[0])), all)
		t.gradient(H, partOp(length(t.in[0]), shapeOf(t.in[1])), all)
	}
	return apply(o, x, h)
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
	typed(dst.Dtype(), estimate[float32], estimate[float64])(dst, b, hs[0], g)
	return dst, nil
}

func estimate[T domain.Float](dst *tensor.Dense, b *Bags, h *tensor.Dense, g Grid) {
	estimator[T](g, h).Forward(data[T](dst), data[T](b.x), b.offsets)
}

func estimator[T domain.Float](g Grid, h *tensor.Dense) *simd.KDE[T] {
	k := &simd.KDE[T]{Points: g.points, H: Float64s(h)}
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

// maxBandwidth is a bandwidth at which the estimate is uniform to 1e-34.
const maxBandwidth = 4

func (g Grid) checkBandwidth(who string, h *tensor.Dense) error {
	if h.Shape().TotalSize() != g.Axes() {
		return fmt.Errorf("%s: %d bandwidths for %d dimensions, want one for each: %w",
			who, h.Shape().TotalSize(), g.Axes(), ErrShape)
	}
	for j, v := range Float64s(h) {
		points := g.points[min(j, len(g.points)-1)]
		if low := .5 / float64(points); !(v >= low*(1-1e-6) && v <= maxBandwidth) { // 1e-6 for a bandwidth in float32
			return fmt.Errorf("%s: the bandwidth of axis %d is %v, want %v to %d for %d points: more points allow a "+
				"narrower one: %w", who, j, v, low, maxBandwidth, points, ErrParam)
		}
	}
	return nil
}

// kdeGrad is the vector [dx | dh] from x, h and the gradient of the densities. The forward has checked the values.
func kdeGrad(offsets []int, g Grid) *op {
	const kind = "gradients of KDE"
	return &op{kind: kind, params: []any{offsets, g.String()}, ranks: "2121",
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if !in[2].Eq(tensor.Shape{len(offsets) - 1, g.Len()}) || in[0][0] != offsets[len(offsets)-1] {
				return nil, misfit(kind, in)
			}
			return tensor.Shape{in[0].TotalSize() + in[1].TotalSize()}, nil
		},
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), kdeGradient[float32], kdeGradient[float64])(out, in, offsets, g)
			return nil
		}}
}

func kdeGradient[T domain.Float](out *tensor.Dense, in []*tensor.Dense, offsets []int, g Grid) {
	x, v := data[T](in[0]), data[T](out)
	estimator[T](g, in[1]).Backward(v[:len(x)], v[len(x):], x, data[T](in[2]), offsets)
}
