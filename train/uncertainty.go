package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// Uncertainty holds what a model has learned about the errors of its predictions, if Recipe.Uncertainty asked for it.
// The file of the model keeps it. A field that does not apply is nil.
type Uncertainty struct {
	// Posterior is Bayesian ridge regression of the targets on the features. If ridge regression has fitted the head,
	// the posterior has the penalty of the head, and its mean is the head's weights. Otherwise its penalty is the one
	// with the greatest evidence. A tuned map fits its own rows closer than the posterior can know; where fits to a part
	// of the rows predict the others, their mean squared error in units of the variance multiplies the noise σ². The
	// Posterior is nil for the features of an indefinite kernel, which have none.
	Posterior *linear.Posterior `json:"-"`
	// Intervals are the radii around predicted targets, in standard deviations of the Posterior if there is one.
	Intervals *calibrate.Intervals `json:"intervals,omitempty"`
	// Laplace is the posterior of the weights of a softmax head, if UncertaintyOptions asked for it.
	Laplace *linear.Laplace `json:"-"`
	// Calibration turns the scores of a head, or the logarithms of the probabilities of a softmax head, into
	// probabilities.
	Calibration *calibrate.Calibration `json:"calibration,omitempty"`
	// Sets makes sets of classes from the calibrated probabilities.
	Sets *calibrate.Sets `json:"sets,omitempty"`
}

// HeldOut returns the number of held-out rows that the intervals or sets come from; 0: there are none.
func (u *Uncertainty) HeldOut() int {
	switch {
	case u != nil && u.Intervals != nil:
		return u.Intervals.Rows()
	case u != nil && u.Sets != nil:
		return u.Sets.Rows()
	}
	return 0
}

// Check returns an error unless there are intervals or sets of a level: domain.ErrParam if there are none at all, and
// for a level outside (0, 1); domain.ErrShape for a level that needs more held-out rows.
func (u *Uncertainty) Check(level float64) (err error) {
	switch {
	case u.HeldOut() == 0:
		err = fmt.Errorf("train: Uncertainty: the model has no intervals or sets; fit it with Recipe.Uncertainty: %w",
			domain.ErrParam)
	case u.Intervals != nil:
		_, err = u.Intervals.Radius(level)
	default:
		_, err = u.Sets.Threshold(level)
	}
	return err
}

// UncertaintyOptions are the options of Recipe.Uncertainty. The zero value is the default.
//
// The model is fitted again, in the same way, on a part of the rows, or on several parts if rows are few. Mini-batches
// keep the decay and the start that they chose for all rows. From the predictions of these fits for the other rows come
// the conformal intervals of targets, or the calibration of probabilities and the conformal sets of classes. The
// posterior is learned from all rows. The scores of the model stay as they are.
//
// The guarantee of conformal prediction holds for a model that learned from a part of the rows. The model of all rows
// errs as much or less as a rule, so its intervals and sets cover as often or a little more. A head that overfits
// strongly, such as softmax with hardly any penalty on hundreds of rows, errs more when it learns from fewer rows; its
// calibration then makes the model of all rows less confident than it may be.
//
// Ridge regression of targets on a frozen map needs no further fit. Its intervals are the jackknife's, from the
// closed form of the leave-one-out errors, in one more pass over the rows. They cover as often as asked in practice.
//
// Memory: two D×D matrices for the posterior, the scores of the held-out rows, and the memory of the fits, which run in
// parallel if mini-batches tune the map. Errors: domain.ErrParam for options out of range.
type UncertaintyOptions struct {
	// HeldOut is the fraction of the rows, in [0, 1), that a model predicts after it has learned from the others; 0:
	// 0.2. If that is fewer than 1000 rows, rows in memory are divided several times, up to 1/HeldOut times.
	HeldOut float64
	Seed    uint64
	// Calibration is a method of calibrate.Fit, and Sets one of calibrate.FitSets, for classes.
	Calibration string
	Sets        string
	// Laplace asks for the posterior of the weights of a softmax head; it is an error for another head.
	Laplace bool
}

