package spectral

import (
	"cmp"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// Semigroup is a kernel k(x, z) = exp(-Σ f(x_i + z_i)) with a Bernstein function f, that is, f(0) = 0 and a completely
// monotone derivative. Every power of k is then positive definite, and k is a Gaussian kernel up to a factor for each
// row:
//
//	k(x, z) = √(k(x, x) k(z, z)) exp(-D²(x, z)/2),   D²(x, z) = Σ 2f(x_i + z_i) - f(2x_i) - f(2z_i).
//
// ExpSemigroup and ReciprocalSemigroup implement it. Berg, Christensen and Ressel (1984), chapters 3 and 4.
type Semigroup interface {
	Random
	// Exponent is Σ f(x_i + z_i) = -ln k(x, z), finite also where k underflows. It panics when the lengths differ.
	Exponent(x, z []float64) float64
	// Metric is D²(x, z), computed without cancellation. It panics when the lengths differ.
	Metric(x, z []float64) float64
}

// NormalisedVariance returns the variance and the bias, both to the leading order 1/m, of the estimate of k(x, z) from
// m independent Laplace features whose rows are scaled to the lengths √k(x, x) and √k(z, z). Let a, b and c be
// exp(-w·(x+z)), exp(-2w·x) and exp(-2w·z) of a frequency, each divided by its mean, minus 1. Then
//
//	variance = k²/m Var(a - b/2 - c/2),   bias = k/m (-E ab/2 - E ac/2 + E bc/4 + 3E b²/8 + 3E c²/8).
//
// All the means are values of k, such as E ab = k(3x, z)/(k(x, z) k(x, x)) - 1. For equal rows both results are 0.
// Higher orders matter while m is below k(2x, 2x)/k(x, x)². Errors: an invalid kernel, m < 1, rows without columns
// (ErrParam), rows of different lengths (ErrShape).
func NormalisedVariance(k Semigroup, x, z []float64, m int) (variance, bias float64, err error) {
	if err := cmp.Or(validate(k), checkCounts(len(x), m), checkLengths(x, z)); err != nil {
		return 0, 0, err
	}
	ln := func(p, q float64) float64 { // of k at p·x + q·z
		u, v := make([]float64, len(x)), make([]float64, len(x))
		for i := range x {
			u[i], v[i] = p*x[i], q*z[i]
		}
		return -k.Exponent(u, v)
	}
	xz, xx, zz := ln(1, 1), ln(2, 0), ln(0, 2)
	aa, bb, cc := math.Expm1(ln(2, 2)-2*xz), math.Expm1(ln(4, 0)-2*xx), math.Expm1(ln(0, 4)-2*zz)
	ab, ac, bc := math.Expm1(ln(3, 1)-xz-xx), math.Expm1(ln(1, 3)-xz-zz), math.Expm1(ln(2, 2)-xx-zz)
	n := float64(m)
	variance = math.Exp(2*xz) / n * math.Max(0, aa+bb/4+cc/4-ab-ac+bc/2)
	return variance, math.Exp(xz) / n * (-ab/2 - ac/2 + bc/4 + 3*bb/8 + 3*cc/8), nil
}

// LevyVariance returns the variance of the estimate of k(x, z) from Fourier features of the Gaussian, with m
// frequencies in dims dimensions, that are scaled to the lengths √k(x, x) and √k(z, z). It is k(x, x) k(z, z) times the
// sampler's Variance at the distance D. For independent frequencies this is
//
//	k(x, x) k(z, z) (1 - ρ²)²/2m,   ρ = exp(-D²/2).
//
// Only samplers that draw blocks depend on dims. The error of the map to these dimensions, whose distances are only
// about D, is left out. Errors: an invalid kernel, a nil sampler, Antithetic, whose variance depends on the direction
// too, dims or m below 1 (ErrParam); rows of different lengths (ErrShape); the sampler's own.
func LevyVariance(by Predictor, k Semigroup, x, z []float64, dims, m int) (float64, error) {
	_, along := by.(Antithetic)
	if err := cmp.Or(validate(k),
		require(!along, "LevyVariance: the variance of sampler %v depends on the direction, not on the distance alone", by),
		require(!domain.IsNil(by), "LevyVariance: the sampler is nil; give one, as IID{}"),
		checkLengths(x, z), checkCounts(dims, m)); err != nil {
		return 0, err
	}
	u, v := make([]float64, dims), make([]float64, dims)
	u[0] = math.Sqrt(k.Metric(x, z))
	variance, err := by.Variance(Gaussian{Sigma: 1}, u, v, m)
	return math.Exp(-k.Exponent(x, x)-k.Exponent(z, z)) * variance, err
}

// LogWaves returns the frequencies and amplitudes of a map of a coordinate u = ln(1 + 2x/λ). The map approximates the
// metric of ReciprocalSemigroup of scale λ, which SkewedChi2 of shift λ/2 has too:
//
//	2 ln cosh(t/2) = ∫_0^∞ 2(1 - cos ωt)/(ω sinh πω) dω  ≈  Σ_j 2a_j² (1 - cos ω_j t),   t = u - u'.
//
// The ω_j are the Gauss nodes for the weight ω/sinh(πω) = |Γ(1+iω)|²/π, whose orthogonal polynomials are the
// Meixner-Pollaczek polynomials with xP_n = P_{n+1} + n(n+1)/4 P_{n-1}. With n nodes 2n terms of the series in t² are
// exact: for n = 1, t²/4 and -t⁴/96. The error relative to the metric is 0.2 % at t = 1 and 2.7 % at t = 2 for n = 1,
// 0.1 % at t = 2 and 1.4 % at t = 3 for n = 2, and 0.2 % at t = 3 for n = 3. Errors wrap ErrParam: an order below 1 or
// above MaxWaves.
func LogWaves(order int) (omega, amplitude []float64, err error) {
	if order < 1 || order > MaxWaves {
		return nil, nil, invalid("LogWaves: order %d, want 1 to %d", order, MaxWaves)
	}
	jacobi := mat.NewSymDense(2*order, nil)
	for n := 1; n < 2*order; n++ {
		jacobi.SetSym(n-1, n, math.Sqrt(float64(n*(n+1)))/2)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(jacobi, true) {
		panic("spectral: LogWaves: the eigenvalues of a small matrix do not converge")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for i, w := range eigen.Values(nil)[order:] { // the others are the negatives of these
		omega = append(omega, w)
		// the weight, of a mass of ½, over ω²
		amplitude = append(amplitude, math.Abs(vectors.At(0, order+i))/w/math.Sqrt2)
	}
	return omega, amplitude, nil
}

// LogWavesError returns the error of the metric of LogWaves at the distance t, |2 ln cosh(t/2) - Σ_j 2a_j² (1 - cos ω_j
// t)|. Errors are as for LogWaves.
func LogWavesError(order int, t float64) (float64, error) {
	omega, amplitude, err := LogWaves(order)
	if err != nil {
		return 0, err
	}
	sum := 2 * lnCosh(math.Abs(t)/2)
	for j, w := range omega {
		s := math.Sin(w * t / 2)
		sum -= 4 * amplitude[j] * amplitude[j] * s * s
	}
	return math.Abs(sum), nil
}
