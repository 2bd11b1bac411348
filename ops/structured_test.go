package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// structuredParams are signs [3·blocks, p] and norms [m].
func structuredParams(dt tensor.Dtype, p, m int) (signs, norms *tensor.Dense) {
	rng := rand.New(rand.NewPCG(uint64(p), uint64(m)))
	signs = tensor.New(tensor.WithShape(3*((m+p-1)/p), p), tensor.Of(dt))
	for i := range signs.Shape().TotalSize() {
		setAt(signs, i, float64(1-2*rng.IntN(2)))
	}
	norms = tensor.New(tensor.WithShape(m), tensor.Of(dt))
	for i := range m {
		setAt(norms, i, .5+rng.Float64())
	}
	return signs, norms
}

// structuredNodes are the params of 7 frequencies in blocks of 4 as nodes beside x, the same ones for every x of a
// graph.
func structuredNodes(x *G.Node) (signs, norms *G.Node) {
	g := x.Graph()
	if have := g.ByName("signs"); len(have) > 0 {
		return have[0], g.ByName("norms")[0]
	}
	s, r := structuredParams(x.Dtype(), 4, 7)
	return G.NewMatrix(g, x.Dtype(), G.WithShape(s.Shape()...), G.WithName("signs"), G.WithValue(s)),
		G.NewVector(g, x.Dtype(), G.WithShape(7), G.WithName("norms"), G.WithValue(r))
}

// writtenOut is the W [d, m] of signs and norms by its formula, from the Hadamard matrix.
func writtenOut(d int, signs, norms *tensor.Dense, rho float64) *tensor.Dense {
	p, m := signs.Shape()[1], norms.Shape()[0]
	h := func(i, j int) float64 { return float64(1 - 2*(bits.OnesCount(uint(i&j))%2)) }
	w := tensor.New(tensor.WithShape(d, m), tensor.Of(tensor.Float64))
	for i := range d {
		for j := range m {
			row, first := j%p, j/p*3
			v := 0.0
			for a := range p {
				for b := range p {
					v += h(row, a) * at2(signs, first+2, a) * h(a, b) * at2(signs, first+1, b) * h(b, i) * at2(signs,
						first, i)
				}
			}
			w.Float64s()[i*m+j] = math.Exp(-rho) * math.Pow(float64(p), -1.5) * at(norms, j) * v
		}
	}
	return w
}

func at2(t *tensor.Dense, i, j int) float64 { return at(t, i*t.Shape()[1]+j) }

// TestStructuredAgainstDense: features, in both forms and without a graph, agree with Fourier and Phase with W written
// out.
func TestStructuredAgainstDense(t *testing.T) {
	for _, c := range []struct{ n, d, p, m int }{{1, 1, 1, 1}, {5, 3, 4, 7}, {2, 16, 16, 16}, {7, 13, 16, 37},
		{3, 17, 32, 5}, {3, 48, 64, 9}, {3, 49, 64, 7}, {3, 64, 64, 5}, {3, 65, 128, 2}} {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			tol := 1e-12
			if dt == tensor.Float32 {
				tol = 2e-6
			}
			signs, norms := structuredParams(dt, c.p, c.m)
			x, rho, b := uniform(dt, c.n, c.d, 1), tensor.New(tensor.WithShape(1), tensor.Of(dt)),
				tensor.New(tensor.WithShape(c.m), tensor.Of(dt))
			setAt(rho, 0, .25)
			for j := range c.m {
				setAt(b, j, float64(j))
			}
			w, err := ops.PackStructured(c.d, signs, norms, rho, ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			if d, m := w.Dims(); d != c.d || m != c.m || w.Dtype() != dt {
				t.Errorf("W is [%d, %d] %v", d, m, w.Dtype())
			}
			dense, err := ops.Pack(writtenOut(c.d, signs, norms, .25))
			if err != nil {
				t.Fatal(err)
			}
			x64, b64 := matrix(tensor.Float64, c.n, c.d, all(x)...),
				tensor.New(tensor.WithShape(c.m), tensor.WithBacking(all(b)))
			pair, _ := ops.FourierInto(nil, x64, dense, ops.Attr{})
			got, err := ops.StructuredFourierInto(nil, x, w, ops.Attr{})
			if err != nil || farthest(all(got), all(pair)) > tol {
				t.Errorf("%v %v: pair form off by %v, err %v", c, dt, farthest(all(got), all(pair)), err)
			}
			phase, _ := ops.PhaseInto(nil, x64, dense, b64, ops.Attr{})
			got, err = ops.StructuredPhaseInto(nil, x, w, b, ops.Attr{})
			if err != nil || farthest(all(got), all(phase)) > tol {
				t.Errorf("%v %v: phase form off by %v, err %v", c, dt, farthest(all(got), all(phase)), err)
			}
		}
	}
}

