package layers

import (
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// slicing is the directions u_r in the unit cube [0, 1]^l for l > 3. The projection of a sample x on u_r is
//
//	t_r = ½ + Σ_j u_jr (x_j - ½),   Σ_j |u_jr| <= 1, so that t_r is in [0, 1].
//
// The first l directions are the axes, where t_r = x_r, and as many more are random, at most maxRandomDirections. They
// depend on l alone, and the distance of two densities does so too: no seed changes it.
type slicing struct {
	directions *tensor.Dense // [l, R]
	shift      *tensor.Dense // [R], ½ (1 - Σ_j u_jr): t = xU + shift
}

// maxRandomDirections bounds the cost in many dimensions, where as many as there are axes would double it.
const maxRandomDirections = 32

// densityCount returns how many densities stand for the joint density of so many coordinates on a grid.
func densityCount(axes int, g ops.Grid) int {
	if axes <= max(1, g.Axes()) {
		return 1
	}
	return axes + min(axes, maxRandomDirections, math.MaxInt-axes)
}

// newSlicing returns the directions for l coordinates, and the bandwidths of the projections for those of the
// coordinates. If K is the product of Gaussian kernels of widths h_j, then the projection of the joint estimate on u
// is an estimate of width √(Σ u_j² h_j²). Of a random direction it is at least low.
func newSlicing(h []float64, low float64, r int, dt tensor.Dtype) (*slicing, []float64) {
	l, rng := len(h), rand.New(spectral.Stream(0, "directions of slices"))
	u, shift, widths := make([]float64, l*r), make([]float64, r), make([]float64, r)
	for k := range r {
		if k < l {
			u[k*r+k], widths[k] = 1, h[k]
			continue
		}
		length := 0.
		for j := range l {
			u[j*r+k] = rng.NormFloat64()
			length += math.Abs(u[j*r+k])
		}
		length *= 1 + 1e-5 // so that no rounding puts t outside [0, 1]
		sum, square := 0., 0.
		for j := range l {
			u[j*r+k] /= length
			sum += u[j*r+k]
			square += math.Pow(u[j*r+k]*h[j], 2)
		}
		shift[k], widths[k] = (1-sum)/2, math.Max(math.Sqrt(square), low)
	}
	return &slicing{newTensor(dt, u, l, r), newTensor(dt, shift, r)}, widths
}

// params returns the directions as parameters, which nothing tunes.
func (s *slicing) params() []Param {
	if s == nil {
		return nil
	}
	return []Param{{"directions", s.directions, false}, {"shift", s.shift, false}}
}

// project returns the projections of the samples of bags on all directions.
func (s *slicing) project(b *ops.Bags, a ops.Attr) (*ops.Bags, error) {
	t, err := ops.Affine(a).Into(nil, b.Samples(), s.directions, s.shift)
	if err != nil {
		return nil, err
	}
	return b.With(t)
}
