package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Posterior is Bayesian ridge regression on features: the distribution of the linear head given the rows, with the mean
// Fit. For each target t
//
//	y = zᵀw + b + noise,    w ~ N(0, (σ²/ρ) I),    noise ~ N(0, σ²),    b uniform,    ρ = λ s
//
// with λ and s of FitRidge. Given n rows with the sums G of RidgeStats, w is normal with the mean W of Solve and the
// covariance σ² (G + ρI)⁻¹. The function value at features z is normal with the mean zᵀW + B and the variance σ² v(z),
// and a new target there has the variance σ² (1 + v(z)):
//
//	v(z) = 1/n + (z - z̄)ᵀ (G + ρI)⁻¹ (z - z̄)
//
// n is Mass: a row of weight c counts as c rows. With features of a kernel k this approximates the Gaussian process
// with the covariance (σ²/ρ) k and a flat prior on its mean. MacKay (1992), Bayesian interpolation; Rasmussen and
// Williams (2006), section 2.1.
//
// Far from the rows the variance of a Gaussian process returns to its prior. With random features it falls short: the
// rows determine Effective = γ of the D weights, and the variance there is about (1 - γ/D) σ²/ρ, plus the part of the
// intercept. The mean has an error in proportion to 1/√D. Only more features help. Nyström features fall to 0 away from
// their landmarks, and Variance with them; with k(x, x) it adds the missing part. An example: the standard deviation
// in units of σ/√ρ, at 0, 1, 2 and 10 bandwidths from 500 rows on a square of 6 bandwidths, with a Gaussian kernel,
// σ²/ρ = 10 σ² and γ = 50, and the root mean squared error of the mean at 10:
//
//	                      0     1     2     10     mean
//	Gaussian process    .093  .695 1.004 1.046
//	random      512     .085  .628  .953 1.000   .215
//	           2048     .089  .673  .990 1.034   .099
//	           8192     .092  .690 1.000 1.044   .043
//	Nyström     128     .093  .588  .489  .306   .002
//	 + residual 128     .093  .704 1.007 1.046
type Posterior struct {
	Fit    *Fit      // the posterior mean: W [D, k] and B [k]
	Noise  []float64 // σ² [k], the noise variance of each target in its squared unit
	Lambda float64   // λ
	// Penalty is ρ = Lambda s. Noise[t]/Penalty is the prior variance of the weights of target t, and of the function
	// where k(x, x) is 1.
	Penalty float64
	// Effective is γ = tr G (G + ρI)⁻¹, the number of the D weights that the rows determine: the effective number of
	// parameters of Moody (1992).
	Effective float64
	// LogEvidence is the log marginal likelihood in nats, as in RidgeStats.Evidence, of all targets together.
	LogEvidence float64

	mass   float64
	mean   []float64        // z̄ [D]
	factor *factor.Cholesky // L⁻¹, L Lᵀ = G + ρI
}

