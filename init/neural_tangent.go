package spectral

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// NeuralTangent is the neural tangent kernel, on the unit sphere, of a network with one hidden layer of rectified
// linear units and both layers trained,
//
//	k(x, z) = x·z κ₀ + κ₁,   κ₀ = (π - θ)/π,   κ₁ = (sin θ + (π - θ) cos θ)/π,
//
// where θ is the angle between x and z; k(x, x) = 2. Its Split is a signed combination of Gaussians. Like ArcCosine it
// is steep at opposite points: an error of .03 needs the mass 15.5. Jacot, Gabriel and Hongler (2018); Bietti and
// Mairal (2019), On the inductive bias of neural tangent kernels.
type NeuralTangent struct {
	Eps, Flat float64 // of the fit, as in SpherePolynomial; Eps is relative to k(x, x) = 2
}

var (
	_ SignedLaw = NeuralTangent{}
	_ Validator = NeuralTangent{}
	_ profile   = NeuralTangent{}
)

// At returns k(x, z) by the angle of x and z. It assumes ‖x‖ = ‖z‖ = 1 and does not check the norms.
func (k NeuralTangent) At(x, z []float64) float64 { return neuralTangent(supplement(x, z)) }

func (k NeuralTangent) at(r float64) float64 { return neuralTangent(2 * math.Acos(min(1, r/2))) }

// sharpest is ArcCosine of order 0, which is as steep.
func (k NeuralTangent) sharpest(eps float64) float64 { return ArcCosine{}.sharpest(eps) }

// Domain is the unit sphere.
func (k NeuralTangent) Domain() Domain { return domain.UnitSphere(sphereTolerance) }

// Validate returns an error that wraps ErrParam unless Eps and Flat are as in SpherePolynomial.
func (k NeuralTangent) Validate() error { return validFit("NeuralTangent", k.Eps, k.Flat) }

// Split fits a signed combination of Gaussians, see SpherePolynomial. Errors wrap ErrParam.
func (k NeuralTangent) Split(d, m int, c Coupling) (*Split, error) {
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// neuralTangent is the kernel as a function of φ = π - θ.
func neuralTangent(phi float64) float64 {
	return -math.Cos(phi)*arcCosine(0, phi) + arcCosine(1, phi)
}
