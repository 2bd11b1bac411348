package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
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
// their landmarks, and Variance with them; VarianceResidual adds the missing part. An example: the standard deviation
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
	Fit    *RidgeFit // the posterior mean: W [D, k] and B [k]
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

	mass    float64
	mean    []float64 // z̄ [D]
	inverse []float64 // L⁻¹ [D, D], L Lᵀ = G + ρI, with zeros above the diagonal
}

// Posterior returns the posterior given the rows so far, with a relative lambda > 0, for instance the one of Evidence.
// The noise of each target maximises the marginal likelihood,
//
//	σ² = q/(n - 1),    q = ‖y - ȳ - Zc w‖² + ρ ‖w‖²
//
// with Zc the centred features. q is a difference of sums, exact to about 1e-15 of the variance of the target, and
// never below ρ‖w‖². The sums stay as they are, so that more rows can follow. It takes about D³ multiply-adds, and
// memory of D² numbers, which the Posterior keeps.
//
// Errors: see Solve; domain.ErrParam for lambda = 0, which has no prior, and for a Signature with a -1, whose kernel is
// not a covariance; domain.ErrShape unless the rows weigh more than 1; domain.ErrDomain for a target that does not
// vary, whose noise cannot be learned.
func (s *RidgeStats) Posterior(lambda float64) (*Posterior, error) {
	return s.posterior(lambda, nil)
}

// PosteriorWithNoise is Posterior with a given noise variance for each target, [k], in its squared unit. Targets need
// not vary, and one row suffices. Further errors: domain.ErrParam for a variance that is not a finite number above 0,
// domain.ErrShape for another number of variances.
func (s *RidgeStats) PosteriorWithNoise(lambda float64, noise []float64) (*Posterior, error) {
	if s.n > 0 && len(noise) != s.targets {
		return nil, fmt.Errorf("train: Posterior: %d variances of the noise for %d targets; give one of each: %w", len(noise), s.targets, domain.ErrShape)
	}
	for t, v := range noise {
		if !(v > 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("train: Posterior: the variance of the noise of target %d is %v, not a finite number above 0: %w", t, v, domain.ErrParam)
		}
	}
	return s.posterior(lambda, slices.Clone(noise))
}

// posterior learns the noise if it is nil.
func (s *RidgeStats) posterior(lambda float64, noise []float64) (*Posterior, error) {
	scale, err := s.bayesian(noise == nil, lambda)
	if err != nil {
		return nil, err
	}
	d, k := s.features, s.targets
	p := &Posterior{Noise: noise, Lambda: lambda, Penalty: lambda * scale, mass: s.mass, mean: slices.Clone(s.meanZ), inverse: slices.Clone(s.g)}
	if !(p.Penalty >= leastScale) {
		return nil, fmt.Errorf("train: Posterior: lambda = %g times the mean squared norm of a row is %v; raise lambda or scale the data: %w", lambda, p.Penalty, domain.ErrParam)
	}
	l, ok := dense.Cholesky(context.Background(), p.inverse, d, p.Penalty)
	if !ok {
		return nil, notPositive("Posterior", d, lambda, p.Penalty)
	}
	w := slices.Clone(s.r)
	choleskySolve(l, w, k)
	if p.Fit, err = s.fit(w, lambda); err != nil {
		return nil, err
	}
	q := s.quadratic(w, p.Penalty)
	if noise == nil {
		p.Noise = make([]float64, k)
		for t, v := range q {
			p.Noise[t] = v / (s.mass - 1)
		}
	}
	logDet := -float64(d) * math.Log(p.Penalty)
	for i := range d {
		logDet += 2 * math.Log(p.inverse[i*d+i])
	}
	p.LogEvidence = logEvidence(s.mass, logDet, q, p.Noise)
	if p.LogEvidence-p.LogEvidence != 0 {
		return nil, fmt.Errorf("train: Posterior: the log marginal likelihood is %v; scale the targets: %w", p.LogEvidence, domain.ErrDomain)
	}
	dense.InvertLower(p.inverse, d)
	p.countEffective()
	return p, nil
}

