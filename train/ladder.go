package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The steps of a Ladder.
const (
	StepFrozen   = "frozen"        // solves the head on the map as it is drawn
	StepEvidence = "evidence"      // learns a scale per column (package evidence) on at most 512 features, solves the head
	StepAll      = "all"           // learns all parameters by mini-batches, from the map as it is drawn
	StepBoth     = "evidence, all" // learns all parameters by mini-batches, from the scales of StepEvidence
	StepSolved   = "solved"        // solves the head again on the tuned features of the better of StepAll and StepBoth
)

// Ladder tunes a map step by step and keeps the step with the least error on held-out rows. Its zero value is the
// default.
//
// How much a step helps depends on the map. The table has error rates on held-out rows under a softmax head, with 256
// features if their number is free, for optdigits and spambase; exp-intersection has order=1. Differences to frozen
// have standard errors of about .004 and .007.
//
//	                       frozen evidence all  both  solved   frozen evidence all  both  solved
//	gaussian               .0314 .0248 .0157 .0183 .0157   .1087 .0870 .0795 .0734 .0815
//	gaussian, orthogonal   .0275 .0222 .0137 .0183 .0137   .1094 .0870 .0795 .0707 .0829
//	gaussian, structured   .0255 .0209                     .1026 .0876
//	laplacian              .0438 .0261 .0190 .0216 .0170   .0815 .0720 .0659 .0591 .0713
//	matern                 .0405 .0261 .0170 .0183 .0163   .1107 .0849 .0774 .0734 .0849
//	cauchy                 .0281 .0261 .0144 .0216 .0137   .0992 .0876 .0808 .0740 .0788
//	exp-semigroup          .0340 .0216 .0333 .0314 .0255   .0679 .0727 .0510 .0537 .0659
//	reciprocal-semigroup   .0261 .0275 .0288 .0340 .0255   .0802 .0679 .0543 .0550 .0611
//	skewed-chi2            .0157 .0209 .0144 .0144 .0144   .0890 .0849 .1372 .1372 .1393
//	skewed-intersection    .0294 .0255 .0359 .0359 .0281   .1033 .1223 .1807 .1807 .1447
//	chi2                   .0261 .0242 .0268 .0268 .0255   .0652 .0564 .0625 .0625 .0605
//	intersection           .0268 .0248 .0281 .0281 .0275   .0774 .0571 .0645 .0645 .0645
//	jensen-shannon         .0288 .0242 .0281 .0281 .0255   .0652 .0564 .0618 .0618 .0632
//	exp-hellinger          .0216 .0216 .0144 .0190 .0131   .0822 .0802 .0605 .0598 .0686
//	exp-chi2               .0196 .0157 .0118 .0183 .0118   .0971 .0720 .0645 .0584 .0605
//	exp-intersection       .0203 .0157 .0131 .0144 .0124   .0856 .0808 .0734 .0747 .0666
//	exp-jensen-shannon     .0137 .0203 .0131 .0157 .0124   .0815 .0666 .0652 .0605 .0652
//	sphere-polynomial      .0137 .0261 .0144       .0144   .0965 .1087 .0747       .0781
//	delta-gaussian         .0444 .0490 .0275       .0229   .0965 .0802 .0740       .0802
//	arc-cosine             .0155 .0237 .0180 .0155 .0180   .0815 .0605 .0618 .0543 .0577
//	ntk                    .0253 .0245 .0172 .0172 .0180   .0863 .0774 .0611 .0679 .0618
//	srf                    .0157 .0229 .0137 .0190 .0118   .0897 .1243 .0863 .0938 .0795
//
// Tuning all frequencies pays for the translation-invariant maps, the exponentiated maps and the signed maps. Scales
// suffice for the homogeneous maps. Laplace features gain from either. The skewed maps, whose frequencies act on
// logarithms of small numbers, are best frozen or with scales alone. The structured sampler has no single frequencies
// to tune, and the signed maps have no scales for StepBoth to start from.
type Ladder struct {
	// Steps are the steps to take, in the order of the constants; nil: all. Without StepEvidence, StepBoth finds its
	// scales itself. StepSolved needs StepAll or StepBoth. A single step is taken on all rows, without held-out rows;
	// the rows may then be a stream.
	Steps []string
	// HeldOut is the fraction of the rows, in [0, 1), that each step is scored on after it has learned from the others;
	// 0: 0.2. If that is fewer than 1000 rows, the rows are divided several times, up to 1/HeldOut times.
	HeldOut float64
	Seed    uint64
	// Solve fits the head of a map that does not change any more; nil: the default of Recipe.Fitter for a frozen map.
	Solve fits.Fitter
	// Descent are the options of the mini-batches.
	Descent sgd.FitOptions
	// Evidence are the options of the scales; MaxEvaluations of 0 is 50 here.
	Evidence evidence.Options
	// Progress is called after each step. nil: not called.
	Progress func(Rung)
}

