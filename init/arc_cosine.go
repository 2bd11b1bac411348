package spectral

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"
)

// ArcCosine is the arc-cosine kernel: the kernel of a layer of infinitely many units with normal weights, which are
// step functions (order 0) or rectified linear units (order 1). With θ the angle between x and z,
//
//	order 0   k = 1 - θ/π
//	order 1   k = ‖x‖ ‖z‖ (sin θ + (π - θ) cos θ)/π
//
// on ℝ^d; k = 0 if x or z is 0. Its features are such units (Step, ReLU), with w ~ N(0, I), so every sampler fits. Cho
// and Saul (2009), Kernel methods for deep learning, equations (3) to (6).
//
// On the unit sphere it is also a signed combination of Gaussians, Split. At opposite points the kernel is steep: order
// 0 rises as a square root of 1 + x·z. A close fit there needs a large mass, about 60 for an error of .03 at order 0,
// so these features converge slowly.
type ArcCosine struct {
	Order     int     `param:"order" range:"[0,1]" default:"1" doc:"0: step functions; 1: rectified linear units"`
	Eps, Flat float64 // of the fit of Split, as in SpherePolynomial
}

// At returns k(x, z).
func (k ArcCosine) At(x, z []float64) float64 {
	phi, a, b := supplement(x, z)
	if k.Order == 0 {
		return arcCosine(0, phi)
	}
	return a * arcCosine(k.Order, phi) * b
}

func (k ArcCosine) at(r float64) float64 { return arcCosine(k.Order, 2*math.Acos(min(1, r/2))) }

// sharpest is larger for order 0, which behaves like r near r = 2, than for order 1, which behaves like r³.
func (k ArcCosine) sharpest(eps float64) float64 {
	if k.Order == 1 {
		return max(200, 10*math.Pow(eps, -2./3))
	}
	return max(200, 10/eps/eps)
}

func (k ArcCosine) Domain() Domain { return Domain{} }

// Validate returns an error that wraps ErrParam unless Order is 0 or 1 and Eps and Flat are as in SpherePolynomial.
func (k ArcCosine) Validate() error {
	return cmp.Or(require(k.Order == 0 || k.Order == 1, "ArcCosine: Order = %d, want 0 or 1", k.Order),
		validFit("ArcCosine", k.Eps, k.Flat))
}

// Law is N(0, I).
func (k ArcCosine) Law() Law {
	law := normalUnits(ReLU, k.squares)
	if k.Order == 0 {
		law.Transform = Step
	}
	return law
}

// normalUnits is the law of units with weights from N(0, I).
func normalUnits(t Transform, squares func(x, z []float64) float64) Law {
	law := Gaussian{Sigma: 1}.Law()
	law.Transform, law.squares = t, squares
	return law
}

// squares is 4 E of the squared product of two units.
func (k ArcCosine) squares(x, z []float64) float64 {
	phi, a, b := supplement(x, z)
	if k.Order == 0 {
		return 2 * arcCosine(0, phi)
	}
	return a * (a * 2 * squaredUnits(phi) * b) * b
}

// Split fits a signed combination of Gaussians on the unit sphere, see SpherePolynomial. Errors wrap ErrParam.
func (k ArcCosine) Split(d, m int, c Coupling) (*Split, error) {
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// arcCosine is the kernel of rows of length 1 as a function of φ = π - θ, without cancellation where it is small.
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

// squaredUnits is 2 E (r(w·x) r(w·z))² of rows of length 1, the arc-cosine kernel of order 2.
func squaredUnits(phi float64) float64 {
	sin, cos := math.Sincos(phi)
	return (phi*(1+2*cos*cos) - 3*sin*cos) / math.Pi
}

// supplement returns φ = π - θ, where θ is the angle of two rows, and their norms, whose product may overflow. All are
// 0 where a row is 0, which has no angle, and the kernels are 0 there. Kahan's formula takes φ from the sum and the
// difference of the rows scaled to length 1.
func supplement(x, z []float64) (phi, a, b float64) {
	sameLength(x, z)
	a, b = floats.Norm(x, 2), floats.Norm(z, 2)
	if a == 0 || b == 0 {
		return 0, 0, 0
	}
	plus, minus := 0., 0.
	for i, v := range x {
		s, t := v/a, z[i]/b
		plus += (s + t) * (s + t)
		minus += (s - t) * (s - t)
	}
	return 2 * math.Atan2(math.Sqrt(plus), math.Sqrt(minus)), a, b
}
