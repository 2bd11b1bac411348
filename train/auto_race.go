package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
)

// race is an Auto at work.
type race struct {
	AutoOptions
	set     *data.Set
	classes data.Classes
	parts   [][]int // the rows that each division holds out, and then the others
	report  *Report
	start   time.Time
	ends    time.Time // of the search; zero without a Budget
	numbers int       // of the candidates so far
	round   int
	runs    []*run // that succeeded

	mu     sync.Mutex           // of what follows
	scaled map[string]*prepared // the rows by scaler
	paces  map[pace]float64     // seconds for a unit of work
	failed []error
}

// run is a trial that succeeded.
type run struct {
	candidate
	size
	recipe Recipe // at this size
	trial  int    // its place among Trials
	out    outcome
	judgement
	weight float64 // in the ensemble, whose weights add up to 1
	t      *trial  // of the first division, and its model
	model  *Model
}

// learned is the number of rows that a trial at full size learns from.
func (a *race) learned() int { return a.set.Rows() - len(a.parts[0]) }

// run searches, and fits the best on all rows.
func (a *race) run(ctx context.Context) (*Model, error) {
	a.start = time.Now()
	searching, stop := ctx, context.CancelFunc(func() {})
	if a.Budget > 0 {
		a.ends = a.start.Add(a.Budget / 2)
		searching, stop = context.WithDeadline(ctx, a.start.Add(a.Budget))
	}
	defer stop()
	a.search(searching)
	if len(a.runs) == 0 {
		if err := given.Stopped(ctx); err != nil {
			return nil, fmt.Errorf("train: Auto: stopped before there was a model: %w", err)
		}
		if err := searching.Err(); err != nil {
			return nil, fmt.Errorf("train: Auto: no trial was done within %v; give more time: %w", a.Budget, err)
		}
		return nil, fmt.Errorf("train: Auto: no recipe can be fitted: %w", errors.Join(a.failed...))
	}
	a.report.Best = a.best().trial
	return a.assemble(ctx)
}

// The sizes of the first rounds.
var few, some = size{2000, 256}, size{8000, 1024}

// search makes the rounds: maps as they are drawn on few rows; the better ones tuned, and networks; the other ways to
// tune the map that is the best tuned; the better ones of each kind on more rows, and on all; and variants of the best as
// long as there is time.
func (a *race) search(ctx context.Context) {
	var drawn []candidate
	var scales []string
	a.report.Kind, drawn, scales = a.look()
	a.rung(ctx, .2, .35, few, drawn)
	var next []candidate
	first := a.tuning(drawn[0])       // the map that a recipe has by default
	ways := []int{math.MaxInt, 3, 1}  // to tune the best map, the second and the third
	later := map[string][]candidate{} // the other ways
	for _, r := range a.ranked(frozen) {
		if all := a.tuning(r.candidate); len(all) > 0 && len(ways) > 0 {
			if r.number == drawn[0].number {
				all = first
			}
			n := min(ways[0], len(all))
			next, later[r.origin()] = append(next, all[:n]...), all[n:]
			ways = ways[1:]
		}
	}
	const ahead = 2 // of the networks, which few trials would not reach at the end
	next = slices.Insert(next, min(ahead, len(next)), a.networks(scales...)...)
	a.rung(ctx, .55, .65, few, next)
	if best := a.ranked(tuned); len(best) > 0 {
		a.rung(ctx, .65, .7, few, later[best[0].origin()])
	}
	full := size{a.learned(), a.MaxFeatures}
	if full.rows > 2*some.rows {
		a.rung(ctx, .75, .8, some, a.better(8))
		full.rows = a.affordable(full)
	}
	list := append(slices.Clip(first[:min(1, len(first))]), a.sharp(scales, full.rows)...)
	for _, c := range a.better(6) {
		if len(first) == 0 || c.number != first[0].number {
			list = append(list, c)
		}
	}
	a.rung(ctx, 1, .9, full, list)
	a.extend()
	const turns = 3 // without a Budget
	for i, done := 0, -1; done < len(a.report.Trials) && !a.over(ctx) && (i < turns || a.Budget > 0); i++ {
		done = len(a.report.Trials)
		var list []candidate
		for _, c := range a.better(2) {
			list = append(list, a.variants(c)...)
		}
		a.rung(ctx, 1, 1, full, list)
	}
}

