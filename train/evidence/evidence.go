// Package evidence tunes a map by the marginal likelihood of Bayesian ridge regression on its features. It needs no
// head: the weights are integrated out in closed form.
//
// The gradient with respect to the features has a closed form, and the backward pass of the map carries it on to the
// parameters. So it tunes every map that package sgd tunes, by L-BFGS, in some tens of evaluations where descent takes
// thousands of steps.
package evidence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
)

// Options are the options of Maximise. The zero value uses 4000 rows.
type Options struct {
	Rows           int     // the number of rows that are used, drawn by Seed; 0: 4000
	Seed           uint64  // draws the rows
	MaxEvaluations int     // the largest number of times that the features are computed from each start; 0: 100
	Tolerance      float64 // Maximise stops when five steps together improve the loss by at most this; 0: 5e-4
	// Progress is called after each evaluation with the number of evaluations, the number at which the search from this
	// start ends at the latest, and the least loss from it so far; nil: not called.
	Progress func(done, most int, loss float64)
}

// Check returns domain.ErrParam for an option out of range.
func (o Options) Check() error {
	_, err := o.complete()
	return err
}

// complete checks the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	o.Rows, o.MaxEvaluations = cmp.Or(o.Rows, 4000), cmp.Or(o.MaxEvaluations, 100)
	o.Tolerance = cmp.Or(o.Tolerance, 5e-4)
	check := given.Options("Maximise")
	return o, cmp.Or(
		check(o.Rows >= 3, "Rows", o.Rows, "at least 3; 0 chooses"),
		check(o.MaxEvaluations >= 1, "MaxEvaluations", o.MaxEvaluations, "at least 1; 0 chooses"),
		check(o.Tolerance > 0 && !math.IsInf(o.Tolerance, 1), "Tolerance", o.Tolerance, "a number above 0; 0 chooses"),
	)
}

// Result is what Maximise found beside the parameters of the map.
//
// The losses are minus the log marginal likelihood in nats, as means over rows and targets, for targets scaled to unit
// variance. Before is the loss of the parameters as they were given, with the best noise of a grid.
type Result struct {
	Before, After float64
	// Lambda is ρ in the unit of linear.RidgeOptions: relative to the mean squared distance of a feature row from the
	// mean row.
	Lambda float64
	// Noise is the noise variance of each target, and Amplitude the prior variance of its weights, so that ρ is
	// Noise/Amplitude. Both are in the squared unit of the target, and 0 for a target that does not vary.
	Noise, Amplitude []float64
	// Relevance of a column is the standard deviation of its scaled values, relative to the largest one of all columns.
	// Scaled values are xⱼ/σⱼ for a map with a bandwidth for each column, βⱼ²xⱼ or xⱼ/λⱼ for a Lévy map, and ln(xⱼ +
	// cⱼ) for a skewed map. A layers.Sequential has the Relevance of its first layer. It is nil for a map without a
	// scale for each column, and for sets of samples.
	Relevance   []float64
	Rows        int  // the number of rows that were used
	Evaluations int  // the number of times that the features were computed
	Converged   bool // false if MaxEvaluations or the context ended the search
}

// Maximise tunes the parameters of m that are Tuned (see layers.Tune), in place, together with the noise ρ relative to
// the prior:
//
//	y = Z w + b + noise,    w ~ N(0, a² I),    noise ~ N(0, ρ a² I),    b uniform
//
// With n rows, D features, k targets, Z and y less their column means, and P the inverse of ZZᵀ + ρI among vectors with
// the sum 0, it minimises minus log p(y | Z, ρ), with the weights and the intercept integrated out:
//
//	½(n-1) Σₜ [ln(qₜ/(n-1)) + 1 + ln 2π] - ½k ln|P|,    qₜ = yₜᵀ P yₜ = (n-1) aₜ²
//
// The amplitude a of each target is optimal, so the units of the targets do not matter. The intercept is not penalised;
// linear.FitRidge with Result.Lambda gives the posterior mean of the weights. Class targets (data.OneVersusRest) count
// as numbers. The features of an indefinite kernel (layers.SignatureOf) are used without their signs. MacKay (1992),
// Bayesian interpolation; Rasmussen and Williams (2006), (5.8) and (5.12).
//
// The search is L-BFGS on ln ρ and the parameters, each in the unit of its layers.Param.Scales. It starts with ρ from a
// grid, and with all logarithms shifted by multiples of ln 2 as long as that helps, since a default bandwidth may be
// far off. With a scale for each column, and at most 2^24 cells, it starts again with the Relevance of each column in
// proportion to the correlation ratio of the targets with it (Kelley 1935, An unbiased correlation ratio measure), and
// a tenth of the largest at least, if that start is more likely: it finds few columns that matter among many. Logarithms
// stay within 14 of where they were given, so that the scale of an irrelevant column stays finite. Points at which the
// map does not accept the rows are skipped. The result is the best point seen, which is not worse than the parameters
// as they were given, and the same for the same seed.
//
// An evaluation takes 3nDM + M³ multiply-adds with M = min(n, D), beside the map forward and backward. Memory is
// 3nD + 3M² numbers of 8 bytes for either element type, and the rows. Rows that are not in memory are read twice. If
// the context ends, the map and the Result hold the best point so far, from which another call can continue.
//
// Errors: domain.ErrParam for nil arguments, options out of range and a map without tuned parameters; domain.ErrShape
// for shapes that do not fit and fewer than 3 rows; domain.ErrDtype; domain.ErrDomain for targets that are not finite
// or do not vary, and for features that are the same in all rows; the errors of the map for the rows; ctx.Err(), which
// is checked several times per evaluation. With an error before the first evaluation the Result is nil and the map as
// it was.
func Maximise(ctx context.Context, m layers.Layer, rows data.Examples, o Options) (*Result, error) {
	err := given.Missing("Maximise", "the context", ctx, "the map", m, "the source of rows", rows)
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
	if s.before, err = s.start(make([]float64, 1+len(s.first))); err != nil {
		return s.result(drawn), err
	}
	started := s.best.loss
	if err = s.minimise(); err == nil {
		err = s.again(drawn, started)
	}
	return s.result(drawn), err
}
