package spectral

import "math"

// additiveGradient is the gradient for x of additive, from k and its elasticity e = a/k ∂k/∂a, both for a, b > 0: with the degree,
// (ab)^{(γ-1)/2} (e + (γ-1)/2) k/a. At x = 0 it is defined as 0, as the derivative of the map's features is; those of Hellinger and
// JensenShannon have no bound there.
func additiveGradient(dst, x, z []float64, gamma float64, n Negative, k, e func(a, b float64) float64) []float64 {
	dst = gradientDst(dst, x)
	sameLength(x, z)
	for i, a := range x {
		b := z[i]
		if dst[i] = 0; a == 0 || b == 0 || n == SplitNegative && a < 0 != (b < 0) {
			continue
		}
		s := sign(b) // of sign(a) sign(b), and of d|a|/da = sign(a)
		a, b = math.Abs(a), math.Abs(b)
		v := (e(a, b) + (gamma-1)/2) * (k(math.Min(a, b), math.Max(a, b)) / a)
		if gamma != 1 {
			v *= math.Pow(math.Sqrt(a)*math.Sqrt(b), gamma-1)
		}
		dst[i] = s * v
	}
	return dst
}
