package main

import (
	"context"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// lambdas are what ridge chooses among, relative to the mean of k(x, x) less the mean of k(x, z).
var lambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, 3e-3, .01, .03, .05, .1, .2, .3, .5, 1, 2, 3, 5, 10}

// A choice is a ridge λ with the leave-one-out errors that it was chosen for.
type choice struct {
	lambda float64
	score  fits.LambdaScore
}

// leaveOneOut chooses λ for ridge on a kernel matrix of the training rows. It has the fewest rows whose class is wrong
// where they are left out.
func (p *problem) leaveOneOut(k *mat.Dense) (choice, error) {
	fit, err := linear.FitKernelRidge(k, p.Y, lambdas...)
	if err != nil {
		return choice{}, err
	}
	return choice{fit.Lambda, fit.Scores[slices.Index(lambdas, fit.Lambda)]}, nil
}

// steps is how far a parameter may go from where the search starts: 2^±10.
const steps = 10

// tune chooses a parameter, if one is named, and λ for the kernel matrix that gram makes of a spec: it goes from the
// start by factors of 2, downhill, until the best value has been seen from both sides.
func (p *problem) tune(ctx context.Context, spec layers.Spec, parameter string, gram func(layers.Spec) (*mat.Dense, error)) (layers.Spec, choice, error) {
	seen := map[int]choice{}
	at := func(step int) (choice, error) {
		c, known := seen[step]
		if known {
			return c, nil
		}
		if err := context.Cause(ctx); err != nil {
			return c, err
		}
		k, err := gram(scaled(spec, parameter, step))
		if err == nil {
			c, err = p.leaveOneOut(k)
		}
		seen[step] = c
		return c, err
	}
	best, err := at(0)
	if err != nil || parameter == "" {
		return spec, best, err
	}
	middle := 0
	for moved := true; moved; {
		moved = false
		for _, step := range []int{middle - 1, middle + 1} {
			if step < -steps || step > steps {
				continue
			}
			c, err := at(step)
			if err != nil {
				return spec, best, err
			}
			if c.score.Better(best.score) {
				best, middle, moved = c, step, true
			}
		}
	}
	return scaled(spec, parameter, middle), best, nil
}

// scaled is a spec with a parameter 2^step times as large.
func scaled(spec layers.Spec, parameter string, step int) layers.Spec {
	if parameter == "" {
		return spec
	}
	v := layers.Values{}
	for name, value := range spec.Params {
		v[name] = value
	}
	v[parameter] = spec.Params.Number(parameter) * math.Exp2(float64(step))
	spec.Params = v
	return spec
}
