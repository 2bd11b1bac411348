package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// CVHead is a Fitter that CrossValidate can score: RidgeOptions, SVMOptions or MiniBatch. Their lambdas are nil or 0, for
// the lambdas of the candidates and of CVOptions are scored.
type CVHead interface {
	Fitter
	// check refuses options and targets before anything is fitted.
	check(y *mat.Dense) error
	metric(y *mat.Dense) Metric
	costOfFolds(p Problem, folds int, lambdas []float64) Cost
	// lambdas are the default ones for n rows.
	lambdas(n int) lambdaGrid
	// scorer prepares the fits of a map.
	scorer(ctx context.Context, j *cvJob, spec layers.Spec) (cvScorer, error)
}

// cvScorer returns the scores of each fold and, in it, of each lambda, +Inf for a fit that fails by the lambda.
type cvScorer func(lambdas []float64) ([][]LambdaScore, error)

// check wants options without a choice of lambda. Ridge is scored by the error rate of classes, among equals by the mean
// squared error, and otherwise by this. Rows go over the map once: a fold is its RidgeStats, a fit is on the sums of the
// others, whose Gram matrix serves every lambda, and the squared error on the fold needs no row again (RidgeStats.MSE); the
// error rate is over at most 4096 rows of each fold, drawn at random. Memory is Folds + 2 matrices of D x D, and those
// rows of classes. A lambda is relative and means the same penalty a row in a fold as on all rows; the default ones are
// the ones of a fit. ClassWeights count in the errors too.
func (o RidgeOptions) check(*mat.Dense) error {
	if o.Lambdas != nil || o.Select != SelectAuto {
		return fmt.Errorf("RidgeOptions has Lambdas or Select; give lambdas to CVOptions or the candidates: %w", domain.ErrParam)
	}
	return nil
}

func (RidgeOptions) lambdas(n int) lambdaGrid { return builtIn(n, 1) }

func (RidgeOptions) metric(y *mat.Dense) Metric {
	if hasClasses(y) {
		return ErrorRate
	}
	return MeanSquaredError
}

func (o RidgeOptions) scorer(ctx context.Context, j *cvJob, spec layers.Spec) (cvScorer, error) {
	m, err := spec.Fit(j.sample)
	if err != nil {
		return nil, err
	}
	src, err := newSource(ctx, "Ridge", m, j.rows)
	if err != nil {
		return nil, err
	}
	folds, samples := make([]RidgeStats, j.folds), make([]*rowSample, j.folds)
	for f := range folds {
		folds[f].Signature, folds[f].ClassWeights = src.signature, o.ClassWeights
		add := folds[f].addNamed
		if o.metric(j.y) == ErrorRate {
			samples[f] = newRowSample(uint64(f))
			add = both(add, samples[f].inTurn())
		}
		_, held := j.parts(src, f)
		if err := held.each(add); err != nil {
			return nil, err
		}
	}
	return func(lambdas []float64) ([][]LambdaScore, error) {
		out := make([][]LambdaScore, len(folds))
		for f := range folds {
			var rest RidgeStats
			for g := range folds {
				if g != f {
					if err := rest.Merge(&folds[g]); err != nil {
						return nil, err
					}
				}
			}
			if out[f], err = rest.scores(ctx, &folds[f], samples[f], j.relative(lambdas, rest.n)); err != nil {
				return nil, err
			}
			j.step()
		}
		return out, nil
	}, nil
}

// check wants options without lambdas. A support vector machine is scored by the error rate, or under SquaredInsensitive
// by the mean squared error. The features of all rows are computed once where CacheBytes allows, and every fold takes
// blocks of them, with no copy; the lambdas of a fold start from one another, the largest first. A lambda is relative and
// means the same penalty a row in a fold as on all rows; the default ones are 1e-7 n to 1e-3 n by factors of 10, and on to
// 1e-10 n or 1 n while the best is at an end, and one that is not done after MaxSteps scores +Inf. HeldOut and Seed do
// nothing.
func (o SVMOptions) check(*mat.Dense) error {
	if o.Lambdas != nil {
		return fmt.Errorf("SVMOptions has Lambdas; give them to CVOptions or the candidates: %w", domain.ErrParam)
	}
	return nil
}

func (o SVMOptions) metric(*mat.Dense) Metric {
	if o.Loss == SquaredInsensitive {
		return MeanSquaredError
	}
	return ErrorRate
}

func (SVMOptions) lambdas(n int) lambdaGrid {
	return lambdaGrid{n: n, lo: -7, hi: -3, by: 1, limit: [2]int{-10, 0}}
}

func (o SVMOptions) scorer(ctx context.Context, j *cvJob, spec layers.Spec) (cvScorer, error) {
	m, err := spec.Fit(j.sample)
	if err != nil {
		return nil, err
	}
	src, o, err := svmSource(ctx, m, j.rows, o)
	if err != nil {
		return nil, err
	}
	all, err := newSVMRows(src, o.CacheBytes)
	if err != nil {
		return nil, err
	}
	folds := make([]*svmRows, j.folds) // of all rows or none the blocks are kept
	for f := range folds {
		_, held := j.parts(src, f)
		if folds[f], err = newSVMRows(held, o.CacheBytes); err != nil {
			return nil, err
		}
		if folds[f].keep = all.keep; all.keep {
			if err := folds[f].each(func(int, *tensor.Dense) error { return nil }); err != nil {
				return nil, err
			}
		}
	}
	return func(lambdas []float64) ([][]LambdaScore, error) {
		one := o
		one.Lambdas = lambdas
		if _, err := one.complete(src.n); err != nil {
			return nil, err
		}
		out := make([][]LambdaScore, len(folds))
		for f := range folds {
			if out[f], err = svmFold(src, folds, f, j, one); err != nil {
				return nil, err
			}
			j.step()
		}
		return out, nil
	}, nil
}