// check checks the options, of which there may be none, for a model without a Head.
func (o *UncertaintyOptions) check(m *Model) error {
	switch {
	case o == nil:
	case !(o.HeldOut >= 0 && o.HeldOut < 1):
		return fmt.Errorf("train: Uncertainty: HeldOut = %v is no fraction in [0, 1): %w", o.HeldOut, domain.ErrParam)
	case o.Laplace && m.Classes == nil:
		return fmt.Errorf("train: Uncertainty: Laplace is for a softmax head, and the rows have targets: %w",
			domain.ErrParam)
	}
	return nil
}

// Cost estimates the cost of learning the uncertainty beside its own fits of the model, for classes or for targets.
func (o UncertaintyOptions) Cost(p fits.Problem, classes bool) fits.Cost {
	var c fits.Cost
	switch d := float64(p.Features); {
	case !classes && !p.Signed:
		c.Hold(16*d*d, "two matrices of %d x %d numbers, of the features", p.Features, p.Features)
		c.Operations = 2*float64(p.Rows)*d*d + 2*d*d*d
	case classes && o.Laplace:
		c = linear.LaplaceOptions{}.Cost(p)
	}
	c.Hold(16*float64(p.Rows)*float64(p.Outputs), "the scores of the rows")
	return c
}

// uncertainty learns the uncertainty of a model, which a learner fitted. ridge is as in trial.
func (p *prepared) uncertainty(ctx context.Context, m *Model, ridge float64, learn learner) (*Uncertainty, error) {
	o := *p.recipe.Uncertainty
	if o.Laplace && !m.Head.Classifies() {
		return nil, fmt.Errorf("train: Uncertainty: Laplace is for a softmax head, and the head is %s: %w",
			m.Head.Kind(), domain.ErrParam)
	}
	if ridge > 0 && m.Classes == nil && policyOf(m.Map) == "" && layers.SignatureOf(m.Map) == nil {
		return p.leaveOneOut(ctx, *m, ridge)
	}
	all, err := p.trials("Uncertainty", cmp.Or(o.HeldOut, .2), o.Seed)
	if err != nil {
		return nil, err
	}
	err = given.Try(p.workers(p.fitterOf(m.Spec)), len(all), func(i int) error { return learn(ctx, all[i]) })
	if err != nil {
		return nil, err
	}
	var held outcome
	for _, t := range all {
		own := *m
		own.Map, own.Head = t.m, t.head
		if own.Uncertainty, err = own.posteriors(ctx, t.rows, t.ridge, o.Laplace); err != nil {
			return nil, err
		}
		if err := held.add(ctx, t, &own); err != nil {
			return nil, err
		}
	}
	if len(held.y) == 0 {
		return nil, fmt.Errorf("train: Uncertainty: no row is held out; raise HeldOut: %w", domain.ErrParam)
	}
	u, err := m.posteriors(ctx, p.rows, ridge, o.Laplace)
	if err != nil {
		return nil, err
	}
	if u.Posterior != nil {
		held.scaleNoise(u.Posterior.Noise)
	}
	return u, u.learn(held, m.Classes != nil, o)
}

// scaleNoise multiplies the noise of each target, and with it the variances of o, by the mean squared residual in units
// of these variances.
func (o *outcome) scaleNoise(noise []float64) {
	for t := range noise {
		sum, n := 0., 0.
		for at := t; at < len(o.y); at += o.k {
			r := (o.y[at] - o.scores[at]) / o.std[at]
			sum, n = sum+r*r, n+1
		}
		by := sum / n
		if !(by > 0 && by*noise[t] <= math.MaxFloat64) {
			continue
		}
		noise[t] *= by
		for at := t; at < len(o.y); at += o.k {
			o.std[at] *= math.Sqrt(by)
		}
	}
}

