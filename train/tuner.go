package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// The steps of a Tuner.
const (
	StepFrozen = "frozen" // solves the head on the frozen map
	// StepEvidence learns a scale per column (package evidence) on at most 512 features, 256 beside other steps, and
	// solves the head.
	StepEvidence = "evidence"
	StepAll      = "all"           // learns all parameters by mini-batches, from the drawn map
	StepBoth     = "evidence, all" // learns all parameters by mini-batches, from the scales of StepEvidence
	StepSolved   = "solved"        // solves the head again on the tuned features of the better of StepAll and StepBoth
)

// Tuner tunes a map step by step and keeps the step with the least error on held-out rows. Each step learns from a part
// of the rows and is scored on the others. The best step is then taken again on all rows. A step that the map does not
// have is left out, and its Step says why. The zero value is the default.
//
// Errors: domain.ErrParam for options out of range, a stream with several steps, Steps that are unknown, out of order
// or lack a step that they need, and a single step that the map does not have; domain.ErrShape for fewer than 5 rows
// with several steps.
//
// How much a step helps depends on the map. The table has error rates on held-out rows under a softmax head, with 256
// features if their number is free, for optdigits and spambase; exp-intersection has order=1. Logistic regression solved
// for the heads, and MapDecay was 0. Differences to frozen have standard errors of about .004 and .007.
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
// to tune. StepBoth was not measured for sphere-polynomial and delta-gaussian, which have it as well.
type Tuner struct {
	// Steps are the steps to take, in the order of the constants; nil: all, and for classes without a Fitter all but
	// StepSolved, with mini-batches for the heads. A Fitter that does not solve has no StepSolved. Without
	// StepEvidence, StepBoth finds its scales itself. StepSolved needs StepAll or StepBoth, or stands alone and takes
	// StepAll first. A single step is taken on all rows, without held-out rows; the rows may then be a stream.
	Steps []string
	// HeldOut is the fraction of the rows, in [0, 1), that each step is scored on after it has learned from the others;
	// 0: 0.2. If that is fewer than 1000 rows, the rows are divided several times, up to 1/HeldOut times. Classes are
	// held out in proportion.
	HeldOut float64
	Seed    uint64
	// Descent are the options of the mini-batches. Without MapDecay and MapDecays, the latter and LabelSmoothing are
	// those of sgd.ForTuning, and each step chooses a decay once, and with Directions its start.
	Descent sgd.FitOptions
	// Evidence are the options of the scales; MaxEvaluations of 0 is 50 for a single step, and 30 for several.
	Evidence evidence.Options
	// Progress is called after each step. nil: not called.
	Progress func(Step)
}

// Step is the result of a step of a Tuner on the held-out rows.
type Step struct {
	Name string
	// Score is the error rate for classes, or the root mean squared error for targets. It is NaN for a step that the
	// map does not have.
	Score float64
	// Gain is the error rate, or the mean squared error, of the first step less this step's. StdErr is the standard
	// error of that difference over the rows.
	Gain, StdErr float64
	Seconds      float64
	// Note says why a step was not taken: the map does not have it, or its fit to all rows failed, with a larger error on
	// them than the next best step has on the rows held out, which takes its place.
	Note string
}

