package spectral

import "math"

// TruncatedL1 is the truncated ℓ1 distance kernel, TL1,
//
//	k(x, z) = max(ρ - ‖x - z‖₁, 0)
//
// on ℝ^d. In one dimension it is positive definite; in several its matrices can have eigenvalues of both signs. It is
// not radial, so that no SignedLaw has it; a NystromLayer of it keeps the positive eigenvalues. Its authors take
// ρ = 0.7 d for rows in [0, 1]^d. Huang et al. (2018), Classification with truncated ℓ1 distance kernel; Luo et al.
// (2021), section I.
type TruncatedL1 struct {
	// ρ > 0, the distance from which on the kernel is 0
	Rho float64
}

// At returns max(ρ - ‖x-z‖₁, 0).
func (k TruncatedL1) At(x, z []float64) float64 {
	sameLength(x, z)
	return math.Max(0, k.Rho-sumOver(x, z, func(a, b float64) float64 { return math.Abs(a - b) }))
}

// Gradient returns -sign(x-z) where the kernel is above 0. Where x_i = z_i coordinate i is 0, as in Laplacian.
func (k TruncatedL1) Gradient(dst, x, z []float64) []float64 {
	if !(k.At(x, z) > 0) {
		return gradient(dst, x, z, zero)
	}
	return gradient(dst, x, z, func(a, b float64) float64 { return -sign(a - b) })
}

func (k TruncatedL1) Domain() Domain  { return Domain{} }
func (k TruncatedL1) Validate() error { return positive("TruncatedL1", "Rho", k.Rho) }
