package train_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// sine are n numbers and their sines, with an error that rises and falls from one to the next.
func sine(n int) (x *tensor.Dense, y *mat.Dense) {
	x, y = tensor.New(tensor.WithShape(n, 1), tensor.Of(tensor.Float64)), mat.NewDense(n, 1, nil)
	for i := range n {
		t := 6 * float64(i) / float64(n)
		x.Float64s()[i] = t
		y.Set(i, 0, math.Sin(t)+.1*math.Sin(40*t))
	}
	return x, y
}

// Of several λ the one that predicts each row best from the others.
func ExampleFitKernelRidgeLOO() {
	x, y := sine(30)
	gram, err := spectral.Gram(spectral.Gaussian{Sigma: 1}, x, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := train.FitKernelRidgeLOO(gram, y, []float64{1e-4, 1e-2, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range fit.Scores {
		fmt.Printf("λ = %v: %.4f\n", s.Lambda, math.Sqrt(s.MSE))
	}
	fmt.Println("chosen:", fit.Lambda)
	// Output:
	// λ = 0.0001: 0.1327
	// λ = 0.01: 0.0972
	// λ = 1: 0.1127
	// chosen: 0.01
}

// A kernel with eigenvalues of both signs, of which nothing is clipped.
func ExampleFitKreinRidge() {
	x, y := sine(30)
	gram, err := spectral.Gram(spectral.DeltaGaussian{Sigmas: []float64{1, 3}, Weights: []float64{1, -.5}}, x, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := train.FitKreinRidge(gram, y, 1e-4)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := fit.Predict(gram)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("sin(2) = %.1f, predicted %.1f\n", math.Sin(2), p.At(10, 0))
	// Output: sin(2) = 0.9, predicted 0.9
}

// A model comes back from its file with the same weights.
func ExampleLoad() {
	m := &train.Model{Spec: layers.Spec{Map: "linear", Dims: 2, Name: "x"}}
	var err error
	if m.Scaler, err = data.ParseScalers("none"); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Scaler.Fit(tensor.New(tensor.WithShape(1, 2), tensor.Of(tensor.Float64))); err != nil {
		fmt.Println(err)
		return
	}
	if m.Map, err = m.Spec.Build(); err != nil {
		fmt.Println(err)
		return
	}
	m.Head = layers.MustHead(layers.NewLinearHead(2, 1))
	if err := m.Head.SetWeights([]float64{3, 4}, []float64{5}); err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	back, err := train.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.PredictTargets(tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 10}))))
	// Output: [48] <nil>
}