// extend ends the search later, if less than half of the time suffices for the fits on all rows.
func (a *race) extend() {
	if a.Budget == 0 || len(a.runs) == 0 {
		return
	}
	best := a.best()
	seconds, _ := a.estimate(best.candidate, size{a.set.Rows(), best.features})
	seconds *= 1.2 * mostMembers / float64(a.workers())
	if ends := a.start.Add(a.Budget - time.Duration(seconds*float64(time.Second))); ends.After(a.ends) {
		a.ends = ends
	}
}

// affordable is the number of rows for which the best candidate takes half of the time that is left, between those of
// the rung before and all.
func (a *race) affordable(s size) int {
	for a.Budget > 0 && len(a.runs) > 0 && s.rows/2 > some.rows {
		seconds, known := a.estimate(a.best().candidate, s)
		if !known || seconds*float64(len(a.parts)-1) < time.Until(a.ends).Seconds()/2 {
			break
		}
		s.rows /= 2
	}
	return s.rows
}

// ranked are the best trials of the candidates of one kind, or of all kinds for a negative one, by their loss.
func (a *race) ranked(k kind) (list []*run) {
	runs := slices.Clone(a.runs)
	slices.SortStableFunc(runs, func(x, y *run) int { return cmp.Compare(x.loss, y.loss) })
	for _, r := range runs {
		same := func(o *run) bool { return o.number == r.number }
		if (k < 0 || r.kind == k) && !slices.ContainsFunc(list, same) {
			list = append(list, r)
		}
	}
	return list
}

// better are the first of each kind, in the order of the kinds, whose fits take longer and longer, and then the best of
// the others, without those that are far behind.
func (a *race) better(most int) (list []candidate) {
	const near = 2 // times the least loss
	all, seen := a.ranked(-1), map[kind]bool{}
	var rest []candidate
	for _, r := range all {
		switch {
		case r.loss > near*all[0].loss:
		case seen[r.kind]:
			rest = append(rest, r.candidate)
		default:
			list = append(list, r.candidate)
		}
		seen[r.kind] = true
	}
	slices.SortFunc(list, func(x, y candidate) int { return cmp.Compare(x.kind, y.kind) })
	list = append(list, rest...)
	return list[:min(most, len(list))]
}

// best is the trial with the least loss.
func (a *race) best() *run {
	return slices.MinFunc(a.runs, func(x, y *run) int { return cmp.Compare(x.loss, y.loss) })
}

// over says whether the search has ended: the context is done, or all trials are.
func (a *race) over(ctx context.Context) bool {
	return ctx.Err() != nil || a.Trials > 0 && len(a.report.Trials) >= a.Trials ||
		a.Budget > 0 && !time.Now().Before(a.ends)
}

