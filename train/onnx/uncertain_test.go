package onnx

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// drawn are n rows of d columns of different sizes, with a class and a target each.
func drawn(n, d int, seed uint64) (x *tensor.Dense, labels []string, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 4))
	v := make([]float64, 0, n*d)
	for range n {
		sum := 0.
		for j := range d {
			u := rng.NormFloat64()
			sum += math.Sin(float64(j+1) * u)
			v = append(v, float64(float32(1000*float64(j)+u*math.Pow(10, float64(j-1)))))
		}
		sum += .3 * rng.NormFloat64()
		labels = append(labels, []string{"low", "mid", "high, «ä»"}[min(2, max(0, int(math.Floor(sum+1.5))))])
		y = append(y, 40+7*sum)
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v)), labels, y
}

// uncertainModels are models that have learned how sure they may be, by each method.
func uncertainModels(t *testing.T) (all []saved) {
	t.Helper()
	x, labels, y := drawn(300, 3, 1)
	test, _, _ := drawn(40, 3, 2)
	fit := func(name, scale string, fitter fits.Fitter, set *data.Set, u train.UncertaintyOptions) {
		r := train.Recipe{Scale: scale, Spec: layers.Spec{Map: "gaussian", Features: 32, Seed: 3}, Fitter: fitter, Uncertainty: &u}
		m, _, err := r.Fit(context.Background(), set)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, saved{name, m, test})
	}
	classes := &data.Set{X: x, Labels: labels}
	for _, method := range []calibrate.Method{calibrate.Temperature, calibrate.TemperatureBias, calibrate.Platt, calibrate.Isotonic} {
		u := train.UncertaintyOptions{Calibration: method}
		fit("ridge-"+string(method), "standard", linear.RidgeOptions{Lambdas: []float64{1e-3}}, classes, u)
		fit("softmax-"+string(method), "auto", linear.LogisticOptions{}, classes, u)
	}
	fit("posterior", "standard", linear.RidgeOptions{Lambdas: []float64{1e-3}}, &data.Set{X: x, Y: y}, train.UncertaintyOptions{})
	for _, scale := range []string{"none,cube", "minmax,l2", "minmax,l1,standard"} {
		fit("scaled-"+scale, scale, linear.RidgeOptions{Lambdas: []float64{1e-3}}, classes, train.UncertaintyOptions{Calibration: calibrate.Platt})
	}
	return all
}
