package layers_test

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	gonum "gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// by makes layers of d columns by a constructor.
func by[K any, L layers.Layer](build func(K, int, int, ...layers.Option) (L, error), k K, d, features int,
	own ...layers.Option) func(...layers.Option) layers.Layer {
	return func(opts ...layers.Option) layers.Layer { return must(build(k, d, features, append(opts, own...)...)) }
}

var (
	polynomial = spectral.SpherePolynomial{A: 2, P: 3}
	divergence = layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: 1, Lambdas: 3,
		Rule: spectral.DrawnLambdas}
)

// drawn are the layers that draw, of 3 columns and a multiple of 4 features.
var drawn = map[string]func(opts ...layers.Option) layers.Layer{
	"fourier": by[spectral.Random](layers.NewFourierLayer, unitGaussian, 3, 16),
	"phase":   by[spectral.Random](layers.NewFourierLayer, unitGaussian, 3, 16, layers.WithPhase()),
	"structured": by[spectral.Random](layers.NewFourierLayer, unitGaussian, 17, 64,
		layers.WithSampler(spectral.Structured{})),
	"laplace":   by[spectral.Random](layers.NewRandomLaplaceLayer, spectral.ExpSemigroup{Beta: 1}, 3, 16),
	"skewed":    by[spectral.Random](layers.NewSkewedLayer, spectral.SkewedChi2{C: 1}, 3, 16),
	"srf":       by[spectral.Random](layers.NewFourierLayer, spectral.SRF{A: 2, P: 3}, 3, 16),
	"gorf":      by[spectral.SignedLaw](layers.NewGORFLayer, twoGaussians, 3, 16),
	"maclaurin": by[spectral.Polynomial](layers.NewRandomMaclaurinLayer, polynomial, 3, 16),
	"sketch":    by(layers.NewTensorSketchLayer, polynomial, 3, 16),
	"binning": func(opts ...layers.Option) layers.Layer {
		return must(layers.NewBinningLayer(spectral.Laplacian{Sigma: 1}, 3, 16, 4, opts...))
	},
	"exponentiated": by(layers.NewExponentiatedLayer, spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: 1}, 3, 16),
	"hdd":           by(layers.NewHDDLayer, divergence, 1, 16),
	"l2":            by(layers.NewHDDLayer, layers.Density{Sigma: 1}, 1, 16),
	"mean map": func(opts ...layers.Option) layers.Layer {
		return must(layers.NewMeanMapLayer(fourier(3, 16), 1, 16, opts...))
	},
}

// numbers are the parameters of a layer that random numbers are in.
func numbers(l layers.Layer) map[string][]float64 {
	all := map[string][]float64{}
	for _, p := range l.Params() {
		name := p.Name[strings.LastIndex(p.Name, ".")+1:]
		if slices.Contains([]string{"W", "b", "lambda", "U", "norms", "signs", "buckets", "hash"}, name) {
			all[p.Name] = slices.Clone(floats(p.Value))
		}
	}
	return all
}

func parts(ls ...layers.Layer) []layers.Part {
	ps := make([]layers.Part, len(ls))
	for i, l := range ls {
		ps[i] = layers.Part{Layer: l, To: l.Dims(), Weight: 1}
	}
	return ps
}

// TestLayersDrawApart: two layers of one seed in a composition have numbers of their own, the first those that it has
// alone, the second the same ones in every program. Another name is another draw, the same name the same one.
func TestLayersDrawApart(t *testing.T) {
	for kind, layer := range drawn {
		a, b, c, d := layer(), layer(), layer(), layer()
		must(layers.NewConcat(a.Dims(), parts(a, b)))
		must(layers.NewConcat(c.Dims(), parts(c, d)))
		alone := numbers(layer())
		if len(alone) == 0 {
			t.Errorf("%s draws nothing", kind)
		}
		named := func(name string) map[string][]float64 { return numbers(layer(layers.WithName(name))) }
		for what, c := range map[string]struct {
			one, other map[string][]float64
			same       bool
		}{
			"the first part and alone":        {numbers(a), alone, true},
			"both parts":                      {numbers(a), numbers(b), false},
			"the second part of compositions": {numbers(b), numbers(d), true},
			"a name twice":                    {named("a"), named("a"), true},
			"two names":                       {named("a"), named("b"), false},
			"a name and none":                 {named("a"), alone, false},
		} {
			for p, v := range c.one {
				if strings.Contains(what, "name") && strings.HasPrefix(p, "inner.") {
					continue // the name belongs to the mean map
				}
				if slices.Equal(v, c.other[p]) != c.same {
					t.Errorf("%s: %s of %s: %v and %v", kind, p, what, v[:2], c.other[p][:2])
				}
			}
		}
		x := unitRows(2, a.Dims())
		near(t, kind+": a graph after the draw", inGraph(t, b, x), features(b, x), 1e-13)
	}
}

