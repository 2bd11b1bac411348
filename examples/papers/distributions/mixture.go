package main

import (
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/try"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// half is half the edge of the square that mixtures live on, [-half, half]², which is mapped to the unit square.
const half = 5

// normal is a normal law on the plane: its mean and a root of its covariance, x = mean + [[a, 0], [b, c]] z.
type normal struct{ x, y, a, b, c float64 }

// mixture is an equal mixture of normal laws, each truncated to the square.
type mixture []normal

// maxComponents is the largest number of components that is drawn.
const maxComponents = 10

// drawMixture draws 1 to 10 components with means uniform on the square and covariances aAAᵀ + B, where a is uniform on
// [1, 4], the entries of A on [-1, 1], and the entries of the diagonal B on [0, 1].
func drawMixture(rng *rand.Rand) mixture {
	uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	m := make(mixture, 1+rng.IntN(maxComponents))
	for i := range m {
		x, y, a := uniform(-half, half), uniform(-half, half), uniform(1, 4)
		p, q, r, s := uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)
		m[i] = newNormal(x, y, a*(p*p+q*q)+rng.Float64(), a*(p*r+q*s), a*(r*r+s*s)+rng.Float64())
	}
	return m
}

// newNormal is a law with the covariance [[xx, xy], [xy, yy]], by its Cholesky factor.
func newNormal(x, y, xx, xy, yy float64) normal {
	a := math.Sqrt(xx)
	b := xy / a
	return normal{x, y, a, b, math.Sqrt(yy - b*b)}
}

// sample appends n samples, in the unit square, to x.
func (m mixture) sample(x []float32, n int, rng *rand.Rand) []float32 {
	for range n {
		k := m[rng.IntN(len(m))]
		for {
			u, v := rng.NormFloat64(), rng.NormFloat64()
			p, q := k.x+k.a*u, k.y+k.b*u+k.c*v
			if math.Abs(p) <= half && math.Abs(q) <= half { // the truncation
				x = append(x, float32(p/(2*half)+.5), float32(q/(2*half)+.5))
				break
			}
		}
	}
	return x
}

// drawMixtures draws n mixtures and so many samples of each, and their numbers of components. A set is the same however
// many there are.
func drawMixtures(n, samples int, seed uint64, name string) labelled {
	rng := rand.New(spectral.Stream(seed, name))
	x, components := make([]float32, 0, 2*n*samples), make([]float64, n)
	for i := range n {
		m := drawMixture(rng)
		components[i] = float64(len(m))
		x = m.sample(x, samples, rng)
	}
	offsets := make([]int, n+1)
	for i := range offsets {
		offsets[i] = i * samples
	}
	all := tensor.New(tensor.WithShape(n*samples, 2), tensor.WithBacking(x))
	return labelled{try.Get(ops.NewBags(all, offsets)), components}
}
