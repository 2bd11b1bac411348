package ops_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// cauchy is the kernel 1/(1 + ‖x - z‖²), which Nystrom asks row by row; radialCauchy is the same for products.
type cauchy struct{}

func (cauchy) At(x, z []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += (v - z[i]) * (v - z[i])
	}
	return 1 / (1 + s)
}

func (cauchy) Domain() ops.Domain { return ops.Domain{} }

func (k cauchy) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	for i := range x {
		dst[i] = -2 * (x[i] - z[i]) * v * v
	}
	return dst
}

type radialCauchy struct{ cauchy }

func (radialCauchy) Profile(k, slope, s []float64) {
	for i, v := range s {
		k[i] = 1 / (1 + v)
	}
	for i := range slope {
		slope[i] = -k[i] * k[i]
	}
}

func waves(dt tensor.Dtype, n, d int, phase float64) *tensor.Dense {
	t := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
	for i := range n * d {
		v := math.Sin(1.7*float64(i) + phase)
		if dt == tensor.Float32 {
			t.Float32s()[i] = float32(v)
		} else {
			t.Float64s()[i] = v
		}
	}
	return t
}

// TestNystrom: the sum by its formula, and its gradient by the kernel's, for rows of several blocks, in both element
// types and on both ways.
func TestNystrom(t *testing.T) {
	for _, c := range []struct{ n, d, m, cols int }{{1, 1, 1, 1}, {7, 3, 5, 2}, {4099, 2, 131, 3}} {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			x, lm, p := waves(dt, c.n, c.d, .1), waves(dt, c.m, c.d, .5), waves(dt, c.m, c.cols, .9)
			g := waves(dt, c.n, c.cols, .3)
			for _, k := range []ops.Kernel{cauchy{}, radialCauchy{}} {
				z, dx := nystromBoth(t, k, x, lm, p, g)
				tol := map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 3e-7}[dt] * float64(c.m)
				for i := 0; i < c.n; i += 1 + c.n/13 {
					checkNystromRow(t, fmt.Sprintf("%T %v %v", k, c, dt), i, x, lm, p, g, z, dx, tol)
				}
			}
		}
	}
}

// cells are row i of a matrix in float64.
func cells(t *tensor.Dense, i int) []float64 {
	out := make([]float64, t.Shape()[1])
	for j := range out {
		if t.Dtype() == tensor.Float32 {
			out[j] = float64(t.Float32s()[i*len(out)+j])
		} else {
			out[j] = t.Float64s()[i*len(out)+j]
		}
	}
	return out
}

func checkNystromRow(t *testing.T, where string, i int, x, lm, p, g, z, dx *tensor.Dense, tol float64) {
	t.Helper()
	want, wantX := make([]float64, p.Shape()[1]), make([]float64, x.Shape()[1])
	for j := range lm.Shape()[0] {
		k, slope, weight := cauchy{}.At(cells(x, i), cells(lm, j)),
			cauchy{}.Gradient(make([]float64, len(wantX)), cells(x, i), cells(lm, j)), 0.0
		for c, v := range cells(p, j) {
			want[c] += k * v
			weight += v * cells(g, i)[c]
		}
		for c, v := range slope {
			wantX[c] += weight * v
		}
	}
	for c, v := range cells(z, i) {
		if math.Abs(v-want[c]) > tol {
			t.Fatalf("%s: z[%d,%d] = %v, want %v", where, i, c, v, want[c])
		}
	}
	for c, v := range cells(dx, i) {
		if math.Abs(v-wantX[c]) > tol {
			t.Fatalf("%s: dx[%d,%d] = %v, want %v", where, i, c, v, wantX[c])
		}
	}
}

