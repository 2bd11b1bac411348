package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// CVOptions are the options of Recipe.CrossValidate.
type CVOptions struct {
	// Folds is the number of folds; 0: 5.
	Folds int
	// Lambdas serve the candidates that have none of their own. They are penalties for a fit to all rows. nil: those of
	// the recipe's Fitter, or the default grid of the head, which grows while the best lambda is at its end.
	Lambdas []float64
	// Seed decides which row falls into which fold.
	Seed uint64
	// Factors are for one candidate. They multiply the first parameter of its map that comes from the data, as Around
	// does. While the best factor is the least or the largest one, there is another, half or twice as large, within
	// 1/64 and 64. nil: the candidates are scored as they are.
	Factors []float64
	// Progress is called after each fold of each map; nil: not called.
	Progress func(done, total int)
}

// Score is the cross-validation error of a map with a lambda. The error of a fold is the metric of the report over
// its rows, under a fit to the other folds.
type Score struct {
	Spec   layers.Spec
	Lambda float64 // NaN for a Fitter that is fitted as it is
	// Error is the mean over the folds; +Inf if a fold cannot be fitted.
	Error float64
	// StdErr is the standard error of Error over the folds; NaN if a fold cannot be fitted.
	StdErr float64
	// MSE is the mean squared error; NaN if the head has none beside the error rate; +Inf if a fold cannot be fitted.
	MSE float64

	fitter fits.Fitter
}

// score is s as a score of its lambda.
func (s Score) score(m fits.Metric) fits.LambdaScore {
	if m == fits.ErrorRate {
		return fits.LambdaScore{Lambda: s.Lambda, MSE: s.MSE, ErrorRate: s.Error}
	}
	return fits.LambdaScore{Lambda: s.Lambda, MSE: s.MSE, ErrorRate: math.NaN()}
}

// Scores are the results of Recipe.CrossValidate.
type Scores struct {
	Metric fits.Metric
	All    []Score // ordered by candidate and then by lambda
	// Chosen is the index of the Score with the least Error. Ties go to the lower MSE, then to the larger lambda, then
	// to the first.
	Chosen int
	// AtEnd names the settings whose best value is the least or the largest of several values that were tried, so that
	// a better value may lie beyond. A setting is AxisFeatures, AxisLambda, or a numeric parameter of the map. Lambdas
	// are compared for the same map. A best value of 0 does not count as an end.
	AtEnd []string
}

// Best returns the recipe with what was chosen: the Spec, and the Fitter with its lambda. Without scores the
// recipe stays as it is.
func (r *Scores) Best(recipe Recipe) Recipe {
	if r.Chosen < 0 || r.Chosen >= len(r.All) {
		return recipe
	}
	best := r.All[r.Chosen]
	recipe.Spec, recipe.Fitter = best.Spec, best.fitter
	if !math.IsNaN(best.Lambda) {
		recipe.Fitter, _ = withLambdas(best.fitter, []float64{best.Lambda})
	}
	return recipe
}

