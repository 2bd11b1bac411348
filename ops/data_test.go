package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A layer of one's own that takes its input for data says so where a gradient for it is asked for.
func ExampleData() {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(1, 2), G.WithName("x"))
	w := leaf(g, "W", uniform(tensor.Float64, 2, 3, 1))
	behind, a, err := ops.Data(x, ops.Attr{Layer: `mine "first"`})
	if err != nil {
		fmt.Println(err)
		return
	}
	z := G.Must(ops.Fourier(a).Node(behind, w))
	_, err = G.Grad(G.Must(G.Sum(z)), x)
	fmt.Println(strings.Replace(ops.Cause(err).Error(), "; ", ";\n", 1))
	// Output:
	// mine "first": there is no gradient for the input, because a leaf of the graph is treated as data;
	// build the layer with WithInputGrad: invalid parameter
}

// TestDataLeavesTheEngine: a machine sets its engine in the results of ops, and x is not one of them.
func TestDataLeavesTheEngine(t *testing.T) {
	x := uniform(tensor.Float64, 4, 2, 1)
	g := G.NewGraph()
	in := leaf(g, "x", x)
	w := leaf(g, "W", uniform(tensor.Float64, 2, 3, 1))
	behind, a, err := ops.Data(in, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	G.Must(ops.Fourier(a).Node(behind, w))
	m := G.NewTapeMachine(g)
	defer m.Close()
	tensor.WithEngine(tensor.Float64Engine{})(x) // a machine that is built sets its own
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	if _, ok := x.Engine().(tensor.Float64Engine); !ok {
		t.Errorf("the engine of x is %T after a run", x.Engine())
	}
}
