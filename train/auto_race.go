package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// racer is a race under way.
type racer struct {
	AutoOptions
	set         *data.Set
	y           *mat.Dense
	targets     *Prepared // with the classes, and how many outputs there are
	order       []int     // of all rows; a division holds out some that follow one another
	held, times int       // rows that a division holds out, and divisions
	prepared    map[string]*Prepared
	all         []*entrant

	now    func() time.Time
	start  time.Time
	past   []pastFit
	report *AutoReport
	best   *bestFit
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
func (at attempt) descends() bool {
	return slices.Contains(at.steps, StepAll) || slices.Contains(at.steps, StepBoth)
}

// pastFit is what an attempt brought, and how long it took.
type pastFit struct {
	attempt
	score, seconds float64
}

// bestFit is the model of the trial with the least score, of its first division.
type bestFit struct {
	attempt
	number int
	score  float64
	model  *Model
	report *fits.Report
}

// The sizes of the first rounds.
const (
	screenRows, screenFeatures = 2000, 256
	refineRows, refineFeatures = 4000, 512
)

// race runs the rounds: all entrants frozen, the better ones on more rows, the best of them tuned, and the most
// promising ones at full size.
func (a *racer) race(ctx context.Context) {
	screen := make([]attempt, len(a.all))
	for i, e := range a.all {
		screen[i] = attempt{entrant: e, steps: []string{StepFrozen}, rows: screenRows, features: screenFeatures, ridge: true}
	}
	few := max(1, a.Trials*15/100)
	a.number = 1
	a.round(ctx, .12, max(1, a.Trials/2), screen)
	var refine, tune []attempt
	for i, e := range a.ranked() {
		if i < 4 || e.spec.Map == "linear" {
			refine = append(refine, attempt{entrant: e, steps: []string{StepFrozen}, rows: refineRows, features: refineFeatures})
		}
	}
	a.number = 2
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
	a.number = 3
	a.round(ctx, .4, few, tune)
	a.number = 4
	a.finish(ctx)
}

// ranked are the entrants that have been fitted, the best first.
func (a *racer) ranked() []*entrant {
	out := slices.DeleteFunc(slices.Clone(a.all), func(e *entrant) bool { return math.IsInf(e.score, 1) })
	slices.SortStableFunc(out, func(x, y *entrant) int { return cmp.Compare(x.score, y.score) })
	return out
}

// tunable are those ranked entrants that can be tuned, the best of each pair of map and scale.
func (a *racer) tunable() (out []*entrant) {
	for _, e := range a.ranked() {
		same := func(o *entrant) bool { return o.spec.Map == e.spec.Map && o.scale == e.scale }
		if e.Tunable && !slices.ContainsFunc(out, same) {
			out = append(out, e)
		}
	}
	return out
}

// over says whether the race has ended: the context is done, or all trials are.
func (a *racer) over(ctx context.Context) bool {
	return ctx.Err() != nil || a.Trials > 0 && len(a.report.Trials) >= a.Trials
}

// left returns how many seconds remain of a share of the budget.
func (a *racer) left(share float64) float64 {
	if a.Budget == 0 {
		return math.Inf(1)
	}
	return share*a.Budget.Seconds() - a.now().Sub(a.start).Seconds()
}

// round makes the attempts of a list within a share of the budget, or at most a number of trials.
func (a *racer) round(ctx context.Context, share float64, most int, list []attempt) {
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

// within limits an attempt to the rows at hand and to MaxFeatures.
func (a *racer) within(at attempt) attempt {
	at.rows = min(at.rows, len(a.order)-a.held)
	if at.features = min(at.features, a.MaxFeatures); !at.HasFeatures() {
		at.features = 0
	}
	return at
}

// finish tries the most promising attempts at full size. More rows and features help tuned maps more than frozen ones.
func (a *racer) finish(ctx context.Context) {
	const gain = .8
	var late []attempt // what the first round had no time for
	for _, e := range a.all {
		if math.IsInf(e.score, 1) && !slices.ContainsFunc(a.report.Trials, func(t Trial) bool { return t.Recipe.Scale == e.scale && t.Recipe.Spec.Map == e.spec.Map }) {
			late = append(late, attempt{entrant: e, steps: []string{StepFrozen}, rows: screenRows, features: screenFeatures, ridge: true})
		}
	}
	if a.Budget > 0 {
		a.round(ctx, .55, len(late), late)
	}
	type promise struct {
		attempt
		score float64
	}
	var all []promise
	add := func(at attempt, score float64) {
		if at.steps = unsolved(at.steps); at.steps[0] != StepFrozen {
			score *= gain
		}
		same := func(p promise) bool {
			return p.entrant == at.entrant && p.ridge == at.ridge && slices.Equal(p.steps, at.steps)
		}
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].score = score // of more rows
			return
		}
		all = append(all, promise{at, score})
	}
	for i, e := range a.tunable() {
		if i < 3 {
			add(attempt{entrant: e, steps: []string{StepAll}}, e.score)
		}
	}
	for _, p := range a.past {
		add(p.attempt, p.score)
	}
	slices.SortStableFunc(all, func(x, y promise) int { return cmp.Compare(x.score, y.score) })
	for _, p := range all {
		if a.over(ctx) || p.score > 1.3*all[0].score {
			break
		}
		if at, ok := a.full(p.attempt); ok {
			a.try(ctx, at)
		}
	}
	if a.best == nil {
		return
	}
	for {
		at, ok := a.next()
		if !ok || a.over(ctx) {
			return
		}
		a.try(ctx, at)
	}
}

