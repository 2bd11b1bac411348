package layers_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	maps "github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// leverageSpecs are maps of every transform and form that take the sampler leverage.
var leverageSpecs = []layers.Spec{
	{Map: "gaussian", Params: layers.Values{"sigma": .7}},
	{Map: "laplacian", Params: layers.Values{"sigma": 1.}, Dtype: "float32"},
	{Map: "gaussian", Params: layers.Values{"sigma": .7, "phase": true}, Tune: "all"},
	{Map: "gaussian", Params: layers.Values{"sigma": .7}, Tune: "bandwidth-each"},
	{Map: "exp-semigroup", Params: layers.Values{"beta": .3}},
	{Map: "exp-semigroup", Params: layers.Values{"beta": .3}, Tune: "all"},
	{Map: "skewed-chi2", Params: layers.Values{"c": .3}, Tune: "bandwidth"},
}

// TestLeverageLayers: what is fitted on rows comes back from its spec, as JSON, and its parameters; State has their
// shapes; rows may be sparse; the features are those of a plain evaluator.
func TestLeverageLayers(t *testing.T) {
	x := histograms(tensor.Float64, 41, 3, 1)
	for _, s := range leverageSpecs {
		s.Dims, s.Features, s.Sampler, s.Seed, s.Name = 3, 10, "leverage", 5, "probe"
		if _, err := s.Build(); !errors.Is(err, layers.ErrParam) || !strings.Contains(err.Error(), "use Spec.Fit") {
			t.Errorf("%+v: Build: %v", s, err)
		}
		l, in := must(s.Fit(x)), x
		if s.Dtype == "float32" {
			in = histograms(tensor.Float32, 41, 3, 1)
		}
		z := maps.Float64s(must(l.Transform(nil, in)))
		if again := maps.Float64s(must(must(s.Fit(must(maps.CSROf(x)))).Transform(nil, in))); !slices.Equal(z, again) {
			t.Errorf("%+v: sparse rows are fitted otherwise", s)
		}
		var read layers.Spec
		if err := json.Unmarshal(must(json.Marshal(s)), &read); err != nil {
			t.Fatal(err)
		}
		params, state := map[string]*tensor.Dense{}, must(s.State())
		for _, p := range l.Params() {
			params[p.Name] = p.Value
			if shape, ok := state[p.Name]; ok && !shape.Eq(p.Value.Shape()) {
				t.Errorf("%+v: %s is %v, State says %v", s, p.Name, p.Value.Shape(), shape)
			}
		}
		if len(state) != 2 || params["amplitudes"] == nil || !must(s.Traits()).Fitted {
			t.Errorf("%+v: the state is %v", s, state)
		}
		if back := must(read.Restore(params)); !slices.Equal(z, maps.Float64s(must(back.Transform(nil, in)))) {
			t.Errorf("%+v: the map restored is another", s)
		}
		a := maps.Float64s(params["amplitudes"])
		if slices.Max(a)-slices.Min(a) < .01 {
			t.Errorf("%+v: amplitudes %v", s, a)
		}
		params["amplitudes"] = params["amplitudes"].Clone().(*tensor.Dense)
		if err := params["amplitudes"].Memset(one(in.Dtype())); err != nil {
			t.Fatal(err)
		}
		plain := must(s.Restore(params))
		for i, v := range maps.Float64s(must(plain.Transform(nil, in))) {
			if want := v * a[i%10%len(a)]; math.Abs(z[i]-want) > 1e-6 {
				t.Fatalf("%+v: feature %d is %v, want %v", s, i, z[i], want)
			}
		}
	}
}

// one is 1 of an element type.
func one(dt tensor.Dtype) any {
	if dt == tensor.Float32 {
		return float32(1)
	}
	return 1.
}

// TestLeverageApart: layers that are composed do not share their numbers.
func TestLeverageApart(t *testing.T) {
	by := layers.WithSampler(spectral.Leverage{Rows: histograms(tensor.Float64, 41, 3, 1)})
	a := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, by))
	b := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, by))
	part := func(l layers.Layer) layers.Part { return layers.Part{Layer: l, From: 0, To: 3, Weight: 1} }
	must(layers.NewConcat(3, []layers.Part{part(a), part(b)}))
	if slices.Equal(a.Params()[0].Value.Float64s(), b.Params()[0].Value.Float64s()) {
		t.Error("two layers of one seed have the same frequencies")
	}
	if cited := layers.Cite(a); !strings.Contains(cited, "avron2017random") || !strings.Contains(cited, "li2021towards") {
		t.Errorf("cited are\n%s", cited)
	}
}

// TestLeverageErrors: maps that cannot take it say what can.
func TestLeverageErrors(t *testing.T) {
	x := histograms(tensor.Float64, 41, 3, 1)
	by := layers.WithSampler(spectral.Leverage{Rows: x})
	for says, err := range map[string]error{
		"layers.Spec.Fit": second(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8,
			layers.WithSampler(spectral.Leverage{}))),
		"leave WithNormalisation out": second(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: 1}, 3, 8, by,
			layers.WithNormalisation())),
		"want [n, 4]": second(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 4, 8, by)),
		"does not fit spectral.Gaussian": second(layers.Spec{Map: "exp-chi2", Params: layers.Values{"sigma": 1.},
			Dims: 3, Features: 8, Sampler: "leverage"}.Fit(x)),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func second[V any](_ V, err error) error { return err }
