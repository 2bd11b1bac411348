package train_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// Two rings. From the bandwidth of the data the search goes on as long as the best is at an end.
func ExampleRecipe_CrossValidate_around() {
	recipe := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 64, Seed: 1}, Fitter: linear.RidgeOptions{}}
	r, err := recipe.CrossValidate(context.Background(), ringSet(60), nil, train.CVOptions{Factors: []float64{1, 2}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v: %.2f, at an end: %v\n", r.Metric, r.All[r.Chosen].Error, r.AtEnd)
	// Output:
	// error rate: 0.00, at an end: []
}

// Two rings, which a bandwidth of their own distance tells apart under a support vector machine.
func ExampleGrid() {
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1}
	maps, err := train.Grid(spec, train.Axis{Name: "sigma", Values: []float64{.01, 1, 100}}, train.Axis{Name: train.AxisLambda, Values: []float64{1e-3, 10}})
	if err != nil {
		panic(err)
	}
	recipe := train.Recipe{Spec: spec, Fitter: linear.SVMOptions{}}
	r, err := recipe.CrossValidate(context.Background(), ringSet(60), maps, train.CVOptions{})
	if err != nil {
		panic(err)
	}
	best := r.All[r.Chosen]
	fmt.Printf("%d maps, %d scores; %v: %.2f with %v and lambda %g\n", len(maps), len(r.All), r.Metric, best.Error, best.Spec.Params.Short(), best.Lambda)
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
