package spectral

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// cauchyQuantile is tan(π(p - 1/2)), the quantile of the standard Cauchy law. It is written with the cotangent in the
// tails, where p - 1/2 would lose the digits of p.
func cauchyQuantile(p float64) float64 {
	switch {
	case p < 0.25:
		return -1 / math.Tan(math.Pi*p)
	case p > 0.75:
		return 1 / math.Tan(math.Pi*(1-p))
	default:
		return math.Tan(math.Pi * (p - 0.5))
	}
}

// halfCauchyQuantile is tan(πp/2), the quantile of the absolute value of a standard Cauchy variable.
func halfCauchyQuantile(p float64) float64 {
	if p > .5 {
		return 1 / math.Tan(math.Pi/2*(1-p))
	}
	return math.Tan(math.Pi / 2 * p)
}

// sechQuantile is (1/π) ln tan(πp/2), the quantile of the density sech(πw). The logarithm cancels near p = 1/2, so it
// is written as asinh(tan(π(p - 1/2)))/π, which is the same function (the inverse Gudermannian).
func sechQuantile(p float64) float64 { return math.Asinh(cauchyQuantile(p)) / math.Pi }

// lnGamma is ln|Γ(x)|.
func lnGamma(x float64) float64 {
	ln, _ := math.Lgamma(x)
	return ln
}

// gammaQuantile is the quantile of the standard Gamma law of shape a, and NaN where there is none.
//
// mathext.GammaIncRegInv returns 0, NaN or a wrong digit where the quantile is tiny (a = 1/2, p = 1e-10). The lower
// tail is therefore solved by the series P(a, x) = x^a e^{-x} / Γ(a+1) · (1 + x/(a+1) + x²/((a+1)(a+2)) + ...),
// Abramowitz and Stegun 6.5.29.
func gammaQuantile(a, p float64) float64 {
	if !(a > 0 && p > 0 && p < 1) || math.IsInf(a, 1) {
		return math.NaN()
	}
	log0 := (math.Log(p) + lnGamma(a+1)) / a
	if log0 > math.Log(0.01*(a+1)) {
		return mathext.GammaIncRegInv(a, p)
	}
	x := math.Exp(log0)
	for range 8 { // a fixed point that gains at least two digits a step
		sum, term := 1.0, 1.0
		for n := 1.0; term > 1e-17; n++ {
			term *= x / (a + n)
			sum += term
		}
		x = math.Exp(log0 + (x-math.Log(sum))/a)
	}
	return x
}

// betaQuantile is the quantile of the Beta(a, b) law, and NaN where there is none. mathext.InvRegIncBeta fails in some
// tails (a = 392, b = 1.5, p = 1e-16), so a result that is not accurate is replaced by bisection in ln x. 0 means that
// the quantile underflows.
func betaQuantile(a, b, p float64) float64 {
	if !(a > 0 && b > 0 && p > 0 && p < 1) || math.IsInf(a+b, 1) {
		return math.NaN()
	}
	x := mathext.InvRegIncBeta(a, b, p)
	if x > 0 && math.Abs(mathext.RegIncBeta(a, b, x)-p) < 1e-10*p {
		return x
	}
	log := bisect(func(t float64) bool { return mathext.RegIncBeta(a, b, math.Exp(t)) < p }, -745, 0)
	if log <= -744 {
		return 0
	}
	return math.Exp(log)
}

// normalQuantile is the quantile of the standard normal law, and NaN where there is none.
func normalQuantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}
