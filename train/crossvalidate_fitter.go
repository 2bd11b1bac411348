package train

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
)

// cvHead is a Fitter whose lambdas CrossValidate scores.
type cvHead interface {
	fits.Fitter
	// Folds returns how it is scored.
	Folds() cv.Head
}

var (
	_ cvHead = linear.RidgeOptions{}
	_ cvHead = linear.SVMOptions{}
	_ cvHead = linear.LogisticOptions{}
	_ cvHead = sgd.MiniBatch{}
)

// foldsOf returns how CrossValidate scores a Fitter. whole says that one with lambdas of its own is fitted as it is.
func foldsOf(f fits.Fitter, whole bool) (cv.Head, error) {
	if domain.IsNil(f) {
		return nil, fmt.Errorf("train: CrossValidate: the Fitter is a nil %T: %w", f, domain.ErrParam)
	}
	head, ok := f.(cvHead)
	if _, own := withLambdas(f, nil); !ok || whole && own {
		return wholeFits{f}, nil
	}
	return head.Folds(), nil
}

// withLambdas returns a Fitter with other lambdas, and whether it has its own. nil removes them. A Fitter without
// lambdas stays as it is.
func withLambdas(f fits.Fitter, lambdas []float64) (with fits.Fitter, own bool) {
	switch f := f.(type) {
	case *linear.RidgeOptions:
		return withLambdas(*f, lambdas)
	case *linear.SVMOptions:
		return withLambdas(*f, lambdas)
	case *linear.LogisticOptions:
		return withLambdas(*f, lambdas)
	case *sgd.MiniBatch:
		return withLambdas(*f, lambdas)
	case linear.RidgeOptions:
		own = f.Lambdas != nil || f.Select != linear.SelectAuto
		f.Lambdas, f.Select = lambdas, linear.SelectAuto
		return f, own
	case linear.SVMOptions:
		own = f.Lambdas != nil
		f.Lambdas = lambdas
		return f, own
	case linear.LogisticOptions:
		own = f.Lambdas != nil
		f.Lambdas = lambdas
		return f, own
	case sgd.MiniBatch:
		own = f.Lambda != 0
		if f.Lambda = 0; lambdas != nil {
			f.Lambda = lambdas[0]
		}
		return f, own
	}
	return f, false
}

// wholeFits scores any Fitter by fits to the rows of all folds but one.
type wholeFits struct{ fits.Fitter }

// ours returns how a Fitter of this module is scored apart from its lambdas, or nil.
func (w wholeFits) ours() cv.Head {
	bare, _ := withLambdas(w.Fitter, nil)
	if head, ok := bare.(cvHead); ok {
		return head.Folds()
	}
	return nil
}

func (w wholeFits) Check(y *mat.Dense) error {
	if head := w.ours(); head != nil {
		return head.Check(y)
	}
	head, err := layers.NewHead(w.HeadKind(), 1, 1)
	if err == nil && head.Classifies() && !cv.OneClass(y) {
		err = fmt.Errorf("a %s head learns classes: each row of y must be 1 in one column and -1 in the others, as "+
			"OneVersusRest makes it: %w", w.HeadKind(), domain.ErrDomain)
	}
	return err
}

func (w wholeFits) Metric(y *mat.Dense) fits.Metric {
	switch head := w.ours(); {
	case head != nil:
		return head.Metric(y)
	case given.AreClasses(y):
		return fits.ErrorRate
	default:
		return fits.MeanSquaredError
	}
}

func (w wholeFits) CostOfFolds(p fits.Problem, folds int, _ []float64) fits.Cost {
	c := w.Cost(p)
	c.Operations *= float64(folds)
	return c
}

// DefaultLambdas is the one fit without a lambda to choose.
func (wholeFits) DefaultLambdas(int) cv.Grid { return cv.Grid{List: []float64{math.NaN()}} }

func (w wholeFits) Scorer(ctx context.Context, j *cv.Job, spec layers.Spec) (cv.Scorer, error) {
	m, err := spec.Fit(j.Sample)
	if err != nil {
		return nil, err
	}
	return func([]float64) ([][]fits.LambdaScore, error) {
		out := make([][]fits.LambdaScore, j.Folds)
		for f := range out {
			if err := given.Stopped(ctx); err != nil {
				return nil, fmt.Errorf("stopped after %d of %d folds: %w", f, j.Folds, err)
			}
			if f > 0 && spec.Tuned() {
				if m, err = spec.Fit(j.Sample); err != nil {
					return nil, err
				}
			}
			score, err := w.score(ctx, m, j, f)
			if err != nil {
				return nil, err
			}
			out[f] = []fits.LambdaScore{score}
			j.Step()
		}
		return out, nil
	}, nil
}

// score is the score on fold f of a fit to the other folds.
func (w wholeFits) score(ctx context.Context, m layers.Layer, j *cv.Job, f int) (fits.LambdaScore, error) {
	score, k := fits.LambdaScore{Lambda: math.NaN(), ErrorRate: math.NaN()}, j.Y.RawMatrix().Cols
	head, err := layers.NewHead(w.HeadKind(), m.Features(), k, layers.WithDtype(m.Dtype()), layers.WithName("head"))
	if err != nil {
		return score, err
	}
	var rest, held data.Examples
	if p, memory := j.Rows.(data.Pairs); memory {
		rest, held = pick(p, j.Rest(f)), pick(p, j.Order[f])
	} else {
		rest = data.Part(j.Rows, func(file, row int) bool { return j.Fold(file, row) != f })
		held = data.Part(j.Rows, func(file, row int) bool { return j.Fold(file, row) == f })
	}
	if _, err := w.Fit(ctx, m, head, rest); err != nil {
		return score, fmt.Errorf("fold %d: %w", f, err)
	}
	n, wrong, square := 0, 0, 0.
	for b, err := range held.Blocks(ctx, 0) {
		if err != nil {
			return score, err
		}
		scores, err := headScores(m, head, b.X)
		if err != nil {
			return score, given.Located(b, err)
		}
		rows, _ := scores.Dims()
		n += rows
		for i := range rows {
			y, p := b.Y.RawRowView(i), scores.RawRowView(i)
			if k == 1 && (p[0] >= 0) != (y[0] > 0) || k > 1 && y[max(given.ArgMax(p), 0)] <= 0 {
				wrong++
			}
			for t, v := range y {
				if head.Classifies() {
					v = (v + 1) / 2 // the probability
				}
				square += (v - p[t]) * (v - p[t])
			}
		}
	}
	if n == 0 {
		return score, fmt.Errorf("fold %d has no rows; take fewer folds, or another Seed: %w", f, domain.ErrShape)
	}
	if score.MSE = square / float64(n*k); w.Metric(j.Y) == fits.ErrorRate {
		score.ErrorRate = float64(wrong) / float64(n)
	}
	return score, nil
}

// headScores are what a head makes of the features of rows.
func headScores(m layers.Layer, head layers.Head, x ops.Matrix) (*mat.Dense, error) {
	z, err := layers.Apply(m, nil, x)
	if err != nil {
		return nil, err
	}
	y, err := layers.Transform(head, nil, z)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(y.Shape()[0], y.Shape()[1], ops.Float64s(y)), nil
}
