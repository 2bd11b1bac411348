package spectral

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// SpherePolynomial is the polynomial kernel on the unit sphere of ℝ^d, as a function of the distance
//
//	k(x, z) = (1 - ‖x - z‖²/a²)^p = (2/a²)^p (a²/2 - 1 + x·z)^p,   ‖x‖ = ‖z‖ = 1,
//
// which is indefinite as a kernel of x - z. Pennington, Yu and Kumar (2015); Luo et al. (2021), section IV.
//
// For a = 2 its Fourier transform, k cut off at the diameter of the sphere, is the signed measure of the radial density
//
//	f(r) = 2 Γ(p+1)/Γ(h) r^(h-1-p) J_(h+p)(2r),   h = d/2,
//
// of finite mass if and only if p > (d-1)/2. Then, and with Eps = 0, the split is exact, as long as the tail of |f|, of the order
// r^(-(p-(d-1)/2)), falls to 1e-8 by r = 1e5: from p = (d+3)/2 on in few dimensions. Its mass is about 1 for a large p and grows towards that
// end; with an Eps the other way is taken, whose mass may be less. For every other a and p the density has no finite mass, and the published program for it samples another kernel (it has no r^(d-1), is cut at r = 100 and has an error of up to .1);
// here the split is that of a signed combination of Gaussians which is closer than Eps, in any dimension, with the least mass.
type SpherePolynomial struct {
	A float64 // a > 0
	P int     // p >= 1, the degree
	// Eps is the largest error, in proportion to the largest |k| on the sphere (1 for a >= √2). 0 is the exact measure where there is
	// one, and else the one of .1, .03, .01, .003 and .001 that is best for the number of frequencies.
	Eps float64
}

var (
	_ SignedLaw = SpherePolynomial{}
	_ Validator = SpherePolynomial{}
	_ profile   = SpherePolynomial{}

	_ Polynomial = SpherePolynomial{}
)

// At returns (1 - ‖x-z‖²/a²)^p.
func (k SpherePolynomial) At(x, z []float64) float64 { return k.at(distance(x, z)) }

func (k SpherePolynomial) at(r float64) float64 {
	return math.Pow((1-r/k.A)*(1+r/k.A), float64(k.P))
}

// sharpest is well beyond the curvature 2p/a² at r = 0.
func (k SpherePolynomial) sharpest(float64) float64 {
	return max(200, 40*float64(k.P)/k.A/k.A)
}

// Domain is the unit sphere.
func (k SpherePolynomial) Domain() Domain { return domain.UnitSphere(sphereTolerance) }

// Validate wants a > 0, p >= 1 and an Eps that is 0 or between 1e-5 and 1.
func (k SpherePolynomial) Validate() error {
	if err := positive("SpherePolynomial", "A", k.A); err != nil {
		return err
	}
	if k.P < 1 {
		return fmt.Errorf("spectral: SpherePolynomial: P = %d, must be at least 1: %w", k.P, ErrParam)
	}
	if top := largest(k); math.IsInf(top, 1) {
		return fmt.Errorf("spectral: SpherePolynomial: (1 - r²/a²)^p overflows for opposite points, a = %v and p = %d; raise A: %w", k.A, k.P, ErrParam)
	}
	return validEps("SpherePolynomial", k.Eps)
}

// Split is the exact measure, or that of a signed combination of Gaussians.
func (k SpherePolynomial) Split(d, m int) (*Split, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	if err := checkCounts(d, m); err != nil {
		return nil, err
	}
	if k.A == 2 && k.Eps == 0 {
		if plus, minus := sphereMeasure(d, k.P); plus != nil {
			return &Split{Of: k, Plus: plus.side(1 + minus.mass), Minus: minus.side(minus.mass)}, nil // k(0) = 1, whatever was rounded
		}
	}
	return splitMixture(k, k.Eps, m)
}

// Affine are the slope and the offset of k(x, z) = (slope x·z + offset)^p: 2/a² and 1 - 2/a², which is negative for a < √2.
func (k SpherePolynomial) Affine() (slope, offset float64) {
	slope = 2 / k.A / k.A
	return slope, 1 - slope
}

// Maclaurin are the coefficients of the powers of x·z, a_n = C(p, n) (2/a²)^n (1 - 2/a²)^(p-n): none is negative for a >= √2, and for less
// they have alternating signs.
func (k SpherePolynomial) Maclaurin() []float64 {
	slope, offset := k.Affine()
	a := make([]float64, k.P+1)
	top, _ := math.Lgamma(float64(k.P + 1))
	for n := range a {
		low, _ := math.Lgamma(float64(n + 1))
		high, _ := math.Lgamma(float64(k.P - n + 1))
		a[n] = math.Exp(top-low-high+float64(n)*math.Log(slope)) * math.Pow(offset, float64(k.P-n))
	}
	return a
}
