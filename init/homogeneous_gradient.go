package spectral

import "math"

// additiveGradient is the gradient for x of additive, from the kernel of degree 1 and its elasticity e = a/k ∂k/∂a,
// for a, b > 0: with the degree, (e + (γ-1)/2) k_γ/a. At x = 0 it is defined as 0, as the derivative of the map's
// features is; the gradients of Hellinger and JensenShannon have no bound there.
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
