package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func normal(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// posteriorOf is one on random features that are not centred, and centred targets.
func posteriorOf(n, d, k int) (*posterior, []float64) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	y := normal(rng, n*k)
	centre(y, n, k)
	p := newPosterior(n, d, k, y)
	z := normal(rng, n*d)
	for i := range z {
		z[i] = z[i]/math.Sqrt(float64(d)) + .3
	}
	copy(p.z, z)
	return p, z
}

var sizes = [][3]int{{13, 5, 1}, {60, 41, 3}, {11, 11, 2}, {17, 40, 3}, {12, 11, 1}}

// TestMarginal: the loss is minus the log evidence of linear.Posterior, a mean over rows and targets.
func TestMarginal(t *testing.T) {
	for _, size := range sizes {
		n, d, k := size[0], size[1], size[2]
		for _, rho := range []float64{1e-3, .7} {
			p, z := posteriorOf(n, d, k)
			if !p.features() || !p.solve(rho) {
				t.Fatal("no loss")
			}
			var s linear.RidgeStats
			must(0, s.Add(tensor.New(tensor.WithShape(n, d), tensor.WithBacking(z)), mat.NewDense(n, k, p.y)))
			want := -must(s.Posterior(rho/p.spread)).LogEvidence / float64(n*k)
			if got := p.marginal(); !scalar.EqualWithinAbsOrRel(got, want, 1e-10, 1e-10) {
				t.Errorf("%v, ρ = %v: the loss is %.15g, want %.15g", size, rho, got, want)
			}
		}
	}
}
