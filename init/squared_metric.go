package spectral

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// SquaredMetric returns D²(x, z) = k(x, x) + k(z, z) - 2k(x, z), at least 0. Vedaldi and Zisserman (2012), equation
// (8).
//
// For Hellinger, Chi2, Intersection, JensenShannon and Levy it sums the metrics of the coordinates, such as
// (x-z)²/(x+z), each exact to rounding also where x and z are close. For other kernels it computes the difference,
// which loses a D² below 1e-16 k(x, x). For a nil kernel it is NaN. It panics when the lengths differ.
func SquaredMetric(k Kernel, x, z []float64) float64 {
	if _, ok := k.(Levy); ok {
		return levyMetric(x, z)
	}
	if t := additiveOf(k); t != nil {
		return t.metric(k.(Homogeneous), x, z)
	}
	if domain.IsNil(k) {
		return math.NaN()
	}
	return math.Max(0, k.At(x, x)+k.At(z, z)-2*k.At(x, z))
}

// metric is the sum over the coordinates of
//
//	a^γ + b^γ - 2(ab)^{γ/2} 𝒦(λ) = (a^{γ/2} - b^{γ/2})² + 2 (ab)^{γ/2} (1 - 𝒦(λ)),   λ = |ln b - ln a|,
//
// without cancellation. Coordinates of different sign add a^γ + b^γ, and with SignNegative also 2(ab)^{γ/2} 𝒦.
func (t *additive) metric(k Homogeneous, x, z []float64) float64 {
	sameLength(x, z)
	gamma, n, sum := k.Degree(), k.Extension(), 0.0
	root := power(gamma / 2)
	for i, a := range x {
		b := z[i]
		if a == b {
			continue
		}
		differ := a < 0 != (b < 0)
		a, b = math.Abs(a), math.Abs(b)
		lo, hi := math.Min(a, b), math.Max(a, b)
		low, high := root(lo), root(hi)
		switch {
		case lo == 0:
			sum += high * high
		case differ:
			sum += low*low + high*high
			if n == SignNegative {
				sum += 2 * (high * k.Signature(ln(hi)-ln(lo))) * low
			}
		default:
			sum += t.termMetric(gamma, lo, hi, low, high)
		}
	}
	return sum
}

// termMetric is the term for 0 < lo < hi. low and high are lo^{γ/2} and hi^{γ/2}.
func (t *additive) termMetric(gamma, lo, hi, low, high float64) float64 {
	s := math.Sqrt(hi)
	apart := (hi - lo) / (s + math.Sqrt(lo)) / s // 1 - √(lo/hi)
	lambda := 0.0
	if apart < .5 {
		lambda = -2 * math.Log1p(-apart)
	} else {
		lambda = ln(hi) - ln(lo)
	}
	side := high * apart
	if gamma != 1 {
		side = -high * math.Expm1(-gamma*lambda/2)
	}
	if math.IsInf(side, 1) {
		return side
	}
	return side*side + 2*(high*t.complement(apart, lambda))*low
}
