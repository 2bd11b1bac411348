package layers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
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

// TestCheckOfOwnMaps: every map of a form for users keeps its promises.
func TestCheckOfOwnMaps(t *testing.T) {
	n := 0
	for _, e := range layers.Entries() {
		s := layers.Spec{Map: e.Name, Dims: 5, Features: 8}
		if !e.HasFeatures() {
			s.Features = 0
		}
		x := typicalRows(spectral.Domain{}, 20, 5)
		if e.Inputs != "any" {
			x = typicalRows(spectral.ExpSemigroup{Beta: 1}.Domain(), 20, 5)
		}
		s.Features *= 8
		err := layers.Check(s, x)
		if errors.Is(err, layers.ErrParam) && strings.Contains(err.Error(), "Check is for") {
			continue
		}
		if n++; err != nil {
			t.Error(err)
		}
	}
	if n < 15 {
		t.Errorf("%d maps were checked", n)
	}
}

// wrong is a Gaussian with a mistake.
type wrong struct {
	spectral.Gaussian
	at   func(x, z []float64) float64
	wide float64
}

func (k wrong) At(x, z []float64) float64 {
	if k.at != nil {
		return k.at(x, z)
	}
	return k.Gaussian.At(x, z)
}

func (k wrong) Law() spectral.Law {
	return spectral.Gaussian{Sigma: k.Sigma / max(1, k.wide)}.Law()
}

// TestCheckFinds: each kind of mistake is found and named.
func TestCheckFinds(t *testing.T) {
	good := spectral.Gaussian{Sigma: 1}
	for name, c := range map[string]struct {
		kernel spectral.Kernel
		says   string
	}{
		"bandwidth": {wrong{Gaussian: good, wide: 2}, "not of the kernel's spectral distribution"},
		"asymmetry": {wrong{Gaussian: good, at: func(x, z []float64) float64 { return x[0] }}, "the other"},
		"infinite":  {wrong{Gaussian: good, at: func(x, z []float64) float64 { return math.Inf(1) }}, "+Inf"},
		"indefinite": {wrong{Gaussian: good, at: func(x, z []float64) float64 { return 1 + math.Abs(x[0]-z[0]) }},
			"positive definite"},
		"no-draw": {spectral.Linear{}, "is no spectral.Random"},
		"laplace": {spectral.ExpSemigroup{Beta: 1}, "features"},
	} {
		t.Run(name, func(t *testing.T) {
			e := layers.Entry{Name: "wrong-" + name,
				Form: layers.Drawn{Kernel: func(layers.Values) spectral.Kernel { return c.kernel }}}
			if err := layers.Register(e); err != nil {
				t.Fatal(err)
			}
			defer layers.Unregister(e.Name)
			x := typicalRows(spectral.ExpSemigroup{Beta: 1}.Domain(), 6, 3)
			err := layers.Check(layers.Spec{Map: e.Name}, x)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Check says %v, want %q", err, c.says)
			}
		})
	}
}

// TestRegister: what is registered is a map as any other; a name or a form that cannot be are errors.
func TestRegister(t *testing.T) {
	form := layers.Drawn{
		Params: []layers.ParamDef{{Name: "sigma", Doc: "σ", Default: 2.}},
		Kernel: func(v layers.Values) spectral.Kernel {
			return wrong{Gaussian: spectral.Gaussian{Sigma: v.Number("sigma")}}
		},
	}
	if err := layers.Register(layers.Entry{Name: "mine", Form: form}); err != nil {
		t.Fatal(err)
	}
	defer layers.Unregister("mine")
	x := typicalRows(spectral.Domain{}, 30, 4)
	if err := layers.Check(layers.Spec{Map: "mine"}, x); err != nil {
		t.Error(err)
	}
	for _, by := range []string{"nystrom", "mean-map"} {
		s := layers.Spec{Map: by, Params: layers.Values{"kernel": "mine"}, Dims: 4, Features: 6}
		var rows ops.Matrix = x
		if by == "mean-map" {
			b, err := ops.BagsOfRows(x)
			if err != nil {
				t.Fatal(err)
			}
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
