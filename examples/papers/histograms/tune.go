package main

import (
	"context"
	"maps"
	"math"

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
func (e *experiment) leaveOneOut(k *mat.Dense) (fits.LambdaScore, error) {
	fit, err := linear.FitKernelRidge(k, e.Y, lambdas...)
	if err != nil {
		return fits.LambdaScore{}, err
	}
	return frame.ScoreOf(fit.Lambda, fit.Scores), nil
}

// steps is how far a parameter may go from where the search starts: 2^±10.
const steps = 10

// tune chooses a parameter, if one is named, and λ for the kernel matrix that gram makes of a spec: it goes from the
// start by factors of 2, first to the better neighbour, and then on as long as that is better.
func (e *experiment) tune(ctx context.Context, spec layers.Spec, parameter string, gram func(layers.Spec) (*mat.Dense, error)) (layers.Spec, fits.LambdaScore, error) {
	at := func(step int) (score fits.LambdaScore, err error) {
		if err = context.Cause(ctx); err != nil {
			return score, err
		}
		k, err := gram(scaled(spec, parameter, step))
		if err != nil {
			return score, err
		}
		return e.leaveOneOut(k)
	}
	best, err := at(0)
	if err != nil || parameter == "" {
		return spec, best, err
	}
	step, way := 0, 0
	for _, next := range []int{-1, 1} {
		score, err := at(next)
		if err != nil {
			return spec, best, err
		}
		if score.Better(best) {
			best, step, way = score, next, next
		}
	}
	for way != 0 && -steps < step && step < steps {
		score, err := at(step + way)
		if err != nil {
			return spec, best, err
		}
		if !score.Better(best) {
			break
		}
		best, step = score, step+way
	}
	return scaled(spec, parameter, step), best, nil
}

// scaled is a spec with a parameter 2^step times as large.
func scaled(spec layers.Spec, parameter string, step int) layers.Spec {
	if parameter != "" {
		spec.Params = maps.Clone(spec.Params)
		spec.Params[parameter] = spec.Params.Number(parameter) * math.Exp2(float64(step))
	}
	return spec
}