// tuned chooses a step of the Tuner, and returns the learner that takes it.
func (p *prepared) tuned(ctx context.Context, t Tuner, report *Report) (learner, error) {
	_, memory := p.rows.(data.Pairs)
	alone := len(t.Steps) == 1
	switch {
	case !memory && !alone:
		return nil, fmt.Errorf("train: Tuner: the rows are read from a stream, and a tuner goes over them many "+
			"times; read them whole, or take one step: %w", domain.ErrParam)
	case !(t.HeldOut >= 0 && t.HeldOut < 1):
		return nil, fmt.Errorf("train: Tuner: HeldOut = %v is no fraction in [0, 1): %w", t.HeldOut, domain.ErrParam)
	case !alone && p.n < 5:
		return nil, fmt.Errorf("train: Tuner: %d rows cannot be divided into some to learn from and some to score; "+
			"give at least 5: %w", p.n, domain.ErrShape)
	}
	batches := t.Steps == nil && p.recipe.Fitter == nil && p.model.Classes != nil
	if err := cmp.Or(t.checkSteps(), t.Evidence.Check()); err != nil {
		return nil, err
	}
	t.HeldOut = cmp.Or(t.HeldOut, .2)
	by := brief
	if alone {
		by = thorough
	}
	t.Evidence.MaxEvaluations = cmp.Or(t.Evidence.MaxEvaluations, by.evaluations)
	if t.Descent.MapDecay == 0 && t.Descent.MapDecays == nil {
		d := sgd.ForTuning("")
		t.Descent.MapDecays, t.Descent.LabelSmoothing = d.MapDecays, cmp.Or(t.Descent.LabelSmoothing, d.LabelSmoothing)
	}
	c := &tuning{Tuner: t, p: p, solve: p.solverOf(p.model.Spec), solved: StepAll, twin: by.features,
		courses: map[string]*fits.Course{}, scaled: map[layers.Policy]start{}}
	report.Chosen = t.Steps[0]
	if !alone {
		if batches {
			c.solve = sgd.MiniBatch{FitOptions: sgd.FitOptions{Seed: p.model.Spec.Seed}, Head: "softmax"}
		}
		if err := c.choose(ctx, report); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, t *trial) error { return c.fit(ctx, t, report) }, nil
}

// fit takes the chosen step. On all rows it gives way to the next best where it errs more on them than that did on the
// rows held out: its descent has failed.
func (c *tuning) fit(ctx context.Context, t *trial, report *Report) error {
	for {
		t.maps, t.found = map[string]layers.Layer{}, nil
		step := report.Chosen
		var err error
		if step == StepSolved {
			err = c.take(ctx, t, c.solved)
		}
		if err == nil {
			err = c.take(ctx, t, step)
		}
		switch {
		case errors.Is(err, errNoStep):
			return fmt.Errorf("train: Tuner: %s: %w: %w", step, err, domain.ErrParam)
		case err != nil || t.held != nil || c.means == nil:
			return err
		}
		again := *t
		again.held = t.rows
		losses, err := c.lossesOf(ctx, &again)
		if err != nil {
			return err
		}
		delete(c.means, step)
		mean, std := stat.MeanStdDev(losses, nil)
		next := slices.MinFunc(c.Steps, func(a, b string) int { return cmp.Compare(c.mean(a), c.mean(b)) })
		if mean-3*std/math.Sqrt(float64(len(losses))) <= c.mean(next) {
			return nil
		}
		at := slices.IndexFunc(report.Steps, func(s Step) bool { return s.Name == step })
		report.Steps[at].Note = fmt.Sprintf("left out: fitted to all rows, it has the error %.4g on them", c.unit(mean))
		report.Chosen = next
	}
}

// mean is the mean loss of a step on the held-out rows; +Inf: it cannot be taken.
func (c *tuning) mean(step string) float64 {
	if mean, ok := c.means[step]; ok {
		return mean
	}
	return math.Inf(1)
}

// unit is a mean loss as a Score.
func (c *tuning) unit(mean float64) float64 {
	if c.p.model.Classes == nil {
		return math.Sqrt(mean)
	}
	return mean
}

// checkSteps checks the steps and fills in the default.
func (t *Tuner) checkSteps() error {
	all := []string{StepFrozen, StepEvidence, StepAll, StepBoth, StepSolved}
	if t.Steps == nil {
		t.Steps = all
	}
	last := -1
	for _, step := range t.Steps {
		at := slices.Index(all, step)
		if at < 0 {
			return fmt.Errorf("train: Tuner: there is no step %q; want some of %q: %w", step, all, domain.ErrParam)
		}
		if at <= last {
			return fmt.Errorf("train: Tuner: the steps %q are out of order; take them as in %q: %w", t.Steps, all,
				domain.ErrParam)
		}
		last = at
	}
	switch {
	case last < 0:
		return fmt.Errorf("train: Tuner: Steps is empty; name one, or leave it nil for all: %w", domain.ErrParam)
	case t.has(StepSolved) && !t.has(StepAll) && !t.has(StepBoth) && len(t.Steps) > 1:
		return fmt.Errorf("train: Tuner: %q goes on from %q or %q, and Steps has neither: %w", StepSolved, StepAll,
			StepBoth, domain.ErrParam)
	}
	return nil
}

