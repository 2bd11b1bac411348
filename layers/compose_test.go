package layers_test

import (
	"errors"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/golgi"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestConcatIsAWeightedSumOfKernels: the inner product of joined features is the weighted sum of the inner products of
// the parts, which may overlap.
func TestConcatIsAWeightedSumOfKernels(t *testing.T) {
	x := rows(tensor.Float64, 11, 7, 1)
	a := must(layers.NewSkewedChi2Layer(.2, 3, 20, layers.Tune(layers.All)))
	b := must(layers.NewRandomLaplaceLayer(spectral.ReciprocalSemigroup{Lambda: 1}, 5, 13))
	z := must(must(layers.NewConcat(7, []layers.Part{{Layer: a, From: 0, To: 3, Weight: .25},
		{Layer: b, From: 2, To: 7, Weight: 3}})).Transform(nil, x))
	part := func(l layers.Layer, from, to int) *tensor.Dense {
		return must(l.Transform(nil, must(x.Slice(nil, G.S(from, to))).(*tensor.Dense)))
	}
	za, zb := part(a, 0, 3), part(b, 2, 7)
	for i := range 11 {
		for j := range 11 {
			want := .25*inner(za, i, j) + 3*inner(zb, i, j)
			if got := inner(z, i, j); math.Abs(got-want) > 1e-12 {
				t.Fatalf("z_%d·z_%d = %v, weighted sum %v", i, j, got, want)
			}
		}
	}
}

// TestGolgi: a tuned map between two layers of golgi's, composed and differentiated.
func TestGolgi(t *testing.T) {
	x := input(G.NewGraph(), rows(tensor.Float64, 7, 3, 1))
	model := must(golgi.ComposeSeq(x,
		golgi.L(golgi.ConsFC, golgi.WithSize(5), golgi.AsBatched(true), golgi.WithName("below"),
			golgi.WithActivation(G.Tanh)),
		fourier(5, 10, layers.Tune(layers.All)),
		golgi.L(golgi.ConsFC, golgi.WithSize(2), golgi.AsBatched(true), golgi.WithName("above")),
	))
	out := model.Fwd(x)
	cost := G.Must(G.Sum(G.Must(G.Square(must(out.Node(), out.Err())))))
	must(G.Grad(cost, model.Model()...))
	run(t, cost, G.BindDualValues(model.Model()...))
	if len(model.Model()) < 4 {
		t.Errorf("the model has %d learnable nodes", len(model.Model()))
	}
	for _, n := range model.Model() {
		if v := floats(must(n.Grad())); maxDiff(v, make([]float64, len(v))) == 0 {
			t.Errorf("the gradient of %s is zero", n.Name())
		}
	}
}

// TestMust: what cannot be made is a panic with the error.
func TestMust(t *testing.T) {
	bad := errors.New("no layer")
	for name, f := range map[string]func(){
		"Must":      func() { layers.Must(nil, bad) },
		"MustHead":  func() { layers.MustHead(nil, bad) },
		"MustDense": func() { layers.MustDense(nil, bad) },
	} {
		func() {
			defer func() {
				if got := recover(); got != bad {
					t.Errorf("%s panics with %v", name, got)
				}
			}()
			f()
		}()
	}
}
