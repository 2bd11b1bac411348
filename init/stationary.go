package spectral

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Stationary is the translation-invariant kernel with the signature of a homogeneous kernel,
//
//	k(x, z) = Σ_i 𝒦(z_i - x_i)
//
// on ℝ^d, such as Σ sech((z-x)/2) for Chi2. Vedaldi and Zisserman (2012), equations (5) and (6) and section 2.1.2.
type Stationary struct {
	Of Homogeneous // the kernel with the signature; its degree and extension are not used
}

// At returns Σ 𝒦(z - x), and NaN without the homogeneous kernel.
func (k Stationary) At(x, z []float64) float64 {
	if domain.IsNil(k.Of) {
		return math.NaN()
	}
	sameLength(x, z)
	return sumOver(x, z, func(a, b float64) float64 { return k.Of.Signature(b - a) })
}

func (k Stationary) Domain() Domain { return Domain{} }

// Validate returns the error of the homogeneous kernel.
func (k Stationary) Validate() error { return validate(k.Of) }
