package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
)

// AutoOptions are the options of Auto. Exactly one of Budget and Trials is above 0.
type AutoOptions struct {
	// Budget is the time that Auto takes. Half of it or more goes to trials, and the rest to fits on all rows, of which
	// the first one is finished even if that is late.
	Budget time.Duration
	// Trials is the largest number of trials. The clock decides nothing then: the same rows, options and seed give the
	// same model.
	Trials int
	Seed   uint64
	// HeldOut is the fraction of the rows, in [0, 1), that every trial is scored on, at most 5000 rows; 0: 0.2. If that
	// is fewer than 1000 rows, each trial is scored on up to five different divisions of the rows.
	HeldOut     float64
	MaxFeatures int    // of a map, and of a layer of a network; 0: 1024
	Dtype       string // of the maps, as in Recipe.Spec; empty: "float32"
	// Fitter solves for the head of a map that does not change any more. nil: logistic regression for classes if the
	// kernel is positive definite, and otherwise ridge regression. With a Fitter there are no networks, and one trial at
	// a time.
	Fitter fits.Fitter
	// Groups are as in Recipe.
	Groups []int
	// Columns and Afford are as in Recipe; Auto uses Columns for a *data.Frame alone.
	Columns *data.ColumnOptions
	Afford  func(what string, bytes float64) error
	// Uncertainty is as in Recipe, for the final model. The uncertainty of an ensemble comes from the predictions of its
	// trials for the rows that they held out, with its Calibration and Sets. Laplace is of a single model, and Auto then
	// makes no ensemble.
	Uncertainty *UncertaintyOptions
	// Progress is called after each trial, one call at a time. nil: not called.
	Progress func(Trial)
}

// Trial describes a recipe that Auto has tried.
type Trial struct {
	Recipe Recipe // complete
	// Kind is what learns besides the head: "frozen", nothing; "scaled", scales of the columns; "tuned", the map;
	// "network", all layers.
	Kind     string
	Round    int // from 1
	Rows     int // to learn from
	Features int
	// Loss is the mean negative log-likelihood of the classes, or the mean squared error of targets, on the held-out
	// rows. The scores of a head that has no probabilities are calibrated first. Score is the error rate, or the root
	// mean squared error. Both are NaN for a trial that failed; Note says why.
	Loss, Score float64
	Seconds     float64
	Ended       float64 // seconds after the start of Auto
	Weight      float64 // in the model, in [0, 1]
	Note        string
}

// String describes the trial in words.
func (t Trial) String() string {
	r := t.Recipe
	words := []string{outline(r.Spec)}
	if t.Features > 0 {
		words = append(words, fmt.Sprintf("%d features", t.Features))
	}
	if r.Scale != "none" {
		words = append(words, r.Scale)
	}
	var o sgd.FitOptions
	r.descend(func(of *sgd.FitOptions) { o = *of })
	fitter := r.FitterKind()
	if words = append(words, t.Kind); r.Tuner != nil && t.Kind == tuned.String() {
		words = append(words, r.Tuner.Steps...)
	}
	if o.Directions {
		words = append(words, "directions")
	}
	for _, set := range []struct {
		name  string
		value float64
	}{{"epochs", float64(o.Epochs)}, {"rate", o.MapRate}, {"decay", o.MapDecay}} {
		if set.value != 0 {
			words = append(words, fmt.Sprintf("%s %.3g", set.name, set.value))
		}
	}
	if fitter != "" && fitter != "minibatch" {
		words = append(words, fitter)
	}
	return strings.Join(words, ", ")
}

// outline is a spec in words: a map with its parameters, or the layers of a network.
func outline(s layers.Spec) string {
	if len(s.Parts) == 0 {
		return layers.Spec{Map: s.Map, Params: s.Params}.String()
	}
	words := make([]string, len(s.Parts))
	for i, p := range s.Parts {
		if words[i] = p.Map; p.Features > 0 {
			words[i] += fmt.Sprintf(" %d", p.Features)
		}
	}
	return strings.Join(words, " > ")
}

// Auto finds a model without a recipe. It looks at the rows, and tries recipes that suit them: maps as they are drawn,
// tuned maps, and networks with periodic columns, each with the scalers that suit it. All trials are scored on the same
// held-out rows by their loss. Successive halving (Jamieson and Talwalkar 2016) takes the better ones of each kind to
// more rows, and tries variants of the best. The model is an ensemble of at most eight of them, chosen greedily by the
// loss of the mean of their predictions (Caruana et al. 2004), and fitted again on all rows. It is one Model: its map
// has the members side by side. Bags, and heads other than softmax and linear, make no ensemble.
//
// Rows are a *data.Set or a *data.Frame. If the context ends after the first trial that succeeded, Auto returns a
// model of the trials so far and no error.
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
	m, err := a.run(ctx)
	if err != nil {
		return nil, nil, set.Locate(err)
	}
	return m, a.report, nil
}

// rows checks the arguments, fills in the defaults, and returns the rows as a set.
func (o *AutoOptions) rows(ctx context.Context, rows data.Source) (*data.Set, error) {
	if err := given.Missing("Auto", "the context", ctx, "the source of rows", rows); err != nil {
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
	o.HeldOut, o.Fitter = cmp.Or(o.HeldOut, .2), byValue(o.Fitter)
	o.MaxFeatures, o.Dtype = cmp.Or(o.MaxFeatures, 1024), cmp.Or(o.Dtype, "float32")
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
	a := &race{AutoOptions: o, set: set, classes: p.model.Classes, report: new(Report),
		scaled: map[string]*prepared{}, paces: map[pace]float64{}}
	parts := deal(n, y, o.Groups, o.Seed, divisions(n, o.HeldOut, 5))
	last := len(parts) - 1
	empty := func(rows []int) bool { return len(rows) == 0 } // where a large group takes the place of several
	a.parts = append(slices.DeleteFunc(parts[:last:last], empty), parts[last])
	if a.learned() < 2 {
		return nil, fmt.Errorf("train: Auto: HeldOut = %v of %d rows leaves fewer than 2 to learn from: %w",
			o.HeldOut, n, domain.ErrParam)
	}
	return a, nil
}
