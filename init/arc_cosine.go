package spectral

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// ArcCosine is the arc-cosine kernel on the unit sphere: the kernel of a layer of infinitely many random units, which
// are step functions (order 0) or rectified linear units (order 1). With θ the angle between x and z,
//
//	order 0   k = 1 - θ/π
//	order 1   k = (sin θ + (π - θ) cos θ)/π
//
// Its Split is a signed combination of Gaussians. At opposite points the kernel is steep: order 0 rises as a square
// root of 1 + x·z. A close fit there needs a large mass, about 60 for an error of .03 at order 0. Cho and Saul (2009),
// Kernel methods for deep learning.
type ArcCosine struct {
	Order     int     // 0 or 1
	Eps, Flat float64 // of the fit, as in SpherePolynomial
}

var (
	_ SignedLaw = ArcCosine{}
	_ Validator = ArcCosine{}
	_ profile   = ArcCosine{}
)

// At returns k(x, z) by the angle of x and z. It assumes ‖x‖ = ‖z‖ and does not check the norms.
func (k ArcCosine) At(x, z []float64) float64 { return arcCosine(k.Order, supplement(x, z)) }

func (k ArcCosine) at(r float64) float64 { return arcCosine(k.Order, 2*math.Acos(min(1, r/2))) }

// sharpest is larger for order 0, which behaves like r near r = 2, than for order 1, which behaves like r³.
func (k ArcCosine) sharpest(eps float64) float64 {
	if k.Order == 1 {
		return max(200, 10*math.Pow(eps, -2./3))
	}
	return max(200, 10/eps/eps)
}

// Domain is the unit sphere.
func (k ArcCosine) Domain() Domain { return domain.UnitSphere(sphereTolerance) }

// Validate returns an error that wraps ErrParam unless Order is 0 or 1 and Eps and Flat are as in SpherePolynomial.
func (k ArcCosine) Validate() error {
	if k.Order != 0 && k.Order != 1 {
		return fmt.Errorf("spectral: ArcCosine: Order = %d, want 0 or 1: %w", k.Order, ErrParam)
	}
	return validFit("ArcCosine", k.Eps, k.Flat)
}

// Split fits a signed combination of Gaussians, see SpherePolynomial. Errors wrap ErrParam.
func (k ArcCosine) Split(d, m int, c Coupling) (*Split, error) {
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// arcCosine is the kernel as a function of φ = π - θ, without cancellation where it is small.
func arcCosine(order int, phi float64) float64 {
	if order == 0 {
		return phi / math.Pi
	}
	if phi < .1 { // sin φ - φ cos φ would cancel
		v := phi * phi
		return phi * v / 3 * (1 - v/10*(1-v/28*(1-v/54))) / math.Pi
	}
	return (math.Sin(phi) - phi*math.Cos(phi)) / math.Pi
}

// supplement is π - θ for two rows of the same norm, where θ is their angle. Kahan's formula takes it from the lengths
// of their sum and difference.
func supplement(x, z []float64) float64 {
	sameLength(x, z)
	plus, minus := 0., 0.
	for i, v := range x {
		plus += (v + z[i]) * (v + z[i])
		minus += (v - z[i]) * (v - z[i])
	}
	return 2 * math.Atan2(math.Sqrt(plus), math.Sqrt(minus))
}
