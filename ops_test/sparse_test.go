package ops_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// thinned is rows with three cells in five 0, the first row among them, in either element type.
func (v variant) thinned(dt tensor.Dtype, n, d int) *tensor.Dense {
	cells := floats(v.rows(n, d, 5))
	for i := range cells {
		if i < d || i*i%5 < 2 {
			cells[i] = 0
		}
	}
	return v.inside(matrix(dt, n, d, cells...))
}

func sparse(t *testing.T, x *tensor.Dense) *ops.CSR {
	t.Helper()
	s, err := ops.CSROf(x)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSparse: sparse rows give what the same rows give dense: in float64 to 1e-12, in float32 within the rounding of TestDtype, where a
// logarithm, ln c and what an entry adds to it, rounds as often as the two together. A part of the rows gives the part of the features, to
// the bit, and so do rows in the caller's memory.
func TestSparse(t *testing.T) {
	const n, m = 13, 67
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
			d := v.dims(17)
			x := v.thinned(dt, n, d)
			x64 := matrix(tensor.Float64, n, d, floats(x)...)
			l := v.build(t, d, m, 5, tuned(p), dtype(dt))
			z, err := layers.Transform(l, nil, sparse(t, x))
			if err != nil {
				t.Fatal(err)
			}
			want := transform(t, v.in64(t, l, m, p), x64)
			var bound, more []float64 // more is for a row of zeros
			if dt == tensor.Float32 {
				bound, more = v.rounding(t, x64, m), v.rounding(t, matrix(tensor.Float64, 1, d, 0), m)
			}
			for i, got := range floats(z) {
				limit := 1e-12
				if dt == tensor.Float32 {
					limit = bound[i] + 2*more[i%l.Features()]
				}
				if !(math.Abs(got-want[i]) <= limit) {
					t.Fatalf("%v: feature [%d,%d] of sparse rows is %v, of dense rows %v", l, i/l.Features(), i%l.Features(), got, want[i])
				}
			}
			part := matrix(dt, 4, l.Features(), 99)
			if _, err := layers.Transform(l, part, sparse(t, x).Slice(3, 7)); err != nil || !slices.Equal(floats(part), floats(z)[3*l.Features():7*l.Features()]) {
				t.Errorf("%v: a part of the rows gives other features, err %v", l, err)
			}
			if none, err := layers.Transform(l, nil, sparse(t, x).Slice(2, 2)); err != nil || none.Shape()[0] != 0 {
				t.Errorf("%v: no rows give %v, err %v", l, none, err)
			}
		})
	}
}

// TestSparseGraph: a node that holds sparse rows gives, on both machines, the features of the dense rows and their gradients for every
// tuned parameter, to 1e-9. A map that is no layers.SparseMap has sparse rows without a graph alone.
func TestSparseGraph(t *testing.T) {
	const n, m = 7, 11
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		d := v.dims(5)
		x, c := v.thinned(tensor.Float64, n, d), []float64{.7, -.3, 1.1, -1.9, .2}
		l := v.build(t, d, m, 5, tuned(p))
		if _, ok := l.(layers.SparseMap); !ok {
			return
		}
		head, err := layers.NewLinearHead(l.Features(), 1, layers.WithName("head"))
		if err != nil {
			t.Fatal(err)
		}
		if err := head.SetWeights(floats(matrix(tensor.Float64, l.Features(), 1, c...)), []float64{.5}); err != nil {
			t.Fatal(err)
		}
		run := func(value G.Value, lisp bool) (float64, [][]float64) {
			g := G.NewGraph()
			in := G.NewMatrix(g, tensor.Float64, G.WithShape(n, d), G.WithName("x"), G.WithValue(value))
			targets := G.NewMatrix(g, tensor.Float64, G.WithShape(n, 1), G.WithName("y"), G.WithValue(matrix(tensor.Float64, n, 1, 1, -2)))
			z := l.Fwd(in)
			if z.Err() != nil {
				t.Fatal(z.Err())
			}
			loss, err := head.Loss(z.Node(), targets)
			if err != nil {
				t.Fatal(err)
			}
			nodes := append(l.ModelIn(g), head.ModelIn(g)...)
			var vm G.VM
			if lisp {
				vm = G.NewLispMachine(g)
			} else {
				if _, err := G.Grad(loss, nodes...); err != nil {
					t.Fatal(err)
				}
				vm = G.NewTapeMachine(g, G.BindDualValues(nodes...))
			}
			defer vm.Close()
			if err := vm.RunAll(); err != nil {
				t.Fatal(err)
			}
			var grads [][]float64
			for _, node := range nodes {
				grad, err := node.Grad()
				if err != nil {
					t.Fatal(err)
				}
				grads = append(grads, slices.Clone(floats(grad.(*tensor.Dense))))
			}
			return float64(*loss.Value().(*G.F64)), grads
		}
		want, wantGrads := run(x, false)
		for _, lisp := range []bool{false, true} {
			got, grads := run(sparse(t, x), lisp)
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%v, lisp=%v: the loss is %v, of dense rows %v", l, lisp, got, want)
			}
			for i, g := range grads {
				for j, w := range wantGrads[i] {
					if !(math.Abs(g[j]-w) <= 1e-9*(1+math.Abs(w))) {
						t.Errorf("%v, lisp=%v: gradient %d[%d] is %v, of dense rows %v", l, lisp, i, j, g[j], w)
					}
				}
			}
		}
	})
}

