package layers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
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
		if e.HasFeatures() == (e.Width != "") || e.Sampled() && (e.Fitted || !e.HasFeatures()) {
			t.Errorf("%s draws frequencies: %v, is fitted: %v, has features to choose: %v, and its width is %q", e.Name,
				e.Sampled(), e.Fitted, e.HasFeatures(), e.Width)
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

// TestEveryEntryBuilds: the layer is the one that the spec states, the same spec draws the same bits, also after a
// round trip through JSON, and another seed draws others.
func TestEveryEntryBuilds(t *testing.T) {
	const n, d = 11, 5
	for _, e := range layers.Entries() {
		for _, dtype := range []string{"", "float64", "float32"} {
			s := specFor(e, d)
			s.Dtype, s.Name = dtype, "hist"
			s = throughJSON(t, s) // where eps=auto becomes a number
			dt := tensor.Float64
			if dtype == "float32" {
				dt = tensor.Float32
			}
			x, sample := rowsOf(s, dt, n, d), rowsOf(s, dt, 2*n, d)
			l := must(s.Fit(sample))
			features := must(s.Columns())
			if l.Dims() != d || l.Features() != features || l.Dtype() != dt || l.Name() != "hist" {
				t.Errorf("%v became %v", s, l)
			}
			z := floats(must(l.Transform(nil, x)))

			var back layers.Spec
			if err := json.Unmarshal(must(json.Marshal(s)), &back); err != nil || !reflect.DeepEqual(back, s) {
				t.Errorf("%v became %v in JSON, %v", s, back, err)
			}
			if again := floats(must(must(back.Fit(sample)).Transform(nil, x))); maxDiff(z, again) != 0 {
				t.Errorf("%s %s: the same spec draws other features", e.Name, dtype)
			}
			back.Seed++
			other := floats(must(must(back.Fit(sample)).Transform(nil, x)))
			if e.HasFeatures() != (maxDiff(z, other) > 0) {
				t.Errorf("%s %s: another seed differs by %v", e.Name, dtype, maxDiff(z, other))
			}
			switch r := l.(type) {
			case interface{ Kernel() spectral.Random }:
				if spectral.Kernel(r.Kernel()) != must(s.Kernel()) {
					t.Errorf("%s: the layer's kernel is not the spec's", e.Name)
				}
			case *layers.BagLayer:
				if !reflect.DeepEqual(r.Kernel(), must(s.Kernel())) {
					t.Errorf("%s: the layer's kernel is not the spec's", e.Name)
				}
			case *layers.GORFLayer:
				if !reflect.DeepEqual(spectral.Kernel(r.Kernel()), must(s.Kernel())) {
					t.Errorf("%s: the layer's kernel is not the spec's", e.Name)
				}
			case interface{ Kernel() spectral.Kernel }:
				if r.Kernel() != must(s.Kernel()) {
					t.Errorf("%s: the layer's kernel is not the spec's", e.Name)
				}
			default:
				if e.Name != "linear" {
					t.Errorf("%s: the layer has no kernel", e.Name)
				}
			}
		}
	}
}

// TestSpecKernel: the exact kernel of each spec has the value of its formula, here for x = (0.2, 0.5) and z = (0.3,
// 0.1), whose differences are -0.1 and 0.4 and whose sums are 0.5 and 0.6.
func TestSpecKernel(t *testing.T) {
	x, z := []float64{.2, .5}, []float64{.3, .1}
	for _, tc := range []struct {
		mapName, params string
		want            float64
	}{
		{"linear", "", .11},
		{"gaussian", "sigma=2", math.Exp(-.17 / 8)},
		{"laplacian", "sigma=2", math.Exp(-.5 / 2)},
		{"matern", "nu=0.5,ell=2", math.Exp(-math.Sqrt(.17) / 2)},
		{"exp-semigroup", "beta=2", math.Exp(-2 * (math.Sqrt(.5) + math.Sqrt(.6)))},
		{"reciprocal-semigroup", "lambda=2", 4 / (2.5 * 2.6)},
		{"skewed-chi2", "c=1", 4 * math.Sqrt(1.2*1.3*1.5*1.1) / (2.5 * 2.6)},
		{"skewed-intersection", "c=1", math.Sqrt(1.2 / 1.3 * 1.1 / 1.5)},
		{"hellinger", "", math.Sqrt(.06) + math.Sqrt(.05)},
		{"chi2", "order=3", .12/.5 + .1/.6},
		{"chi2", "gamma=2,window=uniform,period=7", .12/.5*math.Sqrt(.06) + .1/.6*math.Sqrt(.05)},
		{"intersection", "negative=sign", .3},
		{"delta-gaussian", "sigma2=2", math.Exp(-.17/2) - math.Exp(-.17/8)},
		{"delta-gaussian", "sigmas=1:2:4,weights=2:-.5:-1",
			2*math.Exp(-.17/2) - .5*math.Exp(-.17/8) - math.Exp(-.17/32)},
		{"sphere-polynomial", "a=3,p=2", (1 - .17/9) * (1 - .17/9)},
		{"arc-cosine", "order=0", 1 - math.Acos(.11/math.Sqrt(.29*.1))/math.Pi},
		{"jensen-shannon", "", (.2*math.Log2(2.5) + .3*math.Log2(5./3) + .5*math.Log2(1.2) + .1*math.Log2(6)) / 2},
	} {
		s := layers.Spec{Map: tc.mapName, Params: must(layers.ParseValues(tc.mapName, tc.params))}
		if got := must(s.Kernel()).At(x, z); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%s %s: k = %v, want %v", tc.mapName, tc.params, got, tc.want)
		}
	}
}

