package onnx

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// around is a layer that hands everything on to another.
type around struct{ layers.Layer }

// Unwrap is what it is around.
func (a around) Unwrap() layers.Layer { return a.Layer }

// otherForms are layers for 5 columns that no saved model has.
func otherForms(x *tensor.Dense) map[string]layers.Layer {
	of := map[string]layers.Layer{}
	of["a kernel of one's own"] = must(layers.NewFourierLayer(own{spectral.Gaussian{Sigma: 1}}, 5, 16))
	of["stationary"] = must(layers.NewHomogeneousLayer(spectral.Chi2{}, 5, layers.WithStationary(), layers.WithOrder(3)))
	of["around"] = around{must(layers.NewFourierLayer(spectral.Laplacian{Sigma: 3}, 5, 16))}
	of["structured exponential"] = must(layers.NewExponentiatedLayer(spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: .5}, 5, 80, layers.WithOrder(2),
		layers.WithSampler(spectral.Structured{})))
	for _, k := range []spectral.Kernel{spectral.Gaussian{Sigma: .7}, spectral.AdditiveGaussian{Sigma: .9}, spectral.Softmax{Sigma: 3}, spectral.RationalQuadratic{Alpha: 1.5, Ell: .9}, spectral.Matern{Nu: .5, Ell: 1}, spectral.Matern{Nu: 2.5, Ell: 1},
		spectral.Hellinger{}, spectral.Hellinger{Gamma: .5, Negative: spectral.SignNegative}, spectral.JensenShannon{Negative: spectral.SplitNegative}, spectral.HomogeneousGaussian{Sigma: 1.5},
		spectral.Chi2{Gamma: 2, Negative: spectral.SignNegative}, spectral.Intersection{}, spectral.SkewedIntersection{C: .2},
		spectral.Exponentiated{Of: spectral.Intersection{Negative: spectral.SignNegative}, Sigma: 1}, spectral.Exponentiated{Of: spectral.Hellinger{}, Sigma: 1},
		spectral.Exponentiated{Of: spectral.JensenShannon{Gamma: .6}, Sigma: .4}} {
		of[fmt.Sprintf("nystrom of %T%+v", k, k)] = must(layers.NewNystromLayer(layers.Nystrom{Kernel: k, Landmarks: 9}, x, 6))
	}
	for _, f := range []ops.Activation{ops.Linear, ops.ReLU, ops.Tanh, ops.Sigmoid, ops.Softplus} {
		of["dense "+f.String()] = must(layers.NewDense(5, 7, f))
		of["periodic "+f.String()] = must(layers.Spec{Map: "periodic", Dims: 5, Name: "p",
			Params: layers.Values{"frequencies": 3, "width": 2, "activation": f.String()}}.Build())
	}
	deep := must(layers.NewSequential(must(layers.NewNormalise(3, ops.L1)), must(layers.NewDense(3, 4, ops.ReLU)),
		must(layers.NewGORFLayer(spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}, 4, 16))))
	of["columns that overlap"] = must(layers.NewConcat(5, []layers.Part{{Layer: deep, From: 1, To: 4, Weight: 2},
		{Layer: must(layers.NewIdentity(4)), From: 0, To: 4, Weight: .25}, {Layer: must(layers.NewIdentity(1)), From: 4, To: 5, Weight: 0}}))
	of["product of columns that overlap"] = must(layers.NewProduct(5, []layers.Part{{Layer: deep, From: 1, To: 4, Weight: 2},
		{Layer: must(layers.NewIdentity(4)), From: 0, To: 4, Weight: .25}, {Layer: must(layers.NewDense(1, 3, ops.Tanh)), From: 4, To: 5, Weight: 1}}))
	return of
}

// withHead is a model with a map and scalers that are fitted to rows.
func withHead(l layers.Layer, scale string, rows *tensor.Dense) *train.Model {
	m := &train.Model{Scaler: must(data.ParseScalers(scale)), Map: l, Head: must(layers.NewLinearHead(l.Features(), 1))}
	mustDo(m.Scaler.Fit(rows))
	return m
}

// otherModels have them as their maps.
func otherModels() (all []saved) {
	rng := rand.New(rand.NewPCG(1, 9))
	v := make([]float64, 40*5)
	for i := range v {
		if v[i] = float64(float32(3 * rng.Float64())); i%7 == 0 {
			v[i] = 0
		}
	}
	x := tensor.New(tensor.WithShape(40, 5), tensor.WithBacking(v))
	for name, l := range otherForms(x) {
		all = append(all, saved{name, withHead(l, "none", x), x})
	}
	return all
}

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
	for _, method := range []string{calibrate.Temperature, calibrate.TemperatureBias, calibrate.Platt, calibrate.Isotonic} {
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
