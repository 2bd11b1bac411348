package ops_test

import (
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// sparseFamilies are the families whose first input is x.
func sparseFamilies() (fs []family) {
	for _, f := range families {
		if !strings.HasPrefix(f.name, "LogShift") && !strings.HasPrefix(f.name, "Bandwidth") && f.name != "Concat" &&
			f.name != "Columns" && f.name != "Fourier on Laplace" &&
			!strings.HasPrefix(f.name, "KDE") && !strings.HasPrefix(f.name, "HDD") &&
			!strings.HasPrefix(f.name, "Coefficients") && f.name != "BagMean" &&
			!strings.Contains(f.name, "Softmax") &&
			!strings.HasPrefix(f.name, "Activate") && f.name != "Huber" && f.name != "CrossEntropy" {
			fs = append(fs, f)
		}
	}
	return fs
}

// TestCSRGradients compares every gradient except the gradient of x, on both machines and in both precisions, with
// central differences in float64. It compares the output with the output of the dense rows.
func TestCSRGradients(t *testing.T) {
	for _, f := range sparseFamilies() {
		if len(f.shapes) == 1 {
			continue // nothing but x
		}
		run := func(dt tensor.Dtype, lisp, dense bool, change func(in []*tensor.Dense)) (float64, []*tensor.Dense) {
			in := f.inputs(dt, 3)
			in[0] = holes(dt, f.shapes[0][0], f.shapes[0][1], 1)
			if change != nil {
				change(in)
			}
			values := []G.Value{csr(t, in[0])}
			if dense {
				values[0] = in[0]
			}
			for _, v := range in[1:] {
				values = append(values, v)
			}
			nodes, cost, err := f.graphOf(values, ops.Attr{Frozen: ops.X})
			if err != nil {
				t.Fatal(err)
			}
			var m G.VM
			if lisp {
				m = G.NewLispMachine(cost.Graph())
			} else {
				if _, err := G.Grad(cost, nodes[1:]...); err != nil {
					t.Fatal(err)
				}
				m = G.NewTapeMachine(cost.Graph(), G.BindDualValues(nodes[1:]...))
			}
			defer m.Close()
			if err := m.RunAll(); err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			var grads []*tensor.Dense
			for _, n := range nodes[1:] {
				g, err := n.Grad()
				if err != nil {
					t.Fatal(err)
				}
				grads = append(grads, g.(*tensor.Dense))
			}
			return number(cost.Value()), grads
		}
		differences := map[[2]int]float64{}
		difference := func(i, j int) float64 { // of the cost by entry j of input i
			if d, ok := differences[[2]int{i, j}]; ok {
				return d
			}
			const h = 1e-5
			up, _ := run(tensor.Float64, false, false, func(in []*tensor.Dense) { setAt(in[i], j, at(in[i], j)+h) })
			down, _ := run(tensor.Float64, false, false, func(in []*tensor.Dense) { setAt(in[i], j, at(in[i], j)-h) })
			differences[[2]int{i, j}] = (up - down) / (2 * h)
			return differences[[2]int{i, j}]
		}
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			tol := 2e-8
			if dt == tensor.Float32 {
				tol = 3e-5
			}
			dense, _ := run(dt, false, true, nil)
			for _, lisp := range []bool{false, true} {
				cost, grads := run(dt, lisp, false, nil)
				if math.Abs(cost-dense) > tol*(1+math.Abs(dense)) {
					t.Errorf("%s, %v, lisp=%v: the cost is %v, the cost of dense rows %v", f.name, dt, lisp, cost, dense)
				}
				for i, g := range grads {
					for j := range g.Shape().TotalSize() {
						if want := difference(i+1, j); !(math.Abs(at(g, j)-want) <= tol*(1+math.Abs(want))) {
							t.Errorf("%s, %v, lisp=%v: input %d, entry %d: %v, central difference %v",
								f.name, dt, lisp, i+1, j, at(g, j), want)
						}
					}
				}
			}
		}
	}
}

// TestCSRInputGradient: a gradient for sparse rows is an error that says what to do, on both machines.
func TestCSRInputGradient(t *testing.T) {
	for _, f := range sparseFamilies() {
		for _, lisp := range []bool{false, true} {
			if lisp && raceEnabled {
				continue
			}
			in := f.inputs(tensor.Float64, 3)
			values := []G.Value{csr(t, in[0])}
			for _, v := range in[1:] {
				values = append(values, v)
			}
			_, cost, err := f.graphOf(values, ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			var m G.VM = G.NewTapeMachine(cost.Graph())
			if lisp {
				// After an error a LispMachine that goes backward still works on its graph, and may end the process.
				m = G.NewLispMachine(cost.Graph(), G.ExecuteFwdOnly())
			}
			if err := m.RunAll(); err == nil || !strings.Contains(err.Error(), "x is sparse") ||
				!strings.Contains(err.Error(), "make x dense") {
				t.Errorf("%s, lisp=%v: %v", f.name, lisp, err)
			}
			m.Close()
		}
	}
}

// TestCSRNode: a node holds sparse rows with another number of entries each run, and dense ones again.
func TestCSRNode(t *testing.T) {
	const n, d, m = 5, 7, 11
	g := G.NewGraph()
	x := G.NewMatrix(g, tensor.Float64, G.WithShape(n, d), G.WithName("x"))
	w := G.NewMatrix(g, tensor.Float64, G.WithShape(d, m), G.WithName("w"),
		G.WithValue(uniform(tensor.Float64, d, m, 1)))
	part, err := ops.Columns(x, 0, d, 1, ops.Attr{Frozen: ops.X})
	if err != nil {
		t.Fatal(err)
	}
	z, err := ops.Fourier(part, w, ops.Attr{Frozen: ops.X})
	if err != nil {
		t.Fatal(err)
	}
	side, err := ops.Concat([]float64{1, 2}, ops.Attr{Frozen: ops.X}, x, z)
	if err != nil {
		t.Fatal(err)
	}
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	packed, _ := ops.Pack(w.Value().(*tensor.Dense))
	for seed := range uint64(4) {
		rows := holes(tensor.Float64, n, d, seed)
		var value G.Value = csr(t, rows)
		if seed == 2 {
			value = rows
		}
		if err := G.Let(x, value); err != nil {
			t.Fatal(err)
		}
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		want, _ := ops.FourierInto(nil, rows, packed, ops.Attr{})
		got := side.Value().(*tensor.Dense)
		for i := range n {
			for j := range d + 2*m {
				v := 0.0
				if j < d {
					v = at2(rows, i, j)
				} else {
					v = 2 * at2(want, i, j-d)
				}
				if math.Abs(at2(got, i, j)-v) > 1e-13 {
					t.Fatalf("run %d: cell %d,%d is %v, want %v", seed, i, j, at2(got, i, j), v)
				}
			}
		}
		vm.Reset()
	}
	if err := G.Let(x, csr(t, holes(tensor.Float64, n, d+1, 1))); err == nil {
		t.Error("another width is no error")
	}
	if err := G.Let(x, csr(t, holes(tensor.Float32, n, d, 1))); err == nil {
		t.Error("another type is no error")
	}
}
