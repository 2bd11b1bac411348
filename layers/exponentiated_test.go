package layers_test

import (
	"errors"
	"slices"
	"strings"
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
			want := floats(must(rff.Transform(nil, must(psi.Transform(nil, x)))))
			if d := maxDiff(floats(must(l.Transform(nil, x))), want); d != 0 {
				t.Errorf("%v differs by %v from the composition", l, d)
			}
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
	z := floats(must(l.Transform(nil, x)))
	for _, i := range []int{0, 31, 32, 64, 136} {
		one := tensor.New(tensor.WithShape(1, d), tensor.WithBacking(x.Float64s()[i*d:i*d+d]))
		if off := maxDiff(floats(must(l.Transform(nil, one))), z[6*i:6*i+6]); off > 1e-12 {
			t.Errorf("row %d differs by %v from what it is alone", i, off)
		}
	}
	x.Float64s()[101*d+17] = -.5
	if _, err := l.Transform(nil, x); !errors.Is(err, layers.ErrDomain) ||
		!strings.Contains(err.Error(), `"hist": x[101,17] = -0.5 is negative`) {
		t.Errorf("a negative cell in a later block: %v", err)
	}
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
		if d := maxDiff(floats(must(l.Transform(nil, x))), floats(must(laplacian.Transform(nil, x)))); d != 0 {
			t.Errorf("%s: %v differs by %v from %v", text, l, d, laplacian)
		}
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
		if n := must(s.FrequencyDims()); n != 15 {
			t.Errorf("%s: the frequencies are of %d columns, want those of a series of order 1, 15", text, n)
		}
	}
	if _, err := layers.ParseValues("exp-intersection", "window=uniform"); !errors.Is(err, layers.ErrParam) {
		t.Errorf("a window without a series: %v", err)
	}
	k := spectral.Exponentiated{Of: spectral.Intersection{}, Sigma: .5}
	if _, err := layers.NewExponentiatedLayer(k, 5, 12, layers.WithOptimalPeriod()); !errors.Is(err, layers.ErrParam) {
		t.Errorf("a period without a series: %v", err)
	}
}
