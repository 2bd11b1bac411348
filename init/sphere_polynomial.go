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
// of finite mass if and only if p > (d-1)/2. Then, and with Eps = 0, the split is exact, as long as the tail of |f|, of
// the order r^(-(p-(d-1)/2)), falls to 1e-8 by r = 1e5: from p = (d+3)/2 on in few dimensions. Its mass is about 1 for
// a large p and grows towards that end; with an Eps the other way is taken, whose mass may be less. For every other a
// and p the density has no finite mass, and the published program for it samples another kernel (it has no r^(d-1), is
// cut at r = 100 and has an error of up to .1); here the measure is of a signed combination of Gaussians which is
// closer than Eps, in any dimension.
type SpherePolynomial struct {
	A float64 // a > 0
	P int     // p >= 1, the degree
	// Eps is the largest error of the combination, in proportion to the largest |k| on the sphere (1 for a >= √2). 0
	// is the exact measure where there is one. Else Eps and Flat are chosen, such that the mean over the distances on
	// the sphere of squared bias and predicted variance is least, for the dimension, the number of frequencies and
	// their coupling (Coupling.Variance).
	Eps float64
	// Flat keeps the scales s = 1/σ² of the combination small, which orthogonal frequencies estimate best, at the
	// price of mass: Σ|c| (1 + Flat (s/s₀)²) is least, with s₀ of the Gaussian that is as wide as k. 0 is the least
	// mass. From 0 to 1000, and 0 where Eps is.
	Flat float64
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

// Validate wants a > 0, p >= 1, an Eps that is 0 or between 1e-5 and 1, and a Flat between 0 and 1000, 0 where Eps is.
func (k SpherePolynomial) Validate() error {
	if err := positive("SpherePolynomial", "A", k.A); err != nil {
		return err
	}
	if k.P < 1 {
		return fmt.Errorf("spectral: SpherePolynomial: P = %d, must be at least 1: %w", k.P, ErrParam)
	}
	if top := largest(k); math.IsInf(top, 1) {
		return fmt.Errorf("spectral: SpherePolynomial: (1 - r²/a²)^p overflows for opposite points, a = %v and p = "+
			"%d; raise A: %w", k.A, k.P, ErrParam)
	}
	return validFit("SpherePolynomial", k.Eps, k.Flat)
}

// Split is the exact measure, or the split of a signed combination of Gaussians.
func (k SpherePolynomial) Split(d, m int, c Coupling) (*Split, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	if k.A == 2 && k.Eps == 0 && d > 0 && m > 0 {
		if plus, minus := sphereMeasure(d, k.P); plus != nil {
			// k(0) = 1, whatever was rounded
			return &Split{Of: k, Plus: plus.side(1 + minus.mass), Minus: minus.side(minus.mass)}, nil
		}
	}
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// Affine are the slope and the offset of k(x, z) = (slope x·z + offset)^p: 2/a² and 1 - 2/a², which is negative for a <
// √2.
func (k SpherePolynomial) Affine() (slope, offset float64) {
	slope = 2 / k.A / k.A
	return slope, 1 - slope
}

// Maclaurin are the coefficients of the powers of x·z, a_n = C(p, n) (2/a²)^n (1 - 2/a²)^(p-n): none is negative for a
// >= √2, and for less they have alternating signs.
func (k SpherePolynomial) Maclaurin() []float64 {
	if k.Validate() != nil {
		return nil
	}
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
