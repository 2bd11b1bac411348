package layers_test

import (
	"math"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestWays: a spec without the parameter means Laplace features, to the bit, and so does what FillDefaults draws again;
// auto is normalised rows where the features are fewer than three times the columns, and the map by a Gaussian from
// there on, or where the sampler is one of directions.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		params            string
		dims, features    int
		sampler           string
		kind, drawn, says string
	}{
		{"beta=.5", 4, 64, "", "RandomLaplaceLayer", "iid", ""},
		{"beta=.5,way=laplace", 4, 64, "sobol", "RandomLaplaceLayer", "sobol", ""},
		{"beta=.5,way=normalised", 4, 64, "", "RandomLaplaceLayer", "sobol", ""},
		{"beta=.5,way=normalised", 1001, 8, "", "RandomLaplaceLayer", "iid", ""},
		{"beta=.5,way=levy,order=1", 4, 64, "", "LevyLayer", "coupled", ""},
		{"beta=.5,way=levy", 4, 64, "iid", "LevyLayer", "iid", ""}, // the order has a default
		{"beta=.5,way=auto", 4, 12, "", "LevyLayer", "coupled", ""},
		{"beta=.5,way=auto", 4, 10, "", "RandomLaplaceLayer", "sobol", ""},
		{"beta=.5,way=auto", 4, 13, "", "RandomLaplaceLayer", "sobol", ""}, // of pairs there is no odd number
		{"beta=.5,way=auto", 4, 2, "orthogonal", "LevyLayer", "orthogonal", ""},
		{"beta=.5,way=auto", 4, 2, "antithetic", "RandomLaplaceLayer", "antithetic", ""},
		{"beta=.5,way=levy", 4, 7, "", "", "", "ask for 8"},
		{"beta=.5,way=laplace", 4, 8, "coupled", "", "", "coupled does not fit spectral.ExpSemigroup"},
		{"beta=.5,way=normalised", 4, 8, "coupled", "", "", "coupled does not fit spectral.ExpSemigroup"},
	} {
		v := must(layers.ParseValues("exp-semigroup", c.params))
		s := layers.Spec{Map: "exp-semigroup", Params: v, Dims: c.dims, Features: c.features, Sampler: c.sampler,
			Seed: 3}
		l, err := s.Build()
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: error %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if name, err := s.SamplerName(); err != nil || name != c.drawn || !strings.Contains(l.String(), c.kind+" ") ||
			!strings.Contains(l.String(), "sampler "+c.drawn) {
			t.Errorf("%+v: %v, sampler %q, %v", c, l, name, err)
		}
	}
	before := layers.Spec{Map: "exp-semigroup", Params: layers.Values{"beta": .5}, Dims: 3, Features: 6, Seed: 5}
	plain := must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: .5}, 3, 6, layers.WithSeed(5)))
	x := histograms(tensor.Float64, 7, 3, 1)
	near(t, "a spec without a way", features(must(before.Build()), x), features(plain, x), 0)
	fresh := layers.Spec{Map: "exp-semigroup", Dims: 3, Features: 64}
	if err := fresh.FillDefaults(x); err != nil || fresh.Params["way"] != "laplace" || fresh.Params["order"] != nil {
		t.Errorf("the defaults are %v, %v", fresh.Params, err)
	}
	auto := layers.Spec{Map: "exp-semigroup", Params: layers.Values{"way": "auto"}, Dims: 3, Features: 64}
	if err := auto.FillDefaults(x); err != nil || auto.Params["way"] != "auto" || auto.Params["order"] != 1. {
		t.Errorf("the defaults of way=auto are %v, %v", auto.Params, err)
	}
}

// TestWavesOrder: the order of the reciprocal kernel's map follows from the largest cell in the unit λ.
func TestWavesOrder(t *testing.T) {
	for _, c := range []struct{ lambda, want float64 }{{1000, 1}, {1, 1}, {.3, 2}, {.1, 3}, {1e-6, 8}} {
		s := layers.Spec{Map: "reciprocal-semigroup", Params: layers.Values{"lambda": c.lambda, "way": "levy"}}
		if err := s.FillDefaults(dense(2, 0, .5, 1, 0)); err != nil || s.Params.Number("order") != c.want {
			t.Errorf("λ = %v: order %v, want %v, %v", c.lambda, s.Params["order"], c.want, err)
		}
	}
}

// TestLevyBias: with very many frequencies the map is off the kernel by no more than its columns are off the metric,
// and these by no more than SupError and LogWavesError say.
func TestLevyBias(t *testing.T) {
	x := histograms(tensor.Float64, 9, 4, 1)
	v := x.Float64s()
	h := must(spectral.NewHarmonics(spectral.Levy{}, 1, spectral.Rectangular,
		must(spectral.FittedPeriod(spectral.Levy{}, 1, spectral.Rectangular))))
	for _, k := range []spectral.Semigroup{spectral.ExpSemigroup{Beta: .7}, spectral.ReciprocalSemigroup{Lambda: .8}} {
		l := must(layers.NewLevyLayer(k, 4, 2))
		scale := 1 / .8
		if _, root := k.(spectral.ExpSemigroup); root {
			scale = .49
		}
		scaled := mapped(x, func(v float64) float64 { return scale * v })
		psi, d := features(l.Metric(), scaled), l.Metric().Features()
		for i := range 9 {
			for j := range i {
				got, bound := 0.0, 1e-12
				for c := range d {
					got += math.Pow(psi[i*d+c]-psi[j*d+c], 2)
				}
				for c := range 4 {
					a, b := v[i*4+c], v[j*4+c]
					if scale == .49 {
						bound += 2 * .7 * h.SupError() * math.Sqrt(math.Max(a, b))
						continue
					}
					bound += must(spectral.LogWavesError(1, math.Log((a+.4)/(b+.4)))) + 1e-12
				}
				if want := k.Metric(v[i*4:i*4+4], v[j*4:j*4+4]); math.Abs(got-want) > bound {
					t.Fatalf("%T: ‖Ψ - Ψ'‖² = %v, D² = %v, bound %v", k, got, want, bound)
				}
			}
		}
	}
}

// TestLengthsWhereFeaturesUnderflow: the length of a row is √k(x, x) by its logarithm, in float32 too, where Laplace
// features are all 0.
func TestLengthsWhereFeaturesUnderflow(t *testing.T) {
	k := spectral.ExpSemigroup{Beta: 1}
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		// k(x, x) = exp(-113), whose root float32 can hold
		x := mapped(rows(dt, 1, 2, 1), func(float64) float64 { return 1600 })
		want := math.Exp(-k.Exponent(floats(x), floats(x)) / 2)
		for _, l := range []layers.Layer{must(layers.NewRandomLaplaceLayer(k, 2, 64, layers.WithNormalisation(),
			layers.WithDtype(dt))), must(layers.NewLevyLayer(k, 2, 64, layers.WithDtype(dt)))} {
			length := 0.0
			for _, c := range features(l, x) {
				length = math.Hypot(length, c)
			}
			if math.Abs(length-want) > 1e-4*want {
				t.Errorf("%v: the length is %v, √k(x, x) %v", l, length, want)
			}
		}
	}
}
