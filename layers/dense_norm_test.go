package layers_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// within is W of a dense layer times min(1, c/σ), by gonum.
func within(l *layers.Dense, c float64) *mat.Dense {
	w := l.Params()[0].Value
	m := mat.NewDense(w.Shape()[0], w.Shape()[1], append([]float64(nil), ops.Float64s(w)...))
	var svd mat.SVD
	svd.Factorize(m, mat.SVDNone)
	m.Scale(math.Min(1, c/svd.Values(nil)[0]), m)
	return m
}

// TestDenseSpectralNorm: the layer is that of W·min(1, c/σ(W)), in a graph and out of it, frozen or not, in both element
// types, also after SetParams; W itself stays.
func TestDenseSpectralNorm(t *testing.T) {
	const n, d, m, c = 4, 5, 7, .6
	for _, policy := range []layers.Policy{layers.Frozen, layers.All} {
		for dt, tol := range map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-5} {
			l := must(layers.NewDense(d, m, ops.Tanh, layers.WithSpectralNorm(c), layers.Tune(policy), layers.WithDtype(dt)))
			other := must(layers.NewDense(d, m, ops.Tanh, layers.WithSeed(1), layers.WithDtype(dt)))
			x := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
			for i := range n * d {
				v := math.Sin(float64(3 * i))
				if dt == tensor.Float32 {
					x.Float32s()[i] = float32(v)
				} else {
					x.Float64s()[i] = v
				}
			}
			check := func(when string) {
				t.Helper()
				var want mat.Dense
				want.Mul(mat.NewDense(n, d, ops.Float64s(x)), within(l, c))
				g := G.NewGraph()
				var got G.Value
				node := l.Fwd(G.NodeFromAny(g, x)).Node()
				G.Read(node, &got)
				vm := G.NewTapeMachine(g)
				defer vm.Close()
				if err := vm.RunAll(); err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second time from what is kept
					z := ops.Float64s(must(l.Transform(nil, x)))
					for i, v := range ops.Float64s(got.(*tensor.Dense)) {
						if w := math.Tanh(want.At(i/m, i%m)); math.Abs(v-w) > tol || math.Abs(z[i]-w) > tol {
							t.Fatalf("%v %v, %s: %v in the graph, %v out of it, want %v", policy, dt, when, v, z[i], w)
						}
					}
				}
			}
			check("as drawn")
			values := map[string]*tensor.Dense{}
			for _, p := range other.Params() {
				values[p.Name] = p.Value
			}
			if err := l.SetParams(values); err != nil {
				t.Fatal(err)
			}
			check("after SetParams")
			if l.SpectralNorm() != c || other.SpectralNorm() != 0 {
				t.Errorf("bounds %v and %v", l.SpectralNorm(), other.SpectralNorm())
			}
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := layers.NewDense(2, 3, ops.ReLU, layers.WithSpectralNorm(bad)); !errors.Is(err, layers.ErrParam) {
			t.Errorf("a bound of %v: %v", bad, err)
		}
	}
}

// TestDenseSpectralNormGradient: both machines give the gradients of W, b and x by central differences, at a bound that
// binds and at one that does not.
func TestDenseSpectralNormGradient(t *testing.T) {
	const n, d, m = 3, 4, 5
	for _, c := range []float64{.4, 40} {
		l := must(layers.NewDense(d, m, ops.Tanh, layers.WithSpectralNorm(c), layers.Tune(layers.All), layers.WithInputGrad()))
		x := tensor.New(tensor.WithShape(n, d), tensor.WithBacking([]float64{1, -2, .5, .3, .7, 1.1, -.4, 2, -1, .2, .9, -1.3}))
		loss := func() float64 {
			sum := 0.
			for i, v := range must(l.Transform(nil, x)).Float64s() {
				sum += v * math.Cos(float64(i))
			}
			return sum
		}
		weights := tensor.New(tensor.WithShape(n, m), tensor.Of(tensor.Float64))
		for i := range n * m {
			weights.Float64s()[i] = math.Cos(float64(i))
		}
		for _, lisp := range []bool{false, true} {
			g := G.NewGraph()
			in := G.NewMatrix(g, tensor.Float64, G.WithShape(n, d), G.WithName("x"), G.WithValue(x))
			z := l.Fwd(in).Node()
			cost := G.Must(G.Sum(G.Must(G.HadamardProd(z, G.NodeFromAny(g, weights, G.WithName("weights"))))))
			of := append(G.Nodes{in}, l.ModelIn(g)...)
			var vm G.VM
			if lisp {
				vm = G.NewLispMachine(g)
			} else {
				_ = must(G.Grad(cost, of...))
				vm = G.NewTapeMachine(g, G.BindDualValues(of...))
			}
			if err := vm.RunAll(); err != nil {
				t.Fatal(err)
			}
			for _, node := range of {
				grad := ops.Float64s(must(node.Grad()).(*tensor.Dense))
				cells := node.Value().(*tensor.Dense).Float64s()
				for i, v := range cells {
					const h = 1e-6
					cells[i] = v + h
					up := loss()
					cells[i] = v - h
					down := loss()
					cells[i] = v
					if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-8 {
						t.Errorf("c = %v, lisp %v: d/d%s[%d] is %v, by differences %v", c, lisp, node.Name(), i, grad[i], want)
					}
				}
			}
			vm.Close()
		}
	}
}

