package spectral

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// ArcCosine is the arc-cosine kernel on the unit sphere, which a layer of infinitely many random units computes: steps
// (order 0) or rectified linear ones (order 1), with θ the angle of x and z
//
//	order 0   k = 1 - θ/π
//	order 1   k = (sin θ + (π - θ) cos θ)/π
//
// Cho and Saul (2009), Kernel methods for deep learning. Its split is a signed combination of Gaussians. The kernel is
// steep where x and z are opposite, order 0 as a square root: there closeness costs mass, about 60 for an error of .03,
// which the split reports.
type ArcCosine struct {
	Order     int     // 0 or 1
	Eps, Flat float64 // of the combination, as in SpherePolynomial
}

var (
	_ SignedLaw = ArcCosine{}
	_ Validator = ArcCosine{}
	_ profile   = ArcCosine{}
)

// At returns the kernel of the angle.
func (k ArcCosine) At(x, z []float64) float64 { return arcCosine(k.Order, supplement(x, z)) }

func (k ArcCosine) at(r float64) float64 { return arcCosine(k.Order, 2*math.Acos(min(1, r/2))) }

// sharpest is what a corner of the order r at 0 needs; order 1 has one of the order r³.
func (k ArcCosine) sharpest(eps float64) float64 {
	if k.Order == 1 {
		return max(200, 10*math.Pow(eps, -2./3))
	}
	return max(200, 10/eps/eps)
}

// Domain is the unit sphere.
func (k ArcCosine) Domain() Domain { return domain.UnitSphere(sphereTolerance) }

// Validate wants an order of 0 or 1, and Eps and Flat as in SpherePolynomial.
func (k ArcCosine) Validate() error {
	if k.Order != 0 && k.Order != 1 {
		return fmt.Errorf("spectral: ArcCosine: Order = %d, want 0 or 1: %w", k.Order, ErrParam)
	}
	return validFit("ArcCosine", k.Eps, k.Flat)
}

// Split is the split of a signed combination of Gaussians.
func (k ArcCosine) Split(d, m int, c Coupling) (*Split, error) {
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// arcCosine is the kernel of φ = π - θ, which has the digits of k where it is small.
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

// supplement is π - θ for the angle θ of two rows of the same norm, from the lengths of their sum and difference:
// Kahan's formula.
func supplement(x, z []float64) float64 {
	sameLength(x, z)
	plus, minus := 0., 0.
	for i, v := range x {
		plus += (v + z[i]) * (v + z[i])
		minus += (v - z[i]) * (v - z[i])
	}
	return 2 * math.Atan2(math.Sqrt(plus), math.Sqrt(minus))
}