func farthest(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	d := 0.0
	for i := range a {
		d = math.Max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// TestStructuredFrozen: nothing is computed for what is frozen: the transposed product is made for x alone, the
// projection anew for ρ alone.
func TestStructuredFrozen(t *testing.T) {
	for _, f := range families {
		if !strings.HasPrefix(f.name, "Structured") {
			continue
		}
		for set := range 1 << len(f.shapes) {
			frozen := ops.Inputs(0)
			for i := range f.shapes {
				if set&(1<<i) != 0 {
					frozen |= f.names()[i]
				}
			}
			nodes, cost, err := f.graph(f.inputs(tensor.Float64, 3), ops.Attr{Frozen: frozen})
			if err != nil {
				t.Fatal(err)
			}
			var free G.Nodes
			for i, n := range nodes {
				if set&(1<<i) == 0 {
					free = append(free, n)
				}
			}
			if len(free) == 0 {
				if _, err := G.Grad(cost, nodes[0]); err == nil {
					t.Errorf("%s: a gradient for a frozen input is no error", f.name)
				}
				continue
			}
			if _, err := G.Grad(cost, free...); err != nil {
				t.Errorf("%s, frozen %b: %v", f.name, frozen, err)
			}
			for op, want := range map[string]bool{"structuredGradX": frozen&ops.X == 0,
				"structuredGradRho": len(f.shapes) > 1 && frozen&ops.Rho == 0} {
				got := 0
				for _, n := range cost.Graph().AllNodes() {
					if strings.HasPrefix(fmt.Sprint(n.Op()), op) {
						got++
					}
				}
				if want != (got == 1) || got > 1 {
					t.Errorf("%s, frozen %b: %d nodes of %s, wanted: %t", f.name, frozen, got, op, want)
				}
			}
		}
	}
}

func TestStructuredErrors(t *testing.T) {
	const d, p, m = 3, 4, 7
	signs, norms := structuredParams(tensor.Float64, p, m)
	dense := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float64))
	}
	bad := func(src *tensor.Dense, i int, v float64) *tensor.Dense {
		t := src.Clone().(*tensor.Dense)
		setAt(t, i, v)
		return t
	}
	rho := func(v float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{v}))
	}
	signs32, norms32 := structuredParams(tensor.Float32, p, m)
	for name, c := range map[string]struct {
		d                 int
		signs, norms, rho *tensor.Dense
		is                error
		says              string
	}{
		"no signs":        {d, nil, norms, nil, ops.ErrShape, "nil"},
		"too narrow":      {5, signs, norms, nil, ops.ErrShape, "at least 5"},
		"no power of two": {d, dense(6, 5), norms, nil, ops.ErrShape, "power of two"},
		"blocks":          {d, dense(3, 4), norms, nil, ops.ErrShape, "three rows for each block of 4"},
		"ranks":           {d, dense(24), norms, nil, ops.ErrShape, "[3·blocks, p]"},
		"rho of two":      {d, signs, norms, dense(2), ops.ErrShape, "log bandwidth"},
		"types":           {d, signs32, norms, nil, ops.ErrDtype, "element type"},
		"type of rho":     {d, signs32, norms32, rho(0), ops.ErrDtype, "element type"},
		"integers": {d, tensor.New(tensor.WithShape(6, 4), tensor.Of(tensor.Int)), norms, nil, ops.ErrDtype,
			"signs"},
		"no sign":       {d, bad(signs, 6, .5), norms, nil, ops.ErrDomain, "signs[1,2] = 0.5 is not a sign"},
		"a sign of NaN": {d, bad(signs, 0, math.NaN()), norms, nil, ops.ErrDomain, "signs[0,0] = NaN"},
		"a norm of NaN": {d, signs, bad(norms, 2, math.NaN()), nil, ops.ErrDomain, "norms[0,2] = NaN"},
		"infinite norm": {d, signs, bad(norms, 2, math.Inf(1)), nil, ops.ErrDomain, "norms[0,2]"},
		"rho of NaN":    {d, signs, norms, rho(math.NaN()), ops.ErrDomain, "bandwidth"},
		"rho too small": {d, signs, norms, rho(-1e4), ops.ErrDomain, "bandwidth"},
	} {
		_, err := ops.PackStructured(c.d, c.signs, c.norms, c.rho, ops.Attr{Layer: "layer"})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "layer") {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}

	w, err := ops.PackStructured(d, signs, norms, rho(-9), ops.Attr{}) // frequencies beyond 1, so that a large x overflows
	if err != nil {
		t.Fatal(err)
	}
	huge := matrix(tensor.Float64, 2, d, 1)
	setAt(huge, 4, math.MaxFloat64)
	for name, c := range map[string]struct {
		x, dst, b *tensor.Dense
		is        error
	}{
		"columns":   {dense(2, 4), nil, dense(m), ops.ErrShape},
		"type":      {matrix(tensor.Float32, 2, d, 1), nil, dense(m), ops.ErrDtype},
		"dst":       {dense(2, d), dense(3, 2*m), dense(m), ops.ErrShape},
		"NaN":       {matrix(tensor.Float64, 2, d, math.NaN()), nil, dense(m), ops.ErrDomain},
		"overflow":  {huge, nil, dense(m), ops.ErrDomain},
		"short b":   {dense(2, d), nil, dense(m - 1), ops.ErrShape},
		"type of b": {dense(2, d), nil, tensor.New(tensor.WithShape(m), tensor.Of(tensor.Float32)), ops.ErrDtype},
	} {
		if _, err := ops.StructuredFourierInto(c.dst, c.x, w, ops.Attr{}); !strings.Contains(name, " b") &&
			!errors.Is(err, c.is) {
			t.Errorf("%s: pair form: error %v", name, err)
		}
		if _, err := ops.StructuredPhaseInto(c.dst, c.x, w, c.b, ops.Attr{}); !errors.Is(err, c.is) {
			t.Errorf("%s: phase form: error %v", name, err)
		}
	}
}

