package train_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// A ring around a disc: no line separates them, and a linear machine on random features does. The better of three penalties is chosen on rows
// that are set aside.
func ExampleFitSVM() {
	const n = 400
	rng := rand.New(rand.NewPCG(1, 0))
	x, labels := tensor.New(tensor.WithShape(n, 2), tensor.Of(tensor.Float64)), make([]int, n)
	for i := range n {
		a, b := 4*rng.Float64()-2, 4*rng.Float64()-2
		x.Float64s()[2*i], x.Float64s()[2*i+1] = a, b
		if a*a+b*b > 2 {
			labels[i] = 1
		}
	}
	y, err := data.OneVersusRest(labels, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, features := range []int{0, 128} {
		var m train.Map // nil: the rows as they are
		if features > 0 {
			if m, err = layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, features, layers.WithSeed(1)); err != nil {
				fmt.Println(err)
				return
			}
		}
		fit, err := train.FitSVM(context.Background(), m, data.Pairs{X: x, Y: y}, train.SVMOptions{Lambdas: []float64{1e-3, 1e-2, 1}})
		if err != nil {
			fmt.Println(err)
			return
		}
		best := fit.Scores[0]
		for _, s := range fit.Scores {
			if s.ErrorRate < best.ErrorRate {
				best = s
			}
		}
		fmt.Printf("%d features: %.0f %% wrong on rows that were set aside\n", features, 100*best.ErrorRate)
	}
	// Output:
	// 0 features: 44 % wrong on rows that were set aside
	// 128 features: 2 % wrong on rows that were set aside
}
