package ops_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// setup is what the batteries have to be told of a map.
type setup struct {
	sets  string                                        // the parameters to test with, one set after another
	naive func(v layers.Values, x, z []float64) float64 // the plain formula of the kernel; nil: another map has it
	outside
}

// outside are finite numbers that are not in a domain, and what the error for one of them recommends.
type outside struct {
	cells  []float64
	remedy string
}

var (
	anywhere   = outside{}
	cube       = outside{[]float64{-1e-30, -.2}, "the scaler cube"}
	histograms = outside{[]float64{-1e-30, -.2}, "negative=sign"}
	shifted    = outside{[]float64{-.3, -.31, -7}, "raise C"}
)

// setups is the one list: a new map is one line here and gets every battery.
var setups = map[string]setup{
	"linear":               {"", naiveLinear, anywhere},
	"gaussian":             {"sigma=1.3", naiveGaussian, anywhere},
	"laplacian":            {"sigma=2.1", naiveLaplacian, anywhere},
	"matern":               {"nu=1.5,ell=1.1;nu=.5,ell=1.7;nu=2.5,ell=.9", naiveMatern, anywhere},
	"cauchy":               {"sigma=1.6", naiveCauchy, anywhere},
	"rational-quadratic":   {"alpha=1.5,ell=1.1;alpha=.4,ell=.8", naiveRationalQuadratic, anywhere},
	"spectral-mixture":     {"means=0:2:3.5,sigmas=.8:2:1.5,weights=1:3:2;means=1.2,sigmas=1.4", naiveMixture, anywhere},
	"additive-gaussian":    {"sigma=.9", naiveAdditiveGaussian, anywhere},
	"softmax":              {"sigma=3", naiveSoftmax, anywhere},
	"random-binning":       {"sigma=2.1;sigma=2.1,bins=1", naiveLaplacian, anywhere},
	"exp-semigroup":        {"beta=.3;beta=.3,way=normalised;beta=.4,way=levy,order=3", naiveExpSemigroup, cube},
	"reciprocal-semigroup": {"lambda=1.9;lambda=1.9,way=normalised;lambda=1.9,way=levy,order=2", naiveReciprocal, cube},
	"skewed-chi2":          {"c=.3", naiveSkewedChi2, shifted},
	"skewed-intersection":  {"c=.3", naiveSkewedIntersection, shifted},
	"hellinger":            {";gamma=.7,negative=sign", naiveHellinger, histograms},
	"chi2": {";gamma=2,order=2,period=9,negative=sign;window=uniform,period=optimal,negative=split", naiveChi2,
		histograms},
	"intersection":      {";order=0;window=uniform,period=optimal,negative=split", naiveIntersection, histograms},
	"sphere-polynomial": {";a=3,p=2,eps=.01,coupling=joint;a=3,p=1,coupling=iid", naiveSpherePolynomial, anywhere},
	"delta-gaussian": {";sigma1=.8,sigma2=1.7,coupling=joint;coupling=iid;" + // and mixtures, of one sign too
		"sigmas=1:3:.5,weights=1:-2:.4,coupling=joint;sigmas=1:2,weights=1:.5", naiveDeltaGaussian, anywhere},
	"arc-cosine":           {";order=0", naiveArcCosine, anywhere},
	"ntk":                  {"", naiveNeuralTangent, anywhere},
	"random-maclaurin":     {"p=3;a=1.2,p=4", naiveSpherePolynomial, anywhere},
	"tensor-sketch":        {"p=3;a=3,p=5;a=4,p=10", naiveSpherePolynomial, anywhere},
	"srf":                  {";a=3,p=1", naiveSpherePolynomial, anywhere},
	"add-kpca":             {";kernel=intersection,components=2,points=17,gamma=1.4,negative=sign", nil, histograms},
	"maji-berg":            {"bins=3;bins=1", naiveIntersection, cube},
	"nystrom":              {"sigma=1.3;kernel=reciprocal-semigroup,lambda=1.9;sigma=.9,select=rpcholesky", nil, cube},
	"jensen-shannon":       {"order=3", naiveJensenShannon, histograms},
	"homogeneous-gaussian": {"sigma=1.2,order=3;sigma=2,gamma=.5,negative=sign", naiveHomogeneousGaussian, histograms},
	"exp-hellinger":        {"sigma=.8", exponentiated(naiveHellinger), histograms},
	"exp-chi2": {"sigma=.8;sigma=.9,order=2,window=uniform,negative=split", exponentiated(naiveChi2),
		histograms},
	"exp-intersection": {"sigma=1.1,gamma=1.2;sigma=1.1;sigma=1.2,order=1,negative=split",
		exponentiated(naiveIntersection), histograms},
	"exp-jensen-shannon": {"sigma=1.2,period=optimal", exponentiated(naiveJensenShannon), histograms},
}

