package layers_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/golgi"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// golgi takes every layer as its own.
var (
	_ golgi.Layer = (*layers.FourierLayer)(nil)
	_ golgi.Layer = (*layers.RandomLaplaceLayer)(nil)
	_ golgi.Layer = (*layers.SkewedChi2Layer)(nil)
	_ golgi.Layer = (*layers.SkewedIntersectionLayer)(nil)
	_ golgi.Layer = (*layers.HomogeneousLayer)(nil)
	_ golgi.Layer = (*layers.ExponentiatedLayer)(nil)
	_ golgi.Layer = (*layers.GORFLayer)(nil)
	_ golgi.Layer = (*layers.LinearHead)(nil)
	_ golgi.Layer = (*layers.SoftmaxHead)(nil)
	_ golgi.Layer = (*layers.Sequential)(nil)
	_ golgi.Layer = (*layers.Concat)(nil)
)

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

// TestGraphEqualsTransform: every map and policy, in a graph and without one.
func TestGraphEqualsTransform(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		tol := 1e-13
		if dt == tensor.Float32 {
			tol = 1e-6
		}
		for _, p := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All} {
			o := []layers.Option{layers.Tune(p), layers.WithDtype(dt), layers.WithSeed(3)}
			for _, l := range []layers.Layer{
				must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, 5, 14, o...)),
				must(layers.NewFourierLayer(spectral.Matern{Nu: 1.5, Ell: 2}, 5, 7, append(o, layers.WithPhase())...)),
				must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: .5}, 5, 7, o...)),
				must(layers.NewSkewedChi2Layer(.1, 5, 14, o...)),
				must(layers.NewSkewedIntersectionLayer(.1, 5, 7, append(o, layers.WithPhase())...)),
			} {
				x := rows(dt, 11, 5, 1)
				r := l.Fwd(input(G.NewGraph(), x))
				if r.Err() != nil {
					t.Fatal(r.Err())
				}
				got := run(t, r.Node())
				want := must(l.Transform(nil, x))
				if d := maxDiff(got, floats(want)); d > tol {
					t.Errorf("%v: graph and Transform differ by %v", l, d)
				}
				if n := len(l.Model()); (n == 0) != (p == layers.Frozen) {
					t.Errorf("%v: %d learnable nodes", l, n)
				}
			}
		}
	}
}

