package train_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func ExampleCrossValidate() {
	x, y := tensor.New(tensor.WithShape(40, 1), tensor.Of(tensor.Float64)), mat.NewDense(40, 1, nil)
	for i := range 40 {
		x.Float64s()[i] = float64(i)
		y.Set(i, 0, 2*float64(i)+1)
	}
	maps := []train.Candidate{{Spec: layers.Spec{Map: "linear"}}}
	r, err := train.CrossValidate(context.Background(), maps, data.Pairs{X: x, Y: y}, train.CVOptions{Lambdas: []float64{1e-9, 1, 100}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d scores, the best lambda is %g\n", len(r.Scores), r.Scores[r.Chosen].Lambda)
	// Output:
	// 3 scores, the best lambda is 1e-09
}

// Two rings. From the bandwidth of the data the search goes on as long as the best is at an end.
func ExampleCrossValidate_around() {
	x, labels := rings(60, tensor.Float64, 1)
	y, err := data.OneVersusRest(labels, 2)
	if err != nil {
		panic(err)
	}
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1}
	r, err := train.CrossValidate(context.Background(), []train.Candidate{{Spec: spec}}, data.Pairs{X: x, Y: y}, train.CVOptions{Factors: []float64{1, 2}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v: %.2f, at an end: %v\n", r.Metric, r.Scores[r.Chosen].Error, r.AtEnd)
	// Output:
	// error rate: 0.00, at an end: []
}

// Two rings, which a bandwidth of their own distance tells apart under a support vector machine.
func ExampleGrid() {
	x, labels := rings(60, tensor.Float64, 1)
	y, err := data.OneVersusRest(labels, 2)
	if err != nil {
		panic(err)
	}
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1}
	maps, err := train.Grid(spec, train.Axis{Name: "sigma", Values: []float64{.01, 1, 100}}, train.Axis{Name: train.AxisLambda, Values: []float64{1e-3, 10}})
	if err != nil {
		panic(err)
	}
	r, err := train.CrossValidate(context.Background(), maps, data.Pairs{X: x, Y: y}, train.CVOptions{Fitter: linear.SVMOptions{}})
	if err != nil {
		panic(err)
	}
	best := r.Scores[r.Chosen]
	fmt.Printf("%d maps, %d scores; %v: %.2f with %v and lambda %g\n", len(maps), len(r.Scores), r.Metric, best.Error, best.Spec.Params.Short(), best.Lambda)
	// Output:
	// 3 maps, 6 scores; error rate: 0.00 with sigma=1 and lambda 10
}

func ExampleRandomSearch() {
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1}
	maps, err := train.RandomSearch(spec, 3, 1, train.Axis{Name: "sigma", Lo: .1, Hi: 10}, train.Axis{Name: train.AxisFeatures, Lo: 16, Hi: 256})
	if err != nil {
		panic(err)
	}
	for _, m := range maps {
		fmt.Println(m.Spec.Params.Short(), m.Spec.Features)
	}
	// Output:
	// sigma=0.1449 80
	// sigma=0.4544 192
	// sigma=0.1585 20
}

// Half and twice the bandwidth that the data suggest.
func ExampleAround() {
	x, _ := rings(60, tensor.Float64, 1)
	maps, err := train.Around(layers.Spec{Map: "gaussian", Features: 64}, x, .5, 1, 2)
	if err != nil {
		panic(err)
	}
	for _, m := range maps {
		fmt.Printf("%.2f\n", m.Spec.Params.Number("sigma"))
	}
	// Output:
	// 0.55
	// 1.10
	// 2.19
}

func ExampleBalancedWeights() {
	w, err := train.BalancedWeights([]int{90, 10})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", w)
	// Output:
	// [0.556 5.000]
}