// setsOf reads lists of parameters with semicolons between them.
func setsOf(t testing.TB, name, text string) (sets []layers.Values) {
	t.Helper()
	for _, set := range strings.Split(text, ";") {
		v, err := layers.ParseValues(name, set)
		if err != nil {
			t.Fatalf("the line of %q: %v", name, err)
		}
		sets = append(sets, v)
	}
	return sets
}

// variant is a map with a set of parameters and one of its samplers.
type variant struct {
	setup
	name    string
	entry   *layers.Entry
	values  layers.Values
	all     layers.Values // with defaults
	sampler string        // "" for a map that has none
	phase   bool          // the form with one column a frequency
	kernel  spectral.Kernel
}

// variants is everything that a battery ranges over.
func variants(t testing.TB) []variant {
	t.Helper()
	var all []variant
	for _, e := range layers.Entries() {
		if e.Bags { // sets_test.go has their list and batteries
			continue
		}
		s, ok := setups[e.Name]
		if !ok || s.naive == nil && !e.Has("kernel") {
			t.Fatalf("the batteries know nothing of the map %q: add a line for it to setups in list_test.go", e.Name)
		}
		for _, values := range setsOf(t, e.Name, s.sets) {
			all = append(all, formsOf(t, e, s, values)...)
		}
	}
	return all
}

// formsOf is a map with each sampler that fits and, where it has one, in its phase form.
func formsOf(t testing.TB, e *layers.Entry, s setup, values layers.Values) []variant {
	t.Helper()
	k, err := layers.Spec{Map: e.Name, Params: values, Dims: 3, Features: 2}.Kernel()
	if err != nil {
		t.Fatalf("the line of %q in setups: %v", e.Name, err)
	}
	if s.naive == nil {
		s.naive = naiveNamed
	}
	v := variant{setup: s, name: fmt.Sprintf("%s(%v)", e.Name, values), entry: e, values: values,
		all: complete(e, values), kernel: k}
	if !e.HasSampler {
		return []variant{v}
	}
	v.sampler = "iid"
	all := []variant{v}
	with := func(v variant, by spectral.Sampler) {
		v.sampler, v.name = by.String(), v.name+" "+by.String()
		if _, err := spectral.Frequencies(v.random(17), by, 17, 1, 1); err == nil {
			all = append(all, v)
		}
	}
	for _, s := range spectral.Samplers()[1:] {
		if !v.lifted() || s == (spectral.Orthogonal{}) || s == (spectral.Structured{}) {
			with(v, s) // the lines of the law itself have the others
		}
	}
	if e.Has("phase") {
		v.values = maps.Clone(values)
		v.values["phase"], v.phase = true, true
		v.name = fmt.Sprintf("%s(%v)", e.Name, v.values)
		all = append(all, v)
		with(v, spectral.Structured{}) // whose phase form is a path of its own
	}
	return all
}

// random is the kernel whose frequencies the map draws for rows of d columns, on what lift makes of them, or nil.
func (v variant) random(d int) spectral.Random {
	switch k := v.kernel.(type) {
	case spectral.Exponentiated:
		if law, ok := k.Laplacian(); ok && v.values["order"] == nil {
			return law
		}
		return spectral.Gaussian{Sigma: k.Sigma}
	case spectral.Semigroup:
		if v.way() == "levy" {
			return spectral.Gaussian{Sigma: 1}
		}
	case spectral.SRF:
		if v.sampler == "structured" {
			d = spectral.PaddedDims(d)
		}
		return must(k.Split(d, 1, spectral.Independent)).Parts[0].Of
	}
	random, _ := v.kernel.(spectral.Random)
	return random
}

// lifted says whether the frequencies work on more columns than the input has.
func (v variant) lifted() bool {
	if _, ok := v.kernel.(spectral.Exponentiated); ok {
		_, radial := v.random(17).(spectral.Gaussian)
		return radial
	}
	return v.way() == "levy"
}

// unit is what the cells of a semigroup kernel are multiplied by: k(x, z) is exp(-Σ f(unit (x + z))).
func (v variant) unit() float64 {
	switch k := v.kernel.(type) {
	case spectral.ExpSemigroup:
		return k.Beta * k.Beta
	case spectral.ReciprocalSemigroup:
		return 1 / k.Lambda
	}
	return 1
}

