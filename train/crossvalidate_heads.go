package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// CVHead is what CrossValidate fits on the features of a map: CVRidge, CVSVM or CVFit.
type CVHead interface {
	// check refuses options and targets before anything is fitted.
	check(y *mat.Dense) error
	metric(y *mat.Dense) Metric
	// lambdas are the default ones for n rows.
	lambdas(n int) []float64
	// errors are those of each fold and, in it, of each lambda of a candidate, +Inf for a fit that fails by the lambda.
	errors(ctx context.Context, j *cvJob, c Candidate) ([][]float64, error)
}

// powers are the powers of ten from 10^lo to 10^hi, times n.
func powers(lo, hi, n int) (out []float64) {
	for e := lo; e <= hi; e++ {
		out = append(out, math.Pow10(e)*float64(n))
	}
	return out
}

// CVRidge is ridge, by the mean squared error, of classes too. Rows go over the map once: a fold is its RidgeStats, a fit is on the sums of the
// others, whose Gram matrix serves every lambda, and the error on the fold needs no row again (RidgeStats.MSE). Memory is Folds + 2 matrices of
// D x D. A lambda is relative and means the same penalty a row in a fold as on all rows; the default ones are 1e-9 n to 1e-1 n by factors of 10.
// ClassWeights are those of RidgeOptions, in the error too.
type CVRidge struct{ ClassWeights []float64 }

func (CVRidge) check(*mat.Dense) error   { return nil }
func (CVRidge) metric(*mat.Dense) Metric { return MeanSquaredError }
func (CVRidge) lambdas(n int) []float64  { return powers(-9, -1, n) }

func (h CVRidge) errors(ctx context.Context, j *cvJob, c Candidate) ([][]float64, error) {
	m, err := c.Spec.Fit(j.x)
	if err != nil {
		return nil, err
	}
	folds := make([]RidgeStats, len(j.folds))
	for f, rows := range j.folds {
		folds[f].ClassWeights = h.ClassWeights
		if err := folds[f].AddRows(ctx, m, data.RowsOf(j.x, rows), j.targets(rows)); err != nil {
			return nil, err
		}
	}
	out := make([][]float64, len(folds))
	for f := range folds {
		var rest RidgeStats
		for g := range folds {
			if g != f {
				if err := rest.Merge(&folds[g]); err != nil {
					return nil, err
				}
			}
		}
		lambdas := make([]float64, len(c.Lambdas))
		for i, l := range c.Lambdas {
			lambdas[i] = j.relative(l, rest.n)
		}
		scores, err := rest.scores(ctx, &folds[f], lambdas)
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			out[f] = append(out[f], s.MSE)
		}
		j.step()
	}
	return out, nil
}

// CVSVM is the support vector machine of FitSVM: by the error rate, or under SquaredInsensitive by the mean squared error. The features of
// all rows are computed once where CacheBytes allows, and every fold takes blocks of them, with no copy; the lambdas of a fold start from one
// another, the largest first. A lambda is relative and means the same penalty a row in a fold as on all rows; the default ones are 1e-7 n to 1e-3 n
// by factors of 10, and one that is not done after MaxSteps scores +Inf. Lambdas must be nil; HeldOut and Seed do nothing.
type CVSVM struct{ SVMOptions }

func (h CVSVM) check(*mat.Dense) error {
	if h.Lambdas != nil {
		return fmt.Errorf("CVSVM has Lambdas; give them to CVOptions or the candidates: %w", domain.ErrParam)
	}
	return nil
}

func (h CVSVM) metric(*mat.Dense) Metric {
	if h.Loss == SquaredInsensitive {
		return MeanSquaredError
	}
	return ErrorRate
}

func (CVSVM) lambdas(n int) []float64 { return powers(-7, -3, n) }

func (h CVSVM) errors(ctx context.Context, j *cvJob, c Candidate) ([][]float64, error) {
	m, err := c.Spec.Fit(j.x)
	if err != nil {
		return nil, err
	}
	o := h.SVMOptions
	o.Lambdas = c.Lambdas
	src, o, err := svmSource(ctx, m, j.x, j.y, o)
	if err != nil {
		return nil, err
	}
	folds := make([]*svmRows, len(j.folds)) // of all rows or none the blocks are kept
	for f, rows := range j.folds {
		folds[f] = newSVMRows(src, rows, o)
		if folds[f].keep = newSVMRows(src, nil, o).keep; folds[f].keep {
			if err := folds[f].each(func(int, *tensor.Dense) error { return nil }); err != nil {
				return nil, err
			}
		}
	}
	out := make([][]float64, len(folds))
	for f := range folds {
		if out[f], err = svmFold(src, folds, f, j, o); err != nil {
			return nil, err
		}
		j.step()
	}
	return out, nil
}

