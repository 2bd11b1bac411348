package train

import (
	"context"
	"math"
	"runtime"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// orLinear returns the start of a linear model, ridge or logistic regression on the scaled rows, if it predicts better
// than what mini-batches have fitted in t with the options b and a start, and otherwise that start. Up to five trials
// hold out a fifth of the rows each; a linear model is better if it has less loss there by 1.5 standard errors of the
// difference, and worse if it has more than the short fits that chose the decay. It is for recipes that leave the map
// open, and for dense rows in memory, 20 to shortRows of at most 512 columns: on more rows a map learns a linear
// function as well.
func (p *prepared) orLinear(ctx context.Context, t *trial, from start, b sgd.MiniBatch) (start, error) {
	const fewest, errors = 20, 1.5
	asked := b.Epochs != 0 || b.Batch != 0 || b.HeldOut != 0 || b.Lambda != 0 || b.WeightDecay != 0 || b.ClassWeights != nil
	rows, n := fewColumns(t.rows)
	if n < fewest || n > shortRows || !p.replaceable(b) || asked { // for what mini-batches alone have
		return from, nil
	}
	groups := p.recipe.Groups
	if len(groups) != n { // of a fold
		groups = nil
	}
	trials, err := trialsOf("Recipe", rows, groups, .2, b.Seed)
	if err != nil { // groups are too large
		return from, nil
	}
	var best start
	if best.spec, err = p.inPlace(layers.Spec{Map: "linear"}, rows.X); err != nil {
		return from, err
	}
	least := judgement{loss: math.Inf(1)}
	for _, f := range linearFitters(p.model.Classes != nil, n, b.Seed) {
		v, err := p.judge(ctx, start{spec: best.spec, solver: f}, b, trials)
		if stopped := given.Stopped(ctx); stopped != nil {
			return from, stopped
		}
		if err != nil || v.loss >= least.loss {
			break
		}
		least, best.solver = v, f
	}
	held := t.report.Epochs.HeldLoss // of short fits, which know less
	if p.model.Classes == nil {
		held /= float64(p.outputs)
	}
	if best.solver == nil || held > 0 && least.loss >= held {
		return from, nil
	}
	fitted, err := p.judge(ctx, from, b, trials)
	if err != nil {
		return from, given.Stopped(ctx)
	}
	floats.Sub(fitted.losses, least.losses)
	gain, deviation := stat.MeanStdDev(fitted.losses, nil)
	if gain*math.Sqrt(float64(len(fitted.losses))) > errors*deviation {
		return best, nil
	}
	return from, nil
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

// judge fits trials from a start, and judges their predictions.
func (p *prepared) judge(ctx context.Context, from start, b sgd.MiniBatch, trials []*trial) (judgement, error) {
	err := given.Try(runtime.GOMAXPROCS(0), len(trials), func(i int) error { return p.fitFrom(ctx, trials[i], from, b) })
	if err != nil {
		return judgement{}, err
	}
	var o outcome
	if err := o.score(ctx, trials...); err != nil {
		return judgement{}, err
	}
	return o.judge(p.model.Classes != nil)
}
