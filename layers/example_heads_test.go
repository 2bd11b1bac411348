package layers_test

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A head by the name that a model file has for it.
func ExampleNewHead() {
	for _, kind := range []string{"linear", "softmax", "hinge"} {
		head, err := layers.NewHead(kind, 2, 3)
		if err != nil {
			fmt.Println(err)
			return
		}
		y, _ := head.Transform(nil, matrix([]float64{1, -1})) // its weights are still zero
		fmt.Printf("%s, classes %v: %.2f\n", head.Kind(), head.Classifies(), y.Float64s())
	}
	// Output:
	// linear, classes false: [0.00 0.00 0.00]
	// softmax, classes true: [0.33 0.33 0.33]
	// layers: NewHead: head "hinge" is none of linear, softmax, huber: invalid parameter
}

// A head in one line where an error is a bug of the caller's.
func ExampleMustHead() {
	fmt.Println(layers.MustHead(layers.NewSoftmaxHead(64, 3, layers.WithName("head"))))
	// Output: SoftmaxHead "head": 64 -> 3, float64
}

func ExampleNewHuberHead() {
	h := must(layers.NewHuberHead(1, 1, layers.WithDelta(2)))
	fmt.Println(h.Delta(), h.RowLoss([]float64{0}, []float64{1}), h.RowLoss([]float64{0}, []float64{10}))
	// Output: 2 0.5 18
}

// A head that has learned, and from now on predicts a row at a time.
func ExamplePackHead() {
	head := layers.MustHead(layers.NewLinearHead(3, 1))
	must(head, head.SetWeights([]float64{1, 2, 3}, []float64{.5}))
	must(head, layers.PackHead(head))
	fmt.Println(layers.MustDense(head.Transform(nil, matrix([]float64{1, 1, 1}))).Float64s())
	// Output: [6.5]
}

// wave are 64 points in [-3, 3) and sines of a frequency there.
func wave(frequency float64) (x, y *tensor.Dense) {
	x = zeros(64, 1)
	for i := range 64 {
		x.Float64s()[i] = 6*float64(i)/64 - 3
	}
	return x, mapped(x, func(t float64) float64 { return math.Sin(frequency * t) })
}

// A map and a head are nodes like any other: here they learn a sine by the solver of Gorgonia.
func ExampleNewLinearHead() {
	x, y := wave(2)
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 64, layers.WithSeed(1)))
	head := layers.MustHead(layers.NewLinearHead(64, 1))

	g := G.NewGraph()
	in := G.NewMatrix(g, G.Float64, G.WithShape(64, 1), G.WithName("x"), G.WithValue(x))
	want := G.NewMatrix(g, G.Float64, G.WithShape(64, 1), G.WithName("y"), G.WithValue(y))
	loss := must(head.Loss(rff.Fwd(in).Node(), want))
	var value G.Value
	G.Read(loss, &value)
	must(G.Grad(loss, head.Model()...))
	machine := G.NewTapeMachine(g, G.BindDualValues(head.Model()...))
	defer machine.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(.05))
	for step := range 301 {
		must(0, machine.RunAll())
		if step%150 == 0 {
			fmt.Printf("step %3d: loss %.2f\n", step, value)
		}
		must(0, solver.Step(G.NodesToValueGrads(head.Model())))
		machine.Reset()
	}
	// Without a graph, on a row that was not there: sin(2·0.6) = 0.93.
	features, _ := rff.Transform(nil, matrix([]float64{.6}))
	guess, _ := head.Transform(nil, features)
	fmt.Printf("f(0.6) = %.1f\n", guess.Float64s()[0])
	// Output:
	// step   0: loss 0.52
	// step 150: loss 0.00
	// step 300: loss 0.00
	// f(0.6) = 0.9
}

// minimise takes steps of Adam as ExampleNewLinearHead does, and returns the loss before the last one.
func minimise(rff layers.Layer, head layers.Head, x, y *tensor.Dense, rate float64, steps int) float64 {
	g := G.NewGraph()
	loss := must(head.Loss(rff.Fwd(node(g, "x", x)).Node(), node(g, "y", y)))
	var value G.Value
	G.Read(loss, &value)
	model := layers.Collect(rff, head)
	must(G.Grad(loss, model...))
	machine := G.NewTapeMachine(g, G.BindDualValues(model...))
	defer machine.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(rate))
	for range steps {
		must(0, machine.RunAll())
		must(0, solver.Step(G.NodesToValueGrads(model)))
		machine.Reset()
	}
	return floats(value)[0]
}

// Four points that no line separates, the corners of a square, by the class of its diagonal. The head's output are
// probabilities.
func ExampleNewSoftmaxHead() {
	x := matrix([]float64{0, 0}, []float64{1, 1}, []float64{0, 1}, []float64{1, 0})
	targets := matrix([]float64{1, 0}, []float64{1, 0}, []float64{0, 1}, []float64{0, 1})
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, layers.WithSeed(1)))
	head := layers.MustHead(layers.NewSoftmaxHead(64, 2))
	minimise(rff, head, x, targets, .1, 100)
	p := layers.MustDense(head.Transform(nil, layers.MustDense(rff.Transform(nil, x))))
	for i := range 4 {
		fmt.Printf("%v: %.1f\n", x.Float64s()[2*i:2*i+2], p.Float64s()[2*i:2*i+2])
	}
	// Output:
	// [0 0]: [1.0 0.0]
	// [1 1]: [1.0 0.0]
	// [0 1]: [0.0 1.0]
	// [1 0]: [0.0 1.0]
}

// With a policy, the map's own parameters are learnable nodes too. The data oscillate faster than the bandwidth that
// the map was drawn for allows, and one parameter, the logarithm of a factor on it, finds a narrower one.
func ExampleTune() {
	x, y := wave(4)
	for _, policy := range []layers.Policy{layers.Frozen, layers.Bandwidth} {
		rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 64, layers.WithSeed(1),
			layers.Tune(policy)))
		head := layers.MustHead(layers.NewLinearHead(64, 1))
		fmt.Printf("%v: loss below 0.05: %v\n", policy, minimise(rff, head, x, y, .05, 300) < .05)
		for _, p := range rff.Params() {
			if p.Tuned {
				fmt.Printf("%s moved, the bandwidth is narrower: %v\n", p.Name, p.Value.Float64s()[0] < 0)
			}
		}
	}
	// Output:
	// none: loss below 0.05: false
	// bandwidth: loss below 0.05: true
	// log_bandwidth moved, the bandwidth is narrower: true
}

// A map and its head as one layer, for a training graph of one batch size and an inference graph of another.
func ExampleNewSequential() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 10, layers.WithName("rff"),
		layers.WithSeed(1)))
	head := layers.MustHead(layers.NewLinearHead(10, 2, layers.WithName("head")))
	model := layers.Must(layers.NewSequential(rff, head))
	for _, n := range []int{32, 1} {
		in := G.NewMatrix(G.NewGraph(), G.Float64, G.WithShape(n, 3), G.WithName("x"))
		out := model.Fwd(in)
		fmt.Println(must(out.Node(), out.Err()).Shape(), model.Model())
	}
	fmt.Println(model)
	// Output:
	// (32, 2) [head_W, head_b]
	// (1, 2) [head_W, head_b]
	// Sequential of
	//   FourierLayer "rff": 3 -> 10, spectral.Gaussian{Sigma:1}, sampler iid, seed 1, float64, frozen
	//   LinearHead "head": 10 -> 2, float64
}
