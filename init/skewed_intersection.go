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

var (
	_ Gradienter = SkewedIntersection{}
	_ Validator  = SkewedIntersection{}
	_ Random     = SkewedIntersection{}
)

// At returns exp(-½ Σ |ln((x+c)/(z+c))|).
func (k SkewedIntersection) At(x, z []float64) float64 {
	sameLength(x, z)
	sum := 0.0
	for i, v := range x {
		sum += math.Abs(logRatio(v, z[i], k.C))
	}
	return math.Exp(-sum / 2)
}

// Gradient returns -sign(x-z) k(x,z) / (2(x+c)). Where x_i = z_i the kernel has a kink, and coordinate i of the
// gradient is 0, the mean of the two one-sided derivatives.
func (k SkewedIntersection) Gradient(dst, x, z []float64) []float64 {
	dst = gradientDst(dst, x)
	v := k.At(x, z)
	for i := range x {
		dst[i] = -v * sign(x[i]-z[i]) / (x[i] + k.C) / 2
	}
	return dst
}

// Domain is x > -c.
func (k SkewedIntersection) Domain() Domain { return domain.Above(k.C) }

// Validate returns an error that wraps ErrParam unless c is finite and c >= 0.
func (k SkewedIntersection) Validate() error { return validShift("SkewedIntersection", k.C) }

// Law has independent Cauchy coordinates of scale ½, whatever c.
func (k SkewedIntersection) Law() Law {
	return Law{Transform: LogFourier, Shift: k.C, Quantile: func(p float64) float64 { return cauchyQuantile(p) / 2 }}
}
