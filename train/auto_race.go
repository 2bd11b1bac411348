package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/stat"
)

// race is an Auto at work.
type race struct {
	AutoOptions
	source  *data.Set // the rows as given
	set     *data.Set // the rows, with targets of -1 and 1 for classes
	classes data.Classes
	order   []int // of the rows; divisions hold out stretches of it,
	ends    []int // which end here; the last are all rows
	all     []*entrant

	now    func() time.Time
	start  time.Time
	past   []fitted // that have been fitted, without their models
	report *Report
	best   *fitted
	failed []error
	number int // of the round
}

// attempt is an entrant at some size.
type attempt struct {
	*entrant
	steps                  []string
	rows, features, epochs int
	ridge                  bool    // whether ridge fits the head of classes too, which is fast
	rate                   float64 // of the map in StepAll; 0: the default
}

// descends says whether mini-batches tune the map.
func (at attempt) descends() bool { return (&Tuner{Steps: at.steps}).descends() }

// same says whether another attempt takes the same steps with the same Fitter.
func (at attempt) same(other attempt) bool {
	return at.ridge == other.ridge && slices.Equal(unsolved(at.steps), unsolved(other.steps))
}

// fitted is what an attempt brought, with the model of its first division.
type fitted struct {
	attempt
	number         int // of the trial
	score, seconds float64
	model          *Model
	report         *fits.Report
}

// The sizes of the first rounds.
const (
	screenRows, screenFeatures = 2000, 256
	refineRows, refineFeatures = 4000, 512
)

// fastRate is a rate of the map that suits some rows, see sgd.FitOptions.
const fastRate = .2

// rounds races: all entrants frozen, the better ones on more rows, the best of them tuned, and the most promising ones
// at full size.
func (a *race) rounds(ctx context.Context) {
	var screen, refine, tune []attempt
	for _, e := range a.all {
		at := attempt{entrant: e, steps: []string{StepFrozen}, rows: screenRows, features: screenFeatures}
		at.ridge = a.Fitter == nil
		screen = append(screen, at)
	}
	few := max(1, a.Trials*15/100)
	a.round(ctx, .12, max(1, a.Trials/2), screen)
	for i, e := range a.ranked() {
		if i < 4 || e.spec.Map == "linear" {
			refine = append(refine, attempt{entrant: e, steps: []string{StepFrozen}, rows: refineRows,
				features: refineFeatures})
		}
	}
	a.round(ctx, .2, few, refine)
	for i, e := range a.tunable() {
		for j, steps := range [][]string{{StepAll}, {StepEvidence, StepBoth}, {StepEvidence}} {
			if i+j < 3 {
				tune = append(tune, attempt{entrant: e, steps: steps, rows: refineRows, features: screenFeatures})
			}
		}
	}
	if len(tune) > 0 {
		faster := tune[0]
		faster.rate = fastRate
		tune = slices.Insert(tune, 1, faster)
	}
	a.round(ctx, .4, few, tune)
	a.number++
	for _, at := range a.promising() {
		if a.over(ctx) {
			return
		}
		if at, ok := a.full(at); ok {
			a.try(ctx, at)
		}
	}
	for a.best != nil && !a.over(ctx) {
		at, ok := a.next()
		if !ok {
			return
		}
		a.try(ctx, at)
	}
}

// ranked are the entrants that have been fitted, the best first.
func (a *race) ranked() []*entrant {
	out := slices.DeleteFunc(slices.Clone(a.all), func(e *entrant) bool { return math.IsInf(e.score, 1) })
	slices.SortStableFunc(out, func(x, y *entrant) int { return cmp.Compare(x.score, y.score) })
	return out
}

// tunable are those ranked entrants that can be tuned, the best of each pair of map and scale.
func (a *race) tunable() (out []*entrant) {
	for _, e := range a.ranked() {
		same := func(o *entrant) bool { return o.spec.Map == e.spec.Map && o.scale == e.scale }
		if e.Tunable && !slices.ContainsFunc(out, same) {
			out = append(out, e)
		}
	}
	return out
}