// svmFold are the errors on fold f of fits on the others.
func svmFold(src *rowSource, folds []*svmRows, f int, j *cvJob, o SVMOptions) ([]float64, error) {
	rows := newSVMRows(src, j.rest(f), o)
	if folds[f].kept != nil {
		for g := range folds {
			if g != f {
				rows.kept = append(rows.kept, folds[g].kept...)
			}
		}
	}
	part, err := newSVM(rows, o)
	if err != nil {
		return nil, err
	}
	held := heldSVM(folds[f], part)
	out := make([]float64, len(o.Lambdas))
	for _, i := range descending(o.Lambdas) {
		fit, err := part.fit(j.relative(o.Lambdas[i], rows.n))
		if errors.Is(err, errLambda) {
			out[i] = math.Inf(1)
			continue
		}
		if err != nil {
			return nil, err
		}
		if out[i], err = held.error(fit); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// CVFit is Fit under a linear head, or a softmax head: by the error rate for classes, and otherwise by the mean squared error. The features of a
// frozen map are computed once where CacheBytes allows; a map that is tuned is drawn again for every fit. Every fit starts from its own zero, for
// mini-batches have no optimum to start from. A lambda is FitOptions.Lambda; the default ones are 0, 1e-6, 1e-5 and 1e-4, and one under which
// the loss is no number scores +Inf. Lambda must be 0, and Checkpoints empty.
type CVFit struct {
	FitOptions
	Softmax bool
}

func (h CVFit) check(y *mat.Dense) error {
	switch {
	case h.Lambda != 0:
		return fmt.Errorf("CVFit has Lambda = %v; give it to CVOptions or the candidates: %w", h.Lambda, domain.ErrParam)
	case h.Checkpoints.Path != "":
		return fmt.Errorf("CVFit has Checkpoints, and many fits; leave them out: %w", domain.ErrParam)
	case h.Softmax && !oneClass(y):
		return fmt.Errorf("a softmax head learns classes: each row of y must be 1 in one column and -1 in the others, as OneVersusRest makes it: %w", domain.ErrDomain)
	}
	return nil
}

func (h CVFit) metric(y *mat.Dense) Metric {
	if oneClass(y) {
		return ErrorRate
	}
	return MeanSquaredError
}

func (CVFit) lambdas(int) []float64 { return append([]float64{0}, powers(-6, -4, 1)...) }

func (h CVFit) errors(ctx context.Context, j *cvJob, c Candidate) ([][]float64, error) {
	o := h.FitOptions
	if err := o.fill(); err != nil {
		return nil, err
	}
	var m layers.Layer // with its input x: as drawn, until a fit has tuned it
	var x ops.Matrix
	out := make([][]float64, len(j.folds))
	for f := range j.folds {
		for _, o.Lambda = range c.Lambdas {
			if m == nil || tunes(m) {
				var err error
				if m, err = c.Spec.Fit(j.x); err == nil {
					m, x, err = forFit(m, j.x, o.CacheBytes)
				}
				if err != nil {
					return nil, err
				}
			}
			e, err := h.error(ctx, m, x, j, f, o)
			if errors.Is(err, errDiverged) {
				e, err = math.Inf(1), nil
			}
			if err != nil {
				return nil, err
			}
			out[f] = append(out[f], e)
		}
		j.step()
	}
	return out, nil
}

// error is that on fold f of a fit on the others.
func (h CVFit) error(ctx context.Context, m layers.Layer, x ops.Matrix, j *cvJob, f int, o FitOptions) (float64, error) {
	k, dt := j.y.RawMatrix().Cols, layers.WithDtype(m.Dtype())
	var head layers.Head
	var err error
	targets := Targets(j.y, m.Dtype(), nil)
	if h.Softmax {
		targets = Targets(j.y, m.Dtype(), probability)
		head, err = layers.NewSoftmaxHead(m.Features(), k, dt)
	} else {
		head, err = layers.NewLinearHead(m.Features(), k, dt)
	}
	if err != nil {
		return 0, err
	}
	fit, err := fitInMemory(m, head, x, targets, j.rest(f), o)
	if err != nil {
		return 0, err
	}
	if _, err := fit.run(ctx); err != nil {
		return 0, err
	}
	_, score, err := fit.evaluate((&fitMemory{x: x, targets: targets}).one(j.folds[f]))
	if h.metric(j.y) == ErrorRate {
		return 1 - score, err
	}
	return score * score, err
}