// Rung is the result of a step of a Ladder on the held-out rows.
type Rung struct {
	Step string
	// Score is the error rate for classes, or the root mean squared error for targets. It is NaN for a step that the
	// map does not have; Note says why.
	Score float64
	// Gain is the error rate, or the mean squared error, of the first step less this step's. StdErr is the standard
	// error of that difference over the rows.
	Gain, StdErr float64
	Seconds      float64
	Note         string
}

// Climb describes how a Ladder went.
type Climb struct {
	Rungs  []Rung // nil where there was one step alone
	Chosen string // the step with the least error, the first of equals
	// Solved is the step whose head StepSolved solved again.
	Solved string
	// Report belongs to the last fit, on all rows.
	Report *fits.Report
	// Evidence has the scales learned from all rows; nil if the model has none.
	Evidence *evidence.Result
}

// Climb tunes the map and fits the head after Prepare. Each step of the ladder learns from a part of the rows and is
// scored on the others. The best step is then taken again on all rows. Climb changes Model.Map, Model.Head, Model.Spec
// and Model.Relevance.
//
// A step that the map does not have is left out, and its Rung says why.
//
// Errors: domain.ErrParam for a nil context, options out of range, rows without targets, a stream with several steps,
// Steps that are unknown, out of order or lack a step that they need, and a single step that the map does not have;
// domain.ErrShape for fewer than 5 rows with several steps; the errors of the fits; ctx.Err().
func (p *Prepared) Climb(ctx context.Context, l Ladder) (*Climb, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	_, memory := p.rows.(data.Pairs)
	alone := len(l.Steps) == 1
	switch {
	case ctx == nil:
		return nil, fmt.Errorf("train: Ladder: the context is nil; give context.Background(): %w", domain.ErrParam)
	case p.rows == nil:
		return nil, p.Locate(errNoTargets)
	case !memory && !alone:
		return nil, fmt.Errorf("train: Ladder: the rows are read from a stream, and a ladder goes over them many times; read them whole, or take one step: %w", domain.ErrParam)
	case !(l.HeldOut >= 0 && l.HeldOut < 1):
		return nil, fmt.Errorf("train: Ladder: HeldOut = %v is no fraction in [0, 1): %w", l.HeldOut, domain.ErrParam)
	case p.Rows < 5 && !alone:
		return nil, fmt.Errorf("train: Ladder: %d rows cannot be divided into some to learn from and some to score; give at least 5: %w", p.Rows, domain.ErrShape)
	}
	err := l.checkSteps()
	if err == nil {
		err = p.Complete()
	}
	if err != nil {
		return nil, err
	}
	c := &climber{Ladder: l, p: p}
	if c.HeldOut == 0 {
		c.HeldOut = .2
	}
	if c.Evidence.MaxEvaluations == 0 {
		c.Evidence.MaxEvaluations = 50
	}
	out := &Climb{Chosen: l.Steps[0]}
	if !alone {
		out, err = c.climb(ctx)
	}
	if err == nil {
		err = c.finish(ctx, out)
	}
	if err != nil && !p.streamed() { // a stream names its rows
		err = p.Locate(err)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// allSteps are the steps in their order.
func allSteps() []string { return []string{StepFrozen, StepEvidence, StepAll, StepBoth, StepSolved} }

// checkSteps checks the steps and fills in the default.
func (l *Ladder) checkSteps() error {
	all := allSteps()
	if l.Steps == nil {
		l.Steps = all
	}
	last := -1
	for _, step := range l.Steps {
		at := slices.Index(all, step)
		if at < 0 {
			return fmt.Errorf("train: Ladder: there is no step %q; want some of %q: %w", step, all, domain.ErrParam)
		}
		if at <= last {
			return fmt.Errorf("train: Ladder: the steps %q are out of order; take them as in %q: %w", l.Steps, all, domain.ErrParam)
		}
		last = at
	}
	switch {
	case last < 0:
		return fmt.Errorf("train: Ladder: Steps is empty; name one, or leave it nil for all: %w", domain.ErrParam)
	case l.has(StepSolved) && !l.has(StepAll) && !l.has(StepBoth):
		return fmt.Errorf("train: Ladder: %q goes on from %q or %q, and Steps has neither: %w", StepSolved, StepAll, StepBoth, domain.ErrParam)
	}
	return nil
}

func (l *Ladder) has(step string) bool { return slices.Contains(l.Steps, step) }

// climber is a ladder under way.
type climber struct {
	Ladder
	p      *Prepared
	solved string // what StepSolved goes on from
	parts  []*climbPart
	first  []float64 // the errors under the frozen map
}

// climbPart is a division of the rows, and where its fit stands.
type climbPart struct {
	rows, held data.Examples
	maps       map[string]layers.Layer // by step
	m          layers.Layer            // of the last step, and its head
	head       layers.Head
	found      *evidence.Result
	report     *fits.Report
	ridge      float64 // the lambda of ridge regression where the head is its solution; 0: it is none
}

func (c *climber) climb(ctx context.Context) (*Climb, error) {
	var err error
	if c.parts, err = c.p.divide(c.HeldOut, c.Seed); err != nil {
		return nil, fmt.Errorf("train: Ladder: %w", err)
	}
	out, means := &Climb{}, map[string]float64{}
	missing := func(steps ...string) bool {
		return !slices.ContainsFunc(steps, func(step string) bool { mean, ok := means[step]; return ok && !math.IsInf(mean, 1) })
	}
	for _, step := range c.Steps {
		if step == StepSolved {
			if missing(StepAll, StepBoth) {
				continue // without what it goes on from
			}
			c.solved = StepAll
			if both, ok := means[StepBoth]; ok && (missing(StepAll) || both < means[StepAll]) {
				c.solved = StepBoth
			}
			out.Solved = c.solved
		}
		if step == StepBoth && (c.has(StepEvidence) && missing(StepEvidence) || c.has(StepAll) && missing(StepAll)) {
			continue
		}
		rung, mean, err := c.rung(ctx, step)
		if err != nil {
			return nil, err
		}
		means[step] = mean
		out.Rungs = append(out.Rungs, rung)
		if c.Progress != nil {
			c.Progress(rung)
		}
		if !math.IsInf(mean, 1) && (out.Chosen == "" || mean < means[out.Chosen]) {
			out.Chosen = step
		}
	}
	if out.Chosen == "" {
		return nil, fmt.Errorf("train: Ladder: the map has none of the steps %q: %s: %w", c.Steps, out.Rungs[0].Note, domain.ErrParam)
	}
	return out, nil
}

// finish takes the chosen step on all rows, and hands the model its result.
func (c *climber) finish(ctx context.Context, out *Climb) error {
	all := &climbPart{rows: c.p.rows, maps: map[string]layers.Layer{}}
	if err := c.steps(ctx, all, c.path(out.Chosen)); errors.Is(err, errNoStep) {
		return fmt.Errorf("train: Ladder: %s: %w: %w", out.Chosen, err, domain.ErrParam)
	} else if err != nil {
		return err
	}
	m := c.p.Model
	all.give(m)
	c.p.ridge = all.ridge
	c.p.again = func(ctx context.Context, part *climbPart) error { return c.steps(ctx, part, c.path(out.Chosen)) }
	out.Report, out.Evidence = all.report, all.found
	return nil
}

// give hands a model the map and the head.
func (part *climbPart) give(m *Model) {
	m.Map, m.Head, m.Spec.Tune, m.Relevance = part.m, part.head, policyOf(part.m), nil
	if m.Spec.Features == 0 {
		m.Spec.Features = m.Map.Features()
	}
	if part.found != nil {
		m.Relevance = part.found.Relevance
	}
}

// path are the steps that lead to one.
func (c *climber) path(to string) []string {
	if to == StepSolved {
		return []string{c.solved, StepSolved}
	}
	return []string{to}
}

// divide holds out a fraction of the rows. It divides rows in memory as often as it takes to score some 1000 rows, up
// to 1/fraction times, and a stream once.
func (p *Prepared) divide(fraction float64, seed uint64) (parts []*climbPart, err error) {
	const enough = 1000
	add := func(rows, held data.Examples) {
		parts = append(parts, &climbPart{rows: rows, held: held, maps: map[string]layers.Layer{}})
	}
	switch rows := p.rows.(type) {
	case data.Streamed:
		kept, held := rows, rows
		kept.Stream, held.Stream = rows.Stream.Split(fraction, seed)
		add(kept, held)
	case data.Pairs:
		times := min(int(1/fraction), int(math.Ceil(enough/(fraction*float64(p.Rows)))))
		for i := range max(1, times) {
			kept, held := data.Split(p.Rows, fraction, seed+uint64(i))
			if len(kept) == 0 || len(held) == 0 {
				return nil, fmt.Errorf("HeldOut = %v of %d rows leaves none to learn from or none to score: %w", fraction, p.Rows, domain.ErrParam)
			}
			add(pick(rows, kept), pick(rows, held))
		}
	}
	return parts, nil
}

// pick are some of the rows.
func pick(rows data.Pairs, idx []int) data.Pairs {
	_, k := rows.Y.Dims()
	y := mat.NewDense(len(idx), k, nil)
	for i, r := range idx {
		y.SetRow(i, rows.Y.RawRowView(r))
	}
	return data.Pairs{X: data.RowsOf(rows.X, idx), Y: y}
}

// errNoStep is the error of a step that the map does not have.
var errNoStep = errors.New("the map has no such step")

// rung takes a step on every part, and scores it.
func (c *climber) rung(ctx context.Context, step string) (Rung, float64, error) {
	start, r := time.Now(), Rung{Step: step}
	var losses []float64
	for _, part := range c.parts {
		err := c.fit(ctx, part, step)
		if errors.Is(err, errNoStep) {
			r.Note, r.Score = err.Error(), math.NaN()
			return r, math.Inf(1), nil
		}
		if err == nil {
			losses, err = c.score(ctx, losses, part)
		}
		if err != nil {
			return r, 0, err
		}
	}
	mean := stat.Mean(losses, nil)
	if r.Score = mean; c.p.Model.Classes == nil {
		r.Score = math.Sqrt(mean)
	}
	if c.first == nil {
		c.first = losses
	}
	gains := make([]float64, len(losses))
	floats.SubTo(gains, c.first, losses)
	r.Gain, r.StdErr = stat.Mean(gains, nil), stat.StdDev(gains, nil)/math.Sqrt(float64(len(gains)))
	r.Seconds = time.Since(start).Seconds()
	return r, mean, nil
}

// steps takes some steps on some rows.
func (c *climber) steps(ctx context.Context, part *climbPart, steps []string) error {
	for _, step := range steps {
		if err := c.fit(ctx, part, step); err != nil {
			return err
		}
	}
	return nil
}

// fit takes a step on some rows.
func (c *climber) fit(ctx context.Context, part *climbPart, step string) (err error) {
	f := c.solver()
	switch step {
	case StepFrozen:
		part.m, err = c.build(layers.Frozen, c.p.Model.Spec.Features)
	case StepEvidence:
		err = c.scale(ctx, part)
	case StepAll, StepBoth:
		part.m, err = c.build(layers.All, c.p.Model.Spec.Features)
		if err == nil && step == StepBoth {
			err = c.goOn(ctx, part)
		}
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: %v", errNoStep, err)
		}
		f = sgd.MiniBatch{FitOptions: c.Descent, Head: f.HeadKind()}
	case StepSolved:
		part.m = part.maps[c.solved]
	}
	if err != nil {
		return err
	}
	part.maps[step] = part.m
	return c.p.fitHead(ctx, part, f)
}

// goOn gives the map of the part the scales, found by StepEvidence or now. A map that has one scale for all columns finds
// that instead.
func (c *climber) goOn(ctx context.Context, part *climbPart) error {
	m := part.m
	defer func() { part.m = m }()
	if part.maps[StepEvidence] == nil {
		if err := c.scale(ctx, part); err != nil {
			return err
		}
		part.maps[StepEvidence] = part.m
	}
	err := layers.Continue(m, part.maps[StepEvidence])
	if !errors.Is(err, domain.ErrShape) {
		return err
	}
	found := part.found
	defer func() { part.found = found }()
	if err := c.scaleBy(ctx, part, layers.Bandwidth); err != nil {
		return err
	}
	return layers.Continue(m, part.m)
}

// twin is the largest number of features that the scales are learned on. They do not depend on the number of features.
const twin = 512

// scale is StepEvidence without the head.
func (c *climber) scale(ctx context.Context, part *climbPart) error {
	return c.scaleBy(ctx, part, layers.BandwidthEach, layers.Bandwidth)
}

// scaleBy is scale under the first of the policies that the map has.
func (c *climber) scaleBy(ctx context.Context, part *climbPart, policies ...layers.Policy) (err error) {
	var policy layers.Policy
	for _, policy = range policies {
		if part.m, err = c.build(policy, c.p.Model.Spec.Features); err == nil {
			break
		}
	}
	small := part.m
	if err == nil && c.p.Model.Spec.Features > twin {
		small, err = c.build(policy, twin)
	}
	if err == nil {
		part.found, err = evidence.Maximise(ctx, small, part.rows, c.Evidence)
	}
	if err == nil && small != part.m {
		err = layers.Continue(part.m, small)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %v", errNoStep, err)
	}
	return err
}

// ridgeLambda is the lambda of a head that ridge regression has fitted, and 0 for others.
func ridgeLambda(f fits.Fitter, r *fits.Report) float64 {
	switch f.(type) {
	case linear.RidgeOptions, linear.CGOptions:
		return r.Lambda
	}
	return 0
}

// solver fits the head of a map that does not change.
func (c *climber) solver() fits.Fitter {
	if c.Solve != nil {
		return c.Solve
	}
	return c.p.solver(c.p.Model.Spec.Features)
}

// build makes the map under a policy, with a number of features. A map that has nothing to tune is an error.
func (c *climber) build(policy layers.Policy, features int) (layers.Layer, error) {
	spec := c.p.Model.Spec
	spec.Features = features
	spec.Tune = ""
	if policy != layers.Frozen {
		spec.Tune = policy.String()
	}
	m, err := spec.Fit(c.p.x)
	if err == nil && policy != layers.Frozen && policyOf(m) == "" {
		err = fmt.Errorf("%v has nothing to tune: %w", m, domain.ErrParam)
	}
	return m, err
}

// policyOf is the policy by which a map tunes something, and empty if it tunes nothing.
func policyOf(m layers.Layer) string {
	for _, p := range m.Params() {
		if p.Tuned {
			if t, ok := m.(interface{ Policy() layers.Policy }); ok {
				return t.Policy().String()
			}
		}
	}
	return ""
}

// model is the model of a part.
func (part *climbPart) model(m *Model) *Model {
	own := *m
	own.Map, own.Head = part.m, part.head
	return &own
}

// score appends the error of each held-out row: 0 or 1 for a class, and the mean squared error over the targets.
func (c *climber) score(ctx context.Context, losses []float64, part *climbPart) ([]float64, error) {
	m := part.model(c.p.Model)
	for b, err := range part.held.Blocks(ctx, 0) {
		if err != nil {
			return nil, err
		}
		scores, err := m.ScoresPrepared(b.X)
		if err != nil {
			return nil, err
		}
		n, k := scores.Dims()
		for i := range n {
			y, s := b.Y.RawRowView(i), scores.RawRowView(i)
			loss := 0.
			if m.Classes != nil {
				if y[given.ArgMax(s)] < 0 {
					loss = 1
				}
			} else {
				d := floats.Distance(y, s, 2)
				loss = d * d / float64(k)
			}
			losses = append(losses, loss)
		}
	}
	return losses, nil
}
