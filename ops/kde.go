package ops

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// KDE is the kernel density estimate, of x and h, of bags at the points of a grid on the unit cube,
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
func KDE(offsets []int, g Grid, a Attr) Op {
	return Op{decl: &kde, attr: a, params: estimates{slices.Clone(offsets), g}}
}

// estimates are the parameters of KDE.
type estimates struct {
	offsets []int
	grid    Grid
}

var kde = decl{kind: "KDE", sig: parse("NA,A->nV"), names: []string{"x", "the bandwidth"}, in: []Inputs{X, H},
	unchecked: true, bind: func(o *Op, v *sizes) {
		p := o.params.(estimates)
		v.set('A', p.grid.Axes())
		v.set('V', p.grid.Len())
		v.set('n', max(len(p.offsets)-1, 0))
	},
	check: func(c *call) error {
		return checkOffsets(c.who(), c.params.(estimates).offsets, c.at('N'))
	},
	prepare: func(c *call) error {
		p := c.params.(estimates)
		if err := CheckRows(domain.UnitCube(), c.who(), &Bags{c.in[0], p.offsets}); err != nil {
			return err
		}
		return p.grid.checkBandwidth(c.who(), c.in[1])
	},
	forward: kernel{estimate[float32], estimate[float64]}, reads: []int{0, 1},
	backward: kernel{estimateBack[float32], estimateBack[float64]}}

func estimate[T domain.Float](c *call) error {
	p := c.params.(estimates)
	estimator[T](p.grid, c.in[1]).Forward(result[T](c), cells[T](c, 0), p.offsets)
	return nil
}

func estimateBack[T domain.Float](c *call) error {
	p, dx, dh := paramsOf[estimates](c), gradientFor[T](c, 0), gradientFor[T](c, 1)
	if dx == nil { // it is computed with dh
		dx = scratch[T](c, c.at('N')*c.at('A'))
	}
	estimator[T](p.grid, c.in[1]).Backward(dx, dh, cells[T](c, 0), gradientOf[T](c), p.offsets)
	return nil
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
	for j, v := range Float64s(h) {
		points := g.points[min(j, len(g.points)-1)]
		if low := .5 / float64(points); !(v >= low*(1-1e-6) && v <= maxBandwidth) { // 1e-6 for a bandwidth in float32
			return fmt.Errorf("%s: the bandwidth of axis %d is %v, want %v to %d for %d points: more points allow a "+
				"narrower one: %w", who, j, v, low, maxBandwidth, points, ErrParam)
		}
	}
	return nil
}