// CrossValidate scores the recipe, or variants of it, by k-fold cross-validation. Each fold is fitted as by Fit, but
// without the Uncertainty: a Tuner chooses its step in each fold, from the rows of the other folds, and a Spec that
// tunes its map is tuned in each fold. Scores.Best returns the recipe with what was chosen.
//
// Candidates differ from the recipe's Spec by their parameters; see Grid, RandomSearch and Around. Without candidates
// the Spec itself is scored, or those around it by CVOptions.Factors. The scalers are chosen (see Recipe.Scale, but not
// with candidates or Factors) and fitted on all rows, including the rows that a fold scores. A map that is fitted sees
// all rows, or the sample of a stream, but no target.
//
// All candidates have the same folds, with the classes in proportion and the rows of a group together. A row of a
// stream is assigned to a fold by itself; memory holds the targets of a stream but not its rows. Maps with one seed
// have the same draws, so that their scores differ by the parameters alone. The scores depend on the arguments alone,
// not on GOMAXPROCS.
//
// The lambdas of the candidates and of CVOptions are scored for linear.RidgeOptions, SVMOptions and LogisticOptions and
// for sgd.MiniBatch (FitOptions.Lambda) with no lambda of their own. The default grid of MiniBatch is 0, 1e-6, 1e-5 and
// 1e-4, and grows to 1 while the best is the largest. Another Fitter, one with a lambda of its own, and one under a
// Tuner is fitted as it is in each fold, and each of its maps has one score. A lambda whose loss is not finite scores
// +Inf.
//
// Each map is drawn once for all candidates that have it, and a map that is tuned for each fit. If the features of a
// frozen map can be kept, RidgeOptions, SVMOptions and LogisticOptions compute them once for all folds and lambdas, and
// say what else is shared. Other Fitters start again in every fold and for every lambda. Folds run in parallel if
// mini-batches tune a map of rows in memory.
//
// Errors: those of Fit; domain.ErrShape for fewer than two rows a fold, and for a fold that large groups leave without
// rows; domain.ErrParam for options out of range, a Spec that tunes its map with a Fitter that leaves it frozen, lambdas
// for a Fitter that is fitted as it is, Factors for several candidates or a map without a parameter that comes from the
// data, or no lambda that can be fitted in every fold; the errors of the specs.
func (r Recipe) CrossValidate(ctx context.Context, rows data.Source, candidates []Candidate, o CVOptions) (*Scores,
	error) {
	if candidates != nil || o.Factors != nil { // which settle the map
		r.Scale, r.Spec.Map = cmp.Or(r.Scale, r.scaleOf(rows)), cmp.Or(r.Spec.Map, "gaussian")
	}
	p, err := r.labelled(ctx, rows)
	if err != nil {
		return nil, err
	}
	if candidates == nil {
		candidates = []Candidate{{Spec: p.model.Spec}}
	}
	o.Folds = cmp.Or(o.Folds, 5)
	if len(candidates) == 0 || o.Folds < 2 {
		return nil, fmt.Errorf("train: CrossValidate: %d candidates, %d folds; want at least 1 and 2: %w",
			len(candidates), o.Folds, domain.ErrParam)
	}
	candidates = slices.Clone(candidates)
	features := 0
	for i, c := range candidates {
		if !p.streamed() {
			if err := r.tune(&candidates[i].Spec); err != nil {
				return nil, err
			}
		}
		features = max(features, p.features(c.Spec))
	}
	p.model.Spec.Dims = p.x.Shape()[1]
	if err := p.begin(features); err != nil {
		return nil, err
	}
	score := p.scores
	if o.Factors != nil {
		score = p.around
	}
	scores, err := score(ctx, candidates, o)
	if err == nil && p.open { // each fold has chosen its own
		for i := range scores.All {
			scores.All[i].Spec = r.Spec
		}
	}
	return scores, p.locateFit(err)
}

// scores scores the candidates as they are.
func (p *prepared) scores(ctx context.Context, candidates []Candidate, o CVOptions) (*Scores, error) {
	job, err := p.job(ctx, o)
	if err != nil {
		return nil, err
	}
	for i := range candidates {
		if candidates[i].Lambdas == nil {
			candidates[i].Lambdas = o.Lambdas
		}
	}
	groups, err := groupsOf(candidates)
	if err != nil {
		return nil, err
	}
	for i, g := range groups {
		if err := p.chooseHead(g); err != nil {
			return nil, err
		}
		metric, err := g.head.Metric(job.Y)
		if i == 0 {
			job.Metric = metric
		}
		h, _ := g.head.(trials)
		switch {
		case err != nil:
		case h.whole && g.Lambdas != nil:
			err = fmt.Errorf("there are lambdas, and a %T takes none; leave them out: %w", g.fitter, domain.ErrParam)
		case metric != job.Metric:
			err = fmt.Errorf("the first map is scored by the %v, and map %d by the %v; give one Fitter for all: %w",
				job.Metric, i, metric, domain.ErrParam)
		default:
			err = p.checkPolicy(g.Spec, g.fitter)
		}
		if err != nil {
			return nil, fmt.Errorf("train: CrossValidate: %w", err)
		}
	}
	job.Total = o.Folds * len(groups)
	r, scores := &Scores{Metric: job.Metric}, make([][]Score, len(candidates))
	for _, g := range groups {
		all, err := p.scoresOf(ctx, job, g)
		if err != nil {
			return nil, fmt.Errorf("train: CrossValidate: map %v: %w",
				layers.Spec{Map: g.Spec.Map, Params: g.Spec.Params}, err)
		}
		for _, i := range g.of {
			scores[i] = all
			if n := len(candidates[i].Lambdas); n > 0 {
				scores[i], all = all[:n], all[n:]
			}
		}
	}
	r.All = slices.Concat(scores...)
	r.choose()
	if math.IsInf(r.All[r.Chosen].Error, 1) {
		return nil, fmt.Errorf("train: CrossValidate: none of the %d candidates can be fitted in every fold; raise "+
			"the lambdas: %w", len(r.All), domain.ErrParam)
	}
	return r, nil
}

