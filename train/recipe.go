package train

import (
	"cmp"
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
)

// Recipe describes how to learn a Model from rows: scalers, a map, and a way to fit the head on its features. The zero
// value learns 1024 random Fourier features of the Gaussian kernel, on scaled rows, and a softmax head for classes or a
// linear head for targets, together by mini-batches in float32. It does so two or four times, with different random
// numbers, and the model is their mean. Networks, a linear model or ridge regression on features with a scale for each
// column take the place of these where they have less loss (see Spec). With Spec.Tune of "none", the features stay as they
// are drawn, under logistic regression for classes or ridge regression for targets.
type Recipe struct {
	// Scale lists the scalers in their order, as NewScaler reads them. They are fitted on the rows.
	//
	// If it is empty, and mini-batches tune a map of real numbers whose parameters all come from the data (the default,
	// and steps of a Tuner), dense rows in memory are scaled by "auto", "none", "quantile" or "robust", or, if there are
	// more than 512 columns, by "auto" or "none"; classes of more than 64 columns, dense or sparse, also by "l2". The scaler is
	// the one with the least loss on a held-out fifth of at most 4000 rows after a short fit to the others, or, where it may
	// take the place of the map (see Spec), after ridge regression on a map with scales; Model.Scaler says which. Other
	// sparse rows, and rows of 0 and 1 alone, stay as they are. Where another fit, map or source leaves
	// Scale empty it is "auto" for tables with names or texts, and "none" otherwise.
	Scale string
	// Columns says how the columns of a table become numbers. For a *data.Frame nil means the zero value. For a
	// *data.Stream nil means that its columns are numbers or have been learned (data.Stream.Learn). A *data.Set already
	// has numbers.
	Columns *data.ColumnOptions
	// Spec describes the map. Its Dims, and the parameters that are left out, come from the scaled rows. An empty Map
	// is "gaussian". Features of 0 are 1024 for a map whose number of features is free, where the program has 4096 for a
	// frozen one, and of a fitted map as in layers.Spec.FillDefaults.
	//
	// A Spec with a Dtype and a Seed at most leaves the map open. Under sgd.ForTuning the model is then the mean of fits
	// with different random numbers, four of at most 10,000 rows and two of more, but one of more than 2^24 cells: its map
	// is a "concat" of their maps, and its scores are the means of theirs. A fit that diverges beside the first one is left
	// out. Progress and Chosen are called for the first one. A "sequential" of periodic columns and two dense layers takes
	// the place of each map if short fits to at most 20,000 rows then have less loss, by a share 1/√n, on n rows held out,
	// or of every second one if the mean of a map and such a network then has. It is for dense rows in memory, at least 500
	// of at most 512 columns, of which 1 to 128 have more than eight values. These are periodic, and the others stay as they
	// are beside them. If the columns change between the two kinds more than eleven times, all are periodic, which is for
	// at most 128.
	// A model whose head is solved for takes the place of all if it has less loss on a fifth of the rows, held out up
	// to five times, or less than a quarter of the loss of the short fits. It is "linear", with ridge or logistic
	// regression, and then has to have less loss by 1.5 standard errors of the difference, or, for targets of dense rows,
	// at least 100 of at most 512 columns, ridge regression on the map with a scale for each column, learned as in
	// StepEvidence. It is for rows in memory, at least 20 and at most 4000 or as many as there are columns, and for at most
	// 4096 columns if Uncertainty asks for the posterior of targets. "linear" takes that place at once for more than 16,384
	// columns, with a λ chosen by rows held out or by leave-one-out.
	//
	// An empty Tune is layers.Spec.DefaultPolicy for rows in memory, and "none" for streams, with a Fitter that solves
	// for the head, and with UncertaintyOptions.Laplace. An empty Dtype is float32 where mini-batches may tune the map,
	// by Tune or by a step of the Tuner, and float32 can hold the targets, and float64 otherwise.
	Spec layers.Spec
	// Tuner tunes the map step by step; nil: the map is drawn as the Spec says, and the Fitter tunes it if Spec.Tune
	// says so. With a Tuner, Spec.Tune has no effect, and the Fitter is for the steps that solve for the head.
	Tuner *Tuner
	// Fitter fits the head. nil is sgd.ForTuning for a Spec that tunes its map, with a softmax head for classes. Under it a
	// map that tunes all may start with a scale for each column, learned as in StepEvidence: dense rows in memory, at least
	// 100 of at most 512 columns, are scaled so if short fits then have less loss on rows held out. Report.Evidence and
	// Model.Relevance say so. For a frozen map nil is linear.LogisticOptions{} for classes if memory can keep all features
	// and the kernel is positive definite, and linear.RidgeOptions{} otherwise. The default Fitter has the seed of the
	// Spec.
	Fitter fits.Fitter
	// Groups has a number for each row in memory, such as the number of its patient. The rows of one group are held out
	// together, by the Tuner, for the Uncertainty, and by CrossValidate. nil: each row by itself.
	Groups []int
	// Uncertainty asks Fit for Model.Uncertainty; nil: it is not learned.
	Uncertainty *UncertaintyOptions
	// Afford is called before a scaler that moves zeros makes sparse rows in memory dense. bytes is the memory for the
	// dense rows. An error ends the fit. nil: nothing is refused.
	Afford func(what string, bytes float64) error
	// Ready is called once the rows are scaled and the Spec is complete, before a map is drawn. It may change the
	// Fitter in Start, for example to one that depends on the number of rows. An error ends the fit. nil: not called.
	Ready func(*Start) error
}