// Posterior returns the posterior given the rows so far, with a relative lambda > 0, for instance the one of Evidence,
// and a noise variance for each target in its squared unit. Without noise, the one of each target maximises the
// marginal likelihood,
//
//	σ² = q/(n - 1),    q = ‖y - ȳ - Zc w‖² + ρ ‖w‖²
//
// with Zc the centred features. q is a difference of sums, exact to about 1e-15 of the variance of the target, and
// never below ρ‖w‖². The sums stay as they are, so that more rows can follow. It takes about D³ multiply-adds, and
// memory of D² numbers, which the Posterior keeps.
//
// Errors: see Solve; domain.ErrParam for lambda = 0, which has no prior, for a variance that is not a finite number
// above 0, and for a Signature with a -1, whose kernel is not a covariance; domain.ErrShape for another number of
// variances. Without noise also domain.ErrShape unless the rows weigh more than 1, and domain.ErrDomain for a target
// that does not vary, whose noise cannot be learned.
func (s *RidgeStats) Posterior(lambda float64, noise ...float64) (*Posterior, error) {
	if len(noise) > 0 && s.n > 0 && len(noise) != s.Targets() {
		return nil, fmt.Errorf("train: Posterior: %d variances of the noise for %d targets; give one of each: %w",
			len(noise), s.Targets(), domain.ErrShape)
	}
	for t, v := range noise {
		if !positive(v) {
			return nil, fmt.Errorf("train: Posterior: the variance of the noise of target %d is %v, not a finite "+
				"number above 0: %w", t, v, domain.ErrParam)
		}
	}
	scale, err := s.bayesian(len(noise) == 0, lambda)
	if err != nil {
		return nil, err
	}
	d, k := s.Features(), s.Targets()
	p := &Posterior{Lambda: lambda, Penalty: lambda * scale, mass: s.mass, mean: slices.Clone(s.meanZ)}
	if !(p.Penalty >= leastScale) {
		return nil, fmt.Errorf("train: Posterior: lambda = %g times the mean squared norm of a row is %v; raise "+
			"lambda or scale the data: %w", lambda, p.Penalty, domain.ErrParam)
	}
	var ok bool
	if p.factor, ok = factor.Of(context.Background(), slices.Clone(s.g), d, p.Penalty); !ok {
		return nil, (&system{who: "Posterior", n: d}).unsolvable(lambda, p.Penalty)
	}
	w := transposed(s.r, k, d, d)
	p.factor.Solve(w)
	if p.Fit, err = s.fit(w, lambda); err != nil {
		return nil, err
	}
	p.LogEvidence, p.Noise = s.logEvidence(p.Penalty, p.factor.LogDet(), s.r, transposed(w, d, k, k), noise)
	if p.LogEvidence-p.LogEvidence != 0 {
		return nil, fmt.Errorf("train: Posterior: the log marginal likelihood is %v; scale the targets: %w",
			p.LogEvidence, domain.ErrDomain)
	}
	p.countEffective()
	return p, nil
}

// countEffective sets Effective to D - ρ tr (G + ρI)⁻¹. The trace is the sum of the squares of L⁻¹.
func (p *Posterior) countEffective() {
	d, inverse := len(p.mean), p.factor.Inverse()
	p.Effective = float64(d) - p.Penalty*floats.Dot(inverse, inverse)
	p.Effective = min(max(p.Effective, 0), float64(d))
}

// bayesian checks the sums and the lambdas for a posterior, and the targets if the noise is learned. It returns the
// scale of lambda.
func (s *RidgeStats) bayesian(noise bool, lambdas ...float64) (scale float64, err error) {
	for _, l := range lambdas {
		err := given.Options("Posterior")(positive(l), "lambda", l, "a finite number above 0; without a penalty "+
			"there is no prior")
		if err != nil {
			return 0, err
		}
	}
	if scale, err = s.scale(); err != nil {
		return 0, err
	}
	if slices.Contains(s.Signature, -1) {
		return 0, fmt.Errorf("train: Posterior: the features are those of an indefinite kernel, which is no "+
			"covariance; use Solve, or a map of a positive definite kernel: %w", domain.ErrParam)
	}
	if err := checkSquares(s.yy); err != nil || !noise {
		return scale, err
	}
	if !(s.mass > 1) {
		return 0, fmt.Errorf("train: Posterior: the rows weigh %v, and the noise needs more than one; add rows, or "+
			"give the noise: %w", s.mass, domain.ErrShape)
	}
	for t, v := range s.yy {
		if !(v > roundedTargets*s.mass*s.meanY[t]*s.meanY[t]) {
			return 0, fmt.Errorf("train: Posterior: target %d is the same in all rows, so that its noise cannot be "+
				"learned; leave it out, or give the noise: %w", t, domain.ErrDomain)
		}
	}
	return scale, nil
}