// TestRestore: a map whose parameters are set without a draw has the features of the one they came from, under every
// policy.
func TestRestore(t *testing.T) {
	for _, e := range layers.Entries() {
		x := rowsOf(specFor(e, 5), tensor.Float64, 11, 5)
		for _, policy := range []string{"", "frozen", "bandwidth", "bandwidth-each", "all"} {
			s := specFor(e, 5)
			if e.Tunable {
				s.Tune = policy
			}
			l := must(s.Fit(histograms(tensor.Float64, 29, 5, 3)))
			params := map[string]*tensor.Dense{}
			for _, p := range l.Params() {
				params[p.Name] = p.Value
			}
			back, err := s.Restore(params)
			if err != nil {
				t.Fatalf("%s, %s: %v", e.Name, policy, err)
			}
			if a, b := floats(must(l.Transform(nil, x))), floats(must(back.Transform(nil, x))); maxDiff(a, b) != 0 {
				t.Errorf("%s, %s: features differ by %v", e.Name, policy, maxDiff(a, b))
			}
			if len(params) == 0 {
				continue
			}
			if _, err := s.Restore(nil); !errors.Is(err, layers.ErrParam) ||
				!strings.Contains(err.Error(), "no value for the parameter") {
				t.Errorf("%s, %s: no parameters: %v", e.Name, policy, err)
			}
			for name := range params {
				params[name] = rows(tensor.Float64, 3, 7, 1)
			}
			if _, err := s.Restore(params); !errors.Is(err, layers.ErrShape) ||
				!strings.Contains(err.Error(), "(3, 7)") {
				t.Errorf("%s, %s: parameters of another shape: %v", e.Name, policy, err)
			}
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

// TestSpecErrors: what is wrong with a spec is said before anything is drawn.
func TestSpecErrors(t *testing.T) {
	sigma := layers.Values{"sigma": 1.0}
	good := layers.Spec{Map: "gaussian", Params: sigma, Dims: 3, Features: 4}
	with := func(f func(s *layers.Spec)) layers.Spec {
		s := good
		f(&s)
		return s
	}
	if _, err := good.Build(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		spec  layers.Spec
		is    error
		wants string
	}{
		{layers.Spec{}, layers.ErrParam, `no map ""`},
		{with(func(s *layers.Spec) { s.Map = "rbf" }), layers.ErrParam, `no map "rbf"`},
		{layers.Spec{Map: "chi2", Dims: 3, Features: 8}, layers.ErrParam,
			"map chi2 makes 2·order+1 columns for each input column, twice that for negative=split, here 9 of 3 " +
				"input columns, not 8"},
		{layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Sampler: "iid"}, layers.ErrParam,
			"set the parameter coupling"},
		{layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 6}, layers.ErrParam, "ask for 8"},
		{layers.Spec{Map: "ntk", Dims: 3, Features: 7}, layers.ErrParam, "ask for 8"},
		{layers.Spec{Map: "arc-cosine", Dims: 3, Features: 8, Tune: "all", Params: layers.Values{"order": 0.}},
			layers.ErrParam, "a step has the gradient 0, so there is nothing to tune"},
		{layers.Spec{Map: "sphere-polynomial", Dims: 3, Features: 8, Params: layers.Values{"p": 2.5}}, layers.ErrParam,
			"want a whole number"},
		{layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Params: layers.Values{"sigmas": "1:2"}},
			layers.ErrParam, "sigmas and weights go together"},
		{layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Params: layers.Values{"sigmas": "1:2",
			"weights": "1"}}, layers.ErrParam, "are not as many"},
		{layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Params: layers.Values{"sigmas": "1:2",
			"weights": "1:-1", "sigma1": 1.}}, layers.ErrParam, "or sigmas and weights"},
		{layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Params: layers.Values{"sigmas": "1:x",
			"weights": "1:-1"}}, layers.ErrParam, "finite numbers, as 1:10"},
		{layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Params: layers.Values{"sigmas": "1:-2",
			"weights": "1:-1"}}, layers.ErrParam, "Sigmas[1] = -2"},
		{layers.Spec{Map: "chi2", Dims: 3, Sampler: "iid"}, layers.ErrParam,
			`draws nothing, so it has no sampler ("iid")`},
		{layers.Spec{Map: "chi2", Dims: 3, Tune: "all", Params: layers.Values{"order": 0.0}}, layers.ErrParam,
			"a map of order 0 has no frequency"},
		{layers.Spec{Map: "hellinger", Dims: 3, Tune: "all"}, layers.ErrParam,
			"map hellinger has nothing to tune (all)"},
		{with(func(s *layers.Spec) { s.Params = nil }), layers.ErrParam,
			"map gaussian: parameter sigma is missing; give it, or fill it in from data by FillDefaults"},
		{with(func(s *layers.Spec) { s.Params = layers.Values{"sigma": 1.0, "c": 1.0} }), layers.ErrParam,
			`no parameter "c"`},
		{with(func(s *layers.Spec) { s.Params = layers.Values{"sigma": -1.0} }), layers.ErrParam,
			"sigma = -1, want a finite number above 0"},
		{with(func(s *layers.Spec) { s.Params = layers.Values{"sigma": true} }), layers.ErrParam,
			"sigma = true, want a number"},
		{with(func(s *layers.Spec) { s.Params = layers.Values{"sigma": "1"} }), layers.ErrParam, "sigma is a string"},
		{with(func(s *layers.Spec) { s.Params = layers.Values{"sigma": 1.0, "phase": 1.0} }), layers.ErrParam,
			"phase = 1, want true or false"},
		{with(func(s *layers.Spec) { s.Dtype = "float16" }), layers.ErrParam,
			`dtype "float16", want float32 or float64`},
		{with(func(s *layers.Spec) { s.Tune = "some" }), layers.ErrParam, `"some" is no policy`},
		{with(func(s *layers.Spec) { s.Sampler = "grid" }), layers.ErrParam, `"grid"`},
		{with(func(s *layers.Spec) { s.Dims, s.Sampler = 1001, "halton" }), spectral.ErrSampler, "1000"},
		{with(func(s *layers.Spec) { s.Map, s.Sampler = "laplacian", "orthogonal" }), spectral.ErrSampler,
			"orthogonal"},
		{with(func(s *layers.Spec) { s.Dims = 0 }), layers.ErrParam, "0 input dimensions"},
		{with(func(s *layers.Spec) { s.Features = 0 }), layers.ErrParam, "0 features"},
		{with(func(s *layers.Spec) { s.Features = 5 }), layers.ErrParam, "5 features is odd"},
		{layers.Spec{Map: "linear", Dims: 3, Sampler: "iid"}, layers.ErrParam,
			`draws nothing, so it has no sampler ("iid")`},
		{layers.Spec{Map: "linear", Dims: 3, Tune: "all"}, layers.ErrParam, "map linear has nothing to tune (all)"},
		{layers.Spec{Map: "linear", Dims: 3, Tune: "some"}, layers.ErrParam, `"some" is no policy`},
		{layers.Spec{Map: "linear", Dims: 3, Features: 4}, layers.ErrParam,
			"as many features as input columns, here 3 of 3 input columns, not 4"},
	} {
		if _, err := tc.spec.Build(); !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.wants) {
			t.Errorf("%+v: %v, want %v with %q", tc.spec, err, tc.is, tc.wants)
		}
	}
	bad := layers.Spec{Map: "gaussian"}
	if _, err := bad.Kernel(); !errors.Is(err, layers.ErrParam) {
		t.Errorf("the kernel of a spec without sigma: %v", err)
	}
	if err := (&layers.Spec{Map: "rbf"}).FillDefaults(rows(tensor.Float64, 3, 2, 1)); !errors.Is(err, layers.ErrParam) {
		t.Errorf("the defaults of a map that is not there: %v", err)
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
