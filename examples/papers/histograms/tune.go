package main

import (
	"context"
	"maps"
	"math"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// lambdas are what ridge chooses among, relative to the mean of k(x, x) less the mean of k(x, z).
var lambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, 3e-3, .01, .03, .05, .1, .2, .3, .5, 1, 2, 3, 5, 10}

// leaveOneOut chooses λ for ridge on a kernel matrix of the training rows. It has the fewest rows whose class is wrong
// where they are left out.
func (e *experiment) leaveOneOut(k *mat.Dense) fits.LambdaScore {
	fit := try.Get(linear.FitKernelRidge(k, e.Y, lambdas...))
	return frame.ScoreOf(fit.Lambda, fit.Scores)
}

// steps is how far a parameter may go from where the search starts: 2^±10.
const steps = 10

// tune chooses a parameter, if one is named, and λ for the kernel matrix that gram makes of a spec: it goes from the
// start by factors of 2, first to the better neighbour, and then on as long as that is better.
func (e *experiment) tune(ctx context.Context, spec layers.Spec, parameter string,
	gram func(layers.Spec) *mat.Dense) (layers.Spec, fits.LambdaScore) {
	at := func(step int) fits.LambdaScore {
		try.Do(context.Cause(ctx))
		return e.leaveOneOut(gram(scaled(spec, parameter, step)))
	}
	best := at(0)
	if parameter == "" {
		return spec, best
	}
	step, way := 0, 0
	for _, next := range []int{-1, 1} {
		if score := at(next); score.Better(best) {
			best, step, way = score, next, next
		}
	}
	for way != 0 && -steps < step && step < steps {
		score := at(step + way)
		if !score.Better(best) {
			break
		}
		best, step = score, step+way
	}
	return scaled(spec, parameter, step), best
}

// scaled is a spec with a parameter 2^step times as large.
func scaled(spec layers.Spec, parameter string, step int) layers.Spec {
	if parameter != "" {
		spec.Params = maps.Clone(spec.Params)
		spec.Params[parameter] = spec.Params.Number(parameter) * math.Exp2(float64(step))
	}
	return spec
}
