package layers_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/golgi"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// golgi takes every layer as its own.
var _ golgi.Layer = layers.Layer(nil)

func rows(dt tensor.Dtype, n, d int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	t := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
	for i := range n * d {
		if dt == tensor.Float32 {
			t.Float32s()[i] = rng.Float32()
		} else {
			t.Float64s()[i] = rng.Float64()
		}
	}
	return t
}

func floats(v G.Value) []float64 {
	switch d := v.(type) {
	case *G.F64:
		return []float64{float64(*d)}
	case *G.F32:
		return []float64{float64(*d)}
	}
	t := v.(*tensor.Dense)
	if t.Dtype() == tensor.Float64 {
		return t.Float64s()
	}
	out := make([]float64, len(t.Float32s()))
	for i, x := range t.Float32s() {
		out[i] = float64(x)
	}
	return out
}

func input(g *G.ExprGraph, x *tensor.Dense) *G.Node {
	return G.NewMatrix(g, x.Dtype(), G.WithShape(x.Shape()...), G.WithName("x"), G.WithValue(x))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func maxDiff(a, b []float64) float64 {
	worst := 0.0
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		worst = math.Max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// run evaluates a node and returns its value, read before later ops may overwrite it.
func run(t *testing.T, n *G.Node, opts ...G.VMOpt) []float64 {
	t.Helper()
	var v G.Value
	G.Read(n, &v)
	m := G.NewTapeMachine(n.Graph(), opts...)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	return append([]float64(nil), floats(v)...) // a later run writes to the same memory
}

// TestSharedWeights: one layer in a training and an inference graph of another batch size; a solver's step shows in
// both, and in Transform.
func TestSharedWeights(t *testing.T) {
	l := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 10, layers.Tune(layers.All)))
	g1, g2 := G.NewGraph(), G.NewGraph()
	x2 := rows(tensor.Float64, 2, 3, 9)
	z1, z2 := l.Fwd(input(g1, rows(tensor.Float64, 7, 3, 1))).Node(), l.Fwd(input(g2, x2)).Node()
	before := run(t, z2)
	cost := G.Must(G.Sum(G.Must(G.Square(G.Must(uneven(z1))))))
	model := l.ModelIn(g1)
	must(G.Grad(cost, model...))
	m := G.NewTapeMachine(g1, G.BindDualValues(model...))
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	if err := G.NewAdamSolver(G.WithLearnRate(.1)).Step(G.NodesToValueGrads(model)); err != nil {
		t.Fatal(err)
	}
	after := run(t, z2)
	if maxDiff(before, after) == 0 {
		t.Error("the step does not show in the other graph")
	}
	if d := maxDiff(after, floats(must(l.Transform(nil, x2)))); d > 1e-13 {
		t.Errorf("Transform differs from the graph by %v after the step", d)
	}
	if same := l.Fwd(input(g1, rows(tensor.Float64, 7, 3, 1))); same.Err() != nil || l.ModelIn(g1)[0] != model[0] {
		t.Errorf("a second Fwd into a graph makes new weights, err %v", same.Err())
	}
}

// uneven makes the cost depend on the features unevenly: cos² + sin² alone is constant.
func uneven(z *G.Node) (*G.Node, error) { return G.Cube(z) }

