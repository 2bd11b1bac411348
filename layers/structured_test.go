package layers_test

import (
	"runtime"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