// TestPartsAreIndependent: two default layers of one seed in a Concat make uncorrelated errors of the kernel, so the
// mean of both has half the variance of one. Correlated errors would leave the variance whole. 600 seeds, 4 standard
// errors.
func TestPartsAreIndependent(t *testing.T) {
	const seeds = 600
	x := rows(tensor.Float64, 2, 3, 1)
	var k [2][]float64
	for seed := range uint64(seeds) {
		var ls [2]layers.Layer
		for i := range ls {
			ls[i] = fourier(3, 8, layers.WithSeed(seed))
		}
		z := features(must(layers.NewConcat(3, parts(ls[:]...))), x)
		for i := range k {
			k[i] = append(k[i], gonum.Dot(z[8*i:8*i+8], z[16+8*i:24+8*i]))
		}
	}
	r := stat.Correlation(k[0], k[1], nil)
	if t.Logf("correlation %.3f", r); !(math.Abs(r) <= 4/math.Sqrt(seeds)) {
		t.Errorf("the errors of two parts are correlated by %.3f", r)
	}
}

// TestDrawApartInTrees: parts of parts and the layers of a chain are drawn apart as well, each once.
func TestDrawApartInTrees(t *testing.T) {
	var leaves []layers.Layer
	leaf := func(d int, opts ...layers.Option) layers.Layer {
		leaves = append(leaves, fourier(d, 4, opts...))
		return leaves[len(leaves)-1]
	}
	pair := func() layers.Layer { return must(layers.NewConcat(4, parts(leaf(4), leaf(4)))) }
	chain := must(layers.NewSequential(pair(), must(layers.NewIdentity(8)), leaf(8)))
	must(layers.NewConcat(4, parts(chain, pair(), leaf(4, layers.WithSeed(9)))))
	for i, a := range leaves {
		for j, b := range leaves[:i] {
			if x, y := numbers(a)["W"], numbers(b)["W"]; slices.Equal(x[:8], y[:8]) {
				t.Errorf("leaves %d and %d begin with the same numbers", j, i)
			}
		}
	}
	if alone := fourier(4, 4, layers.WithSeed(9)); !slices.Equal(numbers(leaves[5])["W"], numbers(alone)["W"]) {
		t.Error("a part with a seed of its own is drawn again")
	}
}

// TestUsedLayersKeepTheirNumbers: what was used is not drawn again, and two used layers that are the same are an error.
// Looking at a layer is no use of it. What was set or written to is nobody's double.
func TestUsedLayersKeepTheirNumbers(t *testing.T) {
	layer := drawn["fourier"]
	first, second := layer(), layer()
	must(layers.NewConcat(3, parts(first, second)))
	alone, again := numbers(first)["W"], numbers(second)["W"]
	x := rows(tensor.Float64, 2, 3, 1)
	for name, c := range map[string]struct {
		do   func(l layers.Layer)
		uses bool
	}{
		"Transform": {func(l layers.Layer) { must(l.Transform(nil, x)) }, true},
		"Fwd":       {func(l layers.Layer) { l.Fwd(input(G.NewGraph(), x)) }, true},
		"Keep":      {layers.Keep, true},
		"Summary":   {func(l layers.Layer) { _ = layers.Summary(l).String() }, false},
		"String":    {func(l layers.Layer) { _ = l.String() }, false},
		"Params":    {func(l layers.Layer) { l.Params() }, false},
	} {
		a, b := layer(), layer()
		c.do(b)
		must(layers.NewConcat(3, parts(a, b)))
		if c.uses { // the other layer is the one that is drawn again
			a, b = b, a
		}
		if !slices.Equal(numbers(a)["W"], alone) || !slices.Equal(numbers(b)["W"], again) {
			t.Errorf("%s: the layer that was used is drawn again, or the other is not", name)
		}
		a, b = layer(), layer(layers.WithSeed(0))
		c.do(a)
		c.do(b)
		if _, err := layers.NewConcat(3, parts(a, b)); c.uses {
			wantErr(t, name+": two layers that were used", err, layers.ErrParam, "WithSeed")
		} else if err != nil || !slices.Equal(numbers(b)["W"], again) {
			t.Errorf("%s: the layers have other numbers than those that nobody looked at, %v", name, err)
		}
	}
	a, b := layer(), layer()
	must(b, b.SetParams(values(a)))
	must(layers.NewConcat(3, parts(a, b)))
	if !slices.Equal(numbers(a)["W"], numbers(b)["W"]) {
		t.Error("parameters that were set are drawn again")
	}
	b = layer()
	w := b.Params()[0].Value.Float64s()
	w[0] = 7
	must(layers.NewConcat(3, parts(layer(), b)))
	if w[0] != 7 {
		t.Errorf("a parameter that was written, 7, is drawn again as %v", w[0])
	}
	c, d := layer(), layer()
	_, err := layers.NewSequential(c, d)
	wantErr(t, "a composition that fails", err, layers.ErrShape)
	if !slices.Equal(numbers(d)["W"], numbers(c)["W"]) {
		t.Error("a composition that failed has drawn a part again")
	}
}

