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
	l := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, d, m, layers.WithPhase(),
		layers.WithSampler(spectral.Structured{}), layers.Tune(layers.Bandwidth)))
	x := tensor.New(tensor.WithShape(1, d), tensor.Of(tensor.Float64))
	if _, err := l.Transform(nil, x); err != nil {
		t.Fatal(err)
	}
	g := G.NewGraph()
	z := l.Fwd(G.NewMatrix(g, G.Float64, G.WithShape(1, d), G.WithName("x"), G.WithValue(x)))
	if z.Err() != nil {
		t.Fatal(z.Err())
	}
	if _, err := G.Grad(G.Must(G.Sum(z.Node())), l.Model()...); err != nil {
		t.Fatal(err)
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(l.Model()...))
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		t.Fatal(err)
	}
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
	dense := must(layers.NewFourierLayer(k, d, 2*m))
	if err := dense.SetParams(map[string]*tensor.Dense{"W": w}); err != nil {
		t.Fatal(err)
	}
	x := tensor.New(tensor.WithShape(5, d), tensor.WithBacking(tensor.Random(tensor.Float64, 5*d)))
	a := must(fast.Transform(nil, x))
	b := must(dense.Transform(nil, x))
	for i, v := range a.Float64s() {
		if d := v - b.Float64s()[i]; d > 1e-12 || d < -1e-12 {
			t.Fatalf("feature %d is %v, with W %v", i, v, b.Float64s()[i])
		}
	}
}
