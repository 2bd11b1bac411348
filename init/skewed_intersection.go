package spectral

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// SkewedIntersection is the skewed intersection kernel
//
//	k(x, z) = Π_i min(√((x_i+c)/(z_i+c)), √((z_i+c)/(x_i+c))) = exp(-½ Σ_i |ln((x_i+c)/(z_i+c))|)
//
// on (-c, ∞)^d, for histograms. It is a function of ln(x+c) - ln(z+c). Its frequencies are independent Cauchy variables
// of scale 1/2, with the density (2/π)/(1+4w²), w = tan(π(U - 1/2))/2. c = 0 makes the kernel scale-invariant and needs
// x > 0. Li, Ionescu and Sminchisescu (2010), equations 9 and 10.
type SkewedIntersection struct {
	// c >= 0, the skewness, in the unit of x
	C float64 `param:"c" range:"[0," doc:"shift c, above minus the smallest input"`
}

// At returns exp(-½ Σ |ln((x+c)/(z+c))|).
func (k SkewedIntersection) At(x, z []float64) float64 {
	sameLength(x, z)
	return math.Exp(-sumOver(x, z, func(a, b float64) float64 { return math.Abs(logRatio(a, b, k.C)) }) / 2)
}

// Gradient returns -sign(x-z) k(x,z) / (2(x+c)). Where x_i = z_i the kernel has a kink, and coordinate i of the
// gradient is 0, the mean of the two one-sided derivatives.
func (k SkewedIntersection) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	return gradient(dst, x, z, func(a, b float64) float64 { return -v * sign(a-b) / (a + k.C) / 2 })
}

func (k SkewedIntersection) Domain() Domain  { return domain.Above(k.C) }
func (k SkewedIntersection) Validate() error { return validShift("SkewedIntersection", k.C) }

// Law has independent Cauchy coordinates of scale ½, whatever c.
func (k SkewedIntersection) Law() Law {
	return Law{Transform: LogFourier, Shift: k.C, Quantile: func(p float64) float64 { return cauchyQuantile(p) / 2 }}
}
