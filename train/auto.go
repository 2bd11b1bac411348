package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
)

// AutoOptions are the options of Auto. Exactly one of Budget and Trials is above 0.
type AutoOptions struct {
	// Budget limits the time of the race. A trial that is under way at its end is given up. The final fit on all rows
	// comes after it.
	Budget time.Duration
	// Trials is the largest number of trials of the race. The clock decides nothing then: the same rows, options and
	// seed give the same model.
	Trials int
	Seed   uint64
	// HeldOut is the fraction of the rows, in [0, 1), that every trial is scored on, at most 5000 rows; 0: 0.2. If that
	// is fewer than 1000 rows, each trial is scored on up to five different divisions of the rows.
	HeldOut     float64
	MaxFeatures int    // of a map; 0: 1024
	Dtype       string // of the maps, as in Recipe.Spec
	// Fitter solves for the head of a map that does not change any more; nil: logistic regression for classes if the
	// kernel is positive definite, and otherwise ridge regression.
	Fitter fits.Fitter
	// Groups are as in Recipe.
	Groups []int
	// Columns and Afford are as in Recipe; Auto uses Columns for a *data.Frame alone.
	Columns *data.ColumnOptions
	Afford  func(what string, bytes float64) error
	// Uncertainty is as in Recipe, for the final model, after the race.
	Uncertainty *UncertaintyOptions
	// Progress is called after each trial. nil: not called.
	Progress func(Trial)
}

// Trial describes a recipe that Auto has tried.
type Trial struct {
	// Recipe holds the Scale and the Spec with all its parameters, and a Fitter if ridge regression has told the
	// classes apart.
	Recipe Recipe
	// Steps are the steps of a Tuner from the map as it is drawn to the model.
	Steps []string
	// Epochs and MapRate are the options of the steps by mini-batches, as in sgd.FitOptions; 0: the default.
	Epochs   int
	MapRate  float64
	Round    int // of the race, from 1
	Rows     int // to learn from
	Features int
	// Score is the error rate for classes, or the root mean squared error for targets, on the held-out rows. It is NaN
	// for a trial that failed; Note says why.
	Score   float64
	Seconds float64
	Note    string
}

// String describes the trial in words.
func (t Trial) String() string {
	words := []string{t.Recipe.Spec.Map}
	if p := fmt.Sprint(t.Recipe.Spec.Params.Short()); p != "" {
		words[0] += " " + p
	}
	if t.Features > 0 {
		words = append(words, fmt.Sprintf("%d features", t.Features))
	}
	if t.Recipe.Scale != "none" {
		words = append(words, t.Recipe.Scale)
	}
	words = append(words, strings.Join(t.Steps, " + "))
	if t.Epochs > 0 {
		words = append(words, fmt.Sprintf("%d epochs", t.Epochs))
	}
	if t.MapRate > 0 {
		words = append(words, fmt.Sprintf("rate %v", t.MapRate))
	}
	if t.Recipe.Fitter != nil {
		words = append(words, "ridge")
	}
	return strings.Join(words, ", ")
}

