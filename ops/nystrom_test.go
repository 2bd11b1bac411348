package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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

func checkNystromRow(t *testing.T, where string, i int, x, lm, p, g, z, dx *tensor.Dense, tol float64) {
	t.Helper()
	want, wantX := make([]float64, p.Shape()[1]), make([]float64, x.Shape()[1])
	for j := range lm.Shape()[0] {
		k, slope, weight := cauchy{}.At(rowCells(x, i), rowCells(lm, j)),
			cauchy{}.Gradient(make([]float64, len(wantX)), rowCells(x, i), rowCells(lm, j)), 0.0
		for c, v := range rowCells(p, j) {
			want[c] += k * v
			weight += v * rowCells(g, i)[c]
		}
		for c, v := range slope {
			wantX[c] += weight * v
		}
	}
	for c, v := range rowCells(z, i) {
		if math.Abs(v-want[c]) > tol {
			t.Fatalf("%s: z[%d,%d] = %v, want %v", where, i, c, v, want[c])
		}
	}
	for c, v := range rowCells(dx, i) {
		if math.Abs(v-wantX[c]) > tol {
			t.Fatalf("%s: dx[%d,%d] = %v, want %v", where, i, c, v, wantX[c])
		}
	}
}

// nystromBoth is the forward without a graph and the gradient on a tape.
func nystromBoth(t *testing.T, k ops.Kernel, x, lm, p, g *tensor.Dense) (z, dx *tensor.Dense) {
	t.Helper()
	z = must(ops.Nystrom(k, ops.Attr{}).Into(nil, x, lm, p))
	graph := G.NewGraph()
	node := func(name string, v *tensor.Dense) *G.Node {
		return G.NewMatrix(graph, v.Dtype(), G.WithShape(v.Shape()...), G.WithName(name), G.WithValue(v))
	}
	in := node("x", x)
	out, err := ops.Nystrom(k, ops.Attr{}).Node(in, node("L", lm), node("P", p))
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

// rowCells are row i of a matrix in float64.
func rowCells(t *tensor.Dense, i int) []float64 {
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
