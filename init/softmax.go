package spectral

import "math"

// Softmax is the softmax kernel, the exponential of the inner product,
//
//	k(x, z) = exp(x·z / σ²)
//
// on ℝ^d: what attention weights are before a row of them is divided by its sum, with σ = d^(1/4) there. Its
// frequencies are normal, w ~ N(0, I/σ²), those of Gaussian, and its features are positive, see Positive. Choromanski
// et al. (2021), Rethinking Attention with Performers, lemma 1.
//
// For independent frequencies PairVariance is k(x, z)² (exp(‖x + z‖²/σ²) - 1), their lemma 2. It is 0 for x = -z, so
// small values are the exact ones, and it grows fast with the length of the rows: see the example.
type Softmax struct {
	// σ > 0, in the unit of x; a useful start is the root mean squared length of a row
	Sigma float64 `param:"sigma" doc:"scale σ"`
}

// At returns exp(x·z/σ²), which is +Inf where it overflows, and NaN where products of both signs do.
func (k Softmax) At(x, z []float64) float64 {
	sameLength(x, z)
	return math.Exp(k.dot(x, z))
}

// dot returns x·z/σ².
func (k Softmax) dot(x, z []float64) float64 {
	return sumOver(x, z, func(a, b float64) float64 { return a / k.Sigma * (b / k.Sigma) })
}

// Gradient returns z k(x,z)/σ².
func (k Softmax) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	return gradient(dst, x, z, func(_, b float64) float64 {
		if v == 0 || b == 0 { // the other factor may be infinite: 0·∞ would be NaN
			return 0
		}
		return b / k.Sigma * v / k.Sigma
	})
}

func (k Softmax) Domain() Domain  { return Domain{} }
func (k Softmax) Validate() error { return positive("Softmax", "Sigma", k.Sigma) }

// Law is N(0, I/σ²) of the transform Positive, with the Scale 1/σ.
func (k Softmax) Law() Law {
	law := Gaussian(k).Law()
	law.Transform, law.Scale = Positive, 1/k.Sigma
	law.squares = func(x, z []float64) float64 { return math.Exp(4*k.dot(x, z) + k.dot(x, x) + k.dot(z, z)) }
	return law
}
