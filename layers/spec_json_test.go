package layers_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestSpecsOfTheFirstVersion: texts with eps=auto, or without eps, build the map that they built when they were
// written; three of the features of the row (.6, 0, .8) were written down then.
func TestSpecsOfTheFirstVersion(t *testing.T) {
	const rest = `"sampler":"","seed":5,"dtype":"","tune":"","name":""}`
	for text, want := range map[string][3]float64{
		`{"map":"sphere-polynomial","params":{"a":3,"eps":"auto","p":1},"dims":3,"features":16,` +
			rest: {0.35355339059327373, 0.3150595815504579, 0.1604289876339384},
		`{"map":"sphere-polynomial","params":{"a":3,"p":1},"dims":3,"features":4096,` +
			rest: {0.03189553885019295, -0.0022974781063168637, -0.0018630797460726413},
		`{"map":"sphere-polynomial","params":{},"dims":3,"features":16,` +
			rest: {0.4780359796813012, -0.14829300652235322, -0.020729492194005977},
		`{"map":"arc-cosine","params":{},"dims":3,"features":512,` +
			rest: {0.095596947517434, -0.011938747127988682, 0},
		`{"map":"arc-cosine","params":{"coupling":"separate","order":0},"dims":3,"features":16,` +
			rest: {0.5668399271596328, -0.05612361214726036, 0},
		`{"map":"ntk","params":{},"dims":3,"features":16,` + rest: {0.49389622625196217,
			0.08199520108742941, 0.49323096719349646},
		`{"map":"ntk","params":{"coupling":"iid"},"dims":3,"features":8192,` + rest: {0.022092723053199346,
			0.021858150834185016, 0.003240754867313622},
	} {
		var s layers.Spec
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		v := featuresOf(t, s)
		for i, at := range []int{0, len(v) / 4, 3 * len(v) / 4} {
			if math.Abs(v[at]-want[i]) > 1e-9 {
				t.Errorf("%s: feature %d is %v, was %v", text, at, v[at], want[i])
			}
		}
		sameFeatures(t, s, throughJSON(t, s))
	}
}

// featuresOf returns the features of the row (.6, 0, .8).
func featuresOf(t *testing.T, s layers.Spec) []float64 {
	t.Helper()
	z, err := must(s.Build()).Transform(nil, tensor.New(tensor.WithShape(1, 3),
		tensor.WithBacking([]float64{.6, 0, .8})))
	if err != nil {
		t.Fatal(err)
	}
	return z.Float64s()
}

func throughJSON(t *testing.T, s layers.Spec) (read layers.Spec) {
	t.Helper()
	if err := json.Unmarshal(must(json.Marshal(s)), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// sameFeatures wants two specs to build the same map.
func sameFeatures(t *testing.T, s, other layers.Spec) {
	t.Helper()
	if !slices.Equal(featuresOf(t, s), featuresOf(t, other)) {
		t.Errorf("%v builds another map than %v", other, s)
	}
}

// TestSpecKeepsTheChoice: what auto chose is a number in the text, of each kernel that has a choice, and of the exact
// measure, where there is none, auto; a spec that cannot be built is written as it is.
func TestSpecKeepsTheChoice(t *testing.T) {
	for _, s := range []layers.Spec{
		{Map: "sphere-polynomial", Params: layers.Values{"a": 3., "p": 1.}, Dims: 3, Features: 64, Seed: 1},
		{Map: "arc-cosine", Params: layers.Values{"coupling": "iid"}, Dims: 3, Features: 8, Seed: 2},
		{Map: "ntk", Dims: 3, Features: 256, Seed: 3, Params: layers.Values{"eps": "auto"}},
	} {
		chosen := must(s.Build()).(*layers.GORFLayer).Split()
		read := throughJSON(t, s)
		sameFeatures(t, s, read)
		if again := read.Params; again.Number("eps") != chosen.Eps || again.Number("flat") != chosen.Flat ||
			chosen.Eps == 0 {
			t.Errorf("%v: read back %v, chosen %v and %v", s, again, chosen.Eps, chosen.Flat)
		}
	}
	exact := layers.Spec{Map: "sphere-polynomial", Dims: 3, Features: 8, Params: layers.Values{"eps": "auto"}}
	if again := throughJSON(t, exact).Params; again.Word("eps") != "auto" {
		t.Errorf("the exact measure is read back as %v", again)
	}
	wrong := layers.Spec{Map: "ntk", Dims: -1, Features: 8, Params: layers.Values{"eps": "auto"}}
	if again := throughJSON(t, wrong).Params; again.Word("eps") != "auto" {
		t.Errorf("a spec that builds nothing is read back as %v", again)
	}
}
