package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ridgeFolds scores RidgeOptions by cross-validation.
type ridgeFolds struct{ RidgeOptions }

// Folds returns how CrossValidate scores ridge regression. The options leave Lambdas and Select at their zero values.
//
// The score is the error rate for classes, with ties broken by the mean squared error, and the mean squared error for
// targets. Rows go over the map once. Each fold becomes a RidgeStats, and a fit uses the merged sums of the other
// folds. The squared error comes from the sums of the fold (RidgeStats.MSE), the error rate from at most 2048 random
// rows of each fold. Memory is Folds + 2 matrices of D×D, and these rows. A lambda stands for the same penalty per row
// in a fold as on all rows; the default grid is the one of FitRidge. ClassWeights also weigh the errors.
//
// If sparse rows have sparse features, more of them than rows, each fit solves a system of its rows, taken from one
// Gram matrix of all rows. Memory is then about 2 n² numbers, and the error rate is over all rows of a fold.
func (o RidgeOptions) Folds() cv.Head { return ridgeFolds{o} }

// Metric refuses options that cross-validation sets itself.
func (o ridgeFolds) Metric(y *mat.Dense) (fits.Metric, error) {
	switch {
	case o.Lambdas != nil || o.Select != SelectAuto:
		return 0, fmt.Errorf("RidgeOptions has Lambdas or Select; give lambdas to CVOptions or the candidates: %w",
			domain.ErrParam)
	case given.AreClasses(y):
		return fits.ErrorRate, nil
	}
	return fits.MeanSquaredError, nil
}

// DefaultLambdas returns the grid for n rows.
func (ridgeFolds) DefaultLambdas(n int) cv.Grid { return builtIn(n, 1) }

func (o ridgeFolds) Scorer(ctx context.Context, j *cv.Job, spec layers.Spec) (cv.Scorer, error) {
	m, err := spec.Fit(j.Sample)
	if err != nil {
		return nil, err
	}
	src, err := rows.New(ctx, "Ridge", m, j.Rows)
	if err == nil && o.ClassWeights == nil {
		err = src.InUnit()
	}
	if err != nil {
		return nil, err
	}
	if o.foldsDual(src.N, src.Features, src.Stored(), src.Signature != nil) {
		return dualFolds(src, j)
	}
	folds, samples := make([]RidgeStats, j.Folds), make([]*rows.Sample, j.Folds)
	for f := range folds {
		folds[f].Signature, folds[f].ClassWeights = src.Signature, o.ClassWeights
		add := folds[f].add
		if j.Metric == fits.ErrorRate {
			samples[f] = rows.NewSample(uint64(f))
			add = rows.Both(add, samples[f].InTurn())
		}
		_, held := partsOf(j, src, f)
		if err := held.Each(add); err != nil {
			return nil, err
		}
	}
	return eachFold(j, src, func(f int, lambdas []float64) ([]fits.LambdaScore, error) {
		var rest RidgeStats
		for g := range folds {
			if g != f {
				if err := rest.Merge(&folds[g]); err != nil {
					return nil, err
				}
			}
		}
		return rest.scores(ctx, &folds[f], samples[f], j.Relative(lambdas, rest.n))
	}), nil
}

// eachFold scores lambdas fold by fold, and takes the scores out of the unit of the targets of src.
func eachFold(j *cv.Job, src *rows.Source,
	score func(f int, lambdas []float64) ([]fits.LambdaScore, error)) cv.Scorer {
	return func(lambdas []float64) (out [][]fits.LambdaScore, err error) {
		square, err := given.Square(src.Who, src.Unit.Largest())
		if err != nil {
			return nil, err
		}
		for f := range j.Folds {
			scores, err := score(f, lambdas)
			if err != nil {
				return nil, err
			}
			for i := range scores {
				scores[i].MSE *= square
			}
			out = append(out, scores)
			j.Step()
		}
		return out, nil
	}
}

// foldsDual says whether the n x n system is solved: for sparse features, more of them than rows.
func (o RidgeOptions) foldsDual(n, features, stored int, signed bool) bool {
	return stored > 0 && o.solvesDual(n, features, signed)
}

// dualFolds scores lambdas by the Gram matrix of all rows. Each fit and each fold uses a part of it.
func dualFolds(src *rows.Source, j *cv.Job) (cv.Scorer, error) {
	all, err := newDualRows(src)
	if err != nil {
		return nil, err
	}
	k, mean := all.gram(src.Ctx), floats.Dot(all.mean, all.mean)
	return eachFold(j, src, func(f int, lambdas []float64) ([]fits.LambdaScore, error) {
		rest := j.Rest(f)
		return dualScores(src, k, rest, j.Order[f], mean, j.Relative(lambdas, len(rest)))
	}), nil
}

// partsOf are the rows of src in a fold, and those in the others.
func partsOf(j *cv.Job, src *rows.Source, fold int) (rest, held *rows.Source) {
	if src.Memory != nil {
		return src.Take(j.Rest(fold)), src.Take(j.Order[fold])
	}
	return src.Where(func(file, row int) bool { return j.Fold(file, row) != fold }),
		src.Where(func(file, row int) bool { return j.Fold(file, row) == fold })
}

// outOfUnit takes the fit out of the unit of the targets.
func (f *Fit) outOfUnit(s *rows.Source) error {
	f.unit = s.Unit
	scoresOutOf(s.Unit, f.Scores)
	return s.Unit.Weights(s.Who, f.W.RawMatrix().Data, f.B)
}

// scoresOutOf takes scores out of a unit. +Inf stays for lambdas that cannot be used: a square that overflows becomes
// the largest number.
func scoresOutOf(u *given.Unit, scores []fits.LambdaScore) {
	square := min(u.Largest()*u.Largest(), math.MaxFloat64)
	for i := range scores {
		if v := &scores[i].MSE; !math.IsInf(*v, 1) {
			*v = min(*v*square, math.MaxFloat64)
		}
	}
}
