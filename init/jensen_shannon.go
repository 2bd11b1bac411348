package spectral

import "math"

// JensenShannon is the Jensen-Shannon kernel to base 2,
//
//	k(x, z) = Σ_i ½x_i log₂((x_i + z_i)/x_i) + ½z_i log₂((x_i + z_i)/z_i)
//
// on histograms, [0, ∞)^d. For ℓ1-normalised rows k(x, x) = 1, and the metric k(x,x) + k(z,z) - 2k(x,z) is twice the
// Jensen-Shannon divergence ½KL(x|m) + ½KL(z|m), m = (x+z)/2, in bits. Its signature is ½e^{λ/2} log₂(1+e^{-λ}) +
// ½e^{-λ/2} log₂(1+e^λ), its spectrum (2/ln 4) sech(πω)/(1 + 4ω²). Vedaldi and Zisserman (2012), section 2.1 and figure
// 1.
type JensenShannon struct {
	// γ > 0, the degree: a term is multiplied by (xz)^{(γ-1)/2}; 0 stands for 1
	Gamma float64 `param:"gamma" default:"1" doc:"degree γ: k is Σ (xz)^{γ/2} 𝒦(ln z - ln x)"`
	// how negative coordinates are treated
	Negative Negative `param:"negative" words:"error,sign,split" default:"error"`
}

var (
	_ Homogeneous = JensenShannon{}
	_ Gradienter  = JensenShannon{}
	_ Validator   = JensenShannon{}
)

// At returns the sum above, each term multiplied by (xz)^{(γ-1)/2}.
func (k JensenShannon) At(x, z []float64) float64 {
	return additive(k, x, z, jensenShannonTerm)
}

func jensenShannonTerm(lo, hi float64) float64 {
	high, low := jensenShannonParts(lo, hi)
	return lo * ((high + low) / (2 * math.Ln2))
}

// jensenShannonParts are hi ln((lo+hi)/hi) and lo ln((lo+hi)/lo), over lo.
func jensenShannonParts(lo, hi float64) (high, low float64) {
	r := lo / hi
	if r < 0x1p-1000 { // r loses digits, and then is 0
		return 1, r + ln(hi) - ln(lo)
	}
	l := math.Log1p(r)
	return l / r, l - math.Log(r)
}

// Gradient returns ½ log₂(1 + z/x) for γ = 1. At x = 0, where the derivative is unbounded, it returns 0.
func (k JensenShannon) Gradient(dst, x, z []float64) []float64 {
	return additiveGradient(k, dst, x, z, jensenShannonTerm, func(a, b float64) float64 {
		high, low := jensenShannonParts(math.Min(a, b), math.Max(a, b))
		if a > b {
			return high / (high + low)
		}
		return low / (high + low)
	})
}

// Signature is ½e^{λ/2} log₂(1+e^{-λ}) + ½e^{-λ/2} log₂(1+e^λ).
func (k JensenShannon) Signature(lambda float64) float64 {
	a := math.Abs(lambda)
	e := math.Exp(-a)
	ln := math.Log1p(e) // ln(1 + e^a) is a + ln
	if a > 700 {
		return math.Exp(-a/2) * (1 + a) / (2 * math.Ln2)
	}
	return (math.Exp(a/2)*ln + math.Exp(-a/2)*(a+ln)) / (2 * math.Ln2)
}

// Spectrum is (2/ln 4) sech(πω)/(1 + 4ω²).
func (k JensenShannon) Spectrum(omega float64) float64 {
	return sech(math.Pi*omega) / (math.Ln2 * (1 + 4*omega*omega))
}

// SpectrumQuantile is the quantile of the density sech(πω)/(1 + 4ω²), by Newton's method.
func (k JensenShannon) SpectrumQuantile(p float64) float64 { return jensenShannonQuantile(p) }

// FittedPeriod is 6.64√n + 7.24, or 9.63√(n+1) - 2.93 for the rectangular window.
func (k JensenShannon) FittedPeriod(order int, w Window) float64 {
	if w == Rectangular {
		return 9.63*math.Sqrt(float64(order)+1) - 2.93
	}
	return 6.64*math.Sqrt(float64(order)) + 7.24
}

// Degree is γ.
func (k JensenShannon) Degree() float64 { return degree(k.Gamma) }

// Extension returns Negative.
func (k JensenShannon) Extension() Negative { return k.Negative }

// Domain is x >= 0, or ℝ^d where Negative extends the kernel.
func (k JensenShannon) Domain() Domain { return k.Negative.Domain() }

// Validate returns an error that wraps ErrParam for a γ that is negative or not finite, or an unknown Negative.
func (k JensenShannon) Validate() error {
	return validHomogeneous("JensenShannon", k.Gamma, k.Negative)
}