// Start is what is known of a fit before it begins. Recipe.Ready gets it.
type Start struct {
	// Model has its Scaler, Columns, Classes and complete Spec, but no Map and Head. A network or a linear model may still
	// take the place of the Spec.
	Model   *Model
	Problem fits.Problem // the size of the fit, with the features of all members of a mean; for CrossValidate with the most of the candidates
	Counts  []int        // the number of rows of each class; nil for targets
	Fitter  fits.Fitter  // of the recipe
	// Wrap, if Ready sets it, is called with the map before a Fitter fits on all rows, and returns the map to fit on,
	// for example one that counts calls (see layers.Unwrap). The model keeps the map itself. Of a mean it is called
	// for the first fit.
	Wrap func(layers.Layer) layers.Layer
}

// Report describes how a model was found and fitted.
type Report struct {
	fits.Report        // of the last fit, on all rows; of a mean the first of them
	Steps       []Step // of a Tuner with several steps
	Chosen      string // the step of the Tuner with the least error, the first of equals
	// Solved is the step whose head StepSolved solved again.
	Solved string
	// Evidence has the scales that the map has or started with, or that the Tuner learned, from all rows or in a trial;
	// nil: none.
	Evidence *evidence.Result
	Kind     string  // what the rows are, in the words of Auto
	Trials   []Trial // of Auto
	Best     int     // the trial with the lowest score, the first of equals
	// Whole says that Auto fitted every member of the model again on all rows. It is false if the context ended before
	// that, or if Budget left no time for some members, which then have learned from the rows of their trials alone.
	Whole bool
}

// Fit learns a model from labels or targets of rows in memory (*data.Set or *data.Frame, which stay as they are) or in
// files (*data.Stream).
//
// Errors name the file and the row if the rows come from a file: data.ErrLabel for one class alone; data.ErrTask for
// labels that are not classes; domain.ErrParam for a nil context, for rows without labels and targets, for a map
// that does not suit the rows, for a Spec that tunes its map with a Fitter that leaves it frozen, for a softmax head
// and targets, and for options out of range; domain.ErrShape for rows, labels and targets that differ in number;
// domain.ErrDomain for a number that is not finite or outside the map's domain; the errors of the Fitter and the Tuner;
// ctx.Err(). If the model is fitted and its Uncertainty cannot be learned, Fit returns the model with the error.
func (r Recipe) Fit(ctx context.Context, rows data.Source) (*Model, *Report, error) {
	p, err := r.labelled(ctx, rows)
	if err == nil {
		err = r.Uncertainty.check(p.model)
	}
	if err == nil {
		err = p.ready()
	}
	if err != nil {
		return nil, nil, err
	}
	report := new(Report)
	learn, err := p.learner(ctx, report)
	if err != nil {
		return nil, nil, p.locateFit(err)
	}
	m, err := p.finish(ctx, learn, report)
	return m, report, p.locateFit(err)
}

