package train

import (
	"cmp"
	"context"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// orLinear returns the start of a linear model, ridge or logistic regression on the scaled rows, if it predicts better
// than what mini-batches have fitted in t with the options b and a start, and otherwise that start. Up to five trials
// hold out a fifth of the rows each; a linear model is better if it has less loss there by 1.5 standard errors of the
// difference. It is for recipes that leave the map open, and for dense rows in memory, 20 to shortRows of at most 512
// columns: more rows find a linear map without it.
func (p *prepared) orLinear(ctx context.Context, t *trial, from start, b sgd.MiniBatch) (start, error) {
	const fewest, columns, errors = 20, 512, 1.5
	rows, memory := t.rows.(data.Pairs)
	if !memory || !p.replaceable(b) || b.Lambda != 0 || b.WeightDecay != 0 || b.ClassWeights != nil {
		return from, nil
	}
	x, dense := rows.X.(*tensor.Dense)
	if !dense || x.Shape()[0] < fewest || x.Shape()[0] > shortRows || x.Shape()[1] > columns {
		return from, nil
	}
	n := x.Shape()[0]
	groups := p.recipe.Groups
	if len(groups) != n { // of a fold
		groups = nil
	}
	parts := deal(n, rows.Y, groups, b.Seed, divisions(n, .2, n))
	losses := func(s start) ([]float64, error) {
		var o outcome
		for i := range len(parts) - 1 {
			u := trialOf(rows, parts, i, nil)
			f, err := s.begin(p, u, b)
			if err == nil {
				err = u.fit(ctx, f, p.outputs)
			}
			if err == nil {
				err = o.score(ctx, u)
			}
			if err != nil {
				return nil, err
			}
		}
		v, err := o.judge(p.model.Classes != nil)
		return v.losses, err
	}
	fitted, err := losses(from)
	if err != nil {
		return from, given.Stopped(ctx)
	}
	own := start{spec: layers.Spec{Map: "linear", Dims: x.Shape()[1], Dtype: p.model.Spec.Dtype, Seed: p.model.Spec.Seed}}
	own.spec.Name = cmp.Or(p.recipe.Spec.Name, own.spec.Map)
	if err := own.spec.FillDefaults(x); err != nil {
		return from, err
	}
	best, least := from, math.Inf(1)
	for _, own.solver = range linearFitters(p.model.Classes != nil, n, b.Seed) {
		of, err := losses(own)
		switch loss := stat.Mean(of, nil); {
		case err != nil:
			return best, given.Stopped(ctx)
		case loss >= least:
			return best, nil
		default:
			least = loss
		}
		floats.SubTo(of, fitted, of)
		if gain, deviation := stat.MeanStdDev(of, nil); gain*math.Sqrt(float64(len(of))) > errors*deviation {
			best = own
		}
	}
	return best, nil
}

// linearFitters are the fitters of linear models of n rows, with the largest lambda first. Ridge regression chooses
// among the lambdas by itself.
func linearFitters(classes bool, n int, seed uint64) (all []fits.Fitter) {
	lambdas := []float64{.1, .03, .01, .003, .001, 1e-4, 1e-5, 1e-6}
	floats.Scale(float64(n), lambdas)
	if !classes {
		return []fits.Fitter{linear.RidgeOptions{Lambdas: lambdas, Seed: seed}}
	}
	for i := range lambdas {
		all = append(all, linear.LogisticOptions{Lambdas: lambdas[i : i+1], Seed: seed})
	}
	return all
}
