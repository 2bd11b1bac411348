package spectral

import (
	"math"
	"math/cmplx"

	"github.com/bochner-go/bochner/ops/domain"
)

// Levy is the additive kernel
//
//	k(x, z) = Σ_i √x_i + √z_i - √(x_i + z_i)
//
// on histograms, [0, ∞)^d, homogeneous of degree ½. The exponential-semigroup kernel is a Gaussian kernel of its metric
// D², up to a factor for each row:
//
//	D²(x, z) = Σ_i 2√(x_i + z_i) - √(2x_i) - √(2z_i),   exp(-β Σ √(x_i + z_i)) = √(k_β(x, x) k_β(z, z)) exp(-β D²/2).
//
// The file semigroups.md has the theory. The signature is 2cosh(λ/4) - √(2cosh(λ/2)), and the spectrum
// |Γ(-¼ + iω)|²/(4π^{3/2}). Derivation: the Lévy measure of the root, √x = (1/2√π) ∫ (1 - e^{-wx}) w^{-3/2} dw, gives
// k(x, z) = (1/2√π) ∫ (1 - e^{-wx})(1 - e^{-wz}) w^{-3/2} dw, and the Fourier transform of e^{-s/4}(1 - e^{-exp s}) is
// -Γ(-¼ - iω). The spectrum falls as e^{-πω}, so a few harmonics suffice.
type Levy struct{}

// At returns Σ √x + √z - √(x+z).
func (k Levy) At(x, z []float64) float64 {
	sameLength(x, z)
	return sumOver(x, z, func(a, b float64) float64 {
		if a == 0 || b == 0 {
			return 0
		}
		return levyTerm(math.Min(a, b), math.Max(a, b))
	})
}

// levyTerm is √a + √b - √(a+b) for 0 < a <= b, without the cancellation and without an overflow.
func levyTerm(a, b float64) float64 {
	r := a / b
	return math.Sqrt(a) * (1 - math.Sqrt(r)/(1+math.Sqrt(1+r)))
}

// levyMetric is Σ 2√(x+z) - √(2x) - √(2z), written as Σ √2 (√x-√z)²/(√(2(x+z)) + √x + √z) with √x - √z = (x-z)/(√x +
// √z), so that nothing cancels.
func levyMetric(x, z []float64) float64 {
	sameLength(x, z)
	return sumOver(x, z, func(a, b float64) float64 {
		if a == b {
			return 0
		}
		p, q := math.Sqrt(a), math.Sqrt(b)
		apart := (a - b) / (p + q)
		return math.Sqrt2 * apart * (apart / (math.Sqrt2*math.Hypot(p, q) + p + q))
	})
}

// Gradient returns 1/(2√x) - 1/(2√(x+z)). At x = 0 it returns 0, like the gradient of the kernel's feature maps; near 0
// it is unbounded.
func (k Levy) Gradient(dst, x, z []float64) []float64 {
	return gradient(dst, x, z, func(a, b float64) float64 {
		if a == 0 || b == 0 {
			return 0
		}
		return -math.Expm1(-math.Log1p(b/a)/2) / (2 * math.Sqrt(a))
	})
}

// Signature is 2cosh(λ/4) - √(2cosh(λ/2)).
func (k Levy) Signature(lambda float64) float64 {
	l := math.Abs(lambda)
	e := math.Exp(-l)
	return math.Exp(-l/4) - math.Exp(-3*l/4)/(1+math.Sqrt(1+e))
}

// Spectrum is |Γ(-¼ + iω)|²/(4π^{3/2}), or |Γ(¾ + iω)|²/(4π^{3/2}(1/16 + ω²)).
func (k Levy) Spectrum(omega float64) float64 {
	return math.Exp(2*lnAbsGamma(complex(.75, omega))) / (4 * math.Pow(math.Pi, 1.5) * (1./16 + omega*omega))
}

// lnAbsGamma is ln|Γ(z)|, Re z > 0: Γ(z+1) = zΓ(z) until Stirling's series is exact.
func lnAbsGamma(z complex128) float64 {
	below := 0.0
	for real(z) < 16 {
		below += math.Log(cmplx.Abs(z))
		z++
	}
	sum, power := (z-.5)*cmplx.Log(z)-z, 1/z
	for _, c := range []float64{1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156} {
		sum += complex(c, 0) * power
		power /= z * z
	}
	return real(sum) + math.Log(2*math.Pi)/2 - below
}

// FittedPeriod returns the period for which 𝒦̂(0) = 𝒦(0). The metric of the map is then exact where one of the two
// numbers is 0, as in most pairs of histograms, and where they are equal. With the rectangular window it is 11.992 for
// order 1, 17.8078 for 3 and 22.4233 for 5. For an even order 𝒦̂(0) jumps at this period, and the order below is no
// worse. Order 0 has no such period and gets 1. The result is NaN for an order or a window that NewHarmonics refuses.
func (k Levy) FittedPeriod(order int, w Window) float64 {
	if checkHarmonics(k, order, w) != nil {
		return math.NaN()
	}
	if order == 0 {
		return 1
	}
	less := func(period float64) bool { return newHarmonics(k, order, w, period).Signature(0) < k.Signature(0) }
	lo, hi := 2., 30+20*math.Sqrt(float64(order)) // there is one, and these are on its two sides
	side := less(lo)
	period := bisect(func(period float64) bool { return less(period) == side }, lo, hi)
	return math.Round(1e6*period) / 1e6 // every machine finds the same
}

func (k Levy) Degree() float64 { return .5 }
func (k Levy) Domain() Domain  { return domain.Histograms() }

// Extension is RejectNegative: the square root of a negative sum is not real.
func (k Levy) Extension() Negative { return RejectNegative }
