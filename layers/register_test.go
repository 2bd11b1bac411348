package layers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// typicalRows are rows for a domain: histograms where cells may not be negative, unit vectors on the sphere.
func typicalRows(on spectral.Domain, n, d int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n*d)
	for i := range n {
		row := x[i*d : (i+1)*d]
		norm := 0.0
		for j := range row {
			if row[j] = rng.NormFloat64(); !on.Contains(-1e9) || on.IsNonNegative() {
				row[j] = rng.ExpFloat64()
			}
			norm += row[j] * row[j]
		}
		for j := range row {
			row[j] /= math.Sqrt(norm)
		}
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))
}

// TestRegister: what is registered is a map as any other, and keeps its contract; a name or a form that cannot be are
// errors.
func TestRegister(t *testing.T) {
	if err := layers.Register(layers.Entry{Name: "mine", Kernel: cosine{}}); err != nil {
		t.Fatal(err)
	}
	defer layers.Unregister("mine")
	x := typicalRows(spectral.Domain{}, 30, 4)
	maptest.Run(t, maptest.Map{Spec: layers.Spec{Map: "mine"}})
	for _, by := range []string{"nystrom", "mean-map"} {
		s := layers.Spec{Map: by, Params: layers.Values{"kernel": "mine"}, Dims: 4, Features: 6}
		var rows ops.Matrix = x
		if by == "mean-map" {
			b := must(ops.BagsOfRows(x))
			rows = b
		}
		if err := s.FillDefaults(rows); err != nil {
			t.Fatal(err)
		}
		if s.Params["sigma"] != 1. {
			t.Errorf("%s has %v, want sigma of the registered kernel", by, s.Params)
		}
		if _, err := s.Fit(rows); err != nil {
			t.Error(err)
		}
	}
	k := cosine{1}
	for _, e := range []layers.Entry{
		{}, {Name: "with space", Kernel: k}, {Name: "gaussian", Kernel: k}, {Name: "mine", Kernel: k}, {Name: "a"},
		{Name: "b", Kernel: (*cosine)(nil)}, {Name: "c", Kernel: spectral.Exponentiated{}},
		{Name: "no law", Kernel: spectral.Stationary{Of: spectral.Chi2{}}},
		{Name: "taken", Kernel: struct {
			cosine
			Phase bool `param:"phase"`
		}{}},
		{Name: "tag", Kernel: struct {
			cosine
			A float64 `param:"a" range:"[x,"`
		}{}},
	} {
		if err := layers.Register(e); !errors.Is(err, layers.ErrParam) {
			t.Errorf("Register(%v) is %v, want ErrParam", e.Name, err)
		}
	}
}
