package spectral

import "math"

// additiveGradient is the gradient of additive with respect to x. e is the elasticity (a/k) ∂k/∂a of the kernel of
// degree 1 for a, b > 0; a term is (e + (γ-1)/2) k_γ/a. At x = 0 the gradient is defined as 0, like the gradient of the
// map's features; for Hellinger and JensenShannon the derivative is unbounded there.
func additiveGradient(k Homogeneous, dst, x, z []float64, one, e func(a, b float64) float64) []float64 {
	dst = gradientDst(dst, x)
	sameLength(x, z)
	gamma, n := k.Degree(), k.Extension()
	for i, a := range x {
		b := z[i]
		if dst[i] = 0; a == 0 || b == 0 || n == SplitNegative && a < 0 != (b < 0) {
			continue
		}
		s := sign(b) // of sign(a) sign(b), and of d|a|/da = sign(a)
		a, b = math.Abs(a), math.Abs(b)
		if slope := e(a, b) + (gamma-1)/2; slope != 0 { // 0·∞ where k_γ/a overflows
			dst[i] = s * slope * additiveTerm(k, gamma, a, b, a, one)
		}
	}
	return dst
}