// workers is how many fits run side by side. A Fitter of the program's own may not be made for it.
func (a *race) workers() int {
	if a.Fitter != nil {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// rung tries candidates at one size until a share of the time of the search is over, or of the number of trials is
// reached. Trials run side by side; what a trial brings depends on no other one.
func (a *race) rung(ctx context.Context, share, trials float64, s size, list []candidate) {
	a.round++
	s.rows = min(s.rows, a.learned())
	list = slices.DeleteFunc(list, func(c candidate) bool { return a.tried(c, s) })
	if a.Trials > 0 {
		most := int(math.Ceil(trials*float64(a.Trials))) - len(a.report.Trials)
		list = list[:max(0, min(most, len(list)))]
	}
	keys := map[string]bool{}
	for _, c := range list {
		keys[scalerKey(c.Recipe)] = true
	}
	maps.DeleteFunc(a.scaled, func(key string, _ *prepared) bool { return !keys[key] }) // of rows that are large
	ends := a.start.Add(time.Duration(share * float64(a.ends.Sub(a.start))))
	results, runs := make([]*Trial, len(list)), make([]*run, len(list))
	given.OnWorkers(a.workers(), len(list), func(i int) {
		if ctx.Err() != nil {
			return
		}
		if c, ok := a.within(list[i], s, len(a.parts)-1, ends); ok {
			if results[i], runs[i] = a.try(ctx, c, s); runs[i] != nil {
				runs[i].candidate = list[i] // with all its epochs
			}
		}
	})
	for i, t := range results {
		if t == nil {
			continue
		}
		if r := runs[i]; r != nil {
			r.trial = len(a.report.Trials)
			a.runs = append(a.runs, r)
		}
		a.report.Trials = append(a.report.Trials, *t)
	}
}

// tried says whether a candidate has been tried at a size.
func (a *race) tried(c candidate, s size) bool {
	features := a.at(c, s).Spec.Features
	return slices.ContainsFunc(a.runs, func(r *run) bool {
		return r.number == c.number && r.rows == s.rows && r.recipe.Spec.Features == features
	})
}

// within is a candidate of which so many fits end in time, as far as is known; if need be with fewer epochs. It is false
// if there is no time for a few.
func (a *race) within(c candidate, s size, fits int, ends time.Time) (candidate, bool) {
	const fewest = 12 // epochs
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Budget == 0 || len(a.paces) == 0 {
		return c, true
	}
	left := time.Until(ends).Seconds()
	seconds, known := a.estimate(c, s)
	seconds *= float64(fits)
	switch {
	case left <= 0:
		return c, false
	case !known || seconds <= left:
		return c, true
	}
	enough := false
	c.descend(func(o *sgd.FitOptions) {
		full := a.at(c, s)
		full.descend(func(full *sgd.FitOptions) { o.Epochs = max(1, int(float64(full.Epochs)*left/seconds)) })
		enough = o.Epochs >= fewest
	})
	return c, enough
}

// estimate predicts how many seconds a fit takes, from the last one of the same candidate, or else of the same kind.
func (a *race) estimate(c candidate, s size) (seconds float64, known bool) {
	for _, of := range []pace{{c.number, c.kind}, {0, c.kind}, {0, min(c.kind, tuned)}} { // a network descends too
		if speed, known := a.paces[of]; known {
			return speed * a.work(a.at(c, s), s.rows), true
		}
	}
	return 0, false
}

// pace is a candidate, or all of a kind with the number 0.
type pace struct {
	number int
	kind   kind
}

// work is about proportional to the operations of a fit.
func (a *race) work(r Recipe, rows int) float64 {
	outputs, epochs := float64(max(1, len(a.classes))), 1.
	parts := r.Spec.Parts
	if parts == nil {
		parts = []layers.Spec{r.Spec}
	}
	total, dims := 0., float64(a.set.Dims())
	for _, s := range parts {
		if s.Map == "periodic" {
			width, _ := s.Params["width"].(int)
			total, dims = total+1000*dims, dims*float64(1+width)
			continue
		}
		next := float64(cmp.Or(s.Features, 3*int(dims)))
		total, dims = total+dims*next, next
	}
	const step = 8e6 // what each mini-batch takes besides
	if !r.descend(func(o *sgd.FitOptions) {
		epochs = float64(cmp.Or(o.Epochs, 40))
		total += dims*outputs + step/float64(o.Batch)
	}) {
		total += dims * (dims + 40*outputs)
	}
	total *= float64(rows) * epochs
	if r.Tuner != nil && (r.Tuner.has(StepEvidence) || r.Tuner.has(StepBoth)) {
		const most = 4000 // rows, by default
		few := float64(min(r.Spec.Features, thorough.features))
		total += float64(thorough.evaluations*min(rows, most)) * few * (few + float64(a.set.Dims()))
	}
	return total
}

// try makes a trial. It returns nil if the context was cancelled.
func (a *race) try(ctx context.Context, c candidate, s size) (*Trial, *run) {
	if a.Budget > 0 {
		a.mu.Lock()
		ends := a.ends.Add(a.Budget / 20)
		if len(a.paces) == 0 {
			ends = a.start.Add(a.Budget)
		}
		a.mu.Unlock()
		limited, stop := context.WithDeadline(ctx, ends)
		defer stop()
		ctx = limited
	}
	start, recipe := time.Now(), a.at(c, s)
	r, err := a.fit(ctx, c, recipe, s)
	t := &Trial{Recipe: recipe, Kind: c.kind.String(), Round: a.round, Rows: s.rows, Loss: math.NaN(),
		Score: math.NaN(), Seconds: time.Since(start).Seconds(), Ended: time.Since(a.start).Seconds()}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return nil, nil
	case err != nil && ctx.Err() != nil:
		t.Note = "given up: " + ctx.Err().Error()
	case err != nil:
		t.Note = err.Error()
		a.failed = append(a.failed, fmt.Errorf("%s: %w", outline(recipe.Spec), err))
	default:
		for _, of := range []pace{{c.number, c.kind}, {0, c.kind}} {
			a.paces[of] = t.Seconds / (a.work(recipe, s.rows) * float64(len(a.parts)-1))
		}
		t.Recipe.Spec, t.Features = anyWidth(r.model.Spec), r.t.m.Features()
		t.Loss, t.Score = r.loss, r.score
	}
	if a.Progress != nil {
		a.Progress(*t)
	}
	return t, r
}

// fit makes a trial of each division of the rows.
func (a *race) fit(ctx context.Context, c candidate, recipe Recipe, s size) (*run, error) {
	p, err := a.prepare(ctx, recipe, c.factor)
	if err != nil {
		return nil, err
	}
	learn, err := p.learner(ctx, new(Report))
	if err != nil {
		return nil, p.locateFit(err)
	}
	r := &run{candidate: c, size: s, recipe: recipe, model: p.model}
	rows := p.rows.(data.Pairs)
	for i, held := range a.parts[:len(a.parts)-1] {
		kept := cv.Others(a.parts, i)
		t := newTrial(rows.Take(kept[:min(s.rows, len(kept))]), rows.Take(held))
		err := learn(ctx, t)
		if err == nil {
			err = r.out.score(ctx, t)
		}
		if err != nil {
			return nil, p.locateFit(err)
		}
		if t.rows, t.held = nil, nil; i == 0 {
			r.t = t
		}
	}
	r.model = r.t.model(p.model)
	r.judgement, err = r.out.judge(a.classes != nil)
	return r, err
}

// prepare returns the rows for a recipe, scaled once for all recipes of one scaler.
func (a *race) prepare(ctx context.Context, r Recipe, factor float64) (*prepared, error) {
	m, err := r.newModel(true)
	if err != nil {
		return nil, err
	}
	key := scalerKey(r)
	a.mu.Lock()
	p := a.scaled[key]
	if p == nil {
		if p, err = r.prepare(ctx, a.set); err == nil {
			a.scaled[key] = p
		}
	}
	a.mu.Unlock()
	if err != nil {
		return nil, err
	}
	own, model := *p, *p.model
	own.recipe, own.model = r, &model
	if model.Spec = m.Spec; factor != 1 {
		around, err := Around(model.Spec, own.x, factor)
		if err != nil {
			return nil, own.locate(err)
		}
		model.Spec = around[0].Spec
	}
	return &own, own.ready()
}

// scalerKey is the same for recipes with the same scaled rows.
func scalerKey(r Recipe) string {
	bounded, _ := r.Spec.BoundedBelow()
	unit, _ := r.Spec.UnitRows()
	return fmt.Sprint(r.Scale, bounded, unit)
}
