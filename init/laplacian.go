package spectral

import "math"

// Laplacian is the Laplacian kernel
//
//	k(x, z) = exp(-‖x - z‖₁ / σ)
//
// on ℝ^d. The coordinates of its frequencies are independent Cauchy variables of scale 1/σ, w = tan(π(U - 1/2))/σ.
// Samplers that need a uniform direction do not fit. The kernel exp(-‖x-z‖₂/σ) is another one, Matern{Nu: 0.5, Ell: σ}.
// Rahimi and Recht (2007), figure 1; Yang et al. (2014), table 1.
type Laplacian struct {
	// σ > 0, the bandwidth, in the unit of x; scikit-learn's gamma is 1/σ
	Sigma float64 `param:"sigma" doc:"bandwidth σ"`
}

// At returns exp(-‖x-z‖₁/σ).
func (k Laplacian) At(x, z []float64) float64 {
	sameLength(x, z)
	return math.Exp(-sumOver(x, z, func(a, b float64) float64 { return math.Abs(a-b) / k.Sigma }))
}

// Gradient returns -sign(x-z) k(x,z)/σ. Where x_i = z_i the kernel has a kink, and coordinate i of the gradient is 0,
// the mean of the two one-sided derivatives.
func (k Laplacian) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z) / k.Sigma
	return gradient(dst, x, z, func(a, b float64) float64 { return -sign(a-b) * v })
}

func (k Laplacian) Domain() Domain  { return Domain{} }
func (k Laplacian) Validate() error { return positive("Laplacian", "Sigma", k.Sigma) }

// Law has independent Cauchy coordinates of scale 1/σ.
func (k Laplacian) Law() Law {
	return Law{Transform: Fourier, Quantile: func(p float64) float64 { return cauchyQuantile(p) / k.Sigma }}
}

// sign is -1, 0 or 1.
func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	default:
		return 0
	}
}
