package train_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
)

// Two circles. From the bandwidth of the data the search goes on as long as the best is at an end.
func ExampleRecipe_CrossValidate_around() {
	x, labels := trial.TwoCircles(60, 1)
	recipe := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 64, Seed: 1}, Fitter: linear.RidgeOptions{}}
	r, err := recipe.CrossValidate(context.Background(), &data.Set{X: x, Labels: labels}, nil,
		train.CVOptions{Factors: []float64{1, 2}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v: %.2f, at an end: %v\n", r.Metric, r.All[r.Chosen].Error, r.AtEnd)
	// Output:
	// error rate: 0.02, at an end: []
}

// Candidates for CrossValidate, each with all lambdas.
func ExampleGrid() {
	spec := layers.Spec{Map: "gaussian", Seed: 1}
	maps, err := train.Grid(spec, train.Axis{Name: "sigma", Values: []float64{.01, 1}},
		train.Axis{Name: train.AxisFeatures, Values: []float64{64, 256}},
		train.Axis{Name: train.AxisLambda, Values: []float64{1e-3, 10}})
	if err != nil {
		panic(err)
	}
	for _, m := range maps {
		fmt.Println(m.Spec.Params.Short(), m.Spec.Features, m.Lambdas)
	}
	// Output:
	// sigma=0.01 64 [0.001 10]
	// sigma=0.01 256 [0.001 10]
	// sigma=1 64 [0.001 10]
	// sigma=1 256 [0.001 10]
}

func ExampleRandomSearch() {
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1}
	maps, err := train.RandomSearch(spec, 3, 1, train.Axis{Name: "sigma", Lo: .1, Hi: 10},
		train.Axis{Name: train.AxisFeatures, Lo: 16, Hi: 256})
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
	x, _ := trial.TwoCircles(60, 1)
	maps, err := train.Around(layers.Spec{Map: "gaussian", Features: 64}, x, .5, 1, 2)
	if err != nil {
		panic(err)
	}
	for _, m := range maps {
		fmt.Printf("%.2f\n", m.Spec.Params.Number("sigma"))
	}
	// Output:
	// 0.55
	// 1.09
	// 2.18
}
