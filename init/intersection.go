package spectral

import "math"

// Intersection is the histogram intersection kernel
//
//	k(x, z) = Σ_i min(x_i, z_i)
//
// on histograms, [0, ∞)^d. For ℓ1-normalised rows k(x, x) = 1. Its metric k(x,x) + k(z,z) - 2k(x,z) is the ℓ1 distance.
// Its signature is exp(-|λ|/2). Its spectrum (2/π)/(1 + 4ω²) decays slowly, which makes it the hardest homogeneous
// kernel to approximate. Vedaldi and Zisserman (2012), section 2.1 and figure 1.
type Intersection struct {
	// γ > 0, the degree: a term is multiplied by (xz)^{(γ-1)/2}; 0 stands for 1
	Gamma float64 `param:"gamma" default:"1" doc:"degree γ: k is Σ (xz)^{γ/2} 𝒦(ln z - ln x)"`
	// how negative coordinates are treated
	Negative Negative `param:"negative" words:"error,sign,split" default:"error"`
}

var intersection = additive{
	term:       func(lo, _ float64) float64 { return lo },
	elasticity: func(a, b float64) float64 { return (1 + sign(b-a)) / 2 },
	complement: func(apart, _ float64) float64 { return apart },
	terms: func(x, z []float64, _ []int32, _, _ []float64) {
		for p, a := range x {
			x[p] = min(a, z[p])
		}
	},
}

// At returns Σ min(x, z) · (xz)^{(γ-1)/2}.
func (k Intersection) At(x, z []float64) float64 { return intersection.at(k, x, z) }

// Gradient returns, for γ = 1, 1 where x < z, 0 where x > z, and ½, the mean of both sides, where they are equal. At x
// = 0 it returns 0.
func (k Intersection) Gradient(dst, x, z []float64) []float64 {
	return intersection.gradient(k, dst, x, z)
}

// Signature is exp(-|λ|/2).
func (k Intersection) Signature(lambda float64) float64 { return math.Exp(-math.Abs(lambda) / 2) }

// Spectrum is (2/π)/(1 + 4ω²).
func (k Intersection) Spectrum(omega float64) float64 { return 2 / math.Pi / (1 + 4*omega*omega) }

// SpectrumQuantile is ½ tan(πp/2): the spectrum is a Cauchy law of scale ½.
func (k Intersection) SpectrumQuantile(p float64) float64 { return halfCauchyQuantile(p) / 2 }

// FittedPeriod is 2.38 ln(n+0.8) + 5.6, or 2.00 ln(n+0.99) + 3.52 for the rectangular window.
func (k Intersection) FittedPeriod(order int, w Window) float64 {
	if w == Rectangular {
		return 2*math.Log(float64(order)+.99) + 3.52
	}
	return 2.38*math.Log(float64(order)+.8) + 5.6
}

func (k Intersection) Degree() float64     { return degree(k.Gamma) }
func (k Intersection) Extension() Negative { return k.Negative }
func (k Intersection) Domain() Domain      { return k.Negative.Domain() }
func (k Intersection) Validate() error     { return validHomogeneous("Intersection", k.Gamma, k.Negative) }
