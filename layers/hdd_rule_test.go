package layers_test

import (
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestRuleOfSpecs: GaussLambdas gives the frequencies λ by default, in a layer, in a spec that does not name the rule
// and in one that FillDefaults completes.
func TestRuleOfSpecs(t *testing.T) {
	lambdas := func(l layers.Layer) []float64 {
		for _, p := range l.Params() {
			if p.Name == "lambda" {
				return p.Value.Float64s()
			}
		}
		t.Fatalf("%v has no lambda", l)
		return nil
	}
	want := func(what string, l layers.Layer, d spectral.DensityDistance, rule spectral.LambdaRule) {
		t.Helper()
		expected, _, err := d.Lambdas(5, rule, 0)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range lambdas(l) {
			if v != expected[j] {
				t.Errorf("%s: λ %d is %v, by %v %v", what, j, v, rule, expected[j])
			}
		}
	}
	bags := must(ops.BagsOfRows(tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float64{.1, .3, .6, .9}))))
	for name, d := range map[string]spectral.DensityDistance{
		"hdd-js": spectral.JensenShannonDivergence, "hdd-tv": spectral.TotalVariation,
	} {
		if name == "hdd-js" { // hdd-tv has no lambda by default
			want(name+", layer", must(layers.NewHDDLayer(layers.Density{Distance: d, Sigma: .5}, 1, 4)), d, spectral.GaussLambdas)
		}

		filled := layers.Spec{Map: name, Dims: 1, Features: 4, Params: layers.Values{"sigma": .5, "bandwidth": "0.1",
			"lambdas": 5.}}
		want(name+", unnamed", must(filled.Build()), d, spectral.GaussLambdas)
		if err := filled.FillDefaults(bags); err != nil {
			t.Fatal(err)
		}
		if filled.Params["rule"] != "gauss" {
			t.Errorf("%s: the defaults are %v", name, filled.Params)
		}
		want(name+", filled spec", must(filled.Build()), d, spectral.GaussLambdas)
	}
}
