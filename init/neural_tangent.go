package spectral

import "math"

// NeuralTangent is the neural tangent kernel of a network with one hidden layer of rectified linear units and both
// layers trained,
//
//	k(x, z) = x·z κ₀ + ‖x‖ ‖z‖ κ₁,   κ₀ = (π - θ)/π,   κ₁ = (sin θ + (π - θ) cos θ)/π,
//
// on ℝ^d, where θ is the angle between x and z; k(x, x) = 2‖x‖². Its features are the gradients of such a network
// (Tangent), with w, v ~ N(0, I), so every sampler fits. Jacot, Gabriel and Hongler (2018); Bietti and Mairal (2019),
// On the inductive bias of neural tangent kernels.
//
// On the unit sphere it is also a signed combination of Gaussians, Split. Like ArcCosine it is steep at opposite
// points: an error of .03 needs the mass 15.5.
type NeuralTangent struct {
	Eps, Flat float64 // of the fit of Split, as in SpherePolynomial; Eps is relative to k(x, x) = 2
}

// At returns k(x, z).
func (k NeuralTangent) At(x, z []float64) float64 {
	phi, a, b := supplement(x, z)
	return a * neuralTangent(phi) * b
}

func (k NeuralTangent) at(r float64) float64 { return neuralTangent(2 * math.Acos(min(1, r/2))) }

// sharpest is ArcCosine of order 0, which is as steep.
func (k NeuralTangent) sharpest(eps float64) float64 { return ArcCosine{}.sharpest(eps) }

func (k NeuralTangent) Domain() Domain { return Domain{} }

// Validate returns an error that wraps ErrParam unless Eps and Flat are as in SpherePolynomial.
func (k NeuralTangent) Validate() error { return validFit("NeuralTangent", k.Eps, k.Flat) }

// Law is N(0, I), of w and of v.
func (k NeuralTangent) Law() Law { return normalUnits(Tangent, k.squares) }

// squares is 4 E (r r + s s (v·x) (v·z))², with E ((v·x) (v·z))² = ‖x‖² ‖z‖² (1 + 2 cos² θ).
func (k NeuralTangent) squares(x, z []float64) float64 {
	phi, a, b := supplement(x, z)
	cos := -math.Cos(phi)
	square := 2 * (squaredUnits(phi) + 2*arcCosine(1, phi)*cos + arcCosine(0, phi)*(1+2*cos*cos))
	return a * (a * square * b) * b
}

// Split fits a signed combination of Gaussians on the unit sphere, see SpherePolynomial. Errors wrap ErrParam.
func (k NeuralTangent) Split(d, m int, c Coupling) (*Split, error) {
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// neuralTangent is the kernel of rows of length 1 as a function of φ = π - θ.
func neuralTangent(phi float64) float64 {
	return -math.Cos(phi)*arcCosine(0, phi) + arcCosine(1, phi)
}
