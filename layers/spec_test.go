package layers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestTableIsDocumented: every map says its formula and its paper. TestTags has the parameters.
func TestTableIsDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range layers.Entries() {
		if e.Name == "" || e.Formula == "" || e.Paper == "" || seen[e.Name] {
			t.Errorf("entry %q: formula %q, paper %q, seen before %v", e.Name, e.Formula, e.Paper, seen[e.Name])
		}
		seen[e.Name] = true
		if got, err := layers.Lookup(e.Name); got != e || err != nil {
			t.Errorf("Lookup(%q) is %v, %v", e.Name, got, err)
		}
		if e.HasFeatures() == (e.Width != "") || e.Sampled && (e.Fitted || !e.HasFeatures()) {
			t.Errorf("%s draws frequencies: %v, is fitted: %v, has features to choose: %v, and its width is %q", e.Name,
				e.Sampled, e.Fitted, e.HasFeatures(), e.Width)
		}
	}
	if layers.Entries()[0] = nil; layers.Entries()[0] == nil {
		t.Error("Entries hands out the table itself")
	}
}

// TestSpecString: a spec reads as a line, and so do numbers in the text of a layer.
func TestSpecString(t *testing.T) {
	s := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 2.000000000000002, "phase": false}, Dims: 3,
		Features: 8, Sampler: "orthogonal", Seed: 7, Tune: "all"}
	tree := layers.Spec{Map: "sequential", Dims: 3, Parts: []layers.Spec{{Map: "normalise"}, s}}
	for got, want := range map[string]string{
		fmt.Sprint(s):             "gaussian sigma=2, 3 -> 8, orthogonal, all, seed 7",
		fmt.Sprintf("%+v", tree):  "sequential, 3 -> 0 [normalise; gaussian sigma=2, 3 -> 8, orthogonal, all, seed 7]",
		fmt.Sprint(layers.Spec{}): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if text := must(s.Build()).String(); strings.Contains(text, "0000") || !strings.Contains(text, "{Sigma:2}") {
		t.Errorf("a layer reads %s", text)
	}
}

func throughJSON(s layers.Spec) (read layers.Spec) {
	return must(read, json.Unmarshal(must(json.Marshal(s)), &read))
}

// TestSpecKeepsTheChoice: what auto chose is a number in the text, of each kernel that has a choice, and of the exact
// measure, where there is none, auto; a spec that cannot be built is written as it is.
func TestSpecKeepsTheChoice(t *testing.T) {
	of := func(dims, features int, v layers.Values) layers.Spec {
		return layers.Spec{Map: "sphere-polynomial", Dims: dims, Features: features, Params: v, Seed: 1}
	}
	for _, s := range []layers.Spec{
		of(3, 64, layers.Values{"a": 3., "p": 1.}),
		of(3, 8, layers.Values{"a": 1.5, "p": 3., "coupling": "iid"}),
		of(3, 256, layers.Values{"a": 1.2, "p": 2., "eps": "auto"}),
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
	auto := layers.Values{"eps": "auto"}
	for what, dims := range map[string]int{"the exact measure": 3, "what builds nothing": -1} {
		if again := throughJSON(of(dims, 8, auto)).Params; again.Word("eps") != "auto" {
			t.Errorf("%s is read back as %v", what, again)
		}
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

// TestRegister: what is registered is a map as any other, and keeps its contract; a name or a form that cannot be are
// errors.
func TestRegister(t *testing.T) {
	if err := layers.Register(layers.Entry{Name: "mine", Kernel: cosine{}}); err != nil {
		t.Fatal(err)
	}
	defer layers.Unregister("mine")
	x := unitRows(30, 4)
	maptest.Run(t, maptest.Map{Spec: layers.Spec{Map: "mine"}})
	for _, by := range []string{"nystrom", "mean-map"} {
		s := layers.Spec{Map: by, Params: layers.Values{"kernel": "mine"}, Dims: 4, Features: 6}
		var rows ops.Matrix = x
		if by == "mean-map" {
			rows = must(ops.BagsOfRows(x))
		}
		must(s, s.FillDefaults(rows))
		if s.Params["sigma"] != 1. {
			t.Errorf("%s has %v, want sigma of the registered kernel", by, s.Params)
		}
		must(s.Fit(rows))
	}
	k := cosine{1}
	type functions struct{ Exact func(x, z []float64) float64 }
	for _, e := range []layers.Entry{
		{Name: "pointer", Kernel: &k}, {Name: "embedded-pointer", Kernel: struct{ *cosine }{&k}},
		{Name: "embedded-interface", Kernel: struct{ spectral.Random }{k}},
		{Name: "inline-pointer", Kernel: struct {
			cosine
			Of *cosine `param:",inline"`
		}{}},
		{Name: "embedded-functions", Kernel: struct {
			cosine
			functions
		}{}},
		{}, {Name: "with space", Kernel: k}, {Name: "gaussian", Kernel: k}, {Name: "mine", Kernel: k}, {Name: "a"},
		{Name: "b", Kernel: (*cosine)(nil)}, {Name: "c", Kernel: spectral.Exponentiated{}},
		{Name: "custom", Kernel: spectral.Custom{Exact: spectral.Gaussian{Sigma: 1}.At, Of: spectral.Gaussian{Sigma: 1}.Law()}},
		{Name: "untagged", Kernel: struct {
			cosine
			A float64
		}{}},
		{Name: "no law", Kernel: spectral.Stationary{Of: spectral.Chi2{}}},
		{Name: "taken", Kernel: struct {
			cosine
			Phase bool `param:"phase"`
		}{}},
		{Name: "tag", Kernel: struct {
			cosine
			A float64 `param:"a" range:"[x,"`
		}{}},
		{Name: "kind", Kernel: struct {
			cosine
			A string `param:"a"`
		}{}},
		{Name: "unexported", Kernel: struct {
			cosine
			a float64 `param:"a"`
		}{}},
	} {
		if err := layers.Register(e); !errors.Is(err, layers.ErrParam) {
			t.Errorf("Register(%v) is %v, want ErrParam", e.Name, err)
		}
	}
}

// turned has the parameter of the kernel in it, and one that has no default.
type turned struct {
	cosine
	By float64 `param:"by"`
}

// TestRegisterEmbedded: the parameters of an embedded kernel are parameters of the outer kernel, and one without a
// default must be given.
func TestRegisterEmbedded(t *testing.T) {
	must(0, layers.Register(layers.Entry{Name: "turned", Kernel: turned{}}))
	defer layers.Unregister("turned")
	s := layers.Spec{Map: "turned", Dims: 2, Features: 4}
	wantErr(t, "no default", s.FillDefaults(nil), layers.ErrParam, "parameter by has no default")
	s.Params = layers.Values{"sigma": 3, "by": 2}
	l := must(s.Build())
	if k := l.(*layers.RandomLayer).Kernel(); k != (turned{cosine{3}, 2}) {
		t.Errorf("the kernel is %v", k)
	}
	if of := must(layers.SpecOf(l)); of.Params.String() != "by=2,phase=false,sigma=3" {
		t.Errorf("the spec of the layer has %v", of.Params)
	}
}
