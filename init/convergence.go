package spectral

import (
	"cmp"
	"math"
)

// Theorem5 bounds the probability that the estimate of a kernel from s random Laplace features is off by eps or more
// anywhere: for all x, z in ℝ^d with ‖x‖₂, ‖z‖₂ <= R and coordinates >= r,
//
//	P(sup |φ(x)·φ(z) - k(x, z)| >= eps) <= 2^(1+(9d+2)/(d+2)) (d R² L/eps²)^(d/(d+2)) exp(-s eps²/(d+2)),
//
// where L = E[w² e^(-2rw)] for one coordinate w of the frequencies: 2λ/(λ+2r)³ for ReciprocalSemigroup (lemma 8), and β
// (β√(2r) + 1)/(4(2r)^{3/2}) e^{-β√(2r)} for ExpSemigroup (lemma 6), which is infinite at r = 0. Data with zeros are
// then shifted (lemma 7): with δ = eps²/(8 β² d²) added to each coordinate the kernel changes by at most β d √(2δ) =
// eps/2, and the bound at r = δ, the radius R + δ√d and eps/2 holds for eps. The paper prints δ without β and the
// radius R + δ, which holds for d = 1 only.
//
// The result is at most 1. It holds for R √L > eps. Errors wrap ErrParam: d or s below 1, an R, L or eps that is not
// positive and finite, and R √L <= eps.
//
// Yang et al. (2014), theorem 5, with a corrected constant and condition. They print 2⁶, the power 1 and L R > eps,
// which do not follow from their proof: its net of (8R/γ)^d balls, with a factor 2 for the supremum of the gradient
// inside the expectation, gives, at the γ that makes the two terms equal,
//
//	2 (8R/γ)^d e^(-s eps²/2) + 8 γ² d L/eps²  =  2^(1+(2+9d)/(d+2)) (d R² L/eps²)^(d/(d+2)) e^(-s eps²/(d+2)).
//
// The bound is very loose: for d = 8, R = L = 1, eps = 0.1 it is at most 0.05 from s = 14166 on, but 225 features bring
// three standard errors of any single estimate below 0.1. Choose a number of features by PairVariance.
func Theorem5(d, s int, R, L, eps float64) (float64, error) {
	ratio := R * math.Sqrt(L) / eps
	if err := cmp.Or(positive("Theorem5", "d", float64(d)), positive("Theorem5", "s", float64(s)),
		positive("Theorem5", "R", R), positive("Theorem5", "eps", eps),
		require(!math.IsInf(L, 1), "Theorem5: L is infinite; take r > 0, or add δ to data with zeros"),
		positive("Theorem5", "L", L),
		require(ratio > 1, "Theorem5: R √L = %v is not above eps = %v, which the theorem needs; take a smaller eps",
			ratio*eps, eps)); err != nil {
		return 0, err
	}
	n := float64(d)
	logC := (1+(9*n+2)/(n+2))*math.Ln2 + n/(n+2)*(math.Log(n)+2*math.Log(ratio))
	return min(1, math.Exp(logC-float64(s)*eps*eps/(n+2))), nil
}
