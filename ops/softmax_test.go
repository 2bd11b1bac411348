package ops_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestSoftmax: both functions against their formulas, of small and huge numbers, to a new tensor, in place and from a
// transpose.
func TestSoftmax(t *testing.T) {
	const n, k = 6, 3
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		tol, huge := 1e-15, 1e300
		if dt == tensor.Float32 {
			tol, huge = 1e-7, 3e38
		}
		cells := []float64{0, 0, 0, 1, 2, 3, -1e30, 0, 1e30, huge, huge, huge, -700, 1e-300, -800, 5, -huge,
			math.Inf(-1)}
		x, columns := tensor.New(tensor.WithShape(n, k), tensor.Of(dt)),
			tensor.New(tensor.WithShape(k, n), tensor.Of(dt))
		for i, v := range cells {
			setAt(x, i, v)
			setAt(columns, i%k*n+i/k, v)
		}
		if err := columns.T(); err != nil {
			t.Fatal(err)
		}
		for f, into := range []func(dst, x *tensor.Dense, a ops.Attr) (*tensor.Dense, error){ops.SoftmaxInto,
			ops.LogSoftmaxInto} {
			var want []float64
			for i := range n {
				row := []float64{at(x, k*i), at(x, k*i+1), at(x, k*i+2)}
				top, sum := slices.Max(row), 0.0
				for _, v := range row {
					sum += math.Exp(v - top)
				}
				for _, v := range row {
					want = append(want, []float64{math.Exp(v-top) / sum, v - top - math.Log(sum)}[f])
				}
			}
			inPlace := x.Clone().(*tensor.Dense)
			for name, z := range map[string]*tensor.Dense{
				"new":         must(into(nil, x, ops.Attr{})),
				"in place":    must(into(inPlace, inPlace, ops.Attr{})),
				"a transpose": must(into(nil, columns, ops.Attr{})),
			} {
				for j, w := range want {
					if got := at(z, j); got != w && !(math.Abs(got-w) <= tol*(1+math.Abs(w))) {
						t.Errorf("%v, function %d, %s: cell %d is %v, want %v", dt, f, name, j, got, w)
					}
				}
			}
			if _, err := into(nil, tensor.New(tensor.WithShape(3), tensor.Of(dt)), ops.Attr{}); !errors.Is(err,
				ops.ErrShape) {
				t.Errorf("a vector: %v", err)
			}
			if _, err := into(tensor.New(tensor.WithShape(1, k), tensor.Of(dt)), x, ops.Attr{}); !errors.Is(err,
				ops.ErrShape) {
				t.Errorf("too few rows: %v", err)
			}
		}
	}
}

// TestSoftmaxHash: in either order the two functions of one node are two nodes, with the values that each has alone.
func TestSoftmaxHash(t *testing.T) {
	x := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{0, math.Log(3), 0, 0}))
	want := [][]float64{{.25, .75, .5, .5}, {math.Log(.25), math.Log(.75), math.Log(.5), math.Log(.5)}}
	both := []func(*G.Node, ops.Attr) (*G.Node, error){ops.Softmax, ops.LogSoftmax}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		in := G.NewMatrix(G.NewGraph(), G.Float64, G.WithShape(2, 2), G.WithName("x"), G.WithValue(x))
		var values [2]G.Value
		for _, f := range order {
			G.Read(must(both[f](in, ops.Attr{})), &values[f])
		}
		m := G.NewTapeMachine(in.Graph())
		if err := m.RunAll(); err != nil {
			t.Fatal(err)
		}
		for f, v := range values {
			for j, w := range want[f] {
				if got := at(v.(*tensor.Dense), j); math.Abs(got-w) > 1e-15 {
					t.Errorf("order %v: function %d, cell %d is %v, want %v", order, f, j, got, w)
				}
			}
		}
		m.Close()
	}
}

// Of two classes the softmax is the logistic function of the difference.
func ExampleSoftmax() {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(1, 2), G.WithName("x"), G.WithValue(
		tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{0, math.Log(3)}))))
	p, err := ops.Softmax(x, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	lp, err := ops.LogSoftmax(x, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n%.3f\n", p.Value(), lp.Value()) // R: one row
	// Output:
	// R[0.250  0.750]
	// R[-1.386  -0.288]
}
