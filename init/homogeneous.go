package spectral

import (
	"cmp"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Homogeneous is an additive γ-homogeneous kernel: the sum over the coordinates of
//
//	k(x, y) = (xy)^{γ/2} 𝒦(ln y - ln x),   x, y > 0,   and 0 where x or y is 0.
//
// By Bochner's theorem on the real line its signature 𝒦 is the Fourier transform of a spectrum κ, and samples of κ give
// a deterministic feature map, see Harmonics. Vedaldi and Zisserman (2012), equations (1) to (3), (9) and (10).
type Homogeneous interface {
	Kernel
	// Signature is 𝒦(λ) = k(e^{λ/2}, e^{-λ/2}), an even function.
	Signature(lambda float64) float64
	// Spectrum is the density κ(ω) = (1/2π) ∫ 𝒦(λ) e^{-iωλ} dλ >= 0. Where κ is a point mass at 0, as for Hellinger, it
	// is +Inf at 0 and 0 elsewhere.
	Spectrum(omega float64) float64
	// Degree is γ.
	Degree() float64
	// Extension says how the kernel treats negative coordinates.
	Extension() Negative
}

// Negative says how a homogeneous kernel treats a negative coordinate, see domain.Negative.
type Negative = domain.Negative

// The values of Negative.
const (
	RejectNegative = domain.RejectNegative
	SignNegative   = domain.SignNegative
	SplitNegative  = domain.SplitNegative
)

// degree is γ of a field whose zero value stands for 1.
func degree(gamma float64) float64 { return cmp.Or(gamma, 1) }

// validHomogeneous checks the two fields of a homogeneous kernel.
func validHomogeneous(kernel string, gamma float64, n Negative) error {
	return cmp.Or(require(gamma >= 0 && !math.IsInf(gamma, 1),
		"%s: Gamma = %v is not a finite number above 0, nor the 0 that stands for 1", kernel, gamma),
		require(n >= RejectNegative && n <= SplitNegative,
			"%s: %v; want RejectNegative, SignNegative or SplitNegative", kernel, n))
}

// additive is a kernel of degree 1 on numbers above 0, from which its methods make any degree and extension.
type additive struct {
	term       func(lo, hi float64) float64        // k(lo, hi), lo <= hi
	elasticity func(a, b float64) float64          // (a/k) ∂k/∂a
	complement func(apart, lambda float64) float64 // 1 - 𝒦(λ), λ > 0, exact to rounding; apart is 1 - e^{-λ/2}
	// lnSignature is ln 𝒦(λ) of a signature that underflows where the kernel does not; nil for others.
	lnSignature func(lambda float64) float64

	// terms replaces the numbers x, some of them 0, by the terms k(x, z). at[p] is the column of x[p] and z[p]. With
	// logs lnX has ln x by column and lnZ has ln z[p]. nil for Hellinger.
	terms func(x, z []float64, at []int32, lnX, lnZ []float64)
	logs  bool
}

// additiveOf returns the table of a kernel of this package, or nil. It switches on types and not on an interface, so
// that a user's type which embeds one of them keeps its own At.
func additiveOf(k Kernel) *additive {
	switch k := k.(type) {
	case Hellinger:
		return &hellinger
	case Chi2:
		return &chi2
	case Intersection:
		return &intersection
	case JensenShannon:
		return &jensenShannon
	case HomogeneousGaussian:
		return k.additive()
	}
	return nil
}

// at is Σ_i k(x_i, z_i) for the degree and the extension of k.
func (t *additive) at(k Homogeneous, x, z []float64) float64 {
	gamma, n := k.Degree(), k.Extension()
	sameLength(x, z)
	return sumOver(x, z, func(a, b float64) float64 {
		if a == 0 || b == 0 || n == SplitNegative && a < 0 != (b < 0) {
			return 0
		}
		return sign(a) * sign(b) * t.power(k, gamma, math.Abs(a), math.Abs(b), 1)
	})
}

// gradient is the gradient of at with respect to x. With e the elasticity a term is (e + (γ-1)/2) k_γ/a. At x = 0 the
// gradient is defined as 0, like the gradient of the map's features; for Hellinger and JensenShannon the derivative is
// unbounded there.
func (t *additive) gradient(k Homogeneous, dst, x, z []float64) []float64 {
	gamma, n := k.Degree(), k.Extension()
	return gradient(dst, x, z, func(a, b float64) float64 {
		if a == 0 || b == 0 || n == SplitNegative && a < 0 != (b < 0) {
			return 0
		}
		s := sign(b) // of sign(a) sign(b), and of d|a|/da = sign(a)
		a, b = math.Abs(a), math.Abs(b)
		slope := t.elasticity(a, b) + (gamma-1)/2
		if slope == 0 { // 0·∞ where k_γ/a overflows
			return 0
		}
		return s * slope * t.power(k, gamma, a, b, a)
	})
}

// power is k_γ(a, b)/over = (ab)^{(γ-1)/2} k(a, b)/over for a, b > 0 and over = 1 or a. Where a factor leaves
// the range of float64, or the term of degree 1 is so small that it has lost digits, it uses logarithms: (ab)^{γ/2}
// 𝒦(ln b - ln a)/over.
func (t *additive) power(k Homogeneous, gamma, a, b, over float64) float64 {
	lo := math.Min(a, b)
	v := t.term(lo, math.Max(a, b)) / over
	if gamma == 1 && over == 1 {
		return v
	}
	fine := lo > 1e-280 && inRange(v)
	if gamma != 1 {
		p := math.Pow(math.Sqrt(a)*math.Sqrt(b), gamma-1)
		v *= p
		fine = fine && inRange(p) && inRange(v)
	}
	if fine {
		return v
	}
	factor, lambda := gamma*(ln(a)+ln(b))/2-ln(over), lnRatio(b, a)
	if t.lnSignature != nil {
		return math.Exp(factor + t.lnSignature(lambda))
	}
	half := math.Exp(factor / 2) // the whole may overflow where its product with 𝒦 does not
	return half * k.Signature(lambda) * half
}

// SquaredMetric returns D²(x, z) = k(x, x) + k(z, z) - 2k(x, z), at least 0. Vedaldi and Zisserman (2012), equation
// (8).
//
// For Hellinger, Chi2, Intersection, JensenShannon and Levy it sums the metrics of the coordinates, such as
// (x-z)²/(x+z), each exact to rounding also where x and z are close. For other kernels it computes the difference,
// which loses a D² below 1e-16 k(x, x). For a nil kernel it is NaN. It panics when the lengths differ.
func SquaredMetric(k Kernel, x, z []float64) float64 {
	if _, ok := k.(Levy); ok {
		return levyMetric(x, z)
	}
	if t := additiveOf(k); t != nil {
		return t.metric(k.(Homogeneous), x, z)
	}
	if domain.IsNil(k) {
		return math.NaN()
	}
	return math.Max(0, k.At(x, x)+k.At(z, z)-2*k.At(x, z))
}

// metric is the sum over the coordinates of
//
//	a^γ + b^γ - 2(ab)^{γ/2} 𝒦(λ) = (a^{γ/2} - b^{γ/2})² + 2 (ab)^{γ/2} (1 - 𝒦(λ)),   λ = |ln b - ln a|,
//
// without cancellation. Coordinates of different sign add a^γ + b^γ, and with SignNegative also 2(ab)^{γ/2} 𝒦.
func (t *additive) metric(k Homogeneous, x, z []float64) float64 {
	sameLength(x, z)
	gamma, n, sum := k.Degree(), k.Extension(), 0.0
	root := power(gamma / 2)
	for i, a := range x {
		b := z[i]
		if a == b {
			continue
		}
		differ := a < 0 != (b < 0)
		a, b = math.Abs(a), math.Abs(b)
		lo, hi := math.Min(a, b), math.Max(a, b)
		low, high := root(lo), root(hi)
		switch {
		case lo == 0:
			sum += high * high
		case differ:
			sum += low*low + high*high
			if n == SignNegative {
				sum += 2 * (high * k.Signature(ln(hi)-ln(lo))) * low
			}
		default:
			sum += t.termMetric(gamma, lo, hi, low, high)
		}
	}
	return sum
}

// termMetric is the term for 0 < lo < hi. low and high are lo^{γ/2} and hi^{γ/2}.
func (t *additive) termMetric(gamma, lo, hi, low, high float64) float64 {
	s := math.Sqrt(hi)
	apart := (hi - lo) / (s + math.Sqrt(lo)) / s // 1 - √(lo/hi)
	lambda := 0.0
	if apart < .5 {
		lambda = -2 * math.Log1p(-apart)
	} else {
		lambda = ln(hi) - ln(lo)
	}
	side := high * apart
	if gamma != 1 {
		side = -high * math.Expm1(-gamma*lambda/2)
	}
	if math.IsInf(side, 1) {
		return side
	}
	return side*side + 2*(high*t.complement(apart, lambda))*low
}

// sech is 1/cosh v, without an overflow.
func sech(v float64) float64 {
	e := math.Exp(-math.Abs(v))
	return 2 * e / (1 + e*e)
}

// lnRatio is ln(b/a) for a, b > 0.
func lnRatio(b, a float64) float64 {
	if r := b / a; inRange(r) {
		return math.Log(r)
	}
	return ln(b) - ln(a)
}

// ln is the natural logarithm, also of subnormal numbers: the assembly of math.Log on amd64 returns a wrong value for
// them.
func ln(v float64) float64 {
	if v > 0 && v < 0x1p-1022 {
		return math.Log(v*0x1p60) - 60*math.Ln2
	}
	return math.Log(v)
}