// choose finds the best, and at which ends of the settings it is.
func (r *Scores) choose() {
	r.Chosen, r.AtEnd = 0, nil
	for i, s := range r.All {
		if s.score(r.Metric).Better(r.All[r.Chosen].score(r.Metric)) {
			r.Chosen = i
		}
	}
	best := r.All[r.Chosen]
	end := func(name string, same bool, of func(s Score) float64) {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, s := range r.All {
			if !same || fmt.Sprintf("%#v", s.Spec) == fmt.Sprintf("%#v", best.Spec) {
				lo, hi = math.Min(lo, of(s)), math.Max(hi, of(s))
			}
		}
		if v := of(best); lo < hi && v != 0 && (v == lo || v == hi) {
			r.AtEnd = append(r.AtEnd, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(best.Spec.Params)) {
		if _, number := best.Spec.Params[name].(float64); number {
			end(name, false, func(s Score) float64 { return s.Spec.Params.Number(name) })
		}
	}
	end(AxisFeatures, false, func(s Score) float64 { return float64(s.Spec.Features) })
	end(AxisLambda, true, func(s Score) float64 { return s.Lambda })
}

// cvGroup is a map with the lambdas of all candidates that have it, one after the other. nil: each of the candidates
// has the default ones of the head.
type cvGroup struct {
	Candidate
	fitter fits.Fitter
	head   cv.Head // how it is scored
	of     []int   // the candidates
}

// groupsOf are the maps among the candidates, in their order.
func groupsOf(candidates []Candidate) ([]*cvGroup, error) {
	var groups []*cvGroup
	known := map[string]*cvGroup{}
	for i, c := range candidates {
		if c.Lambdas != nil && len(c.Lambdas) == 0 {
			return nil, fmt.Errorf("train: CrossValidate: candidate %d has no lambdas; give one, or nil for the "+
				"default: %w", i, domain.ErrParam)
		}
		key := fmt.Sprintf("%v %#v", c.Lambdas == nil, c.Spec)
		g := known[key]
		if g == nil {
			g = &cvGroup{Candidate: Candidate{Spec: c.Spec}}
			known[key], groups = g, append(groups, g)
		}
		g.Lambdas, g.of = append(g.Lambdas, c.Lambdas...), append(g.of, i)
	}
	return groups, nil
}

// chooseHead sets how a map is fitted and scored.
func (p *prepared) chooseHead(g *cvGroup) (err error) {
	if p.recipe.Tuner != nil {
		g.fitter, g.head = p.recipe.Fitter, trials{Fitter: p.solverOf(g.Spec), whole: true, p: p}
		return nil
	}
	g.fitter = p.fitterOf(g.Spec)
	g.head, err = foldsOf(g.fitter, g.Lambdas == nil, p)
	return err
}

// job puts every row into a fold.
func (p *prepared) job(ctx context.Context, o CVOptions) (j *cv.Job, err error) {
	j = &cv.Job{Rows: p.rows, Sample: p.x, Folds: o.Folds, Progress: o.Progress, N: p.n}
	src, err := rows.New(ctx, "CrossValidate", nil, p.rows)
	if err == nil {
		j.Y, err = src.Targets()
	}
	if err != nil {
		return nil, err
	}
	if j.Folds > j.N/2 {
		return nil, fmt.Errorf("train: CrossValidate: there are %d rows in %d folds; give two rows for each fold: "+
			"%w", j.N, j.Folds, domain.ErrShape)
	}
	ends, rank := make([]int, j.Folds), data.Rank(o.Seed, "folds")
	for f := range ends {
		ends[f] = (f + 1) * j.N / j.Folds
	}
	j.Order = deal(j.N, j.Y, p.recipe.Groups, o.Seed, ends)
	if f := slices.IndexFunc(j.Order, func(rows []int) bool { return len(rows) == 0 }); f >= 0 {
		return nil, fmt.Errorf("train: CrossValidate: fold %d of %d has no rows, as the rows of a group stay together; give "+
			"fewer folds: %w", f, j.Folds, domain.ErrShape)
	}
	j.Fold = func(file, row int) int { return int(rank(file, row) * float64(j.Folds)) }
	return j, nil
}

// scoresOf are the scores of a map.
func (p *prepared) scoresOf(ctx context.Context, j *cv.Job, g *cvGroup) ([]Score, error) {
	c := g.Candidate
	for _, l := range c.Lambdas {
		if err := given.CheckLambda(l); err != nil {
			return nil, err
		}
	}
	c.Spec.Dims, c.Spec.Dtype = j.Sample.Shape()[1], cmp.Or(c.Spec.Dtype, p.model.Spec.Dtype)
	if err := c.Spec.FillDefaults(j.Sample); err != nil {
		if p.streamed() {
			err = p.locateScaled(err) // in the sample
		}
		return nil, err
	}
	score, err := g.head.Scorer(ctx, j, c.Spec)
	if err != nil {
		return nil, err
	}
	grid := g.head.DefaultLambdas(j.N)
	if c.Lambdas != nil {
		grid = cv.Grid{List: c.Lambdas}
	}
	var all []Score
	_, _, err = grid.Choose(func(lambdas []float64) ([]fits.LambdaScore, error) {
		if len(all) > 0 { // the grid grows
			j.Total += j.Folds
		}
		folds, err := score(lambdas)
		if err != nil {
			return nil, err
		}
		out := make([]fits.LambdaScore, len(lambdas))
		for i, l := range lambdas {
			one := overFolds(c.Spec, l, j.Metric, folds, i)
			one.fitter = g.fitter
			all, out[i] = append(all, one), one.score(j.Metric)
		}
		return out, nil
	})
	if grid.List == nil {
		slices.SortFunc(all, func(a, b Score) int { return cmp.Compare(a.Lambda, b.Lambda) })
	}
	return all, err
}

// overFolds is the score of lambda number i.
func overFolds(spec layers.Spec, lambda float64, metric fits.Metric, folds [][]fits.LambdaScore, i int) Score {
	errs, squares := make([]float64, len(folds)), make([]float64, len(folds))
	for f, scores := range folds {
		squares[f], errs[f] = scores[i].MSE, scores[i].MSE
		if metric == fits.ErrorRate {
			errs[f] = scores[i].ErrorRate
		}
	}
	mean, sd := stat.MeanStdDev(errs, nil)
	if math.IsInf(mean, 1) || math.IsNaN(mean) {
		return Score{Spec: spec, Lambda: lambda, Error: math.Inf(1), StdErr: math.NaN(), MSE: math.Inf(1)}
	}
	out := Score{Spec: spec, Lambda: lambda, Error: mean, StdErr: sd / math.Sqrt(float64(len(errs)))}
	out.MSE = stat.Mean(squares, nil)
	return out
}

// Cost estimates the cost of CrossValidate for a number of maps of the size of p, each with the lambdas of the options.
// A nil Fitter counts as ridge regression, and a Fitter that CrossValidate refuses costs 0.
func (o CVOptions) Cost(f fits.Fitter, p fits.Problem, maps int) fits.Cost {
	if f == nil {
		f = linear.RidgeOptions{}
	}
	head, err := foldsOf(byValue(f), o.Lambdas == nil, nil)
	if err != nil {
		return fits.Cost{}
	}
	lambdas := o.Lambdas
	if lambdas == nil {
		lambdas = head.DefaultLambdas(p.Rows).First()
	}
	c := head.CostOfFolds(p, cmp.Or(o.Folds, 5), lambdas)
	c.Operations *= float64(maps)
	return c
}

// shared is a Fitter that scores its lambdas on all folds itself, and shares what it can between them.
type shared interface {
	fits.Fitter
	Folds() cv.Head
}

// foldsOf returns how CrossValidate scores a Fitter. whole says that one with lambdas of its own is fitted as it is. p
// has the rows; nil: for the cost alone.
func foldsOf(f fits.Fitter, whole bool, p *prepared) (cv.Head, error) {
	if domain.IsNil(f) {
		return nil, fmt.Errorf("train: CrossValidate: the Fitter is a nil %T: %w", f, domain.ErrParam)
	}
	bare, own := withLambdas(f, nil)
	if head, ok := f.(shared); ok && !(whole && own) {
		return head.Folds(), nil
	}
	_, batches := bare.(sgd.MiniBatch)
	return trials{Fitter: f, whole: !batches || whole && own, p: p}, nil
}

// withLambdas returns a Fitter with other lambdas, and whether it has its own. nil removes them. A Fitter without
// lambdas stays as it is.
func withLambdas(f fits.Fitter, lambdas []float64) (with fits.Fitter, own bool) {
	switch f := f.(type) {
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

// trials scores any Fitter by a trial for each fold.
type trials struct {
	fits.Fitter
	whole bool // whether it is fitted as it is, and not with each lambda in turn
	p     *prepared
}

// Metric is the one of the shared folds, apart from lambdas of the Fitter's own, where it has them.
func (h trials) Metric(y *mat.Dense) (fits.Metric, error) {
	bare, _ := withLambdas(h.Fitter, nil)
	if head, ok := bare.(shared); ok {
		return head.Folds().Metric(y)
	}
	b, batches := h.Fitter.(sgd.MiniBatch)
	head, err := layers.NewHead(h.HeadKind(), 1, 1)
	switch {
	case b.Lambda != 0 && !h.whole:
		err = fmt.Errorf("MiniBatch has Lambda = %v; give it to CVOptions or the candidates: %w", b.Lambda,
			domain.ErrParam)
	case b.Checkpoints.Path != "":
		err = fmt.Errorf("MiniBatch has Checkpoints, and many fits; leave them out: %w", domain.ErrParam)
	case err == nil && head.Classifies() && !cv.OneClass(y):
		err = fmt.Errorf("a %s head learns classes: each row of y must be 1 in one column and -1 in the others, as "+
			"OneVersusRest makes it: %w", h.HeadKind(), domain.ErrDomain)
	case given.AreClasses(y) && !batches, cv.OneClass(y):
		return fits.ErrorRate, err
	}
	return fits.MeanSquaredError, err
}

func (h trials) CostOfFolds(p fits.Problem, folds int, lambdas []float64) fits.Cost {
	c := h.Cost(p)
	c.Operations *= float64(folds * len(lambdas))
	return c
}

// DefaultLambdas are those of MiniBatch, or the one fit without a lambda to choose.
func (h trials) DefaultLambdas(int) cv.Grid {
	if h.whole {
		return cv.Grid{List: []float64{math.NaN()}}
	}
	return cv.Grid{N: 1, Lo: -6, Hi: -4, By: 1, Limit: [2]int{-6, 0}, Zero: true}
}

func (h trials) Scorer(ctx context.Context, j *cv.Job, spec layers.Spec) (cv.Scorer, error) {
	own := *h.p
	own.model = &Model{Spec: spec, Classes: h.p.model.Classes}
	h.p = &own
	all, square, err := h.inUnit(j)
	if err != nil {
		return nil, err
	}
	return func(lambdas []float64) ([][]fits.LambdaScore, error) {
		out := make([][]fits.LambdaScore, j.Folds)
		err := given.Try(own.workers(h.Fitter), j.Folds, func(f int) error {
			if err := given.Stopped(ctx); err != nil {
				return fmt.Errorf("stopped after %d of %d folds: %w", f, j.Folds, err)
			}
			t := trialOf(all, j.Order, f, func(file, row int) bool { return j.Fold(file, row) == f })
			for _, lambda := range lambdas {
				score, err := h.score(ctx, t, j, f, lambda)
				if err != nil {
					return fmt.Errorf("fold %d: %w", f, err)
				}
				score.MSE *= square
				out[f] = append(out[f], score)
			}
			j.Step()
			return nil
		})
		return out, err
	}, nil
}

// inUnit returns the rows with targets in the unit in which mini-batches fit and score rows in memory, so that neither
// the origin nor the unit of the targets costs digits, and the square of its scale. Classes have no unit, nor have the
// targets of a Fitter that is fitted as it is.
func (h trials) inUnit(j *cv.Job) (data.Examples, float64, error) {
	if h.whole || h.HeadKind() != "linear" {
		return j.Rows, 1, nil
	}
	u, err := given.UnitOf("CrossValidate", j.Y, true)
	if err != nil {
		return nil, 0, err
	}
	square, err := given.Square("CrossValidate", u.Largest())
	p, memory := j.Rows.(data.Pairs)
	if !memory {
		return j.Rows, 1, err
	}
	p.Y = u.Targets(p.Y)
	return p, square, err
}

// score is the score of the trial of a fold with a lambda, or NaN for the Fitter as it is.
func (h trials) score(ctx context.Context, t *trial, j *cv.Job, fold int, lambda float64) (fits.LambdaScore, error) {
	f := h.Fitter
	if !h.whole {
		f, _ = withLambdas(f, []float64{lambda})
	}
	switch err := h.fit(ctx, t, f, j.Rest(fold)); {
	case !h.whole && errors.Is(err, given.ErrDiverged):
		return cv.Unusable(lambda), nil
	case err != nil:
		return fits.LambdaScore{}, err
	}
	var o outcome
	if err := o.score(ctx, t); err != nil {
		return fits.LambdaScore{}, err
	}
	if len(o.y) == 0 {
		return fits.LambdaScore{}, fmt.Errorf("it has no rows; take fewer folds, or another Seed: %w", domain.ErrShape)
	}
	score := fits.LambdaScore{Lambda: lambda, MSE: math.NaN(), ErrorRate: math.NaN()}
	if j.Metric == fits.ErrorRate {
		score.ErrorRate = stat.Mean(o.losses(fits.ErrorRate), nil)
	}
	if j.Metric != fits.ErrorRate || h.whole { // mini-batches on classes have the error rate alone
		score.MSE = stat.Mean(o.losses(fits.MeanSquaredError), nil)
	}
	return score, nil
}

// fit fits in a trial, or takes the step of the Tuner that its rows favour. kept are their numbers, of rows in memory.
func (h trials) fit(ctx context.Context, t *trial, f fits.Fitter, kept []int) error {
	if h.p.recipe.Tuner == nil {
		return h.p.fitted(f)(ctx, t)
	}
	own := *h.p
	own.rows = t.rows
	if len(kept) > 0 {
		own.n = len(kept)
	}
	if groups := own.recipe.Groups; groups != nil {
		own.recipe.Groups = nil
		for _, row := range kept {
			own.recipe.Groups = append(own.recipe.Groups, groups[row])
		}
	}
	learn, err := own.tuned(ctx, *own.recipe.Tuner, new(Report))
	if err != nil {
		return err
	}
	return learn(ctx, t)
}
