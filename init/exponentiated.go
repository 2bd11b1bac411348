package spectral

import (
	"cmp"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Exponentiated is the Gaussian kernel of the metric of a homogeneous kernel k,
//
//	exp(-D²(x, z)/2σ²),   D²(x, z) = k(x, x) + k(z, z) - 2k(x, z).
//
// It is the exponential χ², intersection, Jensen-Shannon or Hellinger kernel. Where others write exp(-γD²), set σ² =
// 1/2γ. Vedaldi and Zisserman (2012), equations (8) and (29).
type Exponentiated struct {
	Of Homogeneous `param:",inline"`
	// σ > 0, in the unit of D, which is the unit of x^{γ/2}
	Sigma float64 `param:"sigma" doc:"bandwidth σ"`
}

// At returns exp(-D²/2σ²), and NaN without the homogeneous kernel.
func (k Exponentiated) At(x, z []float64) float64 { return k.of(SquaredMetric(k.Of, x, z)) }

// of is exp(-D²/2σ²) as a function of D². σ² itself may leave the range of float64.
func (k Exponentiated) of(d2 float64) float64 { return math.Exp(-d2 / k.Sigma / k.Sigma / 2) }

// Laplacian returns the kernel as a Laplacian of σ_L = 2σ², and whether it is one. It is for an Intersection of degree
// 1 whose metric is the ℓ1 distance, which excludes SignNegative.
func (k Exponentiated) Laplacian() (Laplacian, bool) {
	h, ok := k.Of.(Intersection)
	return Laplacian{Sigma: 2 * k.Sigma * k.Sigma}, ok && h.Degree() == 1 && h.Negative != SignNegative
}

// Domain is the domain of the homogeneous kernel.
func (k Exponentiated) Domain() Domain {
	if domain.IsNil(k.Of) {
		return Domain{}
	}
	return k.Of.Domain()
}

// Validate returns the error of the homogeneous kernel, or an error that wraps ErrParam unless σ is finite and σ > 0.
func (k Exponentiated) Validate() error {
	return cmp.Or(validate(k.Of), positive("Exponentiated", "Sigma", k.Sigma))
}
