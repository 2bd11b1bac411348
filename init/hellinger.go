package spectral

import "math"

// Hellinger is the Hellinger kernel, also called the Bhattacharyya coefficient,
//
//	k(x, z) = Σ_i √(x_i z_i)
//
// on histograms, [0, ∞)^d. For ℓ1-normalised rows k(x, x) = 1. Its metric k(x,x) + k(z,z) - 2k(x,z) is Σ (√x - √z)².
// Its signature is 1 and its spectrum a point mass at 0, so the feature map √x is exact, with one column a dimension.
// Vedaldi and Zisserman (2012), section 2.1 and figure 1.
type Hellinger struct {
	// γ > 0, the degree: a term is multiplied by (xz)^{(γ-1)/2}; 0 stands for 1
	Gamma float64 `param:"gamma" default:"1" doc:"degree γ: k is Σ (xz)^{γ/2} 𝒦(ln z - ln x)"`
	// how negative coordinates are treated
	Negative Negative `param:"negative" words:"error,sign,split" default:"error"`
}

var hellinger = additive{
	term:       func(lo, hi float64) float64 { return math.Sqrt(lo) * math.Sqrt(hi) },
	elasticity: func(_, _ float64) float64 { return .5 },
	complement: zero,
}

// At returns Σ (xz)^{γ/2}.
func (k Hellinger) At(x, z []float64) float64 { return hellinger.at(k, x, z) }

// Gradient returns ½√(z/x) for γ = 1. At x = 0, where the derivative is unbounded, it returns 0.
func (k Hellinger) Gradient(dst, x, z []float64) []float64 { return hellinger.gradient(k, dst, x, z) }

// Signature is 1.
func (k Hellinger) Signature(float64) float64 { return 1 }

// Spectrum is +Inf at 0 and 0 elsewhere: a point mass of 1.
func (k Hellinger) Spectrum(omega float64) float64 {
	if omega == 0 {
		return math.Inf(1)
	}
	return 0
}

func (k Hellinger) Degree() float64     { return degree(k.Gamma) }
func (k Hellinger) Extension() Negative { return k.Negative }
func (k Hellinger) Domain() Domain      { return k.Negative.Domain() }
func (k Hellinger) Validate() error     { return validHomogeneous("Hellinger", k.Gamma, k.Negative) }
