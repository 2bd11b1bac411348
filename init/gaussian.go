package spectral

import (
	"math"
	"math/rand/v2"
)

// Gaussian is the Gaussian (squared exponential, RBF) kernel
//
//	k(x, z) = exp(-‖x - z‖² / (2 σ²))
//
// on ℝ^d. Its frequencies are normal, w ~ N(0, I/σ²): the coordinates are independent and the direction is uniform,
// so every sampler fits. Rahimi and Recht (2007), figure 1; Yang et al. (2014), table 1.
type Gaussian struct {
	// σ > 0, the bandwidth, in the unit of x; scikit-learn's gamma is 1/(2σ²)
	Sigma float64 `param:"sigma" doc:"bandwidth σ"`
}

// At returns exp(-‖x-z‖²/(2σ²)).
func (k Gaussian) At(x, z []float64) float64 {
	sameLength(x, z)
	return math.Exp(-sumOver(x, z, func(a, b float64) float64 {
		t := (a - b) / k.Sigma
		return t * t
	}) / 2)
}

// Gradient returns -(x-z) k(x,z)/σ².
func (k Gaussian) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	return gradient(dst, x, z, func(a, b float64) float64 { return fall(a-b, v, k.Sigma) })
}

// fall is -apart v/scale², and 0 for v = 0: apart may have overflowed, and 0·∞ would be NaN.
func fall(apart, v, scale float64) float64 {
	if v == 0 {
		return 0
	}
	return -apart / scale * v / scale
}

// Profile writes exp(-s/2σ²) to dst for squared distances s. Where slope is not nil it writes the derivatives with
// respect to s to slope. dst may be s. It panics when the lengths differ.
func (k Gaussian) Profile(dst, slope, s []float64) {
	sameLength(dst, s)
	if slope != nil {
		sameLength(slope, s)
	}
	for i, v := range s {
		dst[i] = math.Exp(-v / k.Sigma / k.Sigma / 2)
	}
	for i := range slope {
		slope[i] = -dst[i] / k.Sigma / k.Sigma / 2
	}
}

func (k Gaussian) Domain() Domain  { return Domain{} }
func (k Gaussian) Validate() error { return positive("Gaussian", "Sigma", k.Sigma) }

// Law is N(0, I/σ²), whose norm is χ_d/σ: the chi law with d degrees of freedom.
func (k Gaussian) Law() Law {
	return Law{
		Transform: Fourier,
		Draw: func(dst []float64, rng *rand.Rand) {
			for i := range dst {
				dst[i] = rng.NormFloat64() / k.Sigma
			}
		},
		Quantile:     func(p float64) float64 { return normalQuantile(p) / k.Sigma },
		NormQuantile: func(d int, p float64) float64 { return math.Sqrt(2*gammaQuantile(float64(d)/2, p)) / k.Sigma },
	}
}