// TestSparseDomain: a bad entry is the error that TestDomain wants, with its row and column, from a part of the rows too; and so are rows
// of another width or element type.
func TestSparseDomain(t *testing.T) {
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		bad := map[float64]string{math.Inf(1): "fill the value in", math.NaN(): "fill the value in"}
		for _, u := range v.outside {
			if v.kernel.Domain().Contains(u) {
				continue // extended to all numbers
			}
			if p == layers.Frozen || !v.kernel.Domain().Contains(math.Nextafter(u, 1)) {
				bad[u] = v.remedy
			}
		}
		d := v.dims(5)
		l := v.build(t, d, 7, 1, tuned(p), named("probe"))
		for u, remedy := range bad {
			x := v.thinned(tensor.Float64, 6, d)
			setCell(x, 4, 3, u)
			says := []string{`"probe"`, fmt.Sprintf("x[4,3] = %v", u), remedy}
			_, err := layers.Transform(l, nil, sparse(t, x))
			wantErr(t, err, layers.ErrDomain, says...)
			says[1] = fmt.Sprintf("x[2,3] = %v", u)
			_, err = layers.Transform(l, nil, sparse(t, x).Slice(2, 6))
			wantErr(t, err, layers.ErrDomain, says...)
		}
		_, err := layers.Transform(l, nil, sparse(t, v.thinned(tensor.Float64, 3, d+1)))
		wantErr(t, err, layers.ErrShape, `"probe"`)
		_, err = layers.Transform(l, nil, sparse(t, v.thinned(tensor.Float32, 3, d)))
		wantErr(t, err, layers.ErrDtype, `"probe"`)
		_, err = layers.Transform(l, matrix(tensor.Float64, 2, l.Features(), 0), sparse(t, v.thinned(tensor.Float64, 3, d)))
		wantErr(t, err, layers.ErrShape, "dst")
	})
}

// TestSparseDefaults: the parameters that come from the data are those of the dense rows, to rounding, and errors where they are.
func TestSparseDefaults(t *testing.T) {
	for _, v := range variants(t) {
		if n, ok := v.values["negative"]; ok && n != "error" {
			continue // the rows may be negative, and the parameters here are the default ones
		}
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			x := v.thinned(dt, 23, 7)
			want, got := layers.Spec{Map: v.entry.Name}, layers.Spec{Map: v.entry.Name}
			if err := want.FillDefaults(x); err != nil {
				t.Fatal(err)
			}
			if err := got.FillDefaults(sparse(t, x)); err != nil {
				t.Fatal(err)
			}
			for name, p := range want.Params {
				if a, ok := p.(float64); ok && !(math.Abs(got.Params.Number(name)-a) <= 1e-12*a) {
					t.Errorf("%s: %s is %v for sparse rows, %v for dense ones", v.name, name, got.Params[name], a)
				}
			}
		}
		for what, x := range map[string]*tensor.Dense{"no rows": matrix(tensor.Float64, 0, 7), "zeros": matrix(tensor.Float64, 3, 7, 0)} {
			spec := layers.Spec{Map: v.entry.Name}
			want := spec.FillDefaults(x)
			if err := spec.FillDefaults(sparse(t, x)); (err == nil) != (want == nil) {
				t.Errorf("%s: %s give the error %v, of dense rows %v", v.name, what, err, want)
			}
		}
	}
}