// logEvidence is the log marginal likelihood of all targets, from ln |G + ρI|, Rᵀ and Wᵀ [k, D], or both rotated. It
// returns the noise, too, and learns it if there is none. q is S - wᵀr, and the sum of squared residuals in it, q -
// ρ‖w‖², at least 0.
func (s *RidgeStats) logEvidence(rho, logDet float64, r, w, noise []float64) (log float64, used []float64) {
	d, q := s.Features(), make([]float64, s.Targets())
	for t := range q {
		own := w[t*d : (t+1)*d]
		penalty := rho * floats.Dot(own, own)
		q[t] = max(s.yy[t]-floats.Dot(own, r[t*d:(t+1)*d])-penalty, 0) + penalty
	}
	if used = slices.Clone(noise); len(noise) == 0 {
		used = floats.ScaleTo(make([]float64, len(q)), 1/(s.mass-1), q)
	}
	return factor.LogEvidence(s.mass-1, logDet-float64(d)*math.Log(rho), q, used), used
}

// check returns an error for a posterior that is empty or inconsistent.
func (p *Posterior) check(who string) error {
	d := len(p.mean)
	if d == 0 || p.Fit == nil || p.Fit.W == nil {
		return fmt.Errorf("train: Posterior.%s: the posterior is empty; make it by RidgeStats.Posterior: %w",
			who, domain.ErrParam)
	}
	if r, k := p.Fit.W.Dims(); r != d || len(p.Fit.B) != k || len(p.Noise) != k {
		return fmt.Errorf("train: Posterior.%s: W is [%d,%d] with %d intercepts and %d variances of the noise, for "+
			"%d features: %w", who, r, k, len(p.Fit.B), len(p.Noise), d, domain.ErrShape)
	}
	for t, v := range p.Noise {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return fmt.Errorf("train: Posterior.%s: the variance of the noise of target %d is %v, not a finite "+
				"number >= 0: %w", who, t, v, domain.ErrParam)
		}
	}
	return nil
}

// varianceRows is the number of rows that Variance handles at a time.
const varianceRows = 512

// Variance returns v(z) for features z [n, D], float64 or float32. Noise[t] v is the variance of the function value of
// target t, and Noise[t] (1 + v) the variance of a new target. It writes to dst [n]; nil: a new slice.
//
// kxx, if given, has k(x, x) for each row: 1 for a stationary kernel, 2.5 for 2.5 times one, or At of the map's Kernel.
// The prior variance that the features lack, max(0, k(x,x) - ‖z‖²)/ρ, is then added. That is the variance of the
// deterministic training conditional, Quiñonero-Candela and Rasmussen (2005), A unifying view of sparse approximate
// Gaussian process regression, (20). Far from the landmarks of Nyström features, where z is 0, it is the variance of
// the prior; with all rows as landmarks it is the variance of the Gaussian process everywhere. The fully independent
// training conditional (FITC) adds the same part for a new row; it also adds noise to the training rows, which this
// does not. Features with ‖z‖² = k(x, x), such as random Fourier features, gain nothing.
//
// It takes D²/2 multiply-adds a row, in float64 for either dtype, since float32 would lose the digits of a v that is
// small beside ‖z‖²/ρ. It is safe for concurrent use. Errors: domain.ErrParam for nil z and an empty Posterior;
// domain.ErrShape and domain.ErrDtype; domain.ErrDomain for features that are not finite or whose variance overflows,
// and for kxx that are negative or not finite.
func (p *Posterior) Variance(dst []float64, z *tensor.Dense, kxx ...float64) ([]float64, error) {
	if err := p.check("Variance"); err != nil {
		return nil, err
	}
	whole, err := data.RowMajor("train: Posterior.Variance", "features", z)
	if err != nil {
		return nil, err
	}
	z = whole.(*tensor.Dense)
	n, d := z.Shape()[0], len(p.mean)
	switch {
	case z.Shape()[1] != d:
		return nil, fmt.Errorf("train: Posterior.Variance: the features are %v, and the fit had %d columns: "+
			"%w", z.Shape(), d, domain.ErrShape)
	case dst != nil && len(dst) != n:
		return nil, fmt.Errorf("train: Posterior.Variance: dst has %d numbers for %d rows; nil makes one: %w",
			len(dst), n, domain.ErrShape)
	case len(kxx) > 0 && len(kxx) != n:
		return nil, fmt.Errorf("train: Posterior.Variance: kxx has %d numbers for %d rows: %w",
			len(kxx), n, domain.ErrShape)
	}
	for i, v := range kxx {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("train: Posterior.Variance: kxx[%d] = %v is not a finite number >= 0: %w",
				i, v, domain.ErrDomain)
		}
	}
	if i, j, v := rows.NotFinite(z); i >= 0 {
		return nil, fmt.Errorf("train: Posterior.Variance: z[%d,%d] = %v is not a finite number: %w",
			i, j, v, domain.ErrDomain)
	}
	out, block := make([]float64, n), make([]float64, min(n, varianceRows)*d)
	for i := 0; i < n; i += varianceRows {
		to := out[i:min(i+varianceRows, n)]
		x := centre(block[:len(to)*d], d, z, i, p.mean)
		p.factor.Quadratics(to, x)
		given.InParallel(len(to), func(r int) {
			own := 1 / p.mass
			if len(kxx) > 0 {
				norm := 0.
				for j, v := range x[r*d : (r+1)*d] {
					norm += (v + p.mean[j]) * (v + p.mean[j])
				}
				own += max(kxx[i+r]-norm, 0) / p.Penalty
			}
			to[r] += own
		})
	}
	if r, _, v := given.NotFinite(out, n, 1, 1); r >= 0 {
		return nil, fmt.Errorf("train: Posterior.Variance: the variance of row %d is %v; scale the features: %w",
			r, v, domain.ErrDomain)
	}
	if dst == nil {
		return out, nil
	}
	copy(dst, out)
	return dst, nil
}