// svmFold are the scores on fold f of fits on the others.
func svmFold(src *source, folds []*svmRows, f int, j *cvJob, o SVMOptions) ([]LambdaScore, error) {
	rest, _ := j.parts(src, f)
	var kept []*tensor.Dense
	if folds[f].kept != nil { // the others are there, in their order
		var y []float64
		for g, fold := range folds {
			if g != f {
				kept, y = append(kept, fold.kept...), append(y, fold.y.RawMatrix().Data...)
			}
		}
		k := src.y.RawMatrix().Cols
		rest.n, rest.y = len(y)/k, mat.NewDense(len(y)/k, k, y)
	}
	rows, err := newSVMRows(rest, o.CacheBytes)
	if err != nil {
		return nil, err
	}
	rows.kept = kept
	part, err := svmOf(rows, o)
	if err != nil {
		return nil, err
	}
	return part.path(j.relative(o.Lambdas, rows.n), folds[f])
}

// check wants options without a Lambda and without Checkpoints. Mini-batches are scored by the error rate of classes, and
// otherwise by the mean squared error. The features of a frozen map are computed once where CacheBytes allows; a map that
// is tuned is drawn again for every fit. Every fit starts from its own zero, for mini-batches have no optimum to start from.
// A lambda is FitOptions.Lambda; the default ones are 0, 1e-6, 1e-5 and 1e-4, and on to 1 while the best is the largest, and
// one under which the loss is no number scores +Inf.
func (h MiniBatch) check(y *mat.Dense) error {
	switch {
	case h.Lambda != 0:
		return fmt.Errorf("MiniBatch has Lambda = %v; give it to CVOptions or the candidates: %w", h.Lambda, domain.ErrParam)
	case h.Checkpoints.Path != "":
		return fmt.Errorf("MiniBatch has Checkpoints, and many fits; leave them out: %w", domain.ErrParam)
	}
	head, err := layers.NewHead(h.head(), 1, 1)
	if err == nil && head.Classifies() && !oneClass(y) {
		err = fmt.Errorf("a %s head learns classes: each row of y must be 1 in one column and -1 in the others, as OneVersusRest makes it: %w", h.head(), domain.ErrDomain)
	}
	return err
}

func (h MiniBatch) metric(y *mat.Dense) Metric {
	if oneClass(y) {
		return ErrorRate
	}
	return MeanSquaredError
}

func (MiniBatch) lambdas(int) lambdaGrid {
	return lambdaGrid{n: 1, lo: -6, hi: -4, by: 1, limit: [2]int{-6, 0}, zero: true}
}

func (h MiniBatch) scorer(ctx context.Context, j *cvJob, spec layers.Spec) (cvScorer, error) {
	o := h.FitOptions
	if err := o.fill(); err != nil {
		return nil, err
	}
	var m layers.Layer // with its input: as drawn, until a fit has tuned it
	rows := j.rows
	return func(lambdas []float64) ([][]LambdaScore, error) {
		out := make([][]LambdaScore, j.folds)
		for f := range j.folds {
			for _, o.Lambda = range lambdas {
				if m == nil || tunes(m) {
					var err error
					m, err = spec.Fit(j.sample)
					if p, memory := j.rows.(data.Pairs); memory && err == nil {
						m, p.X, err = forFit(m, p.X, o.CacheBytes)
						rows = p
					}
					if err != nil {
						return nil, err
					}
				}
				score, err := h.score(ctx, m, rows, j, f, o)
				if errors.Is(err, errDiverged) {
					score, err = unusable(o.Lambda), nil
				}
				if err != nil {
					return nil, err
				}
				out[f] = append(out[f], score)
			}
			j.step()
		}
		return out, nil
	}, nil
}

// score is that on fold f of a fit on the others.
func (h MiniBatch) score(ctx context.Context, m layers.Layer, rows data.Examples, j *cvJob, f int, o FitOptions) (LambdaScore, error) {
	out := LambdaScore{o.Lambda, math.NaN(), math.NaN()}
	k, dt := j.y.RawMatrix().Cols, layers.WithDtype(m.Dtype())
	head, err := layers.NewHead(h.head(), m.Features(), k, dt)
	if err != nil {
		return out, err
	}
	var fit *fitter
	var held iter.Seq2[batch, error]
	if p, memory := rows.(data.Pairs); memory {
		targets := targetsOf(head, p.Y)
		held = (&fitMemory{x: p.X, targets: targets}).one(j.order[f])
		fit, err = fitInMemory(ctx, m, head, p.X, targets, j.rest(f), o)
	} else if fit, err = fitRead(ctx, m, head, data.Part(rows, func(file, row int) bool { return j.fold(file, row) != f }), o); err == nil {
		held = fit.src.(*fitStream).batches(ctx, data.Part(rows, func(file, row int) bool { return j.fold(file, row) == f }), 0)
	}
	if err != nil {
		return out, err
	}
	if _, err := fit.run(ctx); err != nil {
		return out, err
	}
	_, score, err := fit.evaluate(held)
	if h.metric(j.y) == ErrorRate {
		out.ErrorRate = 1 - score
	} else {
		out.MSE = score * score
	}
	return out, err
}
