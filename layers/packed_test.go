package layers_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	gonum "gonum.org/v1/gonum/floats"
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

// TestPackHead: a packed head has the scores of one that is not, to the bit, dense or sparse, of one row or many, from
// many goroutines at a time; and it follows everything that changes its weights or may.
func TestPackHead(t *testing.T) {
	const d, k = 67, 5
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, kind := range layers.HeadKinds() {
			weights := func(h layers.Head, by float64) layers.Head {
				w := make([]float64, d*k)
				for i := range w {
					w[i] = by * float64(i%11-5)
				}
				if err := h.SetWeights(w, []float64{1, 2, 3, 4, 5}); err != nil {
					t.Fatal(err)
				}
				return h
			}
			head := func(by float64) layers.Head {
				return weights(must(layers.NewHead(kind, d, k, layers.WithDtype(dt))), by)
			}
			same := func(when string, got, want layers.Head) {
				t.Helper()
				for _, n := range []int{1, 9, 130} {
					x := rows(dt, n, d, 4)
					sparse := must(ops.CSROf(x))
					for _, z := range []ops.Matrix{x, sparse} {
						a, b := must(layers.Transform(got, nil, z)), must(layers.Transform(want, nil, z))
						if !slices.Equal(floats(a), floats(b)) {
							t.Errorf("%s of %v, %s: %d rows, %T: other scores", kind, dt, when, n, z)
						}
					}
				}
			}
			h := head(1)
			pack := func() {
				t.Helper()
				if err := layers.PackHead(h); err != nil {
					t.Fatal(err)
				}
			}
			pack()
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { same("packed", h, head(1)) })
			}
			wg.Wait()
			weights(h, 2)
			same("set", h, head(2))
			pack()
			for _, p := range h.Params() { // whose tensors a caller may change
				if p.Name == "W" {
					if err := ops.Assign(p.Value, head(3).Params()[0].Value); err != nil {
						t.Fatal(err)
					}
				}
			}
			same("changed by Params", h, head(3))
			pack()
			g := G.NewGraph()
			h.Fwd(input(g, rows(dt, 2, d, 4)))
			for _, n := range g.ByName(h.Name() + "_W") {
				if err := ops.Assign(n.Value().(*tensor.Dense), head(4).Params()[0].Value); err != nil {
					t.Fatal(err)
				}
			}
			same("changed in a graph", h, head(4))
		}
	}
	if err := layers.PackHead(nil); !errors.Is(err, layers.ErrParam) {
		t.Errorf("nil: %v", err)
	}
}

// BenchmarkHead: a few rows of a request to a head as it is and to one that is packed.
func BenchmarkHead(b *testing.B) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, c := range []struct{ d, k, n int }{{2048, 1, 1}, {2048, 26, 1}, {4096, 1, 1}, {4096, 26, 1}, {4096, 26, 256}} {
			for _, packed := range []bool{false, true} {
				b.Run(fmt.Sprintf("%v/%dx%d/rows=%d/packed=%v", dt, c.d, c.k, c.n, packed), func(b *testing.B) {
					h := must(layers.NewLinearHead(c.d, c.k, layers.WithDtype(dt)))
					if packed {
						if err := layers.PackHead(h); err != nil {
							b.Fatal(err)
						}
					}
					z := rows(dt, c.n, c.d, 4)
					y := must(h.Transform(nil, z))
					for b.Loop() {
						must(h.Transform(y, z))
					}
				})
			}
		}
	}
}

// TestWritingToParams: what is written to the parameters of a frozen layer, the features have, with a graph made before
// or after and without one.
func TestWritingToParams(t *testing.T) {
	for name, build := range drawn {
		l, other := build(), build(layers.WithSeed(8))
		if _, sets := l.(layers.BagMap); sets {
			continue // its parts are layers of this list
		}
		x := rows(tensor.Float64, 5, l.Dims(), 4)
		for row := range slices.Chunk(x.Float64s(), l.Dims()) { // which some kernels want of the length 1
			gonum.Scale(1/gonum.Norm(row, 2), row)
		}
		g := G.NewGraph()
		before := l.Fwd(input(g, x)).Node()
		must(l.Transform(nil, x))
		for round := range 2 {
			from := other.Params()
			for i, p := range l.Params() {
				if round == 1 {
					must(l.Transform(nil, x)) // between two tensors
					from = build(layers.WithSeed(9)).Params()
				}
				copy(p.Value.Float64s(), from[i].Value.Float64s())
			}
			if round == 1 {
				other = build(layers.WithSeed(9))
			}
			want := floats(must(other.Transform(nil, x)))
			if d := maxDiff(floats(must(l.Transform(nil, x))), want); d > 1e-14 {
				t.Errorf("%s, round %d: features differ by %v", name, round, d)
			}
			for when, z := range map[string]*G.Node{"before": before, "after": l.Fwd(input(G.NewGraph(), x)).Node()} {
				if d := maxDiff(run(t, z), want); d > 1e-14 {
					t.Errorf("%s, round %d: a graph made %s differs by %v", name, round, when, d)
				}
			}
		}
	}
}