// TestNamesOfSpecs: the name of a spec changes nothing.
func TestNamesOfSpecs(t *testing.T) {
	s := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1}, Dims: 3, Features: 16}
	plain := numbers(must(s.Build()))["W"]
	if s.Name = "a"; !slices.Equal(numbers(must(s.Build()))["W"], plain) ||
		!slices.Equal(numbers(drawn["fourier"]())["W"], plain) {
		t.Error("the name of a spec changes its draw, or a lone layer has another than its spec")
	}
	x, y := must(s.Build()), must(layers.Spec{Map: "gaussian", Params: s.Params, Dims: 3, Features: 16,
		Name: "b"}.Build())
	must(layers.NewConcat(3, parts(x, y)))
	if slices.Equal(numbers(x)["W"], numbers(y)["W"]) {
		t.Error("two maps of specs share their numbers in a Concat")
	}
}

// TestMeanMapDrawsApart: the map of the samples and the map of their means have numbers of their own.
func TestMeanMapDrawsApart(t *testing.T) {
	s := layers.Spec{Map: "mean-map", Dims: 3, Features: 8, Params: layers.Values{"sigma": 1, "tau": 1, "inner": 6}}
	w := numbers(must(s.Build()))
	if inner, outer := w["inner.W"], w["W"]; inner[0] == outer[0] {
		t.Errorf("inner W begins with %v, outer with %v", inner[:3], outer[:3])
	}
	seeded := func(seed uint64) layers.Layer {
		return must(layers.NewMeanMapLayer(fourier(3, 6, layers.WithSeed(4)), 1, 8, layers.WithSeed(seed)))
	}
	alone := fourier(6, 8, layers.WithSeed(5))
	if !slices.Equal(numbers(seeded(5))["W"], numbers(alone)["W"]) ||
		slices.Equal(numbers(seeded(4))["W"][:2], numbers(seeded(4))["inner.W"][:2]) {
		t.Error("the seeds of a mean map")
	}
	z := must(layers.NewMeanMapLayer(fourier(3, 6, layers.WithInputGrad()), 1, 8)).Fwd(input(G.NewGraph(),
		rows(tensor.Float64, 2, 3, 1)))
	if _, err := G.Grad(G.Must(G.Sum(z.Node())), z.Node().Graph().ByName("x")...); err != nil {
		t.Errorf("WithInputGrad of the map of samples: %v", err)
	}
}

// TestStructuredNeverFormsW: a map whose W would take a gibibyte is drawn, transforms a row, and is differentiated in a
// graph with some megabytes.
func TestStructuredNeverFormsW(t *testing.T) {
	const d, m = 1 << 14, 1 << 13
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l := fourier(d, m, layers.WithPhase(), layers.WithSampler(spectral.Structured{}), layers.Tune(layers.Bandwidth))
	features(l, zeros(1, d))
	z := l.Fwd(input(G.NewGraph(), zeros(1, d)))
	cost := G.Must(G.Sum(must(z.Node(), z.Err())))
	must(G.Grad(cost, l.Model()...))
	run(t, cost, G.BindDualValues(l.Model()...))
	runtime.ReadMemStats(&after)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 32 {
		t.Errorf("%d MiB are allocated", mib)
	}
}

// TestStructuredIsTheDenseMap: the layer is the map of the W that Frequencies makes of the same seed.
func TestStructuredIsTheDenseMap(t *testing.T) {
	const d, m, seed = 37, 101, 3
	k := spectral.Matern{Nu: 1.5, Ell: 2}
	fast := must(layers.NewFourierLayer(k, d, 2*m, layers.WithSampler(spectral.Structured{}), layers.WithSeed(seed)))
	w := must(spectral.Frequencies(k, spectral.Structured{}, d, m, seed))
	slow := must(layers.NewFourierLayer(k, d, 2*m))
	must(slow, slow.SetParams(map[string]*tensor.Dense{"W": w}))
	x := rows(tensor.Float64, 5, d, 1)
	near(t, fast, features(fast, x), features(slow, x), 1e-12)
}

// TestBinningVariance: inner products of random binning features have the variance (k - k²)/R + (1 - k)/features.
func TestBinningVariance(t *testing.T) {
	const features, draws = 64, 2000
	k := spectral.Laplacian{Sigma: 1}
	x := matrix([]float64{.3, -.2}, []float64{-.1, .35})
	value := k.At(x.Float64s()[:2], x.Float64s()[2:])
	for _, bins := range []int{1, 32} {
		var products []float64
		for seed := range draws {
			l := must(layers.NewBinningLayer(k, 2, features, bins, layers.WithSeed(uint64(seed))))
			z := floats(must(l.Transform(nil, x)))
			products = append(products, gonum.Dot(z[:features], z[features:]))
		}
		mean, variance := stat.MeanVariance(products, nil)
		want := (value-value*value)*float64(bins)/features + (1-value)/features
		if math.Abs(mean-value) > 4*math.Sqrt(want/draws) || math.Abs(variance/want-1) > 4*math.Sqrt(2./draws) {
			t.Errorf("%d bins: mean %v, kernel %v; variance %v, formula %v", bins, mean, value, variance, want)
		}
	}
}
