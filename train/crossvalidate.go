package train

import (
	"context"
	"fmt"
	"maps"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// CVOptions are the options of CrossValidate.
type CVOptions struct {
	Folds    int                   // 0: 5
	Lambdas  []float64             // relative, as ridge's, for all rows; nil: 1e-9 n to 1e-1 n by factors of 10
	Seed     uint64                // of the folds
	Progress func(done, total int) // is called after each spec. nil: not called
}

// CVScore is the mean squared error of ridge for a map and a lambda: over the rows of a fold and the targets, of a fit on the other folds, and then over folds.
type CVScore struct {
	Spec   layers.Spec
	Lambda float64
	MSE    float64 // +Inf where a fold cannot be solved for
	StdErr float64 // of MSE, over the folds
}

// CVReport are the scores, by spec and then by lambda, and the number of the least.
type CVReport struct {
	Scores []CVScore
	Best   int
}

// CrossValidate scores maps and lambdas of ridge on x [n, d] and y [n, k] by k-fold cross-validation. Each map is drawn and goes over the rows once: a fold is
// its RidgeStats, a fit is on the sums of the others, whose Gram matrix serves every lambda, and the error on the fold needs no row again
// (RidgeStats.MSE). Memory is Folds + 2 matrices of D x D. A map that is fitted sees all rows of x, but no target. Maps with one seed have the same
// draws, so that scores differ by the parameters alone. A lambda means the same penalty a row in a fold as on all rows.
//
// Errors: domain.ErrShape for fewer rows than folds and shapes that do not fit; domain.ErrParam for options out of range, no spec, and where no lambda can be
// solved for; those of the specs and of FitRidge; ctx.Err().
func CrossValidate(ctx context.Context, specs []layers.Spec, x ops.Matrix, y *mat.Dense, o CVOptions) (*CVReport, error) {
	if o.Folds == 0 {
		o.Folds = 5
	}
	n := x.Shape()[0]
	if o.Lambdas == nil {
		for e := -9; e <= -1; e++ {
			o.Lambdas = append(o.Lambdas, math.Pow10(e)*float64(n))
		}
	}
	switch {
	case len(specs) == 0 || len(o.Lambdas) == 0 || o.Folds < 2:
		return nil, fmt.Errorf("train: CrossValidate: %d maps, %d lambdas, %d folds; want at least 1, 1 and 2: %w", len(specs), len(o.Lambdas), o.Folds, domain.ErrParam)
	case n < 2*o.Folds || y == nil || y.RawMatrix().Rows != n:
		return nil, fmt.Errorf("train: CrossValidate: x is %v and y %v in %d folds; give a row of targets for each row and two rows for each fold: %w", x.Shape(), dimsOf(y), o.Folds, domain.ErrShape)
	}
	r := new(CVReport)
	for i, spec := range specs {
		scores, err := crossValidate(ctx, spec, x, y, o)
		if err != nil {
			return nil, fmt.Errorf("train: CrossValidate: map %s %v: %w", spec.Map, spec.Params.Short(), err)
		}
		r.Scores = append(r.Scores, scores...)
		if o.Progress != nil {
			o.Progress(i+1, len(specs))
		}
	}
	for i, s := range r.Scores {
		if s.MSE < r.Scores[r.Best].MSE {
			r.Best = i
		}
	}
	if math.IsInf(r.Scores[r.Best].MSE, 1) {
		return nil, fmt.Errorf("train: CrossValidate: none of the %d lambdas leaves a system that can be solved; raise them: %w", len(o.Lambdas), domain.ErrParam)
	}
	return r, nil
}

// crossValidate are the scores of one map.
func crossValidate(ctx context.Context, spec layers.Spec, x ops.Matrix, y *mat.Dense, o CVOptions) ([]CVScore, error) {
	m, err := spec.Fit(x)
	if err != nil {
		return nil, err
	}
	n, order := x.Shape()[0], data.Shuffle(x.Shape()[0], o.Seed)
	folds := make([]RidgeStats, o.Folds)
	for f := range folds {
		rows := order[f*n/o.Folds : (f+1)*n/o.Folds]
		part := mat.NewDense(len(rows), y.RawMatrix().Cols, nil)
		for i, r := range rows {
			part.SetRow(i, y.RawRowView(r))
		}
		if err := folds[f].AddRows(ctx, m, data.RowsOf(x, rows), part); err != nil {
			return nil, err
		}
	}
	mse := make([][]float64, len(o.Lambdas)) // of each fold
	for f := range folds {
		var rest RidgeStats
		for g := range folds {
			if g != f {
				if err := rest.Merge(&folds[g]); err != nil {
					return nil, err
				}
			}
		}
		lambdas := make([]float64, len(o.Lambdas))
		for i, l := range o.Lambdas {
			lambdas[i] = l * float64(rest.n) / float64(n)
		}
		scores, err := rest.scores(ctx, &folds[f], lambdas)
		if err != nil {
			return nil, err
		}
		for i, s := range scores {
			mse[i] = append(mse[i], s.MSE)
		}
	}
	out := make([]CVScore, len(o.Lambdas))
	for i, l := range o.Lambdas {
		mean, sd := stat.MeanStdDev(mse[i], nil)
		out[i] = CVScore{Spec: spec, Lambda: l, MSE: mean, StdErr: sd / math.Sqrt(float64(o.Folds))}
		if math.IsInf(mean, 1) || math.IsNaN(mean) {
			out[i].MSE, out[i].StdErr = math.Inf(1), math.NaN()
		}
	}
	return out, nil
}

// Around are specs beside the one that FillDefaults would make for x: the first parameter that it takes from the data is multiplied by each of the
// factors. Errors: domain.ErrParam for a map whose parameters are all given or need no data; those of FillDefaults.
func Around(spec layers.Spec, x ops.Matrix, factors ...float64) ([]layers.Spec, error) {
	e, err := layers.Lookup(spec.Map)
	if err != nil {
		return nil, err
	}
	given := spec.Params
	spec.Dims = x.Shape()[1]
	if err := spec.FillDefaults(x); err != nil {
		return nil, err
	}
	for _, p := range e.Params {
		_, fixed := given[p.Name]
		if value, number := spec.Params[p.Name].(float64); number && !fixed && p.Default == nil {
			specs := make([]layers.Spec, len(factors))
			for i, f := range factors {
				specs[i] = spec
				specs[i].Params = maps.Clone(spec.Params)
				specs[i].Params[p.Name] = value * f
			}
			return specs, nil
		}
	}
	return nil, fmt.Errorf("train: Around: map %s has no parameter that comes from the data and is not given: %w", spec.Map, domain.ErrParam)
}