// TestGradientReachesEveryParameter: a step of every learnable node changes the loss as its gradient says, for a layer
// under a head, used twice, on both machines.
func TestGradientReachesEveryParameter(t *testing.T) {
	x, y := rows(tensor.Float64, 7, 3, 1), rows(tensor.Float64, 7, 2, 2)
	for _, p := range []layers.Policy{layers.Bandwidth, layers.BandwidthEach, layers.All} {
		for _, l := range []layers.Layer{
			must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 10, layers.Tune(p))),
			must(layers.NewFourierLayer(spectral.Laplacian{Sigma: 3}, 3, 5, layers.Tune(p), layers.WithPhase())),
			must(layers.NewRandomLaplaceLayer(spectral.ReciprocalSemigroup{Lambda: 1}, 3, 5, layers.Tune(p))),
			must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: 1}, 3, 5, layers.Tune(p))),
			must(layers.NewSkewedChi2Layer(.3, 3, 10, layers.Tune(p))),
			must(layers.NewSkewedIntersectionLayer(.3, 3, 5, layers.Tune(p), layers.WithPhase())),
		} {
			for _, head := range []layers.Head{must(layers.NewLinearHead(l.Features(), 2)),
				must(layers.NewSoftmaxHead(l.Features(), 2))} {
				w := rows(tensor.Float64, l.Features(), 2, 5).Float64s()
				if err := head.SetWeights(w, []float64{.1, -.2}); err != nil {
					t.Fatal(err)
				}
				build := func() (*G.Node, G.Nodes) {
					g := G.NewGraph()
					xn := input(g, x)
					z := G.Must(G.Add(l.Fwd(xn).Node(), l.Fwd(xn).Node()))
					targets := G.NewMatrix(g, y.Dtype(), G.WithShape(7, 2), G.WithName("y"), G.WithValue(y))
					return must(head.Loss(z, targets)), append(l.ModelIn(g), head.ModelIn(g)...)
				}
				loss := func() float64 {
					n, _ := build()
					return run(t, n)[0]
				}
				for _, lisp := range []bool{false, true} {
					cost, model := build()
					var m G.VM
					if lisp {
						m = G.NewLispMachine(cost.Graph())
					} else {
						must(G.Grad(cost, model...))
						m = G.NewTapeMachine(cost.Graph(), G.BindDualValues(model...))
					}
					if err := m.RunAll(); err != nil {
						t.Fatal(err)
					}
					for _, n := range model {
						g := floats(must(n.Grad()))
						v := n.Value().(*tensor.Dense).Float64s()
						i := len(v) / 2
						const h = 1e-5
						old := v[i]
						v[i] = old + h
						up := loss()
						v[i] = old - h
						down := loss()
						v[i] = old
						want := (up - down) / (2 * h)
						if math.Abs(g[i]-want) > 1e-7*(1+math.Abs(want)) {
							t.Errorf("%v, lisp=%v: d loss/d %s[%d] = %v, central difference %v", l, lisp, n.Name(), i,
								g[i], want)
						}
					}
					m.Close()
				}
			}
		}
	}
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
			if s == "gradX" || s == "gradW" || strings.HasPrefix(s, "gradients of") ||
				strings.HasPrefix(s, "part from") {
				products++
			}
		}
		return products, err
	}
	if n, err := count(false); n != 1 || err != nil { // the head's dW
		t.Errorf("frozen map: %d gradient ops, %v", n, err)
	}
	if _, err := count(true); err == nil {
		t.Error("the gradient for data is no error")
	}
	// The head's dW and dZ, the map's backward and its dW.
	if n, err := count(false, layers.Tune(layers.All)); n != 4 || err != nil {
		t.Errorf("tuned map: %d gradient ops, %v", n, err)
	}
	// The head's dW and dZ, the map's backward and its dX.
	if n, err := count(true, layers.WithInputGrad()); n != 4 || err != nil {
		t.Errorf("frozen map WithInputGrad: %d gradient ops, %v", n, err)
	}
}

