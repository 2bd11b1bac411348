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
	form := layers.Drawn{
		Params: []layers.ParamDef{{Name: "sigma", Doc: "σ", Default: 2.}},
		Kernel: func(v layers.Values) spectral.Kernel { return cosine(v.Number("sigma")) },
	}
	if err := layers.Register(layers.Entry{Name: "mine", Form: form}); err != nil {
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
		if s.Params["sigma"] != 2. {
			t.Errorf("%s has %v, want sigma of the registered kernel", by, s.Params)
		}
		if _, err := s.Fit(rows); err != nil {
			t.Error(err)
		}
	}
	for _, e := range []layers.Entry{
		{}, {Name: "with space", Form: form}, {Name: "gaussian", Form: form}, {Name: "mine", Form: form}, {Name: "a"},
		{Name: "b", Form: layers.Drawn{}}, {Name: "c", Form: (*layers.Drawn)(nil)},
		{Name: "d", Form: must(layers.Lookup("nystrom")).Form},
		{Name: "e", Form: layers.Drawn{Kernel: form.Kernel, Params: []layers.ParamDef{{Name: "phase"}}}},
		{Name: "nil-kernel", Form: layers.Homogeneous{Kernel: func(float64, spectral.Negative) spectral.Homogeneous { return nil }}},
		{Name: "f", Form: layers.Homogeneous{}}, {Name: "g", Form: layers.Exponentiated{}},
		{Name: "h", Form: layers.TwoSigns{}},
	} {
		if err := layers.Register(e); !errors.Is(err, layers.ErrParam) {
			t.Errorf("Register(%v) is %v, want ErrParam", e.Name, err)
		}
	}
}