// length is the norm of a row's features: √k(x, x) for a map that makes it so, and else 1.
func (v variant) length(x []float64) float64 {
	if v.way() == "" {
		return 1
	}
	return math.Exp(-v.kernel.(spectral.Semigroup).Exponent(x, x) / 2)
}

// way is that of a semigroup kernel's map, "" for Laplace features and for any other map.
func (v variant) way() string { return v.values.Word("way") }

// dims is d for every variant but the structured ones, which have at least 16 dimensions: 15 + d.
func (v variant) dims(d int) int {
	if v.sampler == "structured" {
		return 15 + d
	}
	return d
}

// policies are those that the variant can have.
func (v variant) policies() []layers.Policy {
	switch {
	case !v.entry.Tunable || v.values["order"] == 0.:
		return []layers.Policy{layers.Frozen}
	case v.sampler == "structured":
		return []layers.Policy{layers.Frozen, layers.Bandwidth}
	}
	return []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All}
}

// TestEveryLineHasAMap: the list names no map that the table has not.
func TestEveryLineHasAMap(t *testing.T) {
	variants(t)
	for name := range setups {
		if _, err := layers.Lookup(name); err != nil {
			t.Errorf("setups in list_test.go: %v", err)
		}
	}
}

// forEach runs a battery as a subtest for every variant.
func forEach(t *testing.T, battery func(t *testing.T, v variant)) {
	for _, v := range variants(t) {
		t.Run(v.name, func(t *testing.T) { battery(t, v) })
	}
}

// spec is the variant with m frequencies in d dimensions.
func (v variant) spec(d, m int, seed uint64) layers.Spec {
	return layers.Spec{Map: v.entry.Name, Params: v.values, Dims: d, Features: m * v.columns(d), Sampler: v.sampler,
		Seed: seed}
}

// columns is the number of features of a frequency in d dimensions, 0 where the user does not choose how many the map has.
func (v variant) columns(d int) int {
	switch {
	case !v.entry.HasFeatures():
		return 0
	case v.entry.Signed: // two frequencies, one a sign, each with a cosine and a sine
		return 4
	case !v.entry.HasSampler || v.phase:
		return 1
	}
	switch v.random(d).Law().Transform {
	case spectral.Fourier, spectral.LogFourier, spectral.Tangent:
		return 2
	case spectral.Additive:
		return 2 * d
	}
	return 1
}

// build draws m frequencies in d dimensions; edits change the spec before.
func (v variant) build(t testing.TB, d, m int, seed uint64, edits ...func(*layers.Spec)) layers.Layer {
	t.Helper()
	s := v.spec(d, m, seed)
	for _, edit := range edits {
		edit(&s)
	}
	return must(v.fit(s))
}

// fit builds a spec of the variant, on rows of its domain where it is fitted.
func (v variant) fit(s layers.Spec) (layers.Layer, error) {
	if !v.entry.Fitted {
		return s.Build()
	}
	return s.Fit(v.rows(max(1, s.Features)+29, max(1, s.Dims), 97))
}

func named(name string) func(*layers.Spec) { return func(s *layers.Spec) { s.Name = name } }

func dtype(dt tensor.Dtype) func(*layers.Spec) {
	return func(s *layers.Spec) { s.Dtype = dt.String() }
}

func tuned(p layers.Policy) func(*layers.Spec) { return func(s *layers.Spec) { s.Tune = p.String() } }

// rows are in the domain.
func (v variant) rows(n, d int, seed uint64) *tensor.Dense {
	return maptest.Rows(v.kernel.Domain(), n, d, seed)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// matrix makes a tensor of either element type from numbers, which it repeats.
func matrix(dt tensor.Dtype, n, d int, cells ...float64) *tensor.Dense {
	x := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
	for i := range n * d {
		if v := cells[i%len(cells)]; dt == tensor.Float32 {
			x.Float32s()[i] = float32(v)
		} else {
			x.Float64s()[i] = v
		}
	}
	return x
}

// node is a node of a graph that holds x.
func node(g *G.ExprGraph, name string, x G.Value) *G.Node {
	return G.NewMatrix(g, x.Dtype(), G.WithShape(x.Shape()...), G.WithName(name), G.WithValue(x))
}

// row is row i of n.
func row(z []float64, n, i int) []float64 {
	cols := len(z) / n
	return z[i*cols : (i+1)*cols]
}

// wantErr checks that err wraps target and says what it should.
func wantErr(t *testing.T, err, target error, parts ...string) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v does not wrap %q", err, target)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