// TestConcurrent: Transform from many goroutines; graphs of one layer run side by side. The race detector watches. All
// machines are there before the first runs, because Gorgonia writes to the shared tensors while it builds one.
func TestConcurrent(t *testing.T) {
	x := rows(tensor.Float64, 67, 3, 1)
	for _, l := range []layers.Layer{
		must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 10)),
		must(layers.NewSkewedChi2Layer(.3, 3, 10, layers.Tune(layers.All))),
	} {
		want := floats(must(l.Transform(nil, x)))
		machines, values := make([]G.VM, 8), make([]G.Value, 8)
		for i := range machines {
			z := l.Fwd(input(G.NewGraph(), x)).Node()
			G.Read(z, &values[i])
			machines[i] = G.NewTapeMachine(z.Graph())
		}
		var wg sync.WaitGroup
		for i, m := range machines {
			wg.Go(func() {
				got, err := l.Transform(nil, x)
				if err != nil || maxDiff(floats(got), want) != 0 {
					t.Errorf("%v: concurrent Transform differs, err %v", l, err)
				}
				defer m.Close()
				if err := m.RunAll(); err != nil || maxDiff(floats(values[i]), want) > 1e-13 {
					t.Errorf("%v: concurrent graph differs, err %v", l, err)
				}
			})
		}
		wg.Wait()
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

// TestConstructorErrors: each names the layer and what would do.
func TestConstructorErrors(t *testing.T) {
	k, h := spectral.Gaussian{Sigma: 1}, spectral.ExpSemigroup{Beta: 1}
	layer := func(_ any, err error) error { return err }
	for _, tc := range []struct {
		err  error
		is   error
		text string
	}{
		{layer(layers.NewFourierLayer(k, 3, 0)), layers.ErrParam, "0 features"},
		{layer(layers.NewFourierLayer(k, 3, 5)), layers.ErrParam, "5 features is odd"},
		{layer(layers.NewFourierLayer(k, 0, 4)), layers.ErrParam, "0 input dimensions"},
		{layer(layers.NewFourierLayer(h, 3, 4)), layers.ErrParam, "Laplace features, not of Fourier"},
		{layer(layers.NewFourierLayer(nil, 3, 4)), layers.ErrParam, "no kernel"},
		{layer(layers.NewFourierLayer(spectral.Gaussian{Sigma: -1}, 3, 4)), layers.ErrParam, "Sigma = -1"},
		{layer(layers.NewRandomLaplaceLayer(k, 3, 4)), layers.ErrParam, "Fourier features, not of Laplace"},
		{layer(layers.NewRandomLaplaceLayer(h, 3, 4, layers.WithPhase())), layers.ErrParam, "no phase form"},
		{layer(layers.NewRandomLaplaceLayer(h, 3, 4, layers.WithSampler(spectral.Orthogonal{}))), spectral.ErrSampler,
			"orthogonal"},
		{layer(layers.NewFourierLayer(k, 3, 4, layers.WithDtype(tensor.Int))), layers.ErrDtype, "int"},
		{layer(layers.NewLinearHead(3, 0)), layers.ErrParam, "0 features"},
		{layer(layers.NewSequential()), layers.ErrParam, "no layers"},
		{layer(layers.NewSequential(must(layers.NewFourierLayer(k, 3, 4)), must(layers.NewLinearHead(5, 2)))),
			layers.ErrShape, "makes 4 columns"},
		{layer(layers.NewConcat(5, []layers.Part{{must(layers.NewFourierLayer(k, 3, 4)), 3, 6, 1}})), layers.ErrShape,
			"columns 3 to 6 of 5"},
		{layer(layers.NewConcat(5, []layers.Part{{must(layers.NewFourierLayer(k, 3, 4)), 0, 3, -1}})), layers.ErrParam,
			"weight -1"},
		{must(layers.NewFourierLayer(k, 3, 4)).Fwd(input(G.NewGraph(), rows(tensor.Float64, 7, 2, 1))).Err(),
			layers.ErrShape, "want [n, 3]"},
		{must(layers.NewFourierLayer(k, 3, 4)).Fwd(input(G.NewGraph(), rows(tensor.Float32, 7, 3, 1))).Err(),
			layers.ErrDtype, "WithDtype(tensor.Float32)"},
		{layer(must(layers.NewFourierLayer(k, 3, 4)).Transform(nil, rows(tensor.Float64, 7, 2, 1))), layers.ErrShape,
			"want [n, 3]"},
		{must(layers.NewLinearHead(3, 2)).SetWeights(make([]float64, 5), make([]float64, 2)), layers.ErrShape,
			"5 weights"},
	} {
		if !errors.Is(tc.err, tc.is) || !strings.Contains(fmt.Sprint(tc.err), tc.text) {
			t.Errorf("error %v, want %v with %q", tc.err, tc.is, tc.text)
		}
	}
}

// TestFloat32RoundsOnce: the float32 draw is the float64 draw, rounded.
func TestFloat32RoundsOnce(t *testing.T) {
	k := spectral.Gaussian{Sigma: 1}
	a := must(layers.NewFourierLayer(k, 3, 10, layers.WithSeed(4))).Params()[0].Value.Float64s()
	b := must(layers.NewFourierLayer(k, 3, 10, layers.WithSeed(4),
		layers.WithDtype(tensor.Float32))).Params()[0].Value.Float32s()
	for i := range a {
		if float32(a[i]) != b[i] {
			t.Fatalf("w[%d] = %v in float64 and %v in float32", i, a[i], b[i])
		}
	}
}
