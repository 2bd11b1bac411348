package layers_test

import (
	"errors"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestRegister: what is registered is a map as any other, and keeps its contract; a name or a form that cannot be are
// errors.
func TestRegister(t *testing.T) {
	if err := layers.Register(layers.Entry{Name: "mine", Kernel: cosine{}}); err != nil {
		t.Fatal(err)
	}
	defer layers.Unregister("mine")
	x := unitRows(rows(tensor.Float64, 30, 4, 1))
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
	for _, e := range []layers.Entry{
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