// Draw samples a function from the posterior, as a linear head. With ε₀ and ε [D] standard normal for each target,
//
//	w = W + σ L⁻ᵀ ε,    b = ȳ - z̄ᵀw + σ ε₀/√n
//
// Its values at any rows are jointly normal with the mean and the covariance of the posterior. Given the rows, the
// targets are independent. The same seed gives the same function, on every machine up to rounding. It takes D² k
// multiply-adds and is safe for concurrent use. Errors: domain.ErrParam and domain.ErrShape for a Posterior that
// neither RidgeStats nor Restore made; domain.ErrDomain if numbers overflow.
func (p *Posterior) Draw(seed uint64) (*Fit, error) {
	if err := p.check("Draw"); err != nil {
		return nil, err
	}
	d, k := p.Fit.W.Dims()
	rng := rand.New(spectral.Stream(seed, "linear/posterior"))
	f := &Fit{W: mat.DenseCopyOf(p.Fit.W), B: make([]float64, k), Lambda: p.Lambda}
	eps, moved := make([]float64, k*d), make([]float64, k*d)
	for t := range k {
		f.B[t] = p.Fit.B[t] + math.Sqrt(p.Noise[t]/p.mass)*rng.NormFloat64()
		for j := range d {
			eps[t*d+j] = rng.NormFloat64()
		}
	}
	factor.Product(blas.NoTrans, blas.NoTrans, k, d, d, 1, eps, p.factor.Inverse(), 0, moved)
	for t := range k {
		row := moved[t*d : (t+1)*d]
		floats.Scale(math.Sqrt(p.Noise[t]), row)
		f.B[t] -= floats.Dot(p.mean, row)
		for j, v := range row {
			f.W.Set(j, t, f.W.At(j, t)+v)
		}
	}
	if err := finiteHead("Posterior.Draw", f.W, f.B, "scale the features or the targets"); err != nil {
		return nil, err
	}
	return f, nil
}

// Evidence is the result of RidgeStats.Evidence: the lambda with the largest log marginal likelihood, which may lie
// between those that were tried.
type Evidence struct {
	Lambda float64 // relative, for Solve and Posterior
	Log    float64 // its log marginal likelihood in nats
	// Scores are the lambdas that were given with their log marginal likelihoods; -Inf if the system cannot be solved.
	Scores []struct{ Lambda, Log float64 }
}

