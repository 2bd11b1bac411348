package spectral

import "math"

// Chi2 is the additive χ² kernel
//
//	k(x, z) = Σ_i 2 x_i z_i / (x_i + z_i)
//
// on histograms, [0, ∞)^d. For ℓ1-normalised rows k(x, x) = 1. Its metric k(x,x) + k(z,z) - 2k(x,z) is the χ² distance
// Σ (x-z)²/(x+z). Its signature is sech(λ/2), its spectrum sech(πω). Vedaldi and Zisserman (2012), section 2.1 and
// figure 1.
type Chi2 struct {
	// γ > 0, the degree: a term is multiplied by (xz)^{(γ-1)/2}; 0 stands for 1
	Gamma float64 `param:"gamma" default:"1" doc:"degree γ: k is Σ (xz)^{γ/2} 𝒦(ln z - ln x)"`
	// how negative coordinates are treated
	Negative Negative `param:"negative" words:"error,sign,split" default:"error"`
}

var chi2 = additive{
	term:       func(lo, hi float64) float64 { return 2 * lo / (1 + lo/hi) },
	elasticity: func(a, b float64) float64 { return 1 / (1 + a/b) },
	complement: func(apart, _ float64) float64 { return apart * apart / (1 + (1-apart)*(1-apart)) },
	terms: func(x, z []float64, _ []int32, _, _ []float64) {
		for p, a := range x {
			lo, hi := min(a, z[p]), max(a, z[p])
			x[p] = 2 * lo / (1 + lo/hi)
		}
	},
}

// At returns Σ 2xz/(x+z) · (xz)^{(γ-1)/2}.
func (k Chi2) At(x, z []float64) float64 { return chi2.at(k, x, z) }

// Gradient returns 2/(1 + x/z)² for γ = 1. At x = 0 it returns 0, like the gradient of the kernel's feature maps; the
// one-sided derivative there is 2.
func (k Chi2) Gradient(dst, x, z []float64) []float64 { return chi2.gradient(k, dst, x, z) }

// Signature is sech(λ/2).
func (k Chi2) Signature(lambda float64) float64 { return sech(lambda / 2) }

// Spectrum is sech(πω).
func (k Chi2) Spectrum(omega float64) float64 { return sech(math.Pi * omega) }

// SpectrumQuantile is asinh(tan(πp/2))/π.
func (k Chi2) SpectrumQuantile(p float64) float64 { return math.Asinh(halfCauchyQuantile(p)) / math.Pi }

// FittedPeriod is 5.86√n + 3.65, or 8.80√(n+4.44) - 12.6 for the rectangular window.
func (k Chi2) FittedPeriod(order int, w Window) float64 {
	if w == Rectangular {
		return 8.80*math.Sqrt(float64(order)+4.44) - 12.6
	}
	return 5.86*math.Sqrt(float64(order)) + 3.65
}

func (k Chi2) Degree() float64     { return degree(k.Gamma) }
func (k Chi2) Extension() Negative { return k.Negative }
func (k Chi2) Domain() Domain      { return k.Negative.Domain() }
func (k Chi2) Validate() error     { return validHomogeneous("Chi2", k.Gamma, k.Negative) }
