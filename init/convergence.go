package spectral

import (
	"fmt"
	"math"
)

// Theorem5 bounds the probability that the estimate of a kernel from s random Laplace features is off by eps or more
// anywhere: for all x, z in ℝ^d with ‖x‖₂, ‖z‖₂ <= R and coordinates >= r,
//
//	P(sup |φ(x)·φ(z) - k(x, z)| >= eps) <= 2^(1+(9d+2)/(d+2)) (d R² L/eps²)^(d/(d+2)) exp(-s eps²/(d+2)),
//
// where L = E[w² e^(-2rw)] is the kernel's LaplaceMoment(r). The result is at most 1. It holds for R √L > eps. Errors
// wrap ErrParam: d or s below 1, an R, L or eps that is not positive and finite, and R √L <= eps.
//
// Yang et al. (2014), theorem 5, with a corrected constant and condition. They print 2⁶, the power 1 and L R > eps,
// which do not follow from their proof: its net of (8R/γ)^d balls, with a factor 2 for the supremum of the gradient
// inside the expectation, gives, at the γ that makes the two terms equal,
//
//	2 (8R/γ)^d e^(-s eps²/2) + 8 γ² d L/eps²  =  2^(1+(2+9d)/(d+2)) (d R² L/eps²)^(d/(d+2)) e^(-s eps²/(d+2)).
//
// The bound is very loose: for d = 8, R = L = 1, eps = 0.1 and a probability of 0.05 it asks for 14166 features, but
// 225 bring three standard errors of any single estimate below 0.1. Choose a number of features by PairVariance and
// FeaturesForStdErr.
func Theorem5(d, s int, R, L, eps float64) (float64, error) {
	if s < 1 {
		return 0, fmt.Errorf("spectral: Theorem5: s = %d features, must be at least 1: %w", s, ErrParam)
	}
	logC, err := theorem5Constant("Theorem5", d, R, L, eps)
	if err != nil {
		return 0, err
	}
	return min(1, math.Exp(logC-float64(s)*eps*eps/float64(d+2))), nil
}

// Theorem5Features returns the smallest s for which the bound of Theorem5 is at most fail, 0 < fail < 1. Errors are as
// for Theorem5.
func Theorem5Features(d int, R, L, eps, fail float64) (int, error) {
	logC, err := theorem5Constant("Theorem5Features", d, R, L, eps)
	if err != nil {
		return 0, err
	}
	if err := probability("Theorem5Features", fail); err != nil {
		return 0, err
	}
	return toCount("Theorem5Features", float64(d+2)/eps/eps*(logC-math.Log(fail)))
}

// Lemma7 is Theorem5 for ExpSemigroup on data with zeros, where L is infinite: the features map x + δ and z + δ with
// the returned δ = eps²/(8 β² d²), and the returned bound holds for
//
//	P(sup |φ(x+δ)·φ(z+δ) - k(x, z)| >= eps)
//
// over ‖x‖₂, ‖z‖₂ <= R with coordinates >= 0. Half of eps is for the shift, because k(x, z) - k(x+δ, z+δ) <= β d √(2δ)
// = eps/2. The other half is for Theorem5 with r = δ and the radius R + δ√d. Errors are as for Theorem5.
//
// Yang et al. (2014), lemma 7, corrected: the printed δ = eps²/(4d²) has no β, the printed bound has an extra "1 -",
// and the printed radius R + δ holds for d = 1 only. The bound is even looser than Theorem5.
func Lemma7(k ExpSemigroup, d, s int, R, eps float64) (bound, delta float64, err error) {
	delta, radius, moment, err := lemma7Shift("Lemma7", k, d, R, eps)
	if err != nil {
		return 0, 0, err
	}
	bound, err = Theorem5(d, s, radius, moment, eps/2)
	return bound, delta, err
}

// Lemma7Features returns the smallest s for which the bound of Lemma7 is at most fail, 0 < fail < 1, and δ. Errors are
// as for Theorem5.
func Lemma7Features(k ExpSemigroup, d int, R, eps, fail float64) (s int, delta float64, err error) {
	delta, radius, moment, err := lemma7Shift("Lemma7Features", k, d, R, eps)
	if err != nil {
		return 0, 0, err
	}
	s, err = Theorem5Features(d, radius, moment, eps/2, fail)
	return s, delta, err
}

// lemma7Shift returns δ, the radius of the shifted data and L at r = δ.
func lemma7Shift(who string, k ExpSemigroup, d int, R, eps float64) (delta, radius, moment float64, err error) {
	if err := k.Validate(); err != nil {
		return 0, 0, 0, err
	}
	if err := ball(who, d, R, eps); err != nil {
		return 0, 0, 0, err
	}
	root := eps / k.Beta / float64(d)
	delta = root * root / 8
	return delta, R + delta*math.Sqrt(float64(d)), k.LaplaceMoment(delta), nil
}

// theorem5Constant checks the arguments and returns the logarithm of the factor before the exponential.
func theorem5Constant(who string, d int, R, L, eps float64) (float64, error) {
	if err := ball(who, d, R, eps); err != nil {
		return 0, err
	}
	if math.IsInf(L, 1) {
		return 0, fmt.Errorf("spectral: %s: L is infinite; take r > 0, or Lemma7 for data with zeros: %w",
			who, ErrParam)
	}
	if err := positive(who, "L", L); err != nil {
		return 0, err
	}
	ratio := R * math.Sqrt(L) / eps
	if ratio <= 1 {
		return 0, fmt.Errorf("spectral: %s: R √L = %v is not above eps = %v, which the theorem needs; take a "+
			"smaller eps: %w",
			who, ratio*eps, eps, ErrParam)
	}
	n := float64(d)
	return (1+(9*n+2)/(n+2))*math.Ln2 + n/(n+2)*(math.Log(n)+2*math.Log(ratio)), nil
}

// ball checks the arguments that all bounds share.
func ball(who string, d int, R, eps float64) error {
	if d < 1 {
		return fmt.Errorf("spectral: %s: d = %d, must be at least 1: %w", who, d, ErrParam)
	}
	if err := positive(who, "R", R); err != nil {
		return err
	}
	return positive(who, "eps", eps)
}

// probability checks that p is between 0 and 1.
func probability(who string, p float64) error {
	if p > 0 && p < 1 {
		return nil
	}
	return fmt.Errorf("spectral: %s: fail = %v is not a probability between 0 and 1: %w", who, p, ErrParam)
}