// fastRate is a rate of the map that suits some rows, see sgd.FitOptions.
const fastRate = .2

// next is the best attempt with one setting changed, if its map is tuned and there is time for it.
func (a *racer) next() (at attempt, ok bool) {
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
func (a *racer) full(at attempt) (attempt, bool) {
	at.rows, at.epochs = len(a.order)-a.held, 0
	most, left := a.MaxFeatures, .75*a.left(1)
	for _, cut := range []struct{ features, epochs int }{{1, 0}, {2, 0}, {2, 20}, {4, 20}, {4, 10}} {
		at.features, at.epochs = most/cut.features, cut.epochs
		at = a.within(at)
		if !at.descends() {
			at.epochs = 0
		}
		seconds, known := a.estimate(at)
		if a.Budget == 0 || known && seconds <= left {
			return at, !a.tried(at)
		}
		if !known {
			continue
		}
		if share := left / seconds; cut.epochs == 10 && share > .1 {
			at.rows = int(share * float64(at.rows))
			return at, !a.tried(at)
		}
	}
	return at, false
}

// tried says whether an attempt has been made.
func (a *racer) tried(at attempt) bool {
	return slices.ContainsFunc(a.past, func(p pastFit) bool {
		return p.entrant == at.entrant && p.rows == at.rows && p.features == at.features && p.epochs == at.epochs &&
			p.ridge == at.ridge && p.rate == at.rate && slices.Equal(unsolved(p.steps), unsolved(at.steps))
	})
}

// estimate predicts how many seconds an attempt takes, from the last attempt of the same entrant and steps, or else
// from the last one of the same steps.
func (a *racer) estimate(at attempt) (seconds float64, known bool) {
	size := func(at attempt) float64 {
		features, epochs := float64(max(1, at.features)), 1.
		if !at.descends() {
			features = math.Pow(features, 1.5) // products of features by features
		} else if epochs = float64(at.epochs); epochs == 0 {
			epochs = 40
		}
		return float64(at.rows) * features * epochs
	}
	for _, same := range []func(p pastFit) bool{
		func(p pastFit) bool { return p.entrant == at.entrant },
		func(p pastFit) bool { return p.spec.Map == at.spec.Map },
		func(p pastFit) bool { return p.HasFeatures() == at.HasFeatures() },
	} {
		for _, p := range slices.Backward(a.past) {
			if same(p) && p.ridge == at.ridge && slices.Equal(unsolved(p.steps), unsolved(at.steps)) {
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
func (a *racer) try(ctx context.Context, at attempt) {
	start := a.now()
	f, err := a.fit(ctx, at)
	t := Trial{Steps: at.steps, Epochs: at.epochs, MapRate: at.rate, Round: a.number, Rows: at.rows, Features: at.features, Score: math.NaN(), Seconds: a.now().Sub(start).Seconds()}
	t.Recipe = Recipe{Scale: at.scale, Spec: at.spec, Columns: a.Columns}
	if at.ridge && a.targets.Model.Classes != nil {
		t.Recipe.Fitter = linear.RidgeOptions{Seed: a.Seed}
	}
	if err != nil {
		if ctx.Err() != nil {
			t.Note = "given up: " + ctx.Err().Error()
		} else {
			t.Note = err.Error()
			a.failed = append(a.failed, fmt.Errorf("%s: %w", at.spec.Map, err))
		}
	} else {
		t.Steps, t.Score, t.Recipe.Spec, t.Features = f.steps, f.score, f.model.Spec, f.model.Map.Features()
		a.past = append(a.past, pastFit{f.attempt, f.score, t.Seconds})
		if f.number = len(a.report.Trials); a.best == nil || f.score < a.best.score {
			a.best, a.report.Report = f, f.report
		}
		if slices.Equal(at.steps, []string{StepFrozen}) {
			if at.score = f.score; !at.ridge {
				at.lambda = f.report.Lambda / float64(at.rows)
			}
		}
	}
	a.report.Trials = append(a.report.Trials, t)
	if a.Progress != nil {
		a.Progress(t)
	}
}

// fit makes an attempt on each division of the rows, and scores it on the rows that the division holds out.
func (a *racer) fit(ctx context.Context, at attempt) (*bestFit, error) {
	size := len(a.order)
	if a.times == 1 {
		size = min(size, a.held+max(at.rows, refineRows))
	}
	c, err := a.climber(at, size)
	if err != nil {
		return nil, err
	}
	rows := c.p.rows.(data.Pairs)
	var losses []float64
	for i := range a.times {
		part := a.part(rows, i, at.rows)
		if err := c.steps(ctx, part, at.steps); err != nil {
			return nil, c.p.Locate(err)
		}
		if losses, err = c.score(ctx, losses, part); err != nil {
			return nil, c.p.Locate(err)
		}
		c.parts = append(c.parts, part)
	}
	f := &bestFit{attempt: at, score: stat.Mean(losses, nil)}
	f.take(c)
	if at.descends() && at.steps[len(at.steps)-1] != StepSolved && a.solves(at) {
		losses = losses[:0]
		for _, part := range c.parts {
			if err = c.fit(ctx, part, StepSolved); err == nil {
				losses, err = c.score(ctx, losses, part)
			}
			if err != nil {
				break // what there is is kept
			}
		}
		if err == nil && stat.Mean(losses, nil) < f.score {
			f.score, f.steps = stat.Mean(losses, nil), append(slices.Clone(at.steps), StepSolved)
			f.take(c)
		}
	}
	if c.p.Model.Classes == nil {
		f.score = math.Sqrt(f.score)
	}
	return f, nil
}

// take makes a model of the first division.
func (f *bestFit) take(c *climber) {
	m, part := *c.p.Model, c.parts[0]
	part.give(&m)
	m.Spec.Features = part.m.Features()
	f.model, f.report = &m, part.report
}

// solves says whether there is time to solve the head of a tuned map. For targets it takes hardly any.
func (a *racer) solves(at attempt) bool {
	if a.targets.Model.Classes == nil {
		return true
	}
	at.steps = []string{StepFrozen}
	seconds, known := a.estimate(at)
	return a.number > 3 && (a.Budget == 0 || known && seconds < a.left(1))
}

// refit fits the best on all rows.
func (a *racer) refit(ctx context.Context) (*Model, error) {
	at := a.best.attempt
	at.rows = len(a.order)
	c, err := a.climber(at, len(a.order))
	if err != nil {
		return nil, err
	}
	if o, ok := c.Solve.(linear.LogisticOptions); ok && o.Lambdas != nil {
		o.Lambdas = []float64{a.best.report.Lambda / float64(a.best.rows) * float64(at.rows)}
		c.Solve = o
	}
	part := &climbPart{rows: c.p.rows.(data.Pairs), maps: map[string]layers.Layer{}}
	if err := c.steps(ctx, part, at.steps); err != nil {
		return nil, c.p.Locate(err)
	}
	c.parts = append(c.parts, part)
	f := &bestFit{attempt: at}
	f.take(c)
	a.report.Report = f.report
	if a.Uncertainty != nil {
		c.p.Model, c.p.ridge, c.p.again = f.model, part.ridge, func(ctx context.Context, part *climbPart) error { return c.steps(ctx, part, at.steps) }
		if err := c.p.LearnUncertainty(ctx, *a.Uncertainty); err != nil {
			return nil, err
		}
	}
	return f.model, nil
}

// part is division i of prepared rows, with so many to learn from.
func (a *racer) part(rows data.Pairs, i, most int) *climbPart {
	n, _ := rows.Y.Dims()
	var held, kept []int
	for r := range n {
		if r/a.held == i && r < (i+1)*a.held {
			held = append(held, r)
		} else if len(kept) < most {
			kept = append(kept, r)
		}
	}
	return &climbPart{rows: pick(rows, kept), held: pick(rows, held), maps: map[string]layers.Layer{}}
}

// climber takes the steps of an attempt on the first rows of the order.
func (a *racer) climber(at attempt, size int) (*climber, error) {
	p, err := a.prepare(at, size)
	if err != nil {
		return nil, err
	}
	c := &climber{Ladder: Ladder{Seed: a.Seed, Descent: sgd.FitOptions{Seed: a.Seed, Epochs: at.epochs, MapRate: at.rate}, Evidence: evidence.Options{Seed: a.Seed}}, p: p}
	c.solved = unsolved(at.steps)[len(unsolved(at.steps))-1]
	if o := (linear.LogisticOptions{Seed: a.Seed}); p.Model.Classes != nil && !at.Signed && !at.ridge {
		if a.number < 4 {
			o.Tol = 1e-3 // near enough to tell
		}
		if at.steps[0] == StepFrozen {
			o.Lambdas = at.lambdas()
		}
		c.Solve = o
	} else {
		c.Solve = linear.RidgeOptions{Seed: a.Seed}
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

// prepare scales the first rows of the order, and completes the spec for them.
func (a *racer) prepare(at attempt, size int) (*Prepared, error) {
	r := Recipe{Scale: at.scale, Spec: at.spec, Afford: a.Afford}
	model, err := r.model()
	if err != nil {
		return nil, err
	}
	key := fmt.Sprint(model.Scaler.Name(), " ", size)
	p := a.prepared[key]
	if p == nil {
		sub := a.set.Take(a.order[:size])
		p = &Prepared{Model: model, locate: sub.Locate}
		if err := p.hold(r, &data.Set{X: sub.X}); err != nil {
			return nil, sub.Locate(err)
		}
		p.Outputs, model.Classes, model.Columns = a.targets.Outputs, a.targets.Model.Classes, a.set.Columns
		y := mat.NewDense(size, a.y.RawMatrix().Cols, nil)
		for i, row := range a.order[:size] {
			y.SetRow(i, a.y.RawRowView(row))
		}
		p.rows = data.Pairs{X: p.x, Y: y}
		if size == len(a.order) { // once at a time, for they may be many
			clear(a.prepared)
		}
		a.prepared[key] = p
	}
	own, m := *p, *p.Model
	p, own.Model = &own, &m
	m.Spec = model.Spec
	if m.Spec.Features = at.features; at.factor != 1 {
		around, err := Around(m.Spec, p.x, at.factor)
		if err != nil {
			return nil, p.Locate(err)
		}
		m.Spec = around[0].Spec
	}
	return p, p.Complete()
}