func (t *Tuner) has(step string) bool { return slices.Contains(t.Steps, step) }

// descends says whether one of the steps tunes the map by mini-batches.
func (t *Tuner) descends() bool {
	return t.Steps == nil || t.has(StepAll) || t.has(StepBoth) || t.has(StepSolved)
}

// tuning is a Tuner at work.
type tuning struct {
	Tuner
	p       *prepared
	solve   fits.Fitter             // fits the head of a map that does not change any more
	solved  string                  // what StepSolved goes on from
	twin    int                     // the largest number of features that the scales are learned on
	courses map[string]*fits.Course // of the steps that have chosen how to fit
	mu      sync.Mutex              // of scaled
	scaled  map[layers.Policy]start // the most likely scales of the trials
	means   map[string]float64      // of the losses of the steps on held-out rows; nil: a single step
}

// choose takes the steps in trials and finds the best.
func (c *tuning) choose(ctx context.Context, out *Report) error {
	trials, err := c.p.trials("Tuner", c.HeldOut, c.Seed)
	if err != nil {
		return err
	}
	out.Chosen = ""
	c.means = map[string]float64{}
	missing := func(step string) bool { return math.IsInf(c.mean(step), 1) }
	var first []float64 // the losses of the first step
	for _, name := range c.Steps {
		switch name {
		case StepSolved:
			if missing(StepAll) && missing(StepBoth) || !c.solve.Frozen() {
				continue // without what it goes on from, or what solves
			}
			c.solved = StepAll
			if c.mean(StepBoth) < c.mean(StepAll) {
				c.solved = StepBoth
			}
			out.Solved = c.solved
		case StepBoth:
			if c.has(StepEvidence) && missing(StepEvidence) || c.has(StepAll) && missing(StepAll) {
				continue
			}
		}
		start, step := time.Now(), Step{Name: name}
		losses, err := c.losses(ctx, trials, name)
		switch {
		case errors.Is(err, errNoStep):
			step.Note, step.Score = err.Error(), math.NaN()
		case err != nil:
			return err
		default:
			if first == nil {
				first = losses
			}
			gains := make([]float64, len(losses))
			floats.SubTo(gains, first, losses)
			c.means[name] = stat.Mean(losses, nil)
			step.Score = c.unit(c.means[name])
			step.Gain, step.StdErr = stat.Mean(gains, nil), stat.StdDev(gains, nil)/math.Sqrt(float64(len(gains)))
			step.Seconds = time.Since(start).Seconds()
		}
		out.Steps = append(out.Steps, step)
		if c.Progress != nil {
			c.Progress(step)
		}
		if !missing(name) && (out.Chosen == "" || c.mean(name) < c.mean(out.Chosen)) {
			out.Chosen = name
		}
	}
	if out.Chosen == "" {
		return fmt.Errorf("train: Tuner: the map has none of the steps %q: %s: %w", c.Steps, out.Steps[0].Note,
			domain.ErrParam)
	}
	return nil
}

// losses takes a step in each trial, and returns the losses of the held-out rows.
func (c *tuning) losses(ctx context.Context, trials []*trial, step string) ([]float64, error) {
	if err := c.take(ctx, trials[0], step); err != nil { // which chooses for all
		return nil, err
	}
	side := 1
	if (step == StepAll || step == StepBoth && c.has(StepEvidence)) && c.Descent.Progress == nil {
		side = workers(c.p.x.Shape().TotalSize())
	}
	err := given.Try(side, len(trials)-1, func(i int) error { return c.take(ctx, trials[1+i], step) })
	if err != nil {
		return nil, err
	}
	return c.lossesOf(ctx, trials...)
}

// lossesOf are the losses of the held-out rows.
func (c *tuning) lossesOf(ctx context.Context, trials ...*trial) ([]float64, error) {
	var o outcome
	if err := o.score(ctx, trials...); err != nil {
		return nil, err
	}
	if c.p.model.Classes != nil {
		return o.losses(fits.ErrorRate), nil
	}
	return o.losses(fits.MeanSquaredError), nil
}

