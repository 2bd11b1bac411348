// Package evidence tunes a map by the marginal likelihood of Bayesian ridge regression on its features, or by the
// leave-one-out error of ridge regression. There is no head to learn meanwhile: it is integrated out, or solved, in
// closed form.
//
// The gradient with respect to the features is a formula, and the map's own backward takes it on to the parameters. So
// every map that sgd tunes is tuned here as well, by L-BFGS, in some tens of evaluations where descent takes thousands of
// steps.
package evidence

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
)

// Objective is what Maximise improves.
type Objective int

const (
	// MarginalLikelihood is log p(y | Z, ρ), with the weights and the intercept integrated out. It is the default.
	MarginalLikelihood Objective = iota
	// LeaveOneOut is minus the mean squared error of ridge regression on each row without that row.
	LeaveOneOut
)

func (o Objective) String() string {
	switch o {
	case MarginalLikelihood:
		return "marginal-likelihood"
	case LeaveOneOut:
		return "leave-one-out"
	default:
		return fmt.Sprintf("Objective(%d)", int(o))
	}
}

// Options are the options of Maximise. The zero value maximises the marginal likelihood on 4000 rows.
type Options struct {
	Objective      Objective
	Rows           int     // how many of the rows, drawn by Seed, decide; 0: 4000
	Seed           uint64  // of that draw
	MaxEvaluations int     // how often the features are computed, at most; 0: 100
	Tolerance      float64 // Maximise stops when five steps together improve the loss by no more than this; 0: 5e-4
	// Progress is called after each evaluation with their number, MaxEvaluations and the least loss so far. nil: not called.
	Progress func(done, most int, loss float64)
}

// complete checks the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	if o.Rows == 0 {
		o.Rows = 4000
	}
	if o.MaxEvaluations == 0 {
		o.MaxEvaluations = 100
	}
	if o.Tolerance == 0 {
		o.Tolerance = 5e-4
	}
	var wrong string
	switch {
	case o.Objective < MarginalLikelihood || o.Objective > LeaveOneOut:
		wrong = fmt.Sprintf("Objective = %d is none of MarginalLikelihood and LeaveOneOut", int(o.Objective))
	case o.Rows < 3:
		wrong = fmt.Sprintf("Rows = %d, want at least 3; 0 chooses", o.Rows)
	case o.MaxEvaluations < 1:
		wrong = fmt.Sprintf("MaxEvaluations = %d, want at least 1; 0 chooses", o.MaxEvaluations)
	case !(o.Tolerance > 0 && o.Tolerance <= math.MaxFloat64):
		wrong = fmt.Sprintf("Tolerance = %v, want a number above 0; 0 chooses", o.Tolerance)
	default:
		return o, nil
	}
	return o, fmt.Errorf("train: Maximise: %s: %w", wrong, domain.ErrParam)
}

// Result is what Maximise found beside the parameters of the map.
//
// The losses are means over rows and targets, of targets with unit variance: minus the log marginal likelihood, in nats,
// or the squared leave-one-out error, which is 1 for the mean of the targets. Before is its value for the parameters as they
// were given, with the best noise of a grid.
type Result struct {
	Before, After float64
	// Lambda is ρ as linear.RidgeOptions takes it: relative to the mean squared distance of a feature row from their mean.
	Lambda float64
	// Noise is the variance of the noise of each target and Amplitude the prior variance of its weights: ρ is
	// Noise/Amplitude. Both are in the squared unit of the target, and 0 for a target that does not vary.
	Noise, Amplitude []float64
	// Relevance of a column is the standard deviation of what the kernel is a function of, over the largest of any
	// column: of xⱼ/σⱼ for a map with a bandwidth for each column, of βⱼ²xⱼ or xⱼ/λⱼ for a Lévy map, and of
	// ln(xⱼ + cⱼ) for a skewed one. It is nil for a map without a scale for each column, and for sets of samples. Of a
	// layers.Sequential it is the bandwidth of the first layer.
	Relevance   []float64
	Rows        int  // how many rows decided
	Evaluations int  // how often the features were computed
	Converged   bool // false where MaxEvaluations or the context ended it
}

