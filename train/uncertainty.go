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
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// Uncertainty is how sure a model may be of what it predicts. Recipe.Uncertainty or Prepared.LearnUncertainty learn it,
// and the file of the model keeps it. What does not apply is nil.
type Uncertainty struct {
	// Posterior is Bayesian ridge regression of targets on the features, with the penalty of the head where ridge regression
	// has fitted it, whose weights are the posterior's mean then, and else with the penalty of the greatest evidence. It is
	// nil for the features of an indefinite kernel, which have no posterior.
	Posterior *linear.Posterior
	// Intervals are the radii about predicted targets, in standard deviations of the Posterior where there is one.
	Intervals *calibrate.Intervals
	// Laplace has the posterior of the weights of a softmax head, where UncertaintyOptions asked for it.
	Laplace *linear.Laplace
	// Calibration makes probabilities of the scores of a head, or of the logarithms of the probabilities of a softmax head.
	Calibration *calibrate.Calibration
	// Sets are sets of classes.
	Sets *calibrate.Sets
}

// UncertaintyOptions are the options of LearnUncertainty. The zero value is the default.
type UncertaintyOptions struct {
	// HeldOut is the fraction of the rows that are predicted by a model that has learned from the others; 0: 0.2. Where that
	// is fewer than 1000 rows in memory, they are divided several times, up to 1/HeldOut times.
	HeldOut float64
	Seed    uint64
	// Calibration and Sets are the methods for classes.
	Calibration calibrate.Method
	Sets        calibrate.SetMethod
	// Laplace asks for the posterior of the weights of a softmax head.
	Laplace bool
}

// LearnUncertainty learns Model.Uncertainty after Fit or Climb. It fits the model once more on a part of the rows, as it
// was fitted, or several times where rows are few, and learns from what that model says of the others: the conformal
// intervals of targets, or the calibration of probabilities and the conformal sets of classes. The posterior is of the
// model itself and all rows. The model's predictions stay as they are.
//
// The guarantee of conformal prediction is for the model that learned from a part of the rows. The model of all rows errs
// by as much or less as a rule, so its intervals and sets cover as often or a little more.
//
// Of ridge regression of targets on a frozen map nothing is fitted again: the intervals are the jackknife's, from
// the errors that each row would have without it, in closed form, in one more pass over the rows. They cover as often as
// they say in practice; linear.Jackknife has intervals with a guarantee.
//
// A calibration is of a model that has learned from fewer rows. Where a head overfits strongly, such as softmax on hundreds
// of rows with a penalty next to nothing, that model errs more and is surer, and the calibration makes the model of all
// rows less sure than it may be.
//
// Memory: the sums of ridge regression for the posterior, two D x D matrices; the scores of the rows that are held out; and
// the fit's own. Errors: domain.ErrParam before Fit, for options out of range and without targets; the errors of the fit;
// ctx.Err(). The Uncertainty is then as it was.
func (p *Prepared) LearnUncertainty(ctx context.Context, o UncertaintyOptions) error {
	if err := p.ready(); err != nil {
		return err
	}
	switch {
	case ctx == nil:
		return fmt.Errorf("train: Uncertainty: the context is nil; give context.Background(): %w", domain.ErrParam)
	case p.again == nil:
		return fmt.Errorf("train: Uncertainty: the model is not fitted; call Fit or Climb first: %w", domain.ErrParam)
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

// Cost estimates what LearnUncertainty takes beside the fits of its own, for targets or for classes of a problem.
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
	parts, err := p.divide(o.HeldOut, o.Seed)
	if err != nil {
		return nil, fmt.Errorf("train: Uncertainty: %w", err)
	}
	var h heldScores
	for _, part := range parts {
		if err := p.again(ctx, part); err != nil {
			return nil, err
		}
		m := part.model(p.Model)
		if m.Uncertainty, err = m.posteriors(ctx, part.rows, part.ridge, o.Laplace); err != nil {
			return nil, err
		}
		if err := h.take(ctx, m, part); err != nil {
			return nil, err
		}
	}
	u, err := p.Model.posteriors(ctx, p.rows, p.ridge, o.Laplace)
	if err != nil {
		return nil, err
	}
	return u, h.learn(u, p.Model.Classes != nil, o)
}

// leaveOneOut is the uncertainty of ridge regression on a map that has learned nothing from the targets. Without row i,
// whose residual is r and whose leverage is h = v(zᵢ), the prediction is off by r/(1-h), and its variance is
// σ² (1 + h/(1-h)).
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

// decisive is how near to 0 the share of a prediction that other rows decide may come.
const decisive = 1e-12

// posteriors are of the weights of the head, by all rows that it has learned from; lambda is ridge regression's, or 0.
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

// ridgePosterior is that of the rows with a lambda, or 0 for the one of the largest evidence, by float32 products where
// features are float32 and lambda is not too small for them.
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

// heldScores are what models say of rows that they have not learned from.
type heldScores struct {
	scores, std, y []float64 // [n, k]
	k              int
}

func (h *heldScores) take(ctx context.Context, m *Model, part *climbPart) error {
	h.k = m.Head.Features()
	for b, err := range part.held.Blocks(ctx, 0) {
		if err != nil {
			return err
		}
		scores, std, err := m.sure(b.X)
		if err != nil {
			return err
		}
		h.scores, h.y = append(h.scores, scores.RawMatrix().Data...), append(h.y, b.Y.RawMatrix().Data...)
		if std != nil {
			h.std = append(h.std, std.RawMatrix().Data...)
		}
	}
	if len(h.y) == 0 {
		return fmt.Errorf("train: Uncertainty: no row is held out; raise HeldOut: %w", domain.ErrParam)
	}
	return nil
}

// learn finishes an Uncertainty.
func (h *heldScores) learn(u *Uncertainty, classes bool, o UncertaintyOptions) (err error) {
	matrix := func(v []float64) *mat.Dense {
		if v == nil {
			return nil
		}
		return mat.NewDense(len(v)/h.k, h.k, v)
	}
	scores, y := matrix(h.scores), matrix(h.y)
	if !classes {
		u.Intervals, err = calibrate.FitIntervals(y, scores, matrix(h.std))
		return err
	}
	labels := make([]int, len(h.y)/h.k)
	for i := range labels {
		labels[i] = given.ArgMax(y.RawRowView(i))
	}
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
