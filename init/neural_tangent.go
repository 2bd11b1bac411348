package spectral

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// NeuralTangent is the neural tangent kernel of a network with one hidden layer of rectified linear units, both layers
// trained, on the unit sphere,
//
//	k(x, z) = x·z κ₀ + κ₁,   κ₀ = (π - θ)/π,   κ₁ = (sin θ + (π - θ) cos θ)/π,
//
// with θ the angle of x and z; k(x, x) = 2. Jacot, Gabriel and Hongler (2018); for two layers Bietti and Mairal (2019),
// On the inductive bias of neural tangent kernels. Its split is a signed combination of Gaussians. Like ArcCosine it is
// steep where x and z are opposite: an error of .03 costs the mass 15.5.
type NeuralTangent struct {
	Eps, Flat float64 // of the combination, as in SpherePolynomial; Eps is in proportion to k(x, x)
}

var (
	_ SignedLaw = NeuralTangent{}
	_ Validator = NeuralTangent{}
	_ profile   = NeuralTangent{}
)

// At returns the kernel of the angle.
func (k NeuralTangent) At(x, z []float64) float64 { return neuralTangent(supplement(x, z)) }

func (k NeuralTangent) at(r float64) float64 { return neuralTangent(2 * math.Acos(min(1, r/2))) }

// sharpest is what a corner of the order r at 0 needs.
func (k NeuralTangent) sharpest(eps float64) float64 { return ArcCosine{}.sharpest(eps) }

// Domain is the unit sphere.
func (k NeuralTangent) Domain() Domain { return domain.UnitSphere(sphereTolerance) }

// Validate wants Eps and Flat as in SpherePolynomial.
func (k NeuralTangent) Validate() error { return validFit("NeuralTangent", k.Eps, k.Flat) }

// Split is the split of a signed combination of Gaussians.
func (k NeuralTangent) Split(d, m int, c Coupling) (*Split, error) {
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// neuralTangent is the kernel of φ = π - θ.
func neuralTangent(phi float64) float64 {
	return -math.Cos(phi)*arcCosine(0, phi) + arcCosine(1, phi)
}
