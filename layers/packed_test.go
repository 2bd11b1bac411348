package layers_test

import (
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestPackedInGraph: a graph of a frozen map, which packs W once, follows the parameters when they are set anew and the
// node of W when that is given another value.
func TestPackedInGraph(t *testing.T) {
	const n, d, features = 7, 5, 12
	draw := func(seed uint64) []layers.Layer {
		o := []layers.Option{layers.WithSeed(seed)}
		return []layers.Layer{
			must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, d, features, o...)),
			must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, d, features, append(o, layers.WithPhase())...)),
			must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: .1}, d, features, o...)),
			must(layers.NewSkewedChi2Layer(.1, d, features, o...)),
		}
	}
	other := draw(2)
	for i, l := range draw(1) {
		x := rows(tensor.Float64, n, d, 4)
		g := G.NewGraph()
		z := l.Fwd(input(g, x)).Node()
		check := func(when string, as layers.Layer) {
			t.Helper()
			if e := maxDiff(run(t, z), floats(must(as.Transform(nil, x)))); e > 1e-14 {
				t.Errorf("%s, %s: differs by %g", l.Name(), when, e)
			}
		}
		check("as drawn", l)
		params := map[string]*tensor.Dense{}
		for _, p := range other[i].Params() {
			params[p.Name] = p.Value
		}
		if err := l.SetParams(params); err != nil {
			t.Fatal(err)
		}
		check("set anew", other[i])
		must(l.Transform(nil, x)) // packs W again
		check("packed again", other[i])
		third := draw(3)[i]
		for _, p := range third.Params() {
			for _, node := range g.ByName(l.Name() + "_" + p.Name) {
				if err := G.Let(node, p.Value); err != nil {
					t.Fatal(err)
				}
			}
		}
		check("with other values of its nodes", third)
	}
}