// leaveOneOut is the uncertainty of ridge regression on a map that has learned nothing from the targets. If row i has
// the residual r and the leverage h = v(zᵢ), a fit without it errs by r/(1-h) there, and its predictive variance is σ²
// (1 + h/(1-h)).
func (p *prepared) leaveOneOut(ctx context.Context, own Model, ridge float64) (*Uncertainty, error) {
	u, err := own.posteriors(ctx, p.rows, ridge, false)
	if err != nil {
		return nil, err
	}
	own.Uncertainty = u
	k := own.Head.Features()
	var residuals, stds []float64
	for b, err := range p.rows.Blocks(ctx, 0) {
		if err != nil {
			return nil, err
		}
		p, err := own.uncertain(b.X)
		if err != nil {
			return nil, err
		}
		d := p.Distribution
		for i := range b.X.Shape()[0] {
			noise, f := u.Posterior.Noise[0], d.FunctionStd.At(i, 0)
			rest := 1 - f*f/noise
			if !(rest > decisive) {
				continue // the row decides its own prediction
			}
			for t, noise := range u.Posterior.Noise {
				residuals = append(residuals, (b.Y.At(i, t)-d.Mean.At(i, t))/rest)
				stds = append(stds, math.Sqrt(noise/rest))
			}
		}
	}
	if len(residuals) == 0 {
		return nil, fmt.Errorf("train: Uncertainty: every row decides its own prediction, so no error can be told; "+
			"raise lambda or take fewer features: %w", domain.ErrParam)
	}
	n := len(residuals) / k
	u.Intervals, err = calibrate.FitIntervals(mat.NewDense(n, k, residuals), mat.NewDense(n, k, stds))
	return u, err
}

// decisive is the least 1-h, the share of a prediction that other rows decide.
const decisive = 1e-12

// posteriors are the posteriors of the weights of the head, by all rows that it has learned from. lambda is the penalty
// of ridge regression, or 0.
func (m *Model) posteriors(ctx context.Context, rows data.Examples, lambda float64, laplace bool) (u *Uncertainty,
	err error) {
	u = new(Uncertainty)
	switch {
	case laplace:
		w, b := headOf(m.Head)
		u.Laplace, err = linear.FitLaplace(ctx, m.Map, rows, &linear.Fit{W: w, B: b}, linear.LaplaceOptions{})
	case m.Classes == nil && layers.SignatureOf(m.Map) == nil:
		u.Posterior, err = m.ridgePosterior(ctx, rows, lambda, true)
	}
	return u, err
}

// ridgePosterior is the posterior of the rows with a lambda, or with the lambda of the largest evidence for 0. It uses
// float32 products if the features are float32 and lambda is not too small for them.
func (m *Model) ridgePosterior(ctx context.Context, rows data.Examples, lambda float64,
	single bool) (*linear.Posterior, error) {
	s := linear.RidgeStats{Float32Products: single}
	if err := s.AddRows(ctx, m.Map, rows); err != nil {
		return nil, err
	}
	least, chosen := s.LeastLambda(), lambda
	if lambda == 0 {
		best, err := s.Evidence(ctx, nil)
		switch {
		case err == nil:
			chosen = best.Lambda
		case least == 0 || !errors.Is(err, domain.ErrParam):
			return nil, err
		}
	}
	if chosen < least {
		return m.ridgePosterior(ctx, rows, lambda, false)
	}
	return s.Posterior(chosen)
}

// headOf are the weights [D, k] and the intercepts of a head.
func headOf(h layers.Head) (*mat.Dense, []float64) {
	w, b := mat.NewDense(h.Dims(), h.Features(), nil), []float64(nil)
	for _, p := range h.Params() {
		switch p.Name {
		case "W":
			copy(w.RawMatrix().Data, ops.Float64s(p.Value))
		case "b":
			b = append(b, ops.Float64s(p.Value)...)
		}
	}
	return w, b
}

// learn learns the calibration and the sets of classes, or the intervals of targets, from held-out predictions.
func (u *Uncertainty) learn(held outcome, classes bool, o UncertaintyOptions) (err error) {
	scores, y := held.matrix(held.scores), held.matrix(held.y)
	if !classes {
		var residuals mat.Dense
		residuals.Sub(y, scores)
		u.Intervals, err = calibrate.FitIntervals(&residuals, held.matrix(held.std))
		return err
	}
	labels := ArgMax(y)
	if u.Calibration, err = calibrate.Fit(o.Calibration, scores, labels); err != nil {
		return err
	}
	p, err := u.Calibration.Probabilities(scores)
	if err != nil {
		return err
	}
	u.Sets, err = calibrate.FitSets(o.Sets, p, labels, o.Seed)
	return err
}
