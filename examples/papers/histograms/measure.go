package main

import (
	"context"
	"time"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
)

// maps measures a map at each number of features and returns its parameters. The one to tune is chosen at the largest,
// and λ at each, on a draw that is not among those measured.
func (e *experiment) maps(ctx context.Context, m method, form string, spec layers.Spec, sizes []int, tune string) layers.Values {
	approx := func(spec layers.Spec) *mat.Dense {
		spec.Seed = e.Seed + uint64(e.Draws)
		return try.Get(report.ApproxGram(try.Get(spec.Fit(e.X)), e.X))
	}
	spec.Features = sizes[len(sizes)-1]
	spec, c := e.tune(ctx, spec, tune, approx)
	exact := e.gram(spec)
	for i, size := range sizes {
		spec.Features = size
		lambda := c.Lambda
		if i < len(sizes)-1 {
			_, own := e.tune(ctx, spec, "", approx)
			lambda = own.Lambda
		}
		r := result{method: m, form: form, sampler: spec.Sampler, params: chosen(m, spec), lambda: lambda}
		e.draws(ctx, &r, spec, exact)
		e.found(r)
	}
	return spec.Params
}

// draws measures the draws of a map of one size, or the map where it draws nothing.
func (e *experiment) draws(ctx context.Context, r *result, spec layers.Spec, exact *mat.Dense) {
	n := 1
	if r.method.random() {
		n = e.Draws
	}
	for i := range n {
		spec.Seed = e.Seed + uint64(i)
		l := try.Get(spec.Fit(e.X))
		one := e.measure(ctx, l, r.lambda, exact)
		r.draws, r.features, r.lambda = append(r.draws, one), l.Features(), one.lambda
	}
}

// svmLambdas are what support vector machines choose among.
var svmLambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, .01, .1, 1, 10}

// fit fits the head on features: ridge with a λ, or a support vector machine with one of its own.
func (e *experiment) fit(ctx context.Context, rows data.Pairs, lambda float64) *linear.Fit {
	if e.head == "svm" {
		o := linear.SVMOptions{Lambdas: svmLambdas, HeldOut: .2, Seed: e.Seed}
		return try.Get(linear.FitSVM(ctx, nil, rows, o))
	}
	return try.Get(linear.FitRidge(ctx, nil, rows, linear.RidgeOptions{Lambdas: []float64{lambda}}))
}

// measure fits the head on the features of one draw.
func (e *experiment) measure(ctx context.Context, l layers.Layer, lambda float64, exact *mat.Dense) (r draw) {
	start := time.Now()
	z := try.Get(layers.Transform(l, nil, e.X))
	r.features = time.Since(start)
	start = time.Now()
	fit := e.fit(ctx, data.Pairs{X: z, Y: e.Y}, lambda)
	r.fit, r.lambda = time.Since(start), fit.Lambda
	same := try.Get(layers.NewIdentity(z.Shape()[1], layers.WithDtype(z.Dtype())))
	r.kernelError = frame.KernelError(exact, same, z)
	start = time.Now()
	scores := frame.Scores(l, fit, e.XTest)
	r.features += time.Since(start)
	r.judge(scores, e.Truth)
	return r
}

// judge compares the predictions with the classes of the test rows.
func (r *draw) judge(scores *mat.Dense, truth []int) {
	predicted := train.ArgMax(scores)
	r.accuracy = 100 * try.Get(report.Accuracy(predicted, truth))
	r.f1 = 100 * try.Get(report.F1(predicted, truth))
}

// exactKernel fits kernel ridge and returns the spec with the parameter that it chose.
func (e *experiment) exactKernel(ctx context.Context, m method, form string, spec layers.Spec) layers.Spec {
	spec, c := e.tune(ctx, spec, m.Tune, e.gram)
	k := try.Get(spec.Kernel())
	start := time.Now()
	own := try.Get(spectral.Gram(k, e.X, nil))
	cross := try.Get(spectral.Gram(k, e.XTest, e.X))
	r := draw{features: time.Since(start)}
	start = time.Now()
	fit := try.Get(linear.FitKernelRidge(own, e.Y, c.Lambda))
	r.fit = time.Since(start)
	scores := try.Get(fit.Predict(cross))
	r.judge(scores, e.Truth)
	e.found(result{method: m, form: form, exact: true, params: chosen(m, spec), lambda: c.Lambda, draws: []draw{r}})
	return spec
}

// gram is the exact kernel matrix of the training rows.
func (e *experiment) gram(spec layers.Spec) *mat.Dense {
	return try.Get(spectral.Gram(try.Get(spec.Kernel()), e.X, nil))
}

// chosen is the parameter that was cross-validated.
func chosen(m method, spec layers.Spec) layers.Values {
	if m.Tune == "" {
		return nil
	}
	return layers.Values{m.Tune: spec.Params[m.Tune]}
}
