package layers_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// specFor is a spec of a map of d columns, with parameters from data and an even number of features, so that it builds.
func specFor(e *layers.Entry, d int) layers.Spec {
	s := layers.Spec{Map: e.Name, Dims: d, Seed: 3}
	if err := s.FillDefaults(histograms(tensor.Float64, 17, d, 1)); err != nil {
		panic(err)
	}
	if e.HasFeatures() {
		s.Features = 16
	}
	return s
}

// rowsOf are n histograms, for a kernel on the sphere of unit length.
func rowsOf(s layers.Spec, dt tensor.Dtype, n, d int) *tensor.Dense {
	x := histograms(dt, n, d, 2)
	if must(s.Kernel()).Domain() != (spectral.SpherePolynomial{}).Domain() {
		return x
	}
	scale := make([]float64, n)
	for i, v := range floats(x) {
		scale[i/d] = math.Hypot(scale[i/d], v)
	}
	at := -1
	return mapped(x, func(v float64) float64 {
		at++
		return v / scale[at/d]
	})
}

// TestTableIsDocumented: every map says its formula and its paper, every parameter its meaning, and a declared default
// is a value that the parameter may have.
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
		params := map[string]bool{}
		for _, p := range e.Params() {
			if p.Name == "" || p.Doc == "" || params[p.Name] {
				t.Errorf("%s: parameter %q: %q, seen before %v", e.Name, p.Name, p.Doc, params[p.Name])
			}
			params[p.Name] = true
			switch v := p.Default.(type) {
			case nil:
				if p.Flag {
					t.Errorf("%s: the flag %s has no default", e.Name, p.Name)
				}
			case bool:
				if !p.Flag {
					t.Errorf("%s: the number %s has the default %v", e.Name, p.Name, v)
				}
			case float64:
				if p.Flag || p.Words != nil && !p.OrNumber || !(v > p.Min || p.Closed && v == p.Min) || p.Max != 0 &&
					v > p.Max || p.Whole && v != math.Trunc(v) {
					t.Errorf("%s: the default %v of %s is not %s", e.Name, v, p.Name, p.Range())
				}
			case string:
				if !slices.Contains(p.Words, v) && !(p.List && v == "") {
					t.Errorf("%s: the default %q of %s is none of %q", e.Name, v, p.Name, p.Words)
				}
			default:
				t.Errorf("%s: the default of %s is a %T", e.Name, p.Name, v)
			}
		}
	}
	if layers.Entries()[0] = nil; layers.Entries()[0] == nil {
		t.Error("Entries hands out the table itself")
	}
}

// TestLookup: the names of the programs' -map are there; any other is unknown.
func TestLookup(t *testing.T) {
	for _, name := range strings.Fields(`linear gaussian laplacian matern exp-semigroup reciprocal-semigroup skewed-chi2
		skewed-intersection hellinger chi2 intersection jensen-shannon exp-hellinger exp-chi2 exp-intersection
		exp-jensen-shannon sphere-polynomial delta-gaussian arc-cosine ntk hdd-hellinger hdd-js hdd-tv l2-density
		mean-map add-kpca maji-berg nystrom random-maclaurin tensor-sketch srf`) {
		if e, err := layers.Lookup(name); err != nil || e.Name != name {
			t.Errorf("Lookup(%q): %v, %v", name, e, err)
		}
	}
	for _, name := range []string{"", "Gaussian", "gaussian ", "rbf"} {
		if e, err := layers.Lookup(name); e != nil || !errors.Is(err, layers.ErrParam) ||
			!strings.Contains(err.Error(), "exp-semigroup") {
			t.Errorf("Lookup(%q): %v, %v", name, e, err)
		}
	}
}

// TestSpecPhase: the phase form has a column a frequency, so an odd number of features will do.
func TestSpecPhase(t *testing.T) {
	for _, e := range layers.Entries() {
		for _, p := range e.Params() {
			if p.Name != "phase" {
				continue
			}
			s := specFor(e, 5)
			s.Params["phase"], s.Features = true, 7
			if l := must(s.Build()); l.Features() != 7 || len(l.Params()) < 2 ||
				l.Params()[len(l.Params())-1].Name != "b" {
				t.Errorf("%s: %v", e.Name, l)
			}
		}
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
