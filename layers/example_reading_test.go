package layers_test

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Features, the value of a node and a loss are read by their types.
func Example_readingATensor() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 4))
	rows := matrix([]float64{0, 0}, []float64{1, 2})
	z := layers.MustDense(rff.Transform(nil, rows))
	fmt.Printf("features of the first row: %.2f\n", z.Float64s()[:4]) // [cos 0, cos 0 | sin 0, sin 0]/√2

	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(2, 2), G.WithName("x"), G.WithValue(rows))
	features := rff.Fwd(x).Node()
	sum := G.Must(G.Sum(G.Must(G.Square(features))))
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("of its node: %.2f\n", features.Value().(*tensor.Dense).Float64s()[:4])
	fmt.Printf("squares of both rows: %.2f\n", float64(*sum.Value().(*G.F64)))
	// Output:
	// features of the first row: [0.71 0.71 0.00 0.00]
	// of its node: [0.71 0.71 0.00 0.00]
	// squares of both rows: 2.00
}
