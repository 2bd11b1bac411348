package layers_test

import (
	"encoding/json"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

func throughJSON(s layers.Spec) (read layers.Spec) {
	return must(read, json.Unmarshal(must(json.Marshal(s)), &read))
}

// TestSpecKeepsTheChoice: what auto chose is a number in the text, of each kernel that has a choice, and of the exact
// measure, where there is none, auto; a spec that cannot be built is written as it is.
func TestSpecKeepsTheChoice(t *testing.T) {
	for _, s := range []layers.Spec{
		{Map: "sphere-polynomial", Params: layers.Values{"a": 3., "p": 1.}, Dims: 3, Features: 64, Seed: 1},
		{Map: "sphere-polynomial", Params: layers.Values{"a": 1.5, "p": 3., "coupling": "iid"}, Dims: 3, Features: 8,
			Seed: 2},
		{Map: "sphere-polynomial", Params: layers.Values{"a": 1.2, "p": 2., "eps": "auto"}, Dims: 3, Features: 256,
			Seed: 3},
	} {
		chosen := must(s.Build()).(*layers.GORFLayer).Split()
		read := throughJSON(s)
		row := dense(3, .6, 0, .8)
		near(t, read, features(must(read.Build()), row), features(must(s.Build()), row), 0)
		if again := read.Params; again.Number("eps") != chosen.Eps || again.Number("flat") != chosen.Flat ||
			chosen.Eps == 0 {
			t.Errorf("%v: read back %v, chosen %v and %v", s, again, chosen.Eps, chosen.Flat)
		}
	}
	exact := layers.Spec{Map: "sphere-polynomial", Dims: 3, Features: 8, Params: layers.Values{"eps": "auto"}}
	if again := throughJSON(exact).Params; again.Word("eps") != "auto" {
		t.Errorf("the exact measure is read back as %v", again)
	}
	wrong := layers.Spec{Map: "sphere-polynomial", Dims: -1, Features: 8, Params: layers.Values{"eps": "auto"}}
	if again := throughJSON(wrong).Params; again.Word("eps") != "auto" {
		t.Errorf("a spec that builds nothing is read back as %v", again)
	}
}

// TestSpecOfMeanMap: a mean map has a Spec whatever kernel its map of samples has, also where that map has an order, or
// is made by hand, of a kernel whose fields of 0 stand for defaults.
func TestSpecOfMeanMap(t *testing.T) {
	x := histograms(tensor.Float64, 5, 3, 1)
	chi2 := spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: .5}
	all := []layers.Layer{
		must(layers.NewMeanMapLayer(must(layers.NewExponentiatedLayer(chi2, 3, 512)), .3, 8)),
	}
	for _, text := range []string{"kernel=exp-chi2,sigma=.5", "kernel=exp-intersection,sigma=.5",
		"kernel=exp-intersection,sigma=.5,order=2", "kernel=exp-hellinger,sigma=.5", "kernel=chi2"} {
		v := must(layers.ParseValues("mean-map", text+",tau=.3"))
		all = append(all, must(layers.Spec{Map: "mean-map", Dims: 3, Features: 8, Params: v}.Build()))
	}
	for _, l := range all {
		s, err := layers.SpecOf(l)
		if err != nil {
			t.Errorf("%v: %v", l, err)
			continue
		}
		near(t, s, features(must(s.Restore(values(l))), x), features(l, x), 0)
	}
}
