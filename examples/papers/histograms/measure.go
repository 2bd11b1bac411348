package main

import (
	"context"
	"time"

	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
)

// maps measures a map at each number of features and returns its spec. The parameter to tune is chosen at the largest,
// and λ at each, on a draw that is not among those measured.
func (e *experiment) maps(ctx context.Context, m method, form string, spec layers.Spec, sizes []int, tune string) (layers.Spec, error) {
	approx := func(spec layers.Spec) (*mat.Dense, error) {
		spec.Seed = e.Seed + uint64(e.Draws)
		l, err := spec.Fit(e.X)
		if err != nil {
			return nil, err
		}
		return report.ApproxGram(l, e.X)
	}
	spec.Features = sizes[len(sizes)-1]
	spec, c, err := e.tune(ctx, spec, tune, approx)
	if err != nil {
		return spec, err
	}
	exact, err := e.gram(spec)
	if err != nil {
		return spec, err
	}
	for i, size := range sizes {
		spec.Features = size
		lambda := c.Lambda
		if i < len(sizes)-1 {
			_, own, err := e.tune(ctx, spec, "", approx)
			if err != nil {
				return spec, err
			}
			lambda = own.Lambda
		}
		r := result{method: m, form: form, sampler: spec.Sampler, params: chosen(m, spec), lambda: lambda}
		if err := e.draws(ctx, &r, spec, exact); err != nil {
			return spec, err
		}
		e.found(r)
	}
	return spec, nil
}

// draws measures the draws of a map of one size, or the map where it draws nothing.
func (e *experiment) draws(ctx context.Context, r *result, spec layers.Spec, exact *mat.Dense) error {
	n := 1
	if r.method.random() {
		n = e.Draws
	}
	for i := range n {
		spec.Seed = e.Seed + uint64(i)
		l, err := spec.Fit(e.X)
		if err != nil {
			return err
		}
		one, err := e.measure(ctx, l, r.lambda, exact)
		if err != nil {
			return err
		}
		r.draws, r.features, r.lambda = append(r.draws, one), l.Features(), one.lambda
	}
	return nil
}

// svmLambdas are what support vector machines choose among.
var svmLambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, .01, .1, 1, 10}

// fit fits the head on features: ridge with a λ, or a support vector machine with one of its own.
func (e *experiment) fit(ctx context.Context, rows data.Pairs, lambda float64) (*linear.Fit, error) {
	if e.head == "svm" {
		return linear.FitSVM(ctx, nil, rows, linear.SVMOptions{Lambdas: svmLambdas, HeldOut: .2, Seed: e.Seed})
	}
	return linear.FitRidge(ctx, nil, rows, linear.RidgeOptions{Lambdas: []float64{lambda}})
}

// measure fits the head on the features of one draw.
func (e *experiment) measure(ctx context.Context, l layers.Layer, lambda float64, exact *mat.Dense) (draw, error) {
	var r draw
	start := time.Now()
	z, err := layers.Transform(l, nil, e.X)
	if err != nil {
		return r, err
	}
	r.features = time.Since(start)
	start = time.Now()
	fit, err := e.fit(ctx, data.Pairs{X: z, Y: e.Y}, lambda)
	if err != nil {
		return r, err
	}
	r.fit, r.lambda = time.Since(start), fit.Lambda
	same, err := layers.NewIdentity(z.Shape()[1], layers.WithDtype(z.Dtype()))
	if err != nil {
		return r, err
	}
	if r.kernelError, err = frame.KernelError(exact, same, z); err != nil {
		return r, err
	}
	start = time.Now()
	scores, err := frame.Scores(l, fit, e.XTest)
	if err != nil {
		return r, err
	}
	r.features += time.Since(start)
	return r, r.judge(scores, e.Truth)
}

// judge compares the predictions with the classes of the test rows.
func (r *draw) judge(scores *mat.Dense, truth []int) (err error) {
	predicted := train.ArgMax(scores)
	if r.accuracy, err = report.Accuracy(predicted, truth); err == nil {
		r.f1, err = report.F1(predicted, truth)
	}
	r.accuracy, r.f1 = 100*r.accuracy, 100*r.f1
	return err
}

// exactKernel fits kernel ridge and returns the spec with the parameter that it chose.
func (e *experiment) exactKernel(ctx context.Context, m method, form string, spec layers.Spec) (layers.Spec, error) {
	spec, c, err := e.tune(ctx, spec, m.Tune, e.gram)
	if err != nil {
		return spec, err
	}
	k, err := spec.Kernel()
	if err != nil {
		return spec, err
	}
	start := time.Now()
	own, err := spectral.Gram(k, e.X, nil)
	if err != nil {
		return spec, err
	}
	cross, err := spectral.Gram(k, e.XTest, e.X)
	if err != nil {
		return spec, err
	}
	r := draw{features: time.Since(start)}
	start = time.Now()
	fit, err := linear.FitKernelRidge(own, e.Y, c.Lambda)
	if err != nil {
		return spec, err
	}
	r.fit = time.Since(start)
	scores, err := fit.Predict(cross)
	if err != nil {
		return spec, err
	}
	if err := r.judge(scores, e.Truth); err != nil {
		return spec, err
	}
	e.found(result{method: m, form: form, exact: true, params: chosen(m, spec), lambda: c.Lambda, draws: []draw{r}})
	return spec, nil
}

// gram is the exact kernel matrix of the training rows.
func (e *experiment) gram(spec layers.Spec) (*mat.Dense, error) {
	k, err := spec.Kernel()
	if err != nil {
		return nil, err
	}
	return spectral.Gram(k, e.X, nil)
}

// chosen is the parameter that was cross-validated.
func chosen(m method, spec layers.Spec) layers.Values {
	if m.Tune == "" {
		return nil
	}
	return layers.Values{m.Tune: spec.Params[m.Tune]}
}
