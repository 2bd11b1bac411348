package spectral

import "math"

// Cauchy is the Cauchy kernel, a product over the coordinates,
//
//	k(x, z) = Π 1/(1 + (x_i - z_i)²/σ²)
//
// on ℝ^d. It is as smooth as a Gaussian at small distances and falls as a power at large ones. The coordinates of its
// frequencies are independent Laplace variables of scale 1/σ, with the density (σ/2) exp(-σ|w|). Samplers that
// need a uniform direction do not fit. Rahimi and Recht (2007), figure 1.
type Cauchy struct {
	// σ > 0, the distance in one coordinate at which the kernel is ½, in the unit of x
	Sigma float64 `param:"sigma" doc:"bandwidth σ"`
}

// At returns Π 1/(1 + (x-z)²/σ²).
func (k Cauchy) At(x, z []float64) float64 {
	sameLength(x, z)
	v := 1.0
	for i, a := range x {
		r := (a - z[i]) / k.Sigma
		v /= 1 + r*r
	}
	return v
}

// Gradient returns -2r/(1 + r²) k(x, z)/σ for each coordinate, r = (x-z)/σ.
func (k Cauchy) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z) / k.Sigma
	return gradient(dst, x, z, func(a, b float64) float64 {
		r := (a - b) / k.Sigma
		if math.IsInf(r*r, 1) {
			return 0 // and not ∞/∞
		}
		return -2 * r / (1 + r*r) * v
	})
}

func (k Cauchy) Domain() Domain  { return Domain{} }
func (k Cauchy) Validate() error { return positive("Cauchy", "Sigma", k.Sigma) }

// Law has independent Laplace coordinates of scale 1/σ.
func (k Cauchy) Law() Law {
	return Law{Transform: Fourier, Quantile: func(p float64) float64 {
		if p <= .5 {
			return math.Log(2*p) / k.Sigma
		}
		return -math.Log(2*(1-p)) / k.Sigma
	}}
}
