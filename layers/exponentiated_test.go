package layers_test

import (
	"errors"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestExponentiatedIsTheComposition: a FourierLayer of the same seed on the homogeneous map makes the same features.
func TestExponentiatedIsTheComposition(t *testing.T) {
	x := sparseHistograms(37, 7)
	for _, s := range []spectral.Sampler{spectral.IID{}, spectral.Orthogonal{}, spectral.Structured{}} {
		for _, k := range []spectral.Homogeneous{spectral.Chi2{}, spectral.JensenShannon{Gamma: .8},
			spectral.Intersection{Negative: spectral.SplitNegative}} {
			series := []layers.Option{layers.WithOrder(2), layers.WithOptimalPeriod()}
			random := []layers.Option{layers.WithSeed(3), layers.WithSampler(s)}
			l := must(layers.NewExponentiatedLayer(spectral.Exponentiated{Of: k, Sigma: .4}, 7, 26,
				slices.Concat(series, random)...))
			psi := must(layers.NewHomogeneousLayer(k, 7, series...))
			rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .4}, psi.Features(), 26, random...))
			near(t, l, features(l, x), features(rff, must(psi.Transform(nil, x))), 0)
			if l.Homogeneous().Features() != psi.Features() ||
				l.Kernel() != (spectral.Exponentiated{Of: k, Sigma: .4}) {
				t.Errorf("%v has %v under it and the kernel %v", l, l.Homogeneous(), l.Kernel())
			}
		}
	}
}

// TestExponentiatedBlocks: more rows than Transform maps at once come out as they do alone, and an error in a later
// block counts rows from the start of x.
func TestExponentiatedBlocks(t *testing.T) {
	const n, d = 137, 4100 // 12300 columns of Ψ, so blocks of 32 rows
	x := rows(tensor.Float64, n, d, 1)
	l := must(layers.NewExponentiatedLayer(spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: 20}, d, 6,
		layers.WithName("hist")))
	z := features(l, x)
	for _, i := range []int{0, 31, 32, 64, 136} {
		near(t, i, features(l, dense(d, x.Float64s()[i*d:i*d+d]...)), z[6*i:6*i+6], 1e-12)
	}
	x.Float64s()[101*d+17] = -.5
	_, err := l.Transform(nil, x)
	wantErr(t, "a later block", err, layers.ErrDomain, `"hist": x[101,17] = -0.5 is negative`)
}

// TestExpIntersectionIsLaplacian: for γ = 1 exp-intersection has the features of a Laplacian kernel of x itself, which
// have no bias, on the domain of the histograms. An order, another γ, and negative=sign, where the metric is no ℓ1
// distance, have the series.
func TestExpIntersectionIsLaplacian(t *testing.T) {
	x := sparseHistograms(9, 5)
	for _, text := range []string{"sigma=.5", "sigma=.5,negative=split", "sigma=.5,phase=true"} {
		v := must(layers.ParseValues("exp-intersection", text))
		l := must(layers.Spec{Map: "exp-intersection", Params: v, Dims: 5, Features: 12, Seed: 3}.Build())
		opts := []layers.Option{layers.WithSeed(3)}
		if v.Bool("phase") {
			opts = append(opts, layers.WithPhase())
		}
		laplacian := must(layers.NewFourierLayer(spectral.Laplacian{Sigma: .5}, 5, 12, opts...)) // 2σ²
		near(t, text, features(l, x), features(laplacian, x), 0)
		negative := rows(tensor.Float64, 3, 5, 1)
		negative.Float64s()[7] = -.5
		_, err := l.Transform(nil, negative)
		if split := v.Word("negative") == "split"; errors.Is(err, layers.ErrDomain) == split {
			t.Errorf("%s: a negative cell gives %v", text, err)
		}
	}
	for _, text := range []string{"sigma=.5,order=1", "sigma=.5,gamma=.5", "sigma=.5,negative=sign"} {
		s := layers.Spec{Map: "exp-intersection", Params: must(layers.ParseValues("exp-intersection", text)), Dims: 5,
			Features: 12}
		if n := must(s.Size()); n != 6*15 {
			t.Errorf("%s: the size is %v, want the size of 6 frequencies of the 15 columns of a series of order 1", text, n)
		}
	}
}
