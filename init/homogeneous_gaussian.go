package spectral

import (
	"cmp"
	"math"
)

// HomogeneousGaussian is the Gaussian kernel of the logarithms as an additive homogeneous kernel,
//
//	k(x, z) = Σ_i √(x_i z_i) exp(-(ln z_i - ln x_i)²/2σ²)
//
// on histograms, [0, ∞)^d. For ℓ1-normalised rows k(x, x) = 1. Its signature is exp(-λ²/2σ²), its spectrum
// σ/√(2π) exp(-σ²ω²/2). For large σ it approaches Hellinger. Vedaldi and Zisserman (2012), lemma 1.
type HomogeneousGaussian struct {
	// σ of the logarithms, 0.25 to 8; 0 stands for 1
	Sigma float64 `param:"sigma" range:"[0.25,8]" default:"1" doc:"standard deviation σ of ln z - ln x"`
	// γ > 0, the degree: a term is multiplied by (xz)^{(γ-1)/2}; 0 stands for 1
	Gamma float64 `param:"gamma" default:"1" doc:"degree γ: k is Σ (xz)^{γ/2} 𝒦(ln z - ln x)"`
	// how negative coordinates are treated
	Negative Negative `param:"negative" words:"error,sign,split" default:"error"`
}

// sigma is σ of a field whose zero value stands for 1.
func (k HomogeneousGaussian) sigma() float64 { return cmp.Or(k.Sigma, 1) }

func (k HomogeneousGaussian) additive() *additive {
	return &additive{
		term:        func(lo, hi float64) float64 { return math.Sqrt(lo) * math.Sqrt(hi) * k.Signature(lnRatio(hi, lo)) },
		elasticity:  func(a, b float64) float64 { return .5 + lnRatio(b, a)/k.sigma()/k.sigma() },
		complement:  func(_, lambda float64) float64 { return -math.Expm1(k.lnSignature(lambda)) },
		lnSignature: k.lnSignature,
		terms: func(x, z []float64, at []int32, lnX, lnZ []float64) {
			for p, a := range x {
				if a > 0 {
					x[p] = math.Sqrt(a) * math.Sqrt(z[p]) * k.Signature(lnX[at[p]]-lnZ[p])
				}
			}
		},
		logs: true,
	}
}

// At returns the sum above, each term multiplied by (xz)^{(γ-1)/2}.
func (k HomogeneousGaussian) At(x, z []float64) float64 { return k.additive().at(k, x, z) }

// Gradient returns (½ + (ln z - ln x)/σ²) k/x for γ = 1. At x = 0 it returns 0, the derivative there.
func (k HomogeneousGaussian) Gradient(dst, x, z []float64) []float64 {
	return k.additive().gradient(k, dst, x, z)
}

// Signature is exp(-λ²/2σ²).
func (k HomogeneousGaussian) Signature(lambda float64) float64 {
	return math.Exp(k.lnSignature(lambda))
}

func (k HomogeneousGaussian) lnSignature(lambda float64) float64 {
	u := lambda / k.sigma()
	return -u * u / 2
}

// Spectrum is σ/√(2π) exp(-σ²ω²/2).
func (k HomogeneousGaussian) Spectrum(omega float64) float64 {
	u := omega * k.sigma()
	return k.sigma() / math.Sqrt(2*math.Pi) * math.Exp(-u*u/2)
}

// FittedPeriod is σ√(2π(2n+1)), with which the signature at half a period equals, relative to its largest value, the
// spectrum half a frequency beyond the last sample.
func (k HomogeneousGaussian) FittedPeriod(order int, _ Window) float64 {
	return k.sigma() * math.Sqrt(2*math.Pi*float64(2*order+1))
}

func (k HomogeneousGaussian) Degree() float64     { return degree(k.Gamma) }
func (k HomogeneousGaussian) Extension() Negative { return k.Negative }
func (k HomogeneousGaussian) Domain() Domain      { return k.Negative.Domain() }
func (k HomogeneousGaussian) Validate() error {
	s := k.sigma()
	return cmp.Or(require(s >= .25 && s <= 8, "HomogeneousGaussian: Sigma = %v, want 0.25 to 8, or 0 for 1", s),
		validHomogeneous("HomogeneousGaussian", k.Gamma, k.Negative))
}
