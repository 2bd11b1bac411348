package ops_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestDomain: one bad cell, of NaN, an infinity, or a finite number that the kernel is not defined for, is an error of Transform
// and of a running graph on both machines. It names the layer, the cell, the value and the remedy. The border of the
// domain itself is in the list of outside numbers where it belongs there, and the zeros of rows are inside.
func TestDomain(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
			bad := map[float64]string{math.Inf(1): "fill the value in", math.Inf(-1): "fill the value in", math.NaN(): "fill the value in"}
			for _, u := range v.outside {
				if v.kernel.Domain().Contains(u) {
					continue // extended to all numbers
				}
				border := v.kernel.Domain().Contains(math.Nextafter(u, 1))
				if p == layers.Frozen || !border { // a tuned c is kept as ln(1+exp(raw)), so its border is rounded
					bad[u] = v.remedy
				}
			}
			for u, remedy := range bad {
				d := v.dims(5)
				l := v.build(t, d, 7, 1, tuned(p), named("probe"), dtype(dt))
				x := matrix(dt, 3, d, floats(v.rows(3, d, 1))...)
				setCell(x, 1, 3, u)
				says := []string{fmt.Sprintf("x[1,3] = %v", cell(x, 1, 3)), remedy}
				_, err := l.Transform(nil, x)
				wantErr(t, err, layers.ErrDomain, append(says, `"probe"`)...)
				if _, err := l.Transform(nil, matrix(dt, 3, d, floats(v.rows(3, d, 1))...)); err != nil {
					t.Errorf("%v: %v", v.name, err)
				}
				for _, lisp := range []bool{false, true} {
					checkRun(t, l, x, lisp, says)
				}
			}
		})
	}
}

func dtype(dt tensor.Dtype) func(*layers.Spec) {
	return func(s *layers.Spec) { s.Dtype = dt.String() }
}

// checkRun wants a graph of the layer under a head to fail when it runs. A map that hands its input on lets the head find it.
func checkRun(t *testing.T, l layers.Layer, x *tensor.Dense, lisp bool, says []string) {
	t.Helper()
	head, err := layers.NewLinearHead(l.Features(), 1, layers.WithDtype(x.Dtype()), layers.WithName("head"))
	if err != nil {
		t.Fatal(err)
	}
	g := G.NewGraph()
	in := G.NewMatrix(g, x.Dtype(), G.WithShape(x.Shape()...), G.WithName("x"), G.WithValue(x))
	z := l.Fwd(in)
	if z.Err() != nil {
		t.Fatal(z.Err())
	}
	name := `"probe"`
	if z.Node() == in {
		name = `"head"`
	}
	y := head.Fwd(z.Node())
	if y.Err() != nil {
		t.Fatal(y.Err())
	}
	var m G.VM
	if lisp {
		m = G.NewLispMachine(g, G.ExecuteFwdOnly())
	} else {
		m = G.NewTapeMachine(g)
	}
	defer m.Close()
	err = m.RunAll()
	if err == nil {
		t.Errorf("%v, lisp=%v: %v is no error of a running graph", l, lisp, says)
		return
	}
	for _, part := range append(says, name) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("lisp=%v: error %q does not say %q", lisp, err, part)
		}
	}
}

// cell and setCell address a row-major tensor.
func cell(x *tensor.Dense, i, j int) float64 { return floats(x)[i*x.Shape()[1]+j] }

func setCell(x *tensor.Dense, i, j int, v float64) {
	at := i*x.Shape()[1] + j
	if x.Dtype() == tensor.Float32 {
		x.Float32s()[at] = float32(v)
	} else {
		x.Float64s()[at] = v
	}
}
