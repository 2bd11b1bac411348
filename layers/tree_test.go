package layers_test

import (
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestTree: a tree is given defaults part by part, and states its columns and what it tunes. Package maptest has the
// rest.
func TestTree(t *testing.T) {
	s := layers.Spec{Map: "sequential", Dims: 4, Name: "net", Parts: []layers.Spec{
		{Map: "dense", Features: 5, Params: layers.Values{"activation": "tanh"}, Tune: "all", Seed: 1},
		{Map: "concat", Params: layers.Values{"from": "0:2", "to": "3:5", "weights": "1:0.25"}, Parts: []layers.Spec{
			{Map: "sequential", Parts: []layers.Spec{
				{Map: "normalise"},
				{Map: "sphere-polynomial", Features: 16, Params: layers.Values{"p": 3}, Tune: "all"},
			}},
			{Map: "gaussian", Features: 8, Tune: "bandwidth"},
		}},
		{Map: "dense", Features: 3, Params: layers.Values{"activation": "softplus"}},
	}}
	must(s, s.FillDefaults(rows(tensor.Float64, 7, 4, 1)))
	if s.Parts[1].Parts[1].Params["sigma"] == nil || s.Parts[1].Dims != 5 || s.Parts[2].Dims != 24 {
		t.Fatalf("the defaults are %+v", s)
	}
	l := must(s.Build())
	if columns := must(s.Columns()); columns != 3 || l.Features() != 3 {
		t.Errorf("%d columns are stated, and the layer makes %d", columns, l.Features())
	}
	const concat = "net_1_concat_0_sequential_0_normalise-net_1_concat_0_sequential_1_sphere-polynomial-net_1_concat_1_gaussian"
	if params := values(l); params[concat+".net_1_concat_1_gaussian.W"] == nil {
		t.Errorf("the parameters are %v", slices.Sorted(maps.Keys(params)))
	}
	if size := must(s.Size()); size != 4*5+3*4+3*4+24*3 {
		t.Errorf("the size is %v", size)
	}
	if !s.Tuned() || (layers.Spec{Map: "gaussian", Tune: "none"}).Tuned() {
		t.Error("Tuned is wrong")
	}
	l.Fwd(input(G.NewGraph(), rows(tensor.Float64, 7, 4, 1)))
	if n := len(l.Model()); n != 6 {
		t.Errorf("%d learnable nodes, want 6: of the dense layer, of the map of the sphere, and the bandwidth", n)
	}
}

// TestTreeOfFittedMaps: a map that is fitted on data is fitted on what the parts before it make.
func TestTreeOfFittedMaps(t *testing.T) {
	x := rows(tensor.Float64, 40, 6, 1)
	s := layers.Spec{Map: "sequential", Dims: 6, Seed: 3, Parts: []layers.Spec{
		{Map: "normalise", Params: layers.Values{"norm": "l1"}},
		{Map: "nystrom", Features: 5, Params: layers.Values{"kernel": "exp-chi2"}},
		{Map: "dense", Features: 2},
	}}
	must(s, s.FillDefaults(x))
	if _, err := s.Build(); !errors.Is(err, layers.ErrParam) {
		t.Errorf("Build is %v, want an error that asks for Fit", err)
	}
	l := must(s.Fit(x))
	if of := must(layers.SpecOf(l)); of.Seed != s.Seed || of.Parts[1].Seed != s.Parts[1].Seed {
		t.Errorf("SpecOf is %v, want the seed of %v", of, s)
	}
	params := values(l)
	near(t, "Restore", features(must(s.Restore(params)), x), features(l, x), 0)
	if traits := must(s.Traits()); !traits.Fitted || !traits.Sampled {
		t.Errorf("the traits are %+v", traits)
	}
}

// TestTreeKernel: the kernel of maps side by side is their weighted sum, or product, and a map behind Normalise has its
// own of the rows divided by their norms.
func TestTreeKernel(t *testing.T) {
	x, z := []float64{3, 4, 1}, []float64{1, 0, 2}
	after := layers.Spec{Map: "sequential", Dims: 2, Parts: []layers.Spec{{Map: "normalise"},
		{Map: "gaussian", Features: 2, Params: layers.Values{"sigma": 1}}}}
	k := must(after.Kernel())
	want := spectral.Gaussian{Sigma: 1}.At([]float64{.6, .8}, []float64{1, 0})
	if got := k.At(x[:2], z[:2]); math.Abs(got-want) > 1e-15 {
		t.Errorf("k = %v, want %v", got, want)
	}
	sum := layers.Spec{Map: "concat", Dims: 3, Params: layers.Values{"from": "0:2", "to": "2:3", "weights": "2:3"},
		Parts: []layers.Spec{after, {Map: "linear"}}}
	sum.Parts[0].Dims = 0
	if got := must(sum.Kernel()).At(x, z); math.Abs(got-2*want-6) > 1e-14 {
		t.Errorf("k = %v, want %v", got, 2*want+6)
	}
	sum.Map = "product"
	if got := must(sum.Kernel()).At(x, z); math.Abs(got-2*want*6) > 1e-14 {
		t.Errorf("k = %v, want %v", got, 2*want*6)
	}
	after.Parts[0] = layers.Spec{Map: "dense", Features: 2}
	if _, err := after.Kernel(); !errors.Is(err, layers.ErrParam) {
		t.Errorf("the kernel behind a dense layer: %v", err)
	}
}

// TestTreeSigns: a tree has signs where a part beside others has them, or the last of a chain.
func TestTreeSigns(t *testing.T) {
	signed := layers.Spec{Map: "sphere-polynomial", Features: 8}
	product := layers.Spec{Map: "random-maclaurin", Features: 4}
	for _, c := range []struct {
		of    string
		parts []layers.Spec
		want  bool
	}{
		{"concat", []layers.Spec{signed, product}, true},
		{"concat", []layers.Spec{product, {Map: "linear"}}, false},
		{"product", []layers.Spec{signed, product}, true},
		{"product", []layers.Spec{product, {Map: "linear"}}, false},
		{"sequential", []layers.Spec{{Map: "normalise"}, signed}, true},
		{"sequential", []layers.Spec{signed, {Map: "dense", Features: 2}}, false},
	} {
		s := layers.Spec{Map: c.of, Dims: 3, Parts: c.parts}
		if got := must(s.Traits()).Signed; got != c.want {
			t.Errorf("%s of %v: signed %v", c.of, c.parts, got)
		}
		if l := must(s.Build()); (layers.SignatureOf(l) != nil) != c.want {
			t.Errorf("%v has the signature %v", l, layers.SignatureOf(l))
		}
	}
}

// deep is a sequential of one part, so many levels deep.
func deep(levels int) layers.Spec {
	s := layers.Spec{Map: "linear", Dims: 2}
	for range levels {
		s = layers.Spec{Map: "sequential", Dims: 2, Parts: []layers.Spec{s}}
	}
	return s
}

// TestTreeAsDeepAsAllowed: the deepest tree that is not refused is built in no time.
func TestTreeAsDeepAsAllowed(t *testing.T) {
	s := deep(16)
	if l := must(s.Build()); l.Features() != 2 || must(s.Size()) != 0 {
		t.Errorf("it makes %d columns", l.Features())
	}
}
