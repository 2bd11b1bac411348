// Command 06_composing trains a Gorgonia model of three layers end to end: a dense layer below, a feature map of a
// Gaussian kernel, a softmax above.
//
//	go run ./examples/06_composing
//	dot -Tsvg 06_composing.dot > 06_composing.svg
//
// A feature layer is a node of the graph like any other. What is below it learns through it, because its backward has a
// gradient for its input; what is above it sees columns. The smallest such model is xor, the folder below. Here rows
// have ten columns, of which the first two put a row on one of two rings, and eight are noise. A Gaussian kernel of all
// ten compares mostly noise. A dense layer, 10 → 2, which starts anywhere, learns through the map which columns to look
// at, while the bandwidth of the map and the softmax learn with it:
//
//	x [400, 10] → xW [400, 2] → [cos | sin] [400, 128] → softmax [400, 2] → cross-entropy
//
// Tensors are read by Float64s, not by Data: ops/gorgonia.md says why.
//
// The program prints a table of the layers (layers.Summary), writes the graph in the language of Graphviz (layers.Dot),
// which the second command draws, takes a hundred steps, and classifies new rows without a graph, with the same
// weights.
//
// It exits with 1 unless it classifies 95 % of them.
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const n, columns = 400, 10

func main() {
	rng := rand.New(rand.NewPCG(1, 0))
	rows, ring := data(rng)
	weights := tensor.New(tensor.WithShape(columns, 2), tensor.WithBacking(normal(columns*2, .3, rng)))
	rff := must.Get(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 128, layers.Tune(layers.Bandwidth), layers.WithName("rff")))
	head := must.Get(layers.NewSoftmaxHead(128, 2, layers.WithName("head")))
	fmt.Print(layers.Summary(rff, head))

	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(n, columns), G.WithName("x"), G.WithValue(rows))
	y := G.NewMatrix(g, G.Float64, G.WithShape(n, 2), G.WithName("y"), G.WithValue(ring))
	w := G.NewMatrix(g, G.Float64, G.WithShape(columns, 2), G.WithName("W"), G.WithValue(weights))
	dense := must.Get(G.Mul(x, w)) // Gorgonia's own
	embedded := rff.Fwd(dense)
	must.Do(embedded.Err())
	loss := must.Get(head.Loss(embedded.Node(), y))
	must.Do(os.WriteFile("06_composing.dot", []byte(must.Get(layers.Dot(g))), 0o644))

	model := append(layers.Collect(rff, head), w) // the learnable nodes
	must.Get(G.Grad(loss, model...))
	vm, solver := G.NewTapeMachine(g, G.BindDualValues(model...)), G.NewAdamSolver(G.WithLearnRate(.05))
	for range 100 {
		must.Do(vm.RunAll())
		must.Do(solver.Step(G.NodesToValueGrads(model)))
		vm.Reset()
	}

	rows, ring = data(rng)
	z := must.Get(rff.Transform(nil, must.Get(rows.MatMul(weights)))) // the same weights, without a graph
	p := must.Get(head.Transform(nil, z))
	right := 0
	for i := 0; i < 2*n; i += 2 {
		if (p.Float64s()[i] > .5) == (ring.Float64s()[i] > .5) {
			right++
		}
	}
	fmt.Printf("%d of %d new rows are classified rightly; the dense layer has learned\n%.2f\n", right, n, weights)
	if right < n*95/100 {
		log.Fatal("which is less than 95 %")
	}
}

// data are rows whose first two columns lie on a ring of radius 1 or 2, and, one-hot, on which.
func data(rng *rand.Rand) (x, ring *tensor.Dense) {
	v, oneHot := normal(n*columns, 1, rng), make([]float64, 2*n)
	for i := range n {
		r, angle := 1+float64(i%2)+.15*rng.NormFloat64(), 2*math.Pi*rng.Float64()
		v[i*columns], v[i*columns+1] = r*math.Cos(angle), r*math.Sin(angle)
		oneHot[2*i+i%2] = 1
	}
	return tensor.New(tensor.WithShape(n, columns), tensor.WithBacking(v)), tensor.New(tensor.WithShape(n, 2), tensor.WithBacking(oneHot))
}

func normal(n int, scale float64, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * rng.NormFloat64()
	}
	return v
}