// TestDenseSpectralNormSpec: a part of a tree takes the bound as the parameter norm, and saved parameters bring it back;
// without the parameter there is none.
func TestDenseSpectralNormSpec(t *testing.T) {
	s := layers.Spec{Map: "sequential", Dims: 3, Seed: 4, Parts: []layers.Spec{
		{Map: "dense", Features: 6, Params: layers.Values{"norm": .5, "activation": "linear"}, Tune: "all"},
		{Map: "gaussian", Features: 8, Params: layers.Values{"sigma": 1.}},
	}}
	built := must(s.Build())
	text := must(json.Marshal(s))
	var back layers.Spec
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	values := map[string]*tensor.Dense{}
	for _, p := range built.Params() {
		values[p.Name] = p.Value
	}
	again := must(back.Restore(values))
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, -1, .5, 9}))
	a, b := must(built.Transform(nil, x)).Float64s(), must(again.Transform(nil, x)).Float64s()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("feature %d is %v, and %v once restored", i, a[i], b[i])
		}
	}
	loose := s
	loose.Parts = slices.Clone(s.Parts)
	loose.Parts[0].Params = layers.Values{"norm": 50, "activation": "linear"}
	if other := must(must(loose.Build()).Transform(nil, x)).Float64s(); slices.Equal(a, other) {
		t.Error("the bound changes nothing")
	}
	part := s.Parts[0]
	part.Dims = 3
	if of := must(part.Build()).(*layers.Dense); of.SpectralNorm() != .5 {
		t.Errorf("the bound is %v", of.SpectralNorm())
	}
	plain := must(layers.Spec{Map: "dense", Dims: 3, Features: 6}.Build()).(*layers.Dense)
	if plain.SpectralNorm() != 0 {
		t.Errorf("a dense part without norm is bounded by %v", plain.SpectralNorm())
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := layers.Spec{Map: "dense", Dims: 3, Features: 6, Params: layers.Values{"norm": bad}}.Build()
		if !errors.Is(err, layers.ErrParam) {
			t.Errorf("norm = %v: %v", bad, err)
		}
	}
}

// TestDenseSpectralNormSteps: on the way of a solver no distance is stretched by more than c.
func TestDenseSpectralNormSteps(t *testing.T) {
	const c = .9
	l := must(layers.NewDense(3, 5, ops.Linear, layers.WithSpectralNorm(c), layers.Tune(layers.All)))
	x := tensor.New(tensor.WithShape(4, 3), tensor.WithBacking([]float64{1, -2, .5, .3, .7, 1.1, -.4, 2, -1, .2, .9, -1.3}))
	g := G.NewGraph()
	z := l.Fwd(G.NewMatrix(g, tensor.Float64, G.WithShape(4, 3), G.WithName("x"), G.WithValue(x))).Node()
	cost := G.Must(G.Neg(G.Must(G.Sum(G.Must(G.Square(z)))))) // the longer the better
	model := l.Model()
	_ = must(G.Grad(cost, model...))
	vm, solver := G.NewTapeMachine(g, G.BindDualValues(model...)), G.NewVanillaSolver(G.WithLearnRate(.05))
	defer vm.Close()
	for range 20 {
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		if err := solver.Step(G.NodesToValueGrads(model)); err != nil {
			t.Fatal(err)
		}
		vm.Reset()
		f := must(l.Transform(nil, x)).Float64s()
		for i := range 4 {
			for j := range i {
				far, was := 0., 0.
				for a := range 5 {
					far += math.Pow(f[i*5+a]-f[j*5+a], 2)
				}
				for a := range 3 {
					was += math.Pow(x.Float64s()[i*3+a]-x.Float64s()[j*3+a], 2)
				}
				if far > c*c*was*(1+1e-12) {
					t.Fatalf("a distance of %v became %v", math.Sqrt(was), math.Sqrt(far))
				}
			}
		}
	}
}
