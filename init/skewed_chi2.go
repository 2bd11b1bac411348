package spectral

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// SkewedChi2 is the skewed chi-square kernel
//
//	k(x, z) = Π_i 2 √(x_i+c) √(z_i+c) / (x_i + z_i + 2c)
//
// on (-c, ∞)^d, for histograms. It is a function of ln(x+c) - ln(z+c). Its frequencies are independent with the density
// sech(πw), w = (1/π) ln tan(πU/2). A small c makes small bins count more; c = 0 makes the kernel scale-invariant and
// needs x > 0. Li, Ionescu and Sminchisescu (2010), equations 9 and 10.
type SkewedChi2 struct {
	// c >= 0, the skewness, in the unit of x; scikit-learn's skewedness
	C float64 `param:"c" range:"[0," doc:"shift c, above minus the smallest input"`
}

// At returns Π sech(½ ln((x+c)/(z+c))), which equals the formula above.
func (k SkewedChi2) At(x, z []float64) float64 {
	sameLength(x, z)
	return math.Exp(-sumOver(x, z, func(a, b float64) float64 {
		u := math.Abs(logRatio(a, b, k.C)) / 2
		return u + math.Log1p(math.Expm1(-2*u)/2) // ln cosh u
	}))
}

// Gradient returns -k(x,z) tanh(½ ln((x+c)/(z+c))) / (2(x+c)).
func (k SkewedChi2) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	return gradient(dst, x, z, func(a, b float64) float64 {
		return -v * math.Tanh(logRatio(a, b, k.C)/2) / (a + k.C) / 2
	})
}

func (k SkewedChi2) Domain() Domain  { return domain.Above(k.C) }
func (k SkewedChi2) Validate() error { return validShift("SkewedChi2", k.C) }

// Law has independent coordinates of the density sech(πw), whatever c.
func (k SkewedChi2) Law() Law { return Law{Transform: LogFourier, Shift: k.C, Quantile: sechQuantile} }

// validShift checks the shift c.
func validShift(kernel string, c float64) error {
	return require(c >= 0 && !math.IsInf(c, 1), "%s: C = %v is not a finite number >= 0", kernel, c)
}

// logRatio is ln((x+c)/(z+c)), exact to rounding also where x is close to z or the quotient overflows.
func logRatio(x, z, c float64) float64 {
	a, b := x+c, z+c
	if t := (x - z) / b; math.Abs(t) < 0.5 {
		return math.Log1p(t)
	}
	return lnRatio(a, b)
}