// TestAutomaticNamesAndClashes: layers without names live side by side; a name that is taken is an error.
func TestAutomaticNamesAndClashes(t *testing.T) {
	k := spectral.Gaussian{Sigma: 1}
	g := G.NewGraph()
	x := input(g, rows(tensor.Float64, 7, 3, 1))
	a, b := must(layers.NewFourierLayer(k, 3, 10)), must(layers.NewFourierLayer(k, 3, 10, layers.WithSeed(1)))
	za, zb := a.Fwd(x), b.Fwd(x)
	if za.Err() != nil || zb.Err() != nil || za.Node() == zb.Node() {
		t.Fatal("two unnamed layers clash")
	}
	va, vb := run(t, za.Node()), floats(must(b.Transform(nil, rows(tensor.Float64, 7, 3, 1))))
	if maxDiff(va, vb) < .01 {
		t.Error("two layers of different seeds agree")
	}
	c, d := must(layers.NewFourierLayer(k, 3, 10, layers.WithName("rff"))),
		must(layers.NewFourierLayer(k, 3, 10, layers.WithName("rff")))
	if err := c.Fwd(x).Err(); err != nil {
		t.Fatal(err)
	}
	if err := d.Fwd(x).Err(); !errors.Is(err, layers.ErrName) || !strings.Contains(err.Error(), `"rff_W"`) {
		t.Errorf("a second layer rff: %v", err)
	}
	if _, err := layers.NewSequential(c, d); !errors.Is(err, layers.ErrName) {
		t.Errorf("two layers of one name in a Sequential: %v", err)
	}
}

// TestFrozenComputesNothing: under a head, a frozen map on data adds no product to the backward; WithInputGrad brings
// the gradient of the input back.
func TestFrozenComputesNothing(t *testing.T) {
	count := func(wantInput bool, mapOpts ...layers.Option) (products int, err error) {
		g := G.NewGraph()
		x := input(g, rows(tensor.Float64, 7, 3, 1))
		l := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 10, mapOpts...))
		head := must(layers.NewLinearHead(10, 2))
		y := G.NewMatrix(g, G.Float64, G.WithShape(7, 2), G.WithName("y"), G.WithValue(rows(tensor.Float64, 7, 2, 2)))
		cost := must(head.Loss(l.Fwd(x).Node(), y))
		wrt := layers.Collect(l, head)
		if wantInput {
			wrt = append(wrt, x)
		}
		_, err = G.Grad(cost, wrt...)
		for _, n := range g.AllNodes() {
			s := fmt.Sprint(n.Op())
			if strings.HasPrefix(s, "gradients of") || strings.HasPrefix(s, "part from") {
				products++
			}
		}
		return products, err
	}
	if n, err := count(false); n != 3 || err != nil { // the head's backward, its dW and db
		t.Errorf("frozen map: %d gradient ops, %v", n, err)
	}
	if _, err := count(true); err == nil {
		t.Error("the gradient for data is no error")
	}
	// The head's backward, its dZ, dW and db, and the map's backward, which is its dW.
	if n, err := count(false, layers.Tune(layers.All)); n != 5 || err != nil {
		t.Errorf("tuned map: %d gradient ops, %v", n, err)
	}
	// The head's backward, its dZ, dW and db, and the map's backward, which is its dX.
	if n, err := count(true, layers.WithInputGrad()); n != 5 || err != nil {
		t.Errorf("frozen map WithInputGrad: %d gradient ops, %v", n, err)
	}
}

// TestTunedShiftStartsWhereItIs: the c of a tuned map is the given one, tiny or huge, in a graph and without one.
func TestTunedShiftStartsWhereItIs(t *testing.T) {
	x := rows(tensor.Float64, 7, 3, 1)
	for _, c := range []float64{1e-12, .03, 1, 30, 1e4, 1e12} {
		frozen := must(layers.NewSkewedChi2Layer(c, 3, 10))
		tuned := must(layers.NewSkewedChi2Layer(c, 3, 10, layers.Tune(layers.Bandwidth)))
		want := floats(must(frozen.Transform(nil, x)))
		if d := maxDiff(floats(must(tuned.Transform(nil, x))), want); d > 1e-10 {
			t.Errorf("c = %v: Transform of the tuned map differs by %v", c, d)
		}
		// Gorgonia's softplus leaves out e^-x from x = 16 on, 1.1e-7 of it.
		if d := maxDiff(run(t, tuned.Fwd(input(G.NewGraph(), x)).Node()), want); d > 1e-7 {
			t.Errorf("c = %v: the graph of the tuned map differs by %v", c, d)
		}
	}
}