// countEffective sets Effective to D - ρ tr (G + ρI)⁻¹. The trace is the sum of the squares of L⁻¹.
func (p *Posterior) countEffective() {
	d := len(p.mean)
	p.Effective = float64(d)
	for i := range d {
		row := p.inverse[i*d : i*d+i+1]
		p.Effective -= p.Penalty * floats.Dot(row, row)
	}
	p.Effective = min(max(p.Effective, 0), float64(d))
}

// bayesian checks the sums and the lambdas for a posterior, and the targets if the noise is learned. It returns the
// scale of lambda.
func (s *RidgeStats) bayesian(noise bool, lambdas ...float64) (scale float64, err error) {
	for _, l := range lambdas {
		if !(l > 0 && l <= math.MaxFloat64) {
			return 0, fmt.Errorf("train: Posterior: lambda = %v is not a finite number above 0, and without a penalty there is no prior: %w", l, domain.ErrParam)
		}
	}
	if scale, err = s.scale(); err != nil {
		return 0, err
	}
	if err := s.checkSignature(); err != nil {
		return 0, err
	}
	if slices.Contains(s.Signature, -1) {
		return 0, fmt.Errorf("train: Posterior: the features are those of an indefinite kernel, which is no covariance; use Solve, or a map of a positive definite kernel: %w", domain.ErrParam)
	}
	if err := checkSquares(s.yy); err != nil || !noise {
		return scale, err
	}
	if !(s.mass > 1) {
		return 0, fmt.Errorf("train: Posterior: the rows weigh %v, and the noise needs more than one; add rows, or give the noise: %w", s.mass, domain.ErrShape)
	}
	for t, v := range s.yy {
		if !(v > roundedTargets*s.mass*s.meanY[t]*s.meanY[t]) {
			return 0, fmt.Errorf("train: Posterior: target %d is the same in all rows, so that its noise cannot be learned; leave it out, or give the noise by PosteriorWithNoise: %w", t, domain.ErrDomain)
		}
	}
	return scale, nil
}

// quadratic is q = S - 2 wᵀr + wᵀG w + ρ‖w‖² for each target, with W [D, k] of Solve. There an error of w changes q
// only to second order.
func (s *RidgeStats) quadratic(w []float64, rho float64) []float64 {
	d, k := s.features, s.targets
	wt, gw := transposed(w, d, k, k), make([]float64, k*d)
	dense.Mirror(s.g, d, blas.Lower)
	addProduct(1, general(k, d, d, wt), s.gram(), general(k, d, d, gw))
	q := make([]float64, k)
	for t := range k {
		wr := 0.
		for j, v := range wt[t*d : (t+1)*d] {
			wr += v * s.r[j*k+t]
		}
		q[t] = energy(s.yy[t], wr, floats.Dot(wt[t*d:(t+1)*d], gw[t*d:(t+1)*d]), rho*floats.Dot(wt[t*d:(t+1)*d], wt[t*d:(t+1)*d]))
	}
	return q
}

// energy is q from S, wᵀr, wᵀG w and ρ‖w‖². The sum of squared residuals is at least 0.
func energy(yy, wr, wgw, penalty float64) float64 { return max(yy-2*wr+wgw, 0) + penalty }

// logEvidence is the log marginal likelihood of all targets, from ln|G + ρI| - D ln ρ and the noise.
func logEvidence(mass, logDet float64, q, noise []float64) float64 {
	sum := 0.
	for t, v := range noise {
		sum -= (mass-1)*math.Log(2*math.Pi*v) + q[t]/v + logDet
	}
	return sum / 2
}

// check returns an error for a posterior that is empty or inconsistent.
func (p *Posterior) check(who string) error {
	d := len(p.mean)
	if d == 0 || p.Fit == nil || p.Fit.W == nil {
		return fmt.Errorf("train: Posterior.%s: the posterior is empty; make it by RidgeStats.Posterior: %w", who, domain.ErrParam)
	}
	if r, k := p.Fit.W.Dims(); r != d || len(p.Fit.B) != k || len(p.Noise) != k {
		return fmt.Errorf("train: Posterior.%s: W is [%d,%d] with %d intercepts and %d variances of the noise, for %d features: %w", who, r, k, len(p.Fit.B), len(p.Noise), d, domain.ErrShape)
	}
	for t, v := range p.Noise {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return fmt.Errorf("train: Posterior.%s: the variance of the noise of target %d is %v, not a finite number >= 0: %w", who, t, v, domain.ErrParam)
		}
	}
	return nil
}
