package train

import (
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
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// Uncertainty holds what a model has learned about the errors of its predictions. Recipe.Uncertainty or
// Prepared.LearnUncertainty learn it, and the file of the model keeps it. A field that does not apply is nil.
type Uncertainty struct {
	// Posterior is Bayesian ridge regression of the targets on the features. If ridge regression has fitted the head,
	// the posterior has the penalty of the head, and its mean is the head's weights. Otherwise its penalty is the one
	// with the greatest evidence. It is nil for the features of an indefinite kernel, which have no posterior.
	Posterior *linear.Posterior
	// Intervals are the radii around predicted targets, in standard deviations of the Posterior if there is one.
	Intervals *calibrate.Intervals
	// Laplace is the posterior of the weights of a softmax head, if UncertaintyOptions asked for it.
	Laplace *linear.Laplace
	// Calibration turns the scores of a head, or the logarithms of the probabilities of a softmax head, into
	// probabilities.
	Calibration *calibrate.Calibration
	// Sets makes sets of classes from the calibrated probabilities.
	Sets *calibrate.Sets
}

// UncertaintyOptions are the options of LearnUncertainty. The zero value is the default.
type UncertaintyOptions struct {
	// HeldOut is the fraction of the rows, in [0, 1), that a model predicts after it has learned from the others; 0:
	// 0.2. If that is fewer than 1000 rows, rows in memory are divided several times, up to 1/HeldOut times.
	HeldOut float64
	Seed    uint64
	// Calibration and Sets are the methods for classes.
	Calibration calibrate.Method
	Sets        calibrate.SetMethod
	// Laplace asks for the posterior of the weights of a softmax head; it is an error for another head.
	Laplace bool
}

// LearnUncertainty learns Model.Uncertainty after Fit or Tune. It fits the model again, in the same way, on a part of
// the rows, or on several parts if rows are few. From the predictions of these fits for the other rows it learns the
// conformal intervals of targets, or the calibration of probabilities and the conformal sets of classes. The posterior
// is learned from all rows. The scores of the model stay as they are.
//
// The guarantee of conformal prediction holds for a model that learned from a part of the rows. The model of all rows
// errs as much or less as a rule, so its intervals and sets cover as often or a little more. A head that overfits
// strongly, such as softmax with hardly any penalty on hundreds of rows, errs more when it learns from fewer rows; its
// calibration then makes the model of all rows less confident than it may be.
//
// Ridge regression of targets on a frozen map needs no further fit. Its intervals are the jackknife's, from the
// closed form of the leave-one-out errors, in one more pass over the rows. They cover as often as asked in practice.
//
// Memory: two D×D matrices for the posterior, the scores of the held-out rows, and the memory of the fits. Errors,
// which leave Model.Uncertainty as it was: domain.ErrParam before Fit, for a nil context and for options out of range;
// the errors of the fit; ctx.Err().
func (p *Prepared) LearnUncertainty(ctx context.Context, o UncertaintyOptions) error {
	if err := p.ready(); err != nil {
		return err
	}
	switch {
	case ctx == nil:
		return fmt.Errorf("train: Uncertainty: the context is nil; give context.Background(): %w", domain.ErrParam)
	case p.again == nil:
		return fmt.Errorf("train: Uncertainty: the model is not fitted; call Fit or Tune first: %w", domain.ErrParam)
	case !(o.HeldOut >= 0 && o.HeldOut < 1):
		return fmt.Errorf("train: Uncertainty: HeldOut = %v is no fraction in [0, 1): %w", o.HeldOut, domain.ErrParam)
	case o.Laplace && (p.Model.Classes == nil || !p.Model.Head.Classifies()):
		return fmt.Errorf("train: Uncertainty: Laplace is for a softmax head, and the head is %s: %w", p.Model.Head.Kind(), domain.ErrParam)
	}
	if o.HeldOut == 0 {
		o.HeldOut = .2
	}
	u, err := p.uncertainty(ctx, o)
	if err != nil {
		if !p.streamed() {
			err = p.Locate(err)
		}
		return err
	}
	p.Model.Uncertainty = u
	return nil
}

// Cost estimates the cost of LearnUncertainty beside its own fits of the model, for classes or for targets.
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

func (p *Prepared) uncertainty(ctx context.Context, o UncertaintyOptions) (*Uncertainty, error) {
	if p.ridge > 0 && p.Model.Classes == nil && policyOf(p.Model.Map) == "" && layers.SignatureOf(p.Model.Map) == nil {
		return p.leaveOneOut(ctx)
	}
	all, err := p.trials(o.HeldOut, o.Seed)
	if err != nil {
		return nil, fmt.Errorf("train: Uncertainty: %w", err)
	}
	var held outcome
	for _, t := range all {
		if err := p.again(ctx, t); err != nil {
			return nil, err
		}
		m := *p.Model
		m.Map, m.Head = t.m, t.head
		if m.Uncertainty, err = m.posteriors(ctx, t.rows, t.ridge, o.Laplace); err != nil {
			return nil, err
		}
		if err := held.add(ctx, t, m.scoresAndStds); err != nil {
			return nil, err
		}
	}
	if len(held.y) == 0 {
		return nil, fmt.Errorf("train: Uncertainty: no row is held out; raise HeldOut: %w", domain.ErrParam)
	}
	u, err := p.Model.posteriors(ctx, p.rows, p.ridge, o.Laplace)
	if err != nil {
		return nil, err
	}
	return u, u.learn(held, p.Model.Classes != nil, o)
}

// leaveOneOut is the uncertainty of ridge regression on a map that has learned nothing from the targets. If row i has
// the residual r and the leverage h = v(zᵢ), a fit without it errs by r/(1-h) there, and its predictive variance is σ²
// (1 + h/(1-h)).
func (p *Prepared) leaveOneOut(ctx context.Context) (*Uncertainty, error) {
	own := *p.Model
	u, err := own.posteriors(ctx, p.rows, p.ridge, false)
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
		mean, function, _, err := own.stds(b.X)
		if err != nil {
			return nil, err
		}
		for i := range b.X.Shape()[0] {
			noise, f := u.Posterior.Noise[0], function.At(i, 0)
			rest := 1 - f*f/noise
			if !(rest > decisive) {
				continue // the row decides its own prediction
			}
			for t, noise := range u.Posterior.Noise {
				residuals = append(residuals, (b.Y.At(i, t)-mean.At(i, t))/rest)
				stds = append(stds, math.Sqrt(noise/rest))
			}
		}
	}
	if len(residuals) == 0 {
		return nil, fmt.Errorf("train: Uncertainty: every row decides its own prediction, so no error can be told; raise lambda or take fewer features: %w", domain.ErrParam)
	}
	n := len(residuals) / k
	u.Intervals, err = calibrate.IntervalsOfResiduals(mat.NewDense(n, k, residuals), mat.NewDense(n, k, stds))
	return u, err
}