// learner is what fits the recipe in a trial: the step that its Tuner chooses now, or its Fitter.
func (p *prepared) learner(ctx context.Context, report *Report) (learner, error) {
	if p.recipe.Tuner != nil {
		return p.tuned(ctx, *p.recipe.Tuner, report)
	}
	f, err := p.fitter()
	return p.fitted(f), err
}

// finish fits a model to all rows, and learns its uncertainty.
func (p *prepared) finish(ctx context.Context, learn learner, report *Report) (*Model, error) {
	t := newTrial(p.rows, nil)
	if err := learn(ctx, t); err != nil {
		return nil, err
	}
	m := t.model(p.model)
	report.Report, report.Evidence = *t.report, t.found
	if p.recipe.Uncertainty == nil {
		return m, nil
	}
	u, err := p.uncertainty(ctx, m, t.ridge, learn)
	if err == nil {
		m.Uncertainty = u
	}
	return m, err
}

// FitMap learns a model without a Head, from rows that may lack labels and targets. It maps rows (Model.Features), and
// a Head can be given to it. An empty Spec.Tune is "none". Errors: see Fit.
func (r Recipe) FitMap(ctx context.Context, rows data.Source) (*Model, error) {
	r.Spec.Tune = cmp.Or(r.Spec.Tune, layers.Frozen.String())
	p, err := r.prepare(ctx, rows)
	if err == nil {
		err = p.ready()
	}
	if err != nil {
		return nil, err
	}
	m := *p.model
	if m.Map, err = m.Spec.Fit(p.x); err != nil {
		return nil, err
	}
	m.Spec.Features = cmp.Or(m.Spec.Features, m.Map.Features())
	return &m, nil
}

// labelled is prepare for rows with labels or targets.
func (r Recipe) labelled(ctx context.Context, rows data.Source) (*prepared, error) {
	p, err := r.prepare(ctx, rows)
	if err == nil && p.rows == nil {
		err = p.locate(errNoTargets)
	}
	return p, err
}

// tune fills in the policy of a spec that names none. A Fitter that solves for the head leaves the map frozen.
func (r Recipe) tune(s *layers.Spec) error {
	solves := !domain.IsNil(r.Fitter) && r.Fitter.Frozen() || r.Uncertainty != nil && r.Uncertainty.Laplace
	if s.Tune != "" || r.Tuner != nil || solves {
		return nil
	}
	policy, err := s.DefaultPolicy()
	if policy != layers.Frozen {
		s.Tune = policy.String()
	}
	return err
}

// open says whether the spec leaves the map open.
func (r Recipe) open() bool {
	s := r.Spec
	s.Name, s.Dims, s.Dtype, s.Seed = "", 0, "", 0
	return s.String() == ""
}

// newModel is the model before it has seen any rows. tunes says whether the rows are some to tune a map on.
func (r Recipe) newModel(tunes bool) (*Model, error) {
	m := &Model{Spec: r.Spec}
	m.Spec.Map = cmp.Or(m.Spec.Map, "gaussian")
	m.Spec.Name = cmp.Or(m.Spec.Name, m.Spec.Map)
	e, err := layers.Lookup(m.Spec.Map)
	if err != nil {
		return nil, err
	}
	if m.Spec.Features == 0 && e.HasFeatures() && !e.Fitted {
		m.Spec.Features = 1024
	}
	if tunes {
		if err := r.tune(&m.Spec); err != nil {
			return nil, err
		}
	}
	if m.Spec.Dtype == "" && (r.Tuner == nil && m.Spec.Tuned() || r.Tuner != nil && r.Tuner.descends()) {
		m.Spec.Dtype = "float32" // in .5 to .8 of the time of float64, and as accurate
	}
	m.Scaler, err = Recipe{Scale: r.Scale, Spec: m.Spec}.NewScaler()
	return m, err
}

// errNoTargets is the error for rows without labels and targets.
var errNoTargets = fmt.Errorf("train: Recipe: the rows have neither Labels nor Y; give one of the two: %w",
	domain.ErrParam)