// errNoStep is the error of a step that the map does not have.
var errNoStep = errors.New("the map has no such step")

// take takes a step in a trial.
func (c *tuning) take(ctx context.Context, t *trial, step string) (err error) {
	f := c.solve
	switch step {
	case StepFrozen:
		t.m, err = c.build(layers.Frozen, c.p.model.Spec.Features)
	case StepEvidence:
		t.m, t.found, err = c.scales(ctx, t, layers.BandwidthEach, layers.Bandwidth)
	case StepAll, StepBoth:
		t.m, err = c.build(layers.All, c.p.model.Spec.Features)
		if err == nil && step == StepBoth {
			err = c.goOn(ctx, t)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, errNoStep) { // as the scales of goOn say it themselves
			err = fmt.Errorf("%w: %v", errNoStep, err)
		}
		b := sgd.MiniBatch{FitOptions: c.Descent, Head: f.HeadKind()}
		if t.held != nil {
			b.ScoreRows = -1
		}
		course, chosen := c.courses[step]
		if chosen {
			b = settled(b, course)
		}
		f = b
		defer func() {
			if err == nil && !chosen {
				c.courses[step] = t.report.Epochs
			}
		}()
	case StepSolved:
		t.m = t.maps[c.solved]
	}
	if err != nil {
		return err
	}
	t.maps[step] = t.m
	return t.fit(ctx, f, c.p.outputs)
}

// goOn gives the map of the trial the scales, found by StepEvidence or now. A map that has one scale for all columns
// finds that instead.
func (c *tuning) goOn(ctx context.Context, t *trial) error {
	if t.maps[StepEvidence] == nil {
		m, found, err := c.scales(ctx, t, layers.BandwidthEach, layers.Bandwidth)
		if err != nil {
			return err
		}
		t.maps[StepEvidence], t.found = m, found
	}
	err := layers.Continue(t.m, t.maps[StepEvidence])
	if !errors.Is(err, domain.ErrShape) {
		return err
	}
	one, _, err := c.scales(ctx, t, layers.Bandwidth)
	if err != nil {
		return err
	}
	return layers.Continue(t.m, one)
}

// effort is how scales are learned: on at most a number of features, which they do not depend on, by a number of
// evaluations of the evidence.
type effort struct{ features, evaluations int }

// thorough is for scales that stay, and brief for one of several steps and for starts.
var thorough, brief = effort{512, 50}, effort{256, 30}

// scales is StepEvidence without the head, under the first of the policies that the map has. For all rows it takes
// the scales of a trial if these are more likely.
func (c *tuning) scales(ctx context.Context, t *trial, policies ...layers.Policy) (m layers.Layer,
	found *evidence.Result, err error) {
	var policy layers.Policy
	for _, policy = range policies {
		if m, err = c.build(policy, c.p.model.Spec.Features); err == nil {
			break
		}
	}
	small := m
	if err == nil && c.p.model.Spec.Features > c.twin {
		small, err = c.build(policy, c.twin)
	}
	if err == nil {
		found, err = evidence.Maximise(ctx, small, t.rows, c.Evidence)
	}
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if best, known := c.scaled[policy]; !known || found.After < best.found.After {
			c.scaled[policy] = start{scaled: small, found: found}
		} else if t.held == nil {
			small, found = best.scaled, best.found
		}
	}
	if err == nil && small != m {
		err = layers.Continue(m, small)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %v", errNoStep, err)
	}
	return m, found, err
}

// build makes the map under a policy, with a number of features. A map that has nothing to tune is an error.
func (c *tuning) build(policy layers.Policy, features int) (layers.Layer, error) {
	spec := c.p.model.Spec
	spec.Features, spec.Tune = features, policy.String()
	m, err := spec.Fit(c.p.x)
	if err == nil && policy != layers.Frozen && policyOf(m) == "" {
		err = fmt.Errorf("%v has nothing to tune: %w", m, domain.ErrParam)
	}
	return m, err
}