// promising are the attempts with the least scores, of those so far and of tuning the best maps. More rows and features
// help tuned maps more than frozen ones.
func (a *race) promising() (list []attempt) {
	const gain, near = .8, 1.3
	var scores []float64
	add := func(at attempt, score float64) {
		if at.steps = unsolved(at.steps); at.steps[0] != StepFrozen {
			score *= gain
		}
		if i := slices.IndexFunc(list, func(p attempt) bool { return p.entrant == at.entrant && p.same(at) }); i >= 0 {
			scores[i] = score // of more rows
			return
		}
		list, scores = append(list, at), append(scores, score)
	}
	for i, e := range a.tunable() {
		if i < 3 {
			add(attempt{entrant: e, steps: []string{StepAll}}, e.score)
		}
	}
	for _, p := range a.past {
		add(p.attempt, p.score)
	}
	if len(list) == 0 {
		return nil
	}
	byScore, worst := make([]int, len(list)), near*slices.Min(scores)
	for i := range byScore {
		byScore[i] = i
	}
	slices.SortStableFunc(byScore, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	out := make([]attempt, 0, len(list))
	for _, i := range byScore {
		if scores[i] <= worst {
			out = append(out, list[i])
		}
	}
	return out
}

// over says whether the race has ended: the context is done, or all trials are.
func (a *race) over(ctx context.Context) bool {
	return ctx.Err() != nil || a.Trials > 0 && len(a.report.Trials) >= a.Trials
}

// left returns how many seconds remain of a share of the budget.
func (a *race) left(share float64) float64 {
	if a.Budget == 0 {
		return math.Inf(1)
	}
	return share*a.Budget.Seconds() - a.now().Sub(a.start).Seconds()
}

// round makes the attempts of a list within a share of the budget, or at most a number of trials.
func (a *race) round(ctx context.Context, share float64, most int, list []attempt) {
	a.number++
	for i, at := range list {
		if a.over(ctx) || a.Trials > 0 && i >= most {
			return
		}
		at = a.within(at)
		seconds, known := a.estimate(at)
		left := a.left(share)
		if a.best != nil && (left <= 0 || known && seconds > left) {
			continue
		}
		limited, stop := ctx, context.CancelFunc(func() {})
		if a.Budget > 0 && a.best != nil { // what takes far too long is given up
			if left += .05 * a.Budget.Seconds(); !known && i == 0 {
				left /= 2
			}
			limited, stop = context.WithTimeout(ctx, time.Duration(left*float64(time.Second)))
		}
		a.try(limited, at)
		stop()
		if a.Budget > 0 && a.number == 1 && i == 0 && len(a.past) > 0 {
			// Rows for which there is time to try all.
			fit := a.left(share) / a.past[0].seconds / float64(len(list))
			for j := range list {
				list[j].rows = max(500, int(min(1, fit)*screenRows))
			}
		}
	}
}

// learned is the number of rows that a trial at full size learns from.
func (a *race) learned() int { return len(a.order) - a.ends[0] }

// within limits an attempt to the rows at hand and to MaxFeatures.
func (a *race) within(at attempt) attempt {
	at.rows = min(at.rows, a.learned())
	if at.features = min(at.features, a.MaxFeatures); !at.HasFeatures() {
		at.features = 0
	}
	return at
}

// next is the best attempt with one setting changed, if its map is tuned and there is time for it.
func (a *race) next() (at attempt, ok bool) {
	for _, change := range []func(at *attempt){
		func(at *attempt) { at.rate = fastRate },
		func(at *attempt) { at.epochs = 80 },
		func(at *attempt) { at.features /= 2 },
		func(at *attempt) { at.epochs = 20 },
	} {
		at = a.best.attempt
		at.steps = unsolved(at.steps)
		if change(&at); !at.descends() || at.features < 4 || a.tried(at) {
			continue
		}
		if seconds, known := a.estimate(at); known && seconds < .85*a.left(1) {
			return at, true
		}
	}
	return at, false
}

// full is an attempt on all rows, or on as many as the time allows, with the most features and epochs that the time
// allows.
func (a *race) full(at attempt) (attempt, bool) {
	left := .75 * a.left(1)
	for _, cut := range []struct{ features, epochs int }{{1, 0}, {2, 0}, {2, 20}, {4, 20}, {4, 10}} {
		at.rows, at.features, at.epochs = a.learned(), a.MaxFeatures/cut.features, cut.epochs
		if at = a.within(at); !at.descends() {
			at.epochs = 0
		}
		seconds, known := a.estimate(at)
		if a.Budget == 0 || known && seconds <= left {
			return at, !a.tried(at)
		}
		if share := left / seconds; known && cut.epochs == 10 && share > .1 {
			at.rows = int(share * float64(at.rows))
			return at, !a.tried(at)
		}
	}
	return at, false
}

// tried says whether an attempt has been made.
func (a *race) tried(at attempt) bool {
	return slices.ContainsFunc(a.past, func(p fitted) bool {
		return p.entrant == at.entrant && p.rows == at.rows && p.features == at.features && p.epochs == at.epochs &&
			p.rate == at.rate && p.same(at)
	})
}

// estimate predicts how many seconds an attempt takes, from the last attempt of the same entrant and steps, or else
// from the last one of the same steps.
func (a *race) estimate(at attempt) (seconds float64, known bool) {
	size := func(at attempt) float64 {
		features, epochs := float64(max(1, at.features)), 1.
		if !at.descends() {
			features = math.Pow(features, 1.5) // products of features by features
		} else if epochs = float64(at.epochs); epochs == 0 {
			epochs = 40
		}
		return float64(at.rows) * features * epochs
	}
	for _, like := range []func(p fitted) bool{
		func(p fitted) bool { return p.entrant == at.entrant },
		func(p fitted) bool { return p.spec.Map == at.spec.Map },
		func(p fitted) bool { return p.HasFeatures() == at.HasFeatures() },
	} {
		for _, p := range slices.Backward(a.past) {
			if like(p) && p.same(at) {
				return p.seconds * size(at) / size(p.attempt), true
			}
		}
	}
	return 0, false
}

// unsolved are the steps without the last solution of the head.
func unsolved(steps []string) []string {
	if n := len(steps); n > 0 && steps[n-1] == StepSolved {
		return steps[:n-1]
	}
	return steps
}

// try makes an attempt, and keeps its model if none is better.
func (a *race) try(ctx context.Context, at attempt) {
	start := a.now()
	f, err := a.fit(ctx, at)
	t := Trial{Steps: at.steps, Epochs: at.epochs, MapRate: at.rate, Round: a.number, Rows: at.rows,
		Features: at.features, Score: math.NaN(), Seconds: a.now().Sub(start).Seconds()}
	t.Recipe = Recipe{Scale: at.scale, Spec: at.spec, Columns: a.Columns, Groups: a.Groups, Fitter: a.Fitter}
	if at.ridge && a.classes != nil {
		t.Recipe.Fitter = linear.RidgeOptions{Seed: a.Seed}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		t.Note = "given up: " + ctx.Err().Error()
	case err != nil:
		t.Note = err.Error()
		a.failed = append(a.failed, fmt.Errorf("%s: %w", at.spec.Map, err))
	default:
		f.number, f.seconds = len(a.report.Trials), t.Seconds
		t.Steps, t.Score, t.Recipe.Spec, t.Features = f.steps, f.score, f.model.Spec, f.model.Map.Features()
		if slices.Equal(at.steps, []string{StepFrozen}) {
			if at.score = f.score; !at.ridge {
				at.lambda = f.report.Lambda / float64(at.rows)
			}
		}
		if a.best == nil || f.score < a.best.score {
			best := *f
			a.best, a.report.Report = &best, *f.report
		}
		f.model = nil
		a.past = append(a.past, *f)
	}
	a.report.Trials = append(a.report.Trials, t)
	if a.Progress != nil {
		a.Progress(t)
	}
}

// fit makes a trial of each division of the rows.
func (a *race) fit(ctx context.Context, at attempt) (*fitted, error) {
	size := len(a.order)
	if len(a.ends) == 2 {
		size = min(size, a.ends[0]+max(at.rows, refineRows))
	}
	c, err := a.tuning(ctx, at, size)
	if err != nil {
		return nil, err
	}
	rows, start := c.p.rows.(data.Pairs), 0
	var trials []*trial
	for _, end := range a.ends[:len(a.ends)-1] {
		var held, kept []int
		for r := range size {
			if r >= start && r < end {
				held = append(held, r)
			} else if len(kept) < at.rows {
				kept = append(kept, r)
			}
		}
		start = end
		trials = append(trials, newTrial(pick(rows, kept), pick(rows, held)))
	}
	losses, err := c.losses(ctx, trials, at.steps...)
	if err != nil {
		return nil, c.p.locate(err)
	}
	f := &fitted{attempt: at, score: c.p.scoreOf(stat.Mean(losses, nil))}
	f.keep(trials[0], c.p.model)
	if at.descends() && at.steps[len(at.steps)-1] != StepSolved && a.solves(at) {
		losses, err := c.losses(ctx, trials, StepSolved)
		if err != nil {
			return f, nil // what there is is kept
		}
		if score := c.p.scoreOf(stat.Mean(losses, nil)); score < f.score {
			f.score, f.steps = score, append(slices.Clone(at.steps), StepSolved)
			f.keep(trials[0], c.p.model)
		}
	}
	return f, nil
}

// keep takes the model of a trial.
func (f *fitted) keep(t *trial, m *Model) {
	f.model, f.report = t.model(m), t.report
	f.model.Spec.Features = t.m.Features()
}

// solves says whether there is time to solve the head of a tuned map. For targets it takes hardly any.
func (a *race) solves(at attempt) bool {
	if a.classes == nil {
		return true
	}
	at.steps = []string{StepFrozen}
	seconds, known := a.estimate(at)
	return a.number > 3 && (a.Budget == 0 || known && seconds < a.left(1))
}

// refit fits the best on all rows.
func (a *race) refit(ctx context.Context) (*Model, error) {
	at := a.best.attempt
	at.rows = len(a.order)
	c, err := a.tuning(ctx, at, len(a.order))
	if err != nil {
		return nil, err
	}
	if o, ok := c.solve.(linear.LogisticOptions); ok && o.Lambdas != nil && a.Fitter == nil {
		o.Lambdas = []float64{a.best.report.Lambda / float64(a.best.rows) * float64(at.rows)}
		c.solve = o
	}
	c.p.recipe.Uncertainty = a.Uncertainty
	m, err := c.p.finish(ctx, func(ctx context.Context, t *trial) error { return c.take(ctx, t, at.steps...) },
		a.report)
	if err != nil {
		return nil, c.p.locate(err)
	}
	m.Spec.Features = m.Map.Features()
	return m, nil
}

// tuning takes the steps of an attempt on the first rows of the order.
func (a *race) tuning(ctx context.Context, at attempt, size int) (*tuning, error) {
	r := Recipe{Scale: at.scale, Spec: at.spec, Tuner: &Tuner{Steps: at.steps}, Afford: a.Afford}
	r.Spec.Features = at.features
	if a.Groups != nil {
		for _, row := range a.order[:size] {
			r.Groups = append(r.Groups, a.Groups[row])
		}
	}
	p, err := r.prepare(ctx, a.set.Take(a.order[:size]))
	if err != nil {
		return nil, err
	}
	p.model.Classes, p.model.Spec.Features = a.classes, at.features
	if at.factor != 1 {
		around, err := Around(p.model.Spec, p.x, at.factor)
		if err != nil {
			return nil, p.locate(err)
		}
		p.model.Spec = around[0].Spec
	}
	if err := p.ready(); err != nil {
		return nil, err
	}
	c := &tuning{p: p, Tuner: Tuner{Seed: a.Seed, Evidence: evidence.Options{Seed: a.Seed}}}
	c.Descent = sgd.FitOptions{Seed: a.Seed, Epochs: at.epochs, MapRate: at.rate}
	steps := unsolved(at.steps)
	c.solved = steps[len(steps)-1]
	switch o := (linear.LogisticOptions{Seed: a.Seed}); {
	case a.Fitter != nil:
		c.solve = a.Fitter
	case a.classes != nil && !at.Signed && !at.ridge:
		if a.number < 4 {
			o.Tol = 1e-3 // near enough to tell
		}
		if at.steps[0] == StepFrozen {
			o.Lambdas = at.lambdas()
		}
		c.solve = o
	default:
		c.solve = linear.RidgeOptions{Seed: a.Seed}
	}
	return c, nil
}

// lambdas are the penalties of a frozen fit to choose among: about the last one, if there was one.
func (at attempt) lambdas() []float64 {
	shares := []float64{1e-3, 1e-4, 1e-5}
	if at.lambda > 0 {
		shares = []float64{at.lambda, at.lambda / 5}
	}
	for i := range shares {
		shares[i] *= float64(at.rows)
	}
	return shares
}
