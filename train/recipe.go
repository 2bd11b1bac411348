package train

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
)

// Recipe is the way from rows to a Model: scalers, a map, and how the head on its features is fitted. The zero value is
// logistic regression of classes, or ridge regression of targets, on 1024 random Fourier features of the Gaussian kernel of the rows as they are.
type Recipe struct {
	// Scale lists the scalers in their order, as ScalersFor reads them; empty is "none". They are fitted on the rows.
	Scale string
	// Columns says how the columns of a table become numbers. nil is the zero value for a *data.Frame, and says that the
	// columns of a *data.Stream are numbers or have been learned (data.Stream.Learn). A *data.Set has numbers already.
	Columns *data.ColumnOptions
	// Spec describes the map. Dims and the parameters that are left out come from the scaled rows. An empty Map is
	// "gaussian"; Features of 0 are 1024 for a map that can have any number.
	Spec layers.Spec
	// Fitter fits the head. nil is MiniBatch for a Spec that tunes its map, under a softmax head for classes. For a frozen
	// map it is LogisticOptions{} for classes where all features can be kept in memory and have no signs, and else RidgeOptions{}.
	Fitter fits.Fitter
	// Uncertainty asks Fit for Prepared.LearnUncertainty; nil: it is not learned.
	Uncertainty *UncertaintyOptions
	// Afford is asked before a scaler that moves zeros makes sparse rows dense, which takes so many bytes. Its error
	// ends the fit. nil: nothing is refused.
	Afford func(what string, bytes float64) error
}

// Fit learns a model from labels or targets of rows in memory (*data.Set or *data.Frame, which stay as they are)
// or in files (*data.Stream). It is Prepare, and of what that returns Build, Fit and, where
// it is asked for, LearnUncertainty.
//
// Errors name the file and the row where the rows have some: data.ErrLabel for one class alone; data.ErrTask for classes
// that look like targets; domain.ErrParam for rows
// without labels and targets, a map that does not go with the rows, and options out of range; domain.ErrShape;
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

// CrossValidate is Prepare, and CrossValidate of the candidates on the scaled rows. The scalers are fitted on all rows.
// Candidates differ from the recipe's Spec by their parameters; see Grid, RandomSearch and Around.
func (r Recipe) CrossValidate(ctx context.Context, rows data.Source, candidates []Candidate, o CVOptions) (*CVReport, error) {
	p, err := r.Prepare(ctx, rows)
	if err != nil {
		return nil, err
	}
	if p.rows == nil {
		return nil, p.Locate(errNoTargets)
	}
	o.Sample, o.locate = p.x, p.locate
	report, err := CrossValidate(ctx, candidates, p.rows, o)
	if p.streamed() {
		return report, err // a stream names its rows
	}
	return report, p.Locate(err)
}

// model is the model before it has met a row.
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

// errNoTargets is of rows that nothing can be learned from.
var errNoTargets = fmt.Errorf("train: Recipe: the rows have neither Labels nor Y; give one of the two: %w", domain.ErrParam)
