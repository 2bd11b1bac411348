package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
)

// Evidence is the result of RidgeStats.Evidence: the lambda with the largest log marginal likelihood, which may lie
// between those that were tried.
type Evidence struct {
	Lambda float64 // relative, for Solve and Posterior
	Log    float64 // its log marginal likelihood in nats
	Scores []LambdaEvidence
}

// LambdaEvidence is the log marginal likelihood of a lambda, in nats; -Inf if the system cannot be solved.
type LambdaEvidence struct{ Lambda, Log float64 }

// Evidence computes the log marginal likelihood of each relative lambda and finds the best one. It is the sum over the
// targets, each with the noise that maximises it; n is Mass:
//
//	Σₜ -½ [ (n-1) (ln 2πσ² + 1) + ln |G + ρI| - D ln ρ ],    σ² = q/(n-1),    q = S - rᵀ (G + ρI)⁻¹ r,    ρ = λ s
//
// The flat prior on the intercept leaves n-1 differences of a target, and this is their density. It needs no further
// pass over the rows and holds none out. A golden-section search in ln λ, between the neighbours of the best lambda
// that was tried, refines it to 1e-6. nil lambdas are the powers of ten from 1e-15 n to 1e3 n. MacKay (1992), Bayesian
// interpolation; Rasmussen and Williams (2006), (5.8).
//
// One tridiagonal reduction serves all lambdas: 4/3 D³ multiply-adds, D k for each lambda, and a copy of G. The sums
// stay as they are. q is a difference of sums, exact to about 1e-15 of S and never below ρ‖w‖². Evidence checks ctx
// before the reduction and before each lambda.
//
// Errors: domain.ErrParam for a lambda that is not a finite number above 0, for an empty list, and if no lambda leaves
// a system that can be solved; as for Posterior; ctx.Err().
func (s *RidgeStats) Evidence(ctx context.Context, lambdas []float64) (*Evidence, error) {
	if err := given.Missing("RidgeStats.Evidence", given.Arg("the context", ctx)); err != nil {
		return nil, err
	}
	if lambdas != nil && len(lambdas) == 0 {
		return nil, fmt.Errorf("train: RidgeStats.Evidence: there are no lambdas to choose from; give one at least, or nil: %w", domain.ErrParam)
	}
	scale, err := s.bayesian(true, lambdas...)
	if err != nil {
		return nil, err
	}
	if lambdas == nil {
		lambdas = cv.Powers(-15, 3, 1)
		floats.Scale(max(s.mass, 1), lambdas)
	}
	if err := given.Stopped(ctx); err != nil {
		return nil, fmt.Errorf("train: RidgeStats.Evidence: stopped before the first lambda: %w", err)
	}
	l := s.lambdaEvidence(ctx, scale)
	e := &Evidence{Log: math.Inf(-1)}
	for _, lambda := range lambdas {
		if err := given.Stopped(ctx); err != nil {
			return nil, fmt.Errorf("train: RidgeStats.Evidence: stopped after %d of %d lambdas: %w", len(e.Scores), len(lambdas), err)
		}
		e.Scores = append(e.Scores, LambdaEvidence{lambda, l.at(lambda)})
	}
	order := slices.Clone(e.Scores)
	slices.SortStableFunc(order, func(a, b LambdaEvidence) int { return cmp.Compare(a.Lambda, b.Lambda) })
	best := 0
	for i, o := range order {
		if o.Log >= order[best].Log { // of equals the largest
			best = i
		}
	}
	if math.IsInf(order[best].Log, -1) {
		return nil, fmt.Errorf("train: RidgeStats.Evidence: none of the %d lambdas leaves a system that can be solved; raise the lambdas: %w", len(lambdas), domain.ErrParam)
	}
	e.Lambda, e.Log = l.refine(order[max(best-1, 0)].Lambda, order[best], order[min(best+1, len(order)-1)].Lambda)
	return e, nil
}

// lambdaEvidence holds the sums after the reduction of G.
type lambdaEvidence struct {
	s     *RidgeStats
	scale float64
	t     *dense.Tridiagonal
	r     []float64 // Rᵀ Q [k, D]
}

func (s *RidgeStats) lambdaEvidence(ctx context.Context, scale float64) *lambdaEvidence {
	d, k := s.features, s.targets
	l := &lambdaEvidence{s: s, scale: scale, t: dense.Reduce(ctx, slices.Clone(s.g), d), r: transposed(s.r, d, k, k)}
	l.t.Rotate(ctx, l.r, k, false)
	return l
}

// at is the log marginal likelihood of a lambda, or -Inf.
func (l *lambdaEvidence) at(lambda float64) float64 {
	s, rho := l.s, lambda*l.scale
	if !(rho >= leastScale && rho <= math.MaxFloat64) {
		return math.Inf(-1)
	}
	f, ok := l.t.Shift(rho)
	if !ok {
		return math.Inf(-1)
	}
	d, k := s.features, s.targets
	q, noise, w, tw := make([]float64, k), make([]float64, k), make([]float64, d), make([]float64, d)
	for t := range k {
		r := l.r[t*d : (t+1)*d]
		copy(w, r)
		f.Solve(w)
		l.t.Times(tw, w)
		q[t] = energy(s.yy[t], floats.Dot(w, r), floats.Dot(w, tw), rho*floats.Dot(w, w))
		noise[t] = q[t] / (s.mass - 1)
	}
	log := logEvidence(s.mass, f.LogDet()-float64(d)*math.Log(rho), q, noise)
	if log-log != 0 {
		return math.Inf(-1)
	}
	return log
}

// refine searches the best lambda from lo to hi by golden sections of the logarithm. The result is not worse than best,
// which lies between them.
func (l *lambdaEvidence) refine(lo float64, best LambdaEvidence, hi float64) (lambda, log float64) {
	const golden, close = .6180339887498949, 1e-6
	a, b := math.Log(lo), math.Log(hi)
	at := func(x float64) LambdaEvidence { return LambdaEvidence{math.Exp(x), l.at(math.Exp(x))} }
	if !(b-a > close) {
		return best.Lambda, best.Log
	}
	x, y := b-golden*(b-a), a+golden*(b-a)
	left, right := at(x), at(y)
	for b-a > close {
		if left.Log > right.Log {
			b, y, right = y, x, left
			x = b - golden*(b-a)
			left = at(x)
		} else {
			a, x, left = x, y, right
			y = a + golden*(b-a)
			right = at(y)
		}
	}
	for _, o := range []LambdaEvidence{left, right} {
		if o.Log > best.Log {
			best = o
		}
	}
	return best.Lambda, best.Log
}
