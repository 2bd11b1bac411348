package train

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
)

// Recipe describes how to learn a Model from rows: scalers, a map, and a way to fit the head on its features. The zero
// value is logistic regression for classes, or ridge regression for targets, on 1024 random Fourier features of the
// Gaussian kernel, without scaling.
type Recipe struct {
	// Scale lists the scalers in their order, as ScalersFor reads them; empty: "none". They are fitted on the rows.
	Scale string
	// Columns says how the columns of a table become numbers. For a *data.Frame nil means the zero value. For a
	// *data.Stream nil means that its columns are numbers or have been learned (data.Stream.Learn). A *data.Set already
	// has numbers.
	Columns *data.ColumnOptions
	// Spec describes the map. Its Dims, and the parameters that are left out, come from the scaled rows. An empty Map
	// is "gaussian". Features of 0 are 1024 for a map whose number of features is free.
	Spec layers.Spec
	// Fitter fits the head. nil is sgd.MiniBatch for a Spec that tunes its map, with a softmax head for classes. For a
	// frozen map nil is linear.LogisticOptions{} for classes if memory can keep all features and the kernel is positive
	// definite, and linear.RidgeOptions{} otherwise. The default Fitter has the seed of the Spec.
	Fitter fits.Fitter
	// Groups has a number for each row in memory, such as the number of its patient. The rows of one group are held out
	// together, by Prepared.Tune, Prepared.LearnUncertainty and CrossValidate. nil: each row by itself.
	Groups []int
	// Uncertainty asks Fit for Prepared.LearnUncertainty; nil: it is not learned.
	Uncertainty *UncertaintyOptions
	// Afford is called before a scaler that moves zeros makes sparse rows in memory dense. bytes is the memory for the
	// dense rows. An error ends the fit. nil: nothing is refused.
	Afford func(what string, bytes float64) error
}

// Fit learns a model from labels or targets of rows in memory (*data.Set or *data.Frame, which stay as they are) or in
// files (*data.Stream). It calls Prepare and then, on its result, Build, Fit and, if Uncertainty is set,
// LearnUncertainty.
//
// Errors name the file and the row if the rows come from a file: data.ErrLabel for one class alone; data.ErrTask for
// classes that look like targets; domain.ErrParam for rows without labels and targets, for a map that does not suit the
// rows, and for options out of range; domain.ErrShape for rows, labels and targets that differ in number;
// domain.ErrDomain for a number that is not finite or outside the map's domain; ctx.Err().
func (r Recipe) Fit(ctx context.Context, rows data.Source) (*Model, *fits.Report, error) {
	p, err := r.Prepare(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	if err := p.Build(); err != nil {
		return nil, nil, err
	}
	rep, err := p.Fit(ctx, r.Fitter)
	if err == nil && r.Uncertainty != nil {
		err = p.LearnUncertainty(ctx, *r.Uncertainty)
	}
	if err != nil {
		return nil, nil, err
	}
	return p.Model, rep, nil
}

// CrossValidate scores the recipe, or variants of it, by k-fold cross-validation. It calls Prepare, and then the
// function CrossValidate with the candidates on the scaled rows. Each fold is fitted as by Fit. The Fitter is that of
// CVOptions, else that of the recipe, else the default of Recipe.Fitter for the candidate's Spec, and a Spec that tunes
// its map is tuned in each fold. A Fitter of the recipe with lambdas of its own is fitted as it is, unless CVOptions or
// the candidates have lambdas, which is an error. CVReport.Best returns the recipe with what was chosen.
//
// Candidates differ from the recipe's Spec by their parameters; see Grid, RandomSearch and Around. Without candidates
// the Spec itself is scored, or those around it by CVOptions.Factors. The scalers are fitted on all rows, including the
// rows that a fold scores. CVOptions.Sample has no effect. Errors: see Recipe.Fit and CrossValidate.
func (r Recipe) CrossValidate(ctx context.Context, rows data.Source, candidates []Candidate, o CVOptions) (*CVReport,
	error) {
	p, err := r.Prepare(ctx, rows)
	if err != nil {
		return nil, err
	}
	if p.rows == nil {
		return nil, p.Locate(errNoTargets)
	}
	if len(candidates) == 0 {
		candidates = []Candidate{{Spec: p.Model.Spec}}
	}
	if o.Fitter == nil {
		o.Fitter, o.whole = r.Fitter, true
	}
	o.Sample, o.recipe = p.x, p
	report, err := CrossValidate(ctx, candidates, p.rows, o)
	if p.streamed() {
		return report, err // a stream names its rows
	}
	return report, p.Locate(err)
}

// model is the model before it has seen any rows.
func (r Recipe) model() (*Model, error) {
	m := &Model{Spec: r.Spec}
	if m.Spec.Map == "" {
		m.Spec.Map = "gaussian"
	}
	e, err := layers.Lookup(m.Spec.Map)
	if err != nil {
		return nil, err
	}
	if m.Spec.Features == 0 && e.HasFeatures() {
		m.Spec.Features = 1024
	}
	if m.Spec.Name == "" {
		m.Spec.Name = m.Spec.Map
	}
	scale := r.Scale
	if scale == "" {
		scale = "none"
	}
	m.Scaler, err = ScalersFor(m.Spec, scale)
	return m, err
}

// errNoTargets is the error for rows without labels and targets.
var errNoTargets = fmt.Errorf("train: Recipe: the rows have neither Labels nor Y; give one of the two: %w", domain.ErrParam)