// Auto finds a model without a recipe. It looks at the rows and races maps and scalers that suit them, by successive
// halving (Jamieson and Talwalkar 2016). The first round fits all of them frozen on few rows, the second the better
// ones on more rows, and the third tunes the best of these. The last round fits the best ones, tuned and frozen, at
// full size, and takes at least 60 % of Budget. All trials are scored on the same held-out rows. Auto fits the best
// recipe again on all rows.
//
// Rows are a *data.Set or a *data.Frame. If the context ends after the first trial that succeeded, Auto returns the
// model of the best trial and no error.
//
// Errors: domain.ErrParam for options out of range, for a *data.Stream, which every trial would read again, and for
// rows without labels and targets; domain.ErrShape for fewer than 5 rows; the errors of Recipe.Fit; ctx.Err() if the
// context ends before there is a model; context.DeadlineExceeded if no trial finished within Budget.
func Auto(ctx context.Context, rows data.Source, o AutoOptions) (*Model, *Report, error) {
	set, err := o.rows(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	a, err := newRace(o, set)
	if err != nil {
		return nil, nil, set.Locate(err)
	}
	return a.run(ctx)
}

// rows checks the arguments, fills in the defaults, and returns the rows as a set.
func (o *AutoOptions) rows(ctx context.Context, rows data.Source) (*data.Set, error) {
	if err := given.Missing("Auto", given.Arg("the context", ctx), given.Arg("the source of rows", rows)); err != nil {
		return nil, err
	}
	switch {
	case (o.Budget > 0) == (o.Trials > 0) || o.Budget < 0 || o.Trials < 0:
		return nil, fmt.Errorf("train: Auto: Budget = %v and Trials = %d; give one of the two, above 0: %w",
			o.Budget, o.Trials, domain.ErrParam)
	case !(o.HeldOut >= 0 && o.HeldOut < 1):
		return nil, fmt.Errorf("train: Auto: HeldOut = %v is no fraction in [0, 1): %w", o.HeldOut, domain.ErrParam)
	case o.MaxFeatures < 0 || o.MaxFeatures > 0 && o.MaxFeatures < 4:
		return nil, fmt.Errorf("train: Auto: MaxFeatures = %d; want at least 4, or 0 for 1024: %w", o.MaxFeatures,
			domain.ErrParam)
	}
	if o.HeldOut == 0 {
		o.HeldOut = .2
	}
	if o.MaxFeatures == 0 {
		o.MaxFeatures = 1024
	}
	var set *data.Set
	switch s := rows.(type) {
	case *data.Set:
		set = s
	case *data.Frame:
		var err error
		if set, err = (Recipe{Columns: o.Columns}).learn(s); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("train: Auto: the rows are a %T, which each trial would read again; read them "+
			"whole, by data.ReadAll or data.ReadFrame: %w", rows, domain.ErrParam)
	}
	if domain.IsNil(set.X) {
		return nil, fmt.Errorf("train: Auto: the set has no X: %w", domain.ErrParam)
	}
	x, err := data.RowMajor("train: Auto", "x", set.X)
	if err != nil {
		return nil, set.Locate(err)
	}
	own := *set
	set, own.X = &own, x
	return set, set.Locate(ops.CheckRows(domain.Reals(), "train: Auto", set.X))
}

// newRace learns the targets and deals the rows.
func newRace(o AutoOptions, set *data.Set) (*race, error) {
	n := set.Rows()
	p := &prepared{model: new(Model), n: n}
	y, err := p.learnTargets(set)
	switch {
	case err != nil:
		return nil, err
	case y == nil:
		return nil, errNoTargets
	case n < 5:
		return nil, fmt.Errorf("train: Auto: %d rows are too few to hold some out and to choose by them; give at "+
			"least 5: %w", n, domain.ErrShape)
	case o.Uncertainty.check(p.model) != nil:
		return nil, o.Uncertainty.check(p.model)
	case o.Groups != nil && len(o.Groups) != n:
		return nil, fmt.Errorf("train: Auto: %d Groups for %d rows; give one for each row: %w", len(o.Groups), n,
			domain.ErrShape)
	}
	const most = 5000 // rows that are held out
	o.HeldOut = math.Max(1, math.Min(most, math.Floor(o.HeldOut*float64(n)))) / float64(n)
	a := &race{AutoOptions: o, source: set, now: time.Now, classes: p.model.Classes, report: new(Report)}
	a.set = &data.Set{X: set.X, Y: y.RawMatrix().Data, LabelNames: set.LabelNames, Source: set.Source,
		Columns: set.Columns}
	if a.classes != nil {
		a.set.LabelNames = a.classes
	}
	for _, part := range deal(n, y, o.Groups, o.Seed, divisions(n, o.HeldOut, 5)) {
		a.order = append(a.order, part...)
		a.ends = append(a.ends, len(a.order))
	}
	if n-a.ends[0] < 2 {
		return nil, fmt.Errorf("train: Auto: HeldOut = %v of %d rows leaves fewer than 2 to learn from: %w",
			o.HeldOut, n, domain.ErrParam)
	}
	a.report.Kind, a.all = a.look()
	return a, nil
}

// run races and fits the best on all rows.
func (a *race) run(ctx context.Context) (*Model, *Report, error) {
	a.start = a.now()
	racing, stop := ctx, context.CancelFunc(func() {})
	if a.Budget > 0 {
		racing, stop = context.WithDeadline(ctx, a.start.Add(a.Budget))
	}
	defer stop()
	a.rounds(racing)
	if a.best == nil {
		if err := given.Stopped(ctx); err != nil {
			return nil, nil, fmt.Errorf("train: Auto: stopped before there was a model: %w", err)
		}
		if err := racing.Err(); err != nil {
			return nil, nil, fmt.Errorf("train: Auto: no trial was done within %v; give more time: %w", a.Budget, err)
		}
		return nil, nil, a.source.Locate(fmt.Errorf("train: Auto: no recipe can be fitted: %w",
			errors.Join(a.failed...)))
	}
	a.report.Best = a.best.number
	m, err := a.refit(ctx)
	if err != nil {
		if given.Stopped(ctx) == nil {
			return nil, nil, a.source.Locate(err)
		}
		m, a.report.Report = a.best.model, *a.best.report
	}
	a.report.Whole = err == nil
	return m, a.report, nil
}
