package spectral

import "math"

// AdditiveGaussian is the sum of a Gaussian kernel of each column,
//
//	k(x, z) = Σ exp(-(x_j - z_j)² / (2 σ²))
//
// on ℝ^d: of functions that are sums of smooth functions of one column each, so that k(x, x) = d. Its frequencies are
// those of Gaussian, of which each column has its own, see Additive. Duvenaud et al. (2011).
type AdditiveGaussian struct {
	// σ > 0, the bandwidth of every column, in the unit of x
	Sigma float64 `param:"sigma" doc:"bandwidth σ"`
}

// At returns Σ exp(-(x-z)²/(2σ²)).
func (k AdditiveGaussian) At(x, z []float64) float64 {
	sameLength(x, z)
	return sumOver(x, z, k.term)
}

func (k AdditiveGaussian) term(a, b float64) float64 {
	t := (a - b) / k.Sigma
	return math.Exp(-t * t / 2)
}

// Gradient returns -(x-z) exp(-(x-z)²/(2σ²))/σ² for each coordinate.
func (k AdditiveGaussian) Gradient(dst, x, z []float64) []float64 {
	return gradient(dst, x, z, func(a, b float64) float64 { return fall(a-b, k.term(a, b), k.Sigma) })
}

func (k AdditiveGaussian) Domain() Domain  { return Domain{} }
func (k AdditiveGaussian) Validate() error { return positive("AdditiveGaussian", "Sigma", k.Sigma) }

// Law is N(0, I/σ²) of the transform Additive.
func (k AdditiveGaussian) Law() Law {
	law := Gaussian(k).Law()
	return Law{Transform: Additive, Draw: law.Draw, Quantile: law.Quantile, squares: func(x, z []float64) float64 {
		sum, variance := 0., 0.
		for i, a := range x {
			one := k.term(a, z[i])
			sum += one
			variance += (1+k.term(2*(a-z[i]), 0))/2 - one*one
		}
		return sum*sum + max(0, variance)
	}}
}
