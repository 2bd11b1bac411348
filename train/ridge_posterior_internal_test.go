package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestRidgePosteriorFloat32: the posterior of a head on float32 features has float32 products where lambda, given or of
// the largest evidence, is large enough for them, and is near that of float64 products; where lambda is too small it
// is that.
func TestRidgePosteriorFloat32(t *testing.T) {
	const n, d = 900, 20
	r := rand.New(rand.NewPCG(5, 7))
	x, rough, smooth := make([]float32, n*d), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		sum := 0.
		for j := range d {
			x[i*d+j] = float32(r.NormFloat64())
			sum += float64(x[i*d+j]) * float64(j%3-1)
		}
		rough.Set(i, 0, sum+r.NormFloat64())
		smooth.Set(i, 0, 1e3*sum+1e-9*r.NormFloat64())
	}
	z := tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))
	m := &Model{Map: must(layers.NewIdentity(d, layers.WithDtype(tensor.Float32)))}
	posterior := func(y *mat.Dense, lambda float64, single bool) *linear.Posterior {
		return must(m.ridgePosterior(t.Context(), data.Pairs{X: z, Y: y}, lambda, single))
	}
	for name, c := range map[string]struct {
		y      *mat.Dense
		lambda float64
		single bool // whether float32 products will do
	}{"given": {rough, 10, true}, "evidence": {rough, 0, true}, "too small": {rough, 1e-7, false},
		"smooth": {smooth, 0, false}} {
		got, want := posterior(c.y, c.lambda, true), posterior(c.y, c.lambda, false)
		var off mat.Dense
		off.Sub(got.Fit.W, want.Fit.W)
		change := mat.Norm(&off, 2) / mat.Norm(want.Fit.W, 2)
		if exact := change == 0 && got.Lambda == want.Lambda && got.LogEvidence == want.LogEvidence; exact == c.single {
			t.Errorf("%s: lambda = %g, float32 products: %v", name, got.Lambda, !exact)
		}
		if change > 1e-4 || math.Abs(got.Noise[0]/want.Noise[0]-1) > 1e-3 ||
			math.Abs(got.Lambda/want.Lambda-1) > 1e-3 ||
			math.Abs(got.LogEvidence-want.LogEvidence) > 1e-3*math.Abs(want.LogEvidence) {
			t.Errorf("%s: lambda %g and %g, noise %g and %g, evidence %g and %g; W differs by %.2g", name, got.Lambda,
				want.Lambda, got.Noise[0], want.Noise[0], got.LogEvidence, want.LogEvidence, change)
		}
	}
}
