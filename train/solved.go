package train

import (
	"context"
	"math"
	"runtime"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// orSolved returns the start of a model whose head is solved for, if it predicts better than what mini-batches have fitted
// in t with the options b and some starts, and otherwise these. Recipe.Spec says which models these are, for which rows,
// and when they are better; they are worse if they have more loss than the short fits that chose the decay. On more rows
// mini-batches do as well.
func (p *prepared) orSolved(ctx context.Context, t *trial, from []start, b sgd.MiniBatch) ([]start, error) {
	const fewest, much = 20, 4
	rows, memory := t.rows.(data.Pairs)
	if !memory || !p.open {
		return from, nil
	}
	n, columns := rows.X.Shape()[0], rows.X.Shape()[1]
	if n < fewest || n > max(shortRows, columns) || p.recipe.posterior(p.model.Classes != nil) && columns > mostPosterior {
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
	spec, err := p.inPlace(layers.Spec{Map: "linear"}, rows.X)
	if err != nil {
		return from, err
	}
	var lines []start
	for _, f := range eachLambda(linearFitter(p.model.Classes != nil, n, b.Seed)) {
		lines = append(lines, start{spec: spec, solver: f})
	}
	var best start
	least := judgement{loss: math.Inf(1)}
	for _, path := range [][]start{lines, p.stretches(rows, thorough, b)} {
		last := math.Inf(1)
		for _, s := range path {
			v, err := p.judge(ctx, []start{s}, b, trials)
			if stopped := given.Stopped(ctx); stopped != nil {
				return from, stopped
			}
			if err != nil || v.loss >= last {
				break
			}
			if last = v.loss; last < least.loss {
				least, best = v, s
			}
		}
	}
	held := t.report.Epochs.HeldLoss // of short fits, which know less
	if p.model.Classes == nil {
		held /= float64(p.outputs)
	}
	switch {
	case best.solver == nil || held > 0 && least.loss >= held:
		return from, nil
	case much*least.loss < held:
		return []start{best}, nil
	}
	const most = 2 // fits that stand for all
	fitted, err := p.judge(ctx, from[:min(most, len(from))], b, trials)
	if err != nil {
		return from, given.Stopped(ctx)
	}
	floats.Sub(fitted.losses, least.losses)
	gain, deviation := stat.MeanStdDev(fitted.losses, nil)
	errors := 0.
	if best.spec.Map == "linear" {
		errors = 1.5
	}
	if gain*math.Sqrt(float64(len(fitted.losses))) > errors*deviation {
		return []start{best}, nil
	}
	return from, nil
}

// stretches is ridge regression on the map with scales that each trial learns, for targets; nil: the rows are not those
// that scales are learned from, or have classes, which mini-batches learn better.
func (p *prepared) stretches(rows data.Pairs, by effort, b sgd.MiniBatch) []start {
	if _, n := fewColumns(rows); n == 0 || p.model.Classes != nil {
		return nil
	}
	return []start{{learns: by, solver: linear.RidgeOptions{Seed: b.Seed}}}
}

// plain says whether mini-batches have no options that a linear model would lack.
func plain(b sgd.MiniBatch) bool {
	return b.LearnRate == 0 && b.MapRate == 0 && b.Epochs == 0 && b.Batch == 0 && b.HeldOut == 0 && b.Lambda == 0 &&
		b.WeightDecay == 0 && b.ClassWeights == nil
}

// mostPosterior is the most columns of a linear model with a posterior, which has two matrices of their square.
const mostPosterior = 1 << 12

// posterior says whether the uncertainty of a model includes a posterior of all features.
func (r Recipe) posterior(classes bool) bool { return r.Uncertainty != nil && !classes }

// wide says whether the recipe leaves the map open and the rows have so many columns that the frequencies of one would
// number more than 2^23: a linear model then takes its place at once.
func (r Recipe) wide(rows *data.Set) bool {
	const columns = 1 << 14
	b, batches := r.Fitter.(sgd.MiniBatch)
	return rows != nil && !domain.IsNil(rows.X) && rows.Dims() > columns && r.open() && r.Tuner == nil &&
		(r.Fitter == nil || batches && b.MapDecays != nil && plain(b)) && !r.posterior(rows.Labels != nil)
}

// linearFitter is the fitter of linear models of n rows, with the largest lambda first.
func linearFitter(classes bool, n int, seed uint64) fits.Fitter {
	lambdas := []float64{.1, .03, .01, .003, .001, 1e-4, 1e-5, 1e-6}
	floats.Scale(float64(n), lambdas)
	if classes {
		return linear.LogisticOptions{Lambdas: lambdas, Seed: seed}
	}
	return linear.RidgeOptions{Lambdas: lambdas, Seed: seed}
}

// eachLambda are a fitter for each lambda of logistic regression. Ridge regression chooses among the lambdas by itself.
func eachLambda(f fits.Fitter) []fits.Fitter {
	o, logistic := f.(linear.LogisticOptions)
	if !logistic {
		return []fits.Fitter{f}
	}
	var all []fits.Fitter
	for _, lambda := range o.Lambdas {
		one, _ := withLambdas(o, []float64{lambda})
		all = append(all, one)
	}
	return all
}

// judge fits trials from some starts, and judges their predictions.
func (p *prepared) judge(ctx context.Context, from []start, b sgd.MiniBatch, trials []*trial) (judgement, error) {
	err := given.Try(runtime.GOMAXPROCS(0), len(trials), func(i int) error {
		_, err := p.fitFrom(ctx, trials[i], from, b)
		return err
	})
	if err != nil {
		return judgement{}, err
	}
	var o outcome
	if err := o.score(ctx, trials...); err != nil {
		return judgement{}, err
	}
	return o.judge(p.model.Classes != nil)
}