// nystromBoth is the forward without a graph and the gradient on a tape.
func nystromBoth(t *testing.T, k ops.Kernel, x, lm, p, g *tensor.Dense) (z, dx *tensor.Dense) {
	t.Helper()
	l, err := ops.NewLandmarks(k, lm, p, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	if z, err = ops.NystromInto(nil, x, l, ops.Attr{}); err != nil {
		t.Fatal(err)
	}
	graph := G.NewGraph()
	node := func(name string, v *tensor.Dense) *G.Node {
		return G.NewMatrix(graph, v.Dtype(), G.WithShape(v.Shape()...), G.WithName(name), G.WithValue(v))
	}
	in := node("x", x)
	out, err := ops.Nystrom(in, node("L", lm), node("P", p), k, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	grads, err := G.Backpropagate(G.Nodes{out}, G.Nodes{node("g", g)}, G.Nodes{in})
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(graph)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	return z, grads[0].Value().(*tensor.Dense)
}

// TestNystromErrors: what does not fit together.
func TestNystromErrors(t *testing.T) {
	x, lm, p := waves(tensor.Float64, 7, 3, .1), waves(tensor.Float64, 5, 3, .5), waves(tensor.Float64, 5, 2, .9)
	good, err := ops.NewLandmarks(cauchy{}, lm, p, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	bad := func(m *tensor.Dense, at int, v float64) *tensor.Dense {
		c := m.Clone().(*tensor.Dense)
		c.Float64s()[at] = v
		return c
	}
	landmarks := func(lm, p *tensor.Dense) error { _, err := ops.NewLandmarks(cauchy{}, lm, p, ops.Attr{}); return err }
	into := func(dst, x *tensor.Dense) error { _, err := ops.NystromInto(dst, x, good, ops.Attr{}); return err }
	for says, c := range map[string]struct{ err, is error }{
		"want [m, d] and [m, D]":           {landmarks(lm, waves(tensor.Float64, 4, 2, 0)), ops.ErrShape},
		"the projection float32":           {landmarks(lm, waves(tensor.Float32, 5, 2, 0)), ops.ErrDtype},
		"landmarks[2,1] = NaN":             {landmarks(bad(lm, 7, math.NaN()), p), ops.ErrDomain},
		"projection[2,1] = +Inf":           {landmarks(lm, bad(p, 5, math.Inf(1))), ops.ErrDomain},
		"x has shape (7, 2), want [n, 3]":  {into(nil, waves(tensor.Float64, 7, 2, 0)), ops.ErrShape},
		"x is float32, the landmarks are ": {into(nil, waves(tensor.Float32, 7, 3, 0)), ops.ErrDtype},
		"dst has shape (7, 3)":             {into(waves(tensor.Float64, 7, 3, 0), x), ops.ErrShape},
		"x[1,1] = NaN":                     {into(nil, bad(x, 4, math.NaN())), ops.ErrDomain},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), says) {
			t.Errorf("%v, want %v with %q", c.err, c.is, says)
		}
	}
}

// scaled is a kernel that only a function tells from others of its type.
type scaled struct {
	cauchy
	by func() float64
}

func (k scaled) At(x, z []float64) float64 { return k.by() * k.cauchy.At(x, z) }

// named has a text that does not tell it from others of its type.
type named struct {
	cauchy
	factor float64
}

func (k named) At(x, z []float64) float64 { return k.factor * k.cauchy.At(x, z) }

func (named) String() string { return "named" }

// TestNystromOfTwoKernels: kernels that one function made, or that print alike, stay two nodes of a graph.
func TestNystromOfTwoKernels(t *testing.T) {
	byFunction := func(c float64) ops.Kernel { return scaled{by: func() float64 { return c }} }
	byField := func(c float64) ops.Kernel { return named{factor: c} }
	for _, of := range []func(c float64) ops.Kernel{byFunction, byField} {
		g := G.NewGraph()
		node := func(name string, n, d int) *G.Node {
			return G.NewMatrix(g, G.Float64, G.WithShape(n, d), G.WithName(name),
				G.WithValue(waves(tensor.Float64, n, d, .1)))
		}
		x, lm, p := node("x", 3, 2), node("landmarks", 2, 2), node("projection", 2, 2)
		var z [2]*G.Node
		for i := range z {
			var err error
			if z[i], err = ops.Nystrom(x, lm, p, of(float64(i+1)), ops.Attr{}); err != nil {
				t.Fatal(err)
			}
		}
		m := G.NewTapeMachine(g)
		if err := m.RunAll(); err != nil {
			t.Fatal(err)
		}
		one, two := z[0].Value().(*tensor.Dense).Float64s(), z[1].Value().(*tensor.Dense).Float64s()
		for i, v := range one {
			if !(math.Abs(two[i]-2*v) <= 1e-14) {
				t.Errorf("feature %d of %T is %v, and %v for twice the kernel", i, of(1), v, two[i])
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