// decisive is the least 1-h, the share of a prediction that other rows decide.
const decisive = 1e-12

// posteriors are the posteriors of the weights of the head, by all rows that it has learned from. lambda is the penalty
// of ridge regression, or 0.
func (m *Model) posteriors(ctx context.Context, rows data.Examples, lambda float64, laplace bool) (*Uncertainty, error) {
	u := &Uncertainty{}
	switch {
	case laplace:
		w, b := headOf(m.Head)
		var err error
		u.Laplace, err = linear.FitLaplace(ctx, m.Map, rows, &linear.LogisticFit{W: w, B: b}, linear.LaplaceOptions{})
		return u, err
	case m.Classes != nil || layers.SignatureOf(m.Map) != nil:
		return u, nil
	}
	var err error
	u.Posterior, err = m.ridgePosterior(ctx, rows, lambda, true)
	return u, err
}

// ridgePosterior is the posterior of the rows with a lambda, or with the lambda of the largest evidence for 0. It uses
// float32 products if the features are float32 and lambda is not too small for them.
func (m *Model) ridgePosterior(ctx context.Context, rows data.Examples, lambda float64, single bool) (*linear.Posterior, error) {
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
	matrix := func(v []float64) *mat.Dense {
		if v == nil {
			return nil
		}
		return mat.NewDense(len(v)/held.k, held.k, v)
	}
	scores, y := matrix(held.scores), matrix(held.y)
	if !classes {
		u.Intervals, err = calibrate.FitIntervals(y, scores, matrix(held.std))
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