// Evidence computes the log marginal likelihood of each relative lambda and finds the best one. It is the sum over the
// targets, each with the noise that maximises it; n is Mass:
//
//	Σₜ -½ [ (n-1) (ln 2πσ² + 1) + ln |G + ρI| - D ln ρ ],    σ² = q/(n-1),    q = S - rᵀ (G + ρI)⁻¹ r,    ρ = λ s
//
// The flat prior on the intercept leaves n-1 differences of a target, and this is their density. It needs no further
// pass over the rows and holds none out. Halving the steps of ln λ between the best lambda that was tried and its
// neighbours refines it to 1e-6. nil lambdas are the powers of ten from 1e-15 n to 1e3 n. MacKay (1992), Bayesian
// interpolation; Rasmussen and Williams (2006), (5.8).
//
// One reduction to a band serves all lambdas: 2/3 D³ multiply-adds, some D (k + 100) for each lambda, and a copy of G.
// The sums stay as they are. q is a difference of sums, exact to about 1e-15 of S and never below ρ‖w‖². Evidence
// checks ctx before the reduction and before each lambda.
//
// Errors: domain.ErrParam for a lambda that is not a finite number above 0, for an empty list, and if no lambda leaves
// a system that can be solved; as for Posterior; ctx.Err().
func (s *RidgeStats) Evidence(ctx context.Context, lambdas []float64) (*Evidence, error) {
	if err := given.Missing("RidgeStats.Evidence", "the context", ctx); err != nil {
		return nil, err
	}
	if lambdas != nil && len(lambdas) == 0 {
		return nil, fmt.Errorf("train: RidgeStats.Evidence: there are no lambdas to choose from; give one at "+
			"least, or nil: %w", domain.ErrParam)
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
	p := (&system{"Posterior", s.Features(), s.Targets(), slices.Clone(s.g), s.r, nil}).path(ctx)
	x := make([]float64, s.Features()*s.Targets())
	log := func(lambda float64) float64 {
		if rho := lambda * scale; rho >= leastScale && rho <= math.MaxFloat64 {
			if f, ok := p.t.Shift(rho); ok {
				p.solutions(f, x)
				if log, _ := s.logEvidence(rho, f.LogDet(), p.b, x, nil); log-log == 0 {
					return log
				}
			}
		}
		return math.Inf(-1)
	}
	type score = struct{ Lambda, Log float64 }
	e, near := &Evidence{Log: math.Inf(-1)}, []score(nil)
	for tried := lambdas; len(tried) > 0; {
		for l, lambda := range tried {
			if err := given.Stopped(ctx); err != nil {
				return nil, fmt.Errorf("train: RidgeStats.Evidence: stopped after %d of %d lambdas: %w", l, len(tried),
					err)
			}
			near = append(near, score{lambda, log(lambda)})
		}
		if e.Scores == nil {
			e.Scores = slices.Clone(near)
		}
		slices.SortStableFunc(near, func(a, b score) int { return cmp.Compare(a.Lambda, b.Lambda) })
		best := 0
		for i, o := range near {
			if o.Log >= near[best].Log { // of equals the largest
				best = i
			}
		}
		e.Lambda, e.Log = near[best].Lambda, near[best].Log
		if math.IsInf(e.Log, -1) {
			return nil, fmt.Errorf("train: RidgeStats.Evidence: none of the %d lambdas leaves a system that can be "+
				"solved; raise the lambdas: %w", len(lambdas), domain.ErrParam)
		}
		near = slices.Clone(near[max(best-1, 0):min(best+2, len(near))])
		tried = nil
		for i := 1; i < len(near) && math.Log(near[len(near)-1].Lambda/near[0].Lambda) > 1e-6; i++ {
			tried = append(tried, math.Sqrt(near[i-1].Lambda)*math.Sqrt(near[i].Lambda))
		}
	}
	return e, nil
}