// TestStructuredGraphErrors: shapes are checked while the graph is built, signs when it runs.
func TestStructuredGraphErrors(t *testing.T) {
	const m = 7
	g := G.NewGraph()
	node := func(name string, shape ...int) *G.Node {
		return G.NewTensor(g, G.Float64, len(shape), G.WithShape(shape...), G.WithName(name),
			G.WithValue(tensor.Ones(G.Float64, shape...)))
	}
	x, signs, norms, rho, b := node("x", 5, 3), node("s", 6, 4), node("r", m), node("rho", 1), node("b", m)
	for name, in := range map[string][5]*G.Node{
		"wide x":    {node("x9", 5, 9), signs, norms, rho, b},
		"few signs": {x, node("s3", 3, 4), norms, rho, b},
		"rho":       {x, signs, norms, node("rho2", 2), b},
		"b":         {x, signs, norms, rho, node("b6", m-1)},
		"no b":      {x, signs, norms, rho, nil},
		"no signs":  {x, nil, norms, rho, b},
	} {
		if _, err := ops.StructuredPhase(in[0], in[1], in[2], in[3], in[4], ops.Attr{}); !errors.Is(err, ops.ErrShape) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	setAt(signs.Value().(*tensor.Dense), 5, 2)
	if _, err := ops.StructuredFourier(x, signs, norms, rho, ops.Attr{Layer: "layer"}); err != nil {
		t.Fatal(err)
	}
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err == nil || !strings.Contains(err.Error(), "layer: signs[1,1] = 2 is not a sign") {
		t.Errorf("a sign of 2: error %v", err)
	}
}