// Maximise tunes the parameters of m that are Tuned (see layers.Tune), in place, together with the noise ρ relative to
// the prior:
//
//	y = Z w + b + noise,    w ~ N(0, a² I),    noise ~ N(0, ρ a² I),    b uniform
//
// With n rows, D features, k targets, Z and y less their column means, and P the inverse of ZZᵀ + ρI among vectors with
// the sum 0, it minimises
//
//	MarginalLikelihood    ½(n-1) Σₜ [ln(qₜ/(n-1)) + 1 + ln 2π] - ½k ln|P|,    qₜ = yₜᵀ P yₜ = (n-1) aₜ²
//	LeaveOneOut           Σᵢₜ ((P y)ᵢₜ / Pᵢᵢ)²
//
// The amplitude a of each target is at its optimum, so the unit of no target changes anything. The intercept is not
// penalised, as in linear.FitRidge, whose fit with Lambda of the Result is the mean of the weights given the rows.
// Targets of classes, as data.OneVersusRest makes them, are taken for numbers. The features of an indefinite kernel
// (layers.SignatureOf) are taken without their signs. MacKay (1992), Bayesian interpolation; Rasmussen and Williams
// (2006), (5.8) and (5.12).
//
// The search is L-BFGS on ln ρ and the parameters, each in its layers.Param.Scales. First ρ comes from a grid, and all
// logarithms are moved together by ln 2, again and again, up or down, as long as that helps: a default bandwidth may be far
// off. Logarithms stay within 14 of their start, so an irrelevant column gets a scale of a million and not of infinity. A
// point where the map does not take the rows is passed over. The result is the best point seen, and not worse than the start. It is
// the same for the same seed.
//
// With 512 orthogonal features, one bandwidth for each column and the default options, the root mean squared error of
// linear.FitRidge on all rows, of targets with unit variance, and the time on two shared cores, were
//
//	             frozen   tuned   evaluations
//	pol          .397     .205    48, 10 s
//	bike         .328     .025    49, 9 s
//	elevators    .437     .373    55, 10 s
//	kin40k       .397     .322    21, 3 s
//
// With M the smaller of n and D an evaluation takes 3nDM + M³ multiply-adds beside the map's forward and backward, or
// 5nDM + M³ for LeaveOneOut. Memory is 4nD + 3M² numbers, of 8 bytes for either element type, and the rows. Rows that
// are not in memory are read twice. It does not checkpoint: a fit takes seconds, and after a cancelled one the map and
// the Result belong to the best point so far, from which another call goes on.
//
// Errors: domain.ErrParam for what is nil, options out of range and a map of which nothing is tuned; domain.ErrShape for
// shapes that do not fit and fewer than 3 rows; domain.ErrDtype; domain.ErrDomain for targets that are not finite or do
// not vary, and for features that are the same in all rows; what the map returns for the rows; and ctx.Err(), which is
// asked several times an evaluation. Of an error before the first evaluation the Result is nil, and the map as it was.
func Maximise(ctx context.Context, m layers.Layer, rows data.Examples, o Options) (*Result, error) {
	err := given.Missing("Maximise", given.Arg("the context", ctx), given.Arg("the map", m), given.Arg("the source of rows", rows))
	if err != nil {
		return nil, err
	}
	o, err = o.complete()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(m.Params(), func(p layers.Param) bool { return p.Tuned }) {
		return nil, fmt.Errorf("train: Maximise: nothing of the map %v is tuned; build it with layers.Tune(layers.Bandwidth), "+
			"BandwidthEach or All: %w", m, domain.ErrParam)
	}
	drawn, err := draw(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	s, err := newSearch(ctx, m, drawn, o)
	if err != nil {
		return nil, err
	}
	defer s.chain.close()
	if err = s.start(); err == nil {
		err = s.minimise()
	}
	return s.result(drawn), err
}
