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

var jensenShannon = additive{
	term: func(lo, hi float64) float64 {
		high, low := jensenShannonParts(lo, hi)
		return lo * ((high + low) / (2 * math.Ln2))
	},
	elasticity: func(a, b float64) float64 {
		high, low := jensenShannonParts(math.Min(a, b), math.Max(a, b))
		if a > b {
			return high / (high + low)
		}
		return low / (high + low)
	},
	complement: jensenShannonComplement,
	terms:      jensenShannonTerms,
	logs:       true,
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

// jensenShannonComplement is (v sinh v - C ln C)/ln 2 - (C - 1) with v = λ/2 and C = cosh v. All its terms are of the
// order v² at 0.
func jensenShannonComplement(_, lambda float64) float64 {
	v := lambda / 2
	if v > 1 {
		return 1 - JensenShannon{}.Signature(lambda)
	}
	s := math.Sinh(v / 2)
	more := 2 * s * s // C - 1
	return (v*math.Sinh(v)-(1+more)*math.Log1p(more))/math.Ln2 - more
}

// jensenShannonTerms takes the logarithm of the ratio as a difference of two known logarithms. Its error is
// proportional to ln x and ln z, and the term is at least lo.
func jensenShannonTerms(x, z []float64, at []int32, lnX, lnZ []float64) {
	for p, a := range x {
		if a == 0 {
			continue
		}
		lo, hi := min(a, z[p]), max(a, z[p])
		r := lo / hi
		high := 1.0 // ln(1+r)/r, where r is lost in 1+r
		if u := 1 + r; u > 1 {
			high = math.Log(u) / (u - 1) // Kahan's: what u lacks of 1+r, u-1 lacks too; math.Log1p takes twice the time
		}
		x[p] = lo * ((high + high*r + math.Abs(lnX[at[p]]-lnZ[p])) / (2 * math.Ln2))
	}
}

// At returns the sum above, each term multiplied by (xz)^{(γ-1)/2}.
func (k JensenShannon) At(x, z []float64) float64 { return jensenShannon.at(k, x, z) }

// Gradient returns ½ log₂(1 + z/x) for γ = 1. At x = 0, where the derivative is unbounded, it returns 0.
func (k JensenShannon) Gradient(dst, x, z []float64) []float64 {
	return jensenShannon.gradient(k, dst, x, z)
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

// SpectrumQuantile solves F(λ) = p with F(λ) = (2/ln 2) ∫₀^λ sech(πt)/(1+4t²) dt. F is concave, so Newton's method
// rises from 0 to the solution without passing it.
func (k JensenShannon) SpectrumQuantile(p float64) float64 {
	f := func(t float64) float64 { return 2 / math.Ln2 * sech(math.Pi*t) / (1 + 4*t*t) }
	lambda, share := 0.0, 0.0
	const end = 10  // where 1 - F is 1e-16
	for range 100 { // far out a step is about 1/π
		step := math.Min((p-share)/f(lambda), end-lambda)
		if !(step > 1e-15*lambda) {
			break
		}
		share += integral(lambda, step, math.Ceil(4*step), func(t, dt float64) float64 { return dt * f(t) })
		lambda += step
	}
	return lambda
}

// FittedPeriod is 6.64√n + 7.24, or 9.63√(n+1) - 2.93 for the rectangular window.
func (k JensenShannon) FittedPeriod(order int, w Window) float64 {
	if w == Rectangular {
		return 9.63*math.Sqrt(float64(order)+1) - 2.93
	}
	return 6.64*math.Sqrt(float64(order)) + 7.24
}

func (k JensenShannon) Degree() float64     { return degree(k.Gamma) }
func (k JensenShannon) Extension() Negative { return k.Negative }
func (k JensenShannon) Domain() Domain      { return k.Negative.Domain() }
func (k JensenShannon) Validate() error {
	return validHomogeneous("JensenShannon", k.Gamma, k.Negative)
}
