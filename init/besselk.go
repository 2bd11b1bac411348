package spectral

import "math"

// The modified Bessel function of the second kind, in the two scalings that the Matérn kernel needs. Substituting
// s = s₀ + t, with s₀ the peak of the integrand, in
//
//	K_ν(x) = ∫₀^∞ exp(-x cosh s) cosh(νs) ds = ½ ∫ exp(νs - x cosh s) ds    (DLMF 10.32.9)
//
// gives, with a = (√(ν²+x²) + ν)/2, b = (√(ν²+x²) - ν)/2 and E(t) = e^t - 1 - t,
//
//	K_ν(x) = ½ exp(ν asinh(ν/x) - √(ν²+x²)) T(a, b),   T(a, b) = ∫ exp(-a E(t) - b E(-t)) dt.
//
// All that can overflow stands in front; T is a bump of height 1 at t = 0 for every ν and x.

// besselBump is T(a, b) by the trapezoidal rule, which converges doubly exponentially for this integrand: the error is
// about exp(-π²/h), and exp(-2π²/(h²(a+b))) for a narrow bump. lnb is ln b, which replaces b where b would underflow.
func besselBump(a, b, lnb float64) float64 {
	h := min(0.2, 0.5/math.Sqrt(a+b))
	tol := 1e-17 * min(1, a*h) // the left tail may fall as slowly as e^{at}
	sum := 1.0
	for _, step := range [2]float64{h, -h} {
		for i := 1.0; ; i++ {
			t := step * i
			e := b * expm1t(-t)
			if b < 1e-300 {
				e = math.Exp(lnb - t)
			}
			v := math.Exp(-a*expm1t(t) - e)
			sum += v
			if !(v > tol*sum) { // or it is NaN
				break
			}
		}
	}
	return h * sum
}

// expm1t is E(t) = e^t - 1 - t without cancellation.
func expm1t(t float64) float64 {
	if math.Abs(t) > 0.1 {
		return math.Expm1(t) - t
	}
	sum := 1.0
	for n := 11.0; n > 2; n-- {
		sum = 1 + sum*t/n
	}
	return t * t / 2 * sum
}

// logBesselK is ln K_ν(x) for real ν and x > 0.
func logBesselK(nu, x float64) float64 {
	nu = math.Abs(nu) // K is even in ν
	w := math.Hypot(nu, x)
	a := (nu + w) / 2
	b := x / 2 * (x / 2 / a)
	lnb := 2*math.Log(x/2) - math.Log(a)
	s0 := math.Log(a) - math.Log(x/2)
	if x > nu {
		s0 = math.Asinh(nu / x)
	}
	return nu*s0 - w + math.Log(besselBump(a, b, lnb)/2)
}

// maternShape is the Matérn kernel of smoothness ν > 0 at the distance ρ >= 0 in units of ℓ,
//
//	2^(1-ν)/Γ(ν) x^ν K_ν(x),   x = √(2ν) ρ,
//
// with the powers of x and the gamma function cancelled by hand: in the notation above it is
// exp(ν ln(a/ν) - 2b) T(a, b)/T(ν, 0). It is 1 at ρ = 0 and tends to exp(-ρ²/2) for ν → ∞.
func maternShape(nu, rho float64) float64 {
	if rho == 0 {
		return 1
	}
	u := 2 * rho * (rho / nu)
	if u > 1e200 {
		return 0 // about exp(-ν √u)
	}
	rest := u / (2 * (1 + math.Sqrt(1+u))) // a/ν - 1
	b := nu * rest
	lnb := 2*math.Log(rho) - math.Ln2 // where b underflows, it is ρ²/2
	return math.Exp(nu*math.Log1p(rest)-2*b) * (besselBump(nu+b, b, lnb) / gammaBump(nu))
}

// gammaBump is T(ν, 0) = Γ(ν) e^ν ν^(-ν), from Stirling's series (DLMF 5.11.1) where the factors would cancel.
func gammaBump(nu float64) float64 {
	if nu < 10 {
		return math.Exp(lnGamma(nu) + nu - nu*math.Log(nu))
	}
	r := 1 / nu / nu
	series := (1.0/12 + r*(-1.0/360+r*(1.0/1260+r*(-1.0/1680+r*(1.0/1188-r*691.0/360360))))) / nu
	return math.Sqrt(2*math.Pi/nu) * math.Exp(series)
}

// maternSlope is -k'(ρ)/ρ for the kernel k = maternShape(ν, ·) and ρ > 0. From d(x^ν K_ν)/dx = -x^ν K_{ν-1} (DLMF
// 10.29.4).
func maternSlope(nu, rho float64) float64 {
	if nu > 1 { // K_{ν-1} is a Matérn kernel again
		return nu / (nu - 1) * maternShape(nu-1, rho*math.Sqrt(nu/(nu-1)))
	}
	x := math.Sqrt(2*nu) * rho
	return 2 * nu * math.Exp((1-nu)*math.Ln2-lnGamma(nu)+(nu-1)*math.Log(x)+logBesselK(nu-1, x))
}
