package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// twoCircles are n points about the origin, "in" at a distance of 1 and "out" of 2: no line tells them apart.
func twoCircles(n int, seed uint64) (x *tensor.Dense, labels []string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := make([]float64, 0, 2*n)
	for i := range n {
		r, a := 1+float64(i%2)+.2*rng.NormFloat64(), 2*math.Pi*rng.Float64()
		v = append(v, r*math.Cos(a), r*math.Sin(a))
		labels = append(labels, []string{"in", "out"}[i%2])
	}
	return tensor.New(tensor.WithShape(n, 2), tensor.WithBacking(v)), labels
}

// Fine-tuning from end to end: the bandwidth of the map and the softmax head learn together, by mini-batches.
func ExampleFit() {
	x, names := twoCircles(400, 1)
	classes := data.NewClasses(names)
	labels, err := classes.Index(names)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := data.OneVersusRest(labels, len(classes))
	if err != nil {
		fmt.Println(err)
		return
	}
	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 64, layers.WithSeed(1), layers.Tune(layers.Bandwidth))
	if err != nil {
		fmt.Println(err)
		return
	}
	head, err := layers.NewSoftmaxHead(64, len(classes))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := train.Fit(context.Background(), rff, head, data.Pairs{X: x, Y: y}, train.FitOptions{
		Epochs: 20, Batch: 32, LearnRate: .05,
		Progress: func(e train.Epoch) {
			if e.Number == e.Of {
				fmt.Printf("epoch %d of %d: loss below 0.2: %v, accuracy above 0.95: %v\n", e.Number, e.Of, e.Loss < .2, e.Score > .95)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	first, last := report.Epochs[0], report.Epochs[len(report.Epochs)-1]
	fmt.Println("the loss has fallen:", last.Loss < first.Loss)
	// Output:
	// epoch 20 of 20: loss below 0.2: true, accuracy above 0.95: true
	// the loss has fallen: true
}

// Ridge on random features, with the penalty that leaves each row out best.
func ExampleFitRidge_features() {
	const n = 200
	rng := rand.New(rand.NewPCG(1, 0))
	x, y := tensor.New(tensor.WithShape(n, 1), tensor.Of(tensor.Float64)), mat.NewDense(n, 1, nil)
	for i := range n {
		t := 6*rng.Float64() - 3
		x.Float64s()[i] = t
		y.Set(i, 0, math.Sin(2*t)+.1*rng.NormFloat64())
	}
	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 100, layers.WithSeed(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := train.FitRidge(context.Background(), rff, data.Pairs{X: x, Y: y}, train.RidgeOptions{
		Lambdas: []float64{1e-3, 1e-2, 1e-1, 1, 10, 100}, Select: train.SelectLOO,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	head, err := layers.NewLinearHead(100, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := head.SetWeights(fit.W.RawMatrix().Data, fit.B); err != nil {
		fmt.Println(err)
		return
	}
	z, _ := rff.Transform(nil, tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{.8})))
	f, _ := head.Transform(nil, z)
	fmt.Printf("f(0.8) = %.1f, sin(1.6) = %.1f\n", f.Float64s()[0], math.Sin(1.6))
	for _, s := range fit.Scores {
		if s.Lambda == fit.Lambda {
			fmt.Printf("leave-one-out error %.1f, the noise is 0.1\n", math.Sqrt(s.MSE))
		}
	}
	// Output:
	// f(0.8) = 1.0, sin(1.6) = 1.0
	// leave-one-out error 0.1, the noise is 0.1
}

// What the exact kernel predicts is what ridge on more and more random features comes close to.
func ExampleFitKernelRidge_limit() {
	const n, lambda = 50, .01
	k := spectral.Gaussian{Sigma: 1}
	x, y := tensor.New(tensor.WithShape(n, 1), tensor.Of(tensor.Float64)), mat.NewDense(n, 1, nil)
	for i := range n {
		t := 6*float64(i)/n - 3
		x.Float64s()[i] = t
		y.Set(i, 0, math.Sin(2*t))
	}
	gram, err := spectral.Gram(k, x, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := train.FitKernelRidge(gram, y, lambda)
	if err != nil {
		fmt.Println(err)
		return
	}
	want, _ := exact.Predict(gram)
	for _, features := range []int{10, 100, 10000} {
		rff, err := layers.NewFourierLayer(k, 1, features, layers.WithSeed(1))
		if err != nil {
			fmt.Println(err)
			return
		}
		fit, err := train.FitRidge(context.Background(), rff, data.Pairs{X: x, Y: y}, train.RidgeOptions{Lambdas: []float64{lambda}})
		if err != nil {
			fmt.Println(err)
			return
		}
		z, err := rff.Transform(nil, x)
		if err != nil {
			fmt.Println(err)
			return
		}
		var got mat.Dense
		got.Mul(mat.NewDense(n, features, z.Float64s()), fit.W)
		largest := 0.0
		for i := range n {
			largest = math.Max(largest, math.Abs(got.At(i, 0)+fit.B[0]-want.At(i, 0)))
		}
		fmt.Printf("%-5d features: largest difference %.2f\n", features, largest)
	}
	// Output:
	// 10    features: largest difference 0.74
	// 100   features: largest difference 0.01
	// 10000 features: largest difference 0.00
}

// A whole model, scaler and classes included, in one file. It predicts the same there and back; a damaged file is told from a good
// one, and rows that do not fit say why.
func ExampleModel_Save() {
	x, names := twoCircles(400, 1)
	m := &train.Model{Classes: data.NewClasses(names)}
	var err error
	if m.Scaler, err = data.ParseScalers("standard"); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Scaler.Fit(x); err != nil {
		fmt.Println(err)
		return
	}
	scaled, err := m.Scaler.Apply(x) // the model itself takes rows as they come
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Spec = layers.Spec{Map: "gaussian", Dims: 2, Features: 64, Sampler: "orthogonal", Seed: 1}
	if err := m.Spec.FillDefaults(scaled); err != nil { // sigma
		fmt.Println(err)
		return
	}
	if m.Map, err = m.Spec.Build(); err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Classes.Index(names)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := data.OneVersusRest(labels, len(m.Classes))
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := train.FitRidge(context.Background(), m.Map, data.Pairs{X: scaled, Y: y}, train.RidgeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if m.Head, err = layers.NewLinearHead(64, len(m.Classes)); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B); err != nil {
		fmt.Println(err)
		return
	}

	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "circles.safetensors")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	back, err := train.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{.7, .7, -2, .1, 0, 1.1})) // as they come, not scaled
	guess, err := back.PredictClasses(rows)
	fmt.Println(guess, err)

	_, err = back.PredictClasses(tensor.New(tensor.WithShape(1, 3), tensor.Of(tensor.Float64)))
	fmt.Println(err)
	fmt.Println(errors.Is(err, domain.ErrShape))
	// Output:
	// [in out in] <nil>
	// train: Model: x has shape (1, 3) and the model was fitted on 2 columns: shape does not fit
	// true
}

// A file of the head alone: the map is drawn again from the spec and its seed.
func ExampleModel_SaveSpec() {
	x, _ := twoCircles(100, 1)
	m := &train.Model{Spec: layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.0}, Dims: 2, Features: 4096, Seed: 1}}
	var err error
	if m.Scaler, err = data.ParseScalers("none"); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Scaler.Fit(x); err != nil {
		fmt.Println(err)
		return
	}
	if m.Map, err = m.Spec.Build(); err != nil {
		fmt.Println(err)
		return
	}
	if m.Head, err = layers.NewLinearHead(4096, 1); err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, save := range map[string]func(string) error{"whole": m.Save, "spec": m.SaveSpec} {
		if err := save(filepath.Join(dir, name)); err != nil {
			fmt.Println(err)
			return
		}
	}
	whole, err := os.Stat(filepath.Join(dir, "whole"))
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := os.Stat(filepath.Join(dir, "spec"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d KiB with the frequencies, %d KiB without\n", whole.Size()>>10, spec.Size()>>10)
	back, err := train.Load(filepath.Join(dir, "spec"))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := m.Map.Params()[0].Value.Float64s(), back.Map.Params()[0].Value.Float64s()
	fmt.Println("the same frequencies:", len(a) == len(b) && a[0] == b[0] && a[len(a)-1] == b[len(b)-1])
	// Output:
	// 64 KiB with the frequencies, 32 KiB without
	// the same frequencies: true
}
