package sgd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// miniBatchFolds scores MiniBatch by cross-validation.
type miniBatchFolds struct{ MiniBatch }

// Folds returns how CrossValidate scores mini-batches. The options have no Lambda and no Checkpoints.
//
// The score is the error rate for classes, and otherwise the mean squared error. If CacheBytes allows, the features of
// a frozen map are computed once; a map that is tuned is drawn again for every fit. Every fit starts from a new head,
// as mini-batches have no optimum to start from. A lambda is FitOptions.Lambda. The default grid is 0, 1e-6, 1e-5 and
// 1e-4; it grows to 1 while the best is the largest. A lambda whose loss is not finite scores +Inf.
func (o MiniBatch) Folds() cv.Head { return miniBatchFolds{o} }

// Check refuses options that cross-validation sets itself.
func (h miniBatchFolds) Check(y *mat.Dense) error {
	switch {
	case h.Lambda != 0:
		return fmt.Errorf("MiniBatch has Lambda = %v; give it to CVOptions or the candidates: %w", h.Lambda, domain.ErrParam)
	case h.Checkpoints.Path != "":
		return fmt.Errorf("MiniBatch has Checkpoints, and many fits; leave them out: %w", domain.ErrParam)
	}
	head, err := layers.NewHead(h.HeadKind(), 1, 1)
	if err == nil && head.Classifies() && !cv.OneClass(y) {
		err = fmt.Errorf("a %s head learns classes: each row of y must be 1 in one column and -1 in the others, as OneVersusRest makes it: %w", h.HeadKind(), domain.ErrDomain)
	}
	return err
}

func (h miniBatchFolds) Metric(y *mat.Dense) fits.Metric {
	if cv.OneClass(y) {
		return fits.ErrorRate
	}
	return fits.MeanSquaredError
}

// DefaultLambdas returns the grid, which does not depend on the number of rows.
func (miniBatchFolds) DefaultLambdas(int) cv.Grid {
	return cv.Grid{N: 1, Lo: -6, Hi: -4, By: 1, Limit: [2]int{-6, 0}, Zero: true}
}

func (h miniBatchFolds) Scorer(ctx context.Context, j *cv.Job, spec layers.Spec) (cv.Scorer, error) {
	o := h.FitOptions
	if err := o.fill(spec.Tuned()); err != nil {
		return nil, err
	}
	var m layers.Layer // as drawn, until a fit has tuned it
	rows := j.Rows
	return func(lambdas []float64) ([][]fits.LambdaScore, error) {
		out := make([][]fits.LambdaScore, j.Folds)
		for f := range j.Folds {
			for _, o.Lambda = range lambdas {
				if m == nil || tunes(m) {
					var err error
					m, err = spec.Fit(j.Sample)
					if p, memory := j.Rows.(data.Pairs); memory && err == nil {
						m, p.X, err = forFit(m, p.X, o.CacheBytes)
						rows = p
					}
					if err != nil {
						return nil, err
					}
				}
				score, err := h.score(ctx, m, rows, j, f, o)
				if errors.Is(err, errDiverged) {
					score, err = cv.Unusable(o.Lambda), nil
				}
				if err != nil {
					return nil, err
				}
				out[f] = append(out[f], score)
			}
			j.Step()
		}
		return out, nil
	}, nil
}

// score is the score on fold f of a fit on the other folds.
func (h miniBatchFolds) score(ctx context.Context, m layers.Layer, rows data.Examples, j *cv.Job, f int, o FitOptions) (fits.LambdaScore, error) {
	out := fits.LambdaScore{Lambda: o.Lambda, MSE: math.NaN(), ErrorRate: math.NaN()}
	k, dt := j.Y.RawMatrix().Cols, layers.WithDtype(m.Dtype())
	head, err := layers.NewHead(h.HeadKind(), m.Features(), k, dt)
	if err != nil {
		return out, err
	}
	var fit *fitter
	var held iter.Seq2[batch, error]
	if p, memory := rows.(data.Pairs); memory {
		if fit, err = fitInMemory(ctx, m, head, p.X, p.Y, j.Rest(f), o); err == nil {
			held = fit.src.(*fitMemory).one(j.Order[f])
		}
	} else if fit, err = fitRead(ctx, m, head, data.Part(rows, func(file, row int) bool { return j.Fold(file, row) != f }), o); err == nil {
		held = fit.src.(*fitStream).batches(ctx, data.Part(rows, func(file, row int) bool { return j.Fold(file, row) == f }), 0)
	}
	if err != nil {
		return out, err
	}
	if _, err := fit.epochs(ctx); err != nil {
		return out, err
	}
	_, score, err := fit.evaluate(held)
	if h.Metric(j.Y) == fits.ErrorRate {
		out.ErrorRate = 1 - score
	} else if err == nil {
		var square float64
		square, err = given.Square("Fit", fit.unit.Largest())
		out.MSE = score * score * square
	}
	return out, err
}
