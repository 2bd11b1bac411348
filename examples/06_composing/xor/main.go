// Command xor is the smallest model with a feature layer: a tuned map under a softmax head in a Gorgonia graph, which
// takes thirty steps. The README shows its middle.
package main

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func main() {
	rows := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{0, 0, 0, 1, 1, 0, 1, 1})) // exclusive or
	oneHot := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{1, 0, 0, 1, 0, 1, 1, 0}))

	// README: from here
	rff, _ := layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, layers.Tune(layers.Bandwidth))
	head, _ := layers.NewSoftmaxHead(64, 2)

	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"), G.WithValue(rows))
	y := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("y"), G.WithValue(oneHot))
	z := rff.Fwd(x)
	if z.Err() != nil {
		panic(z.Err())
	}
	loss, err := head.Loss(z.Node(), y)
	if err != nil {
		panic(err)
	}
	model := layers.Collect(rff, head) // the learnable nodes
	// README: to here
	if _, err := G.Grad(loss, model...); err != nil {
		panic(err)
	}
	vm, solver := G.NewTapeMachine(g, G.BindDualValues(model...)), G.NewAdamSolver(G.WithLearnRate(.1))
	for range 30 {
		if err := vm.RunAll(); err != nil {
			panic(err)
		}
		solver.Step(G.NodesToValueGrads(model))
		vm.Reset()
	}
	features, _ := rff.Transform(nil, rows) // the same weights, without a graph
	p, _ := head.Transform(nil, features)
	fmt.Printf("class probabilities:\n%.2f\n", p)
}
