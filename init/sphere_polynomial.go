package spectral

import (
	"cmp"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// SpherePolynomial is the polynomial kernel on the unit sphere of ℝ^d, as a function of the distance,
//
//	k(x, z) = (1 - ‖x - z‖²/a²)^p = (2/a²)^p (a²/2 - 1 + x·z)^p,   ‖x‖ = ‖z‖ = 1.
//
// As a kernel of x - z it is indefinite. Pennington, Yu and Kumar (2015); Luo et al. (2021), section IV.
//
// For a = 2 the Fourier transform of k, cut off at the diameter of the sphere, is the signed measure with the radial
// density
//
//	f(r) = 2 Γ(p+1)/Γ(h) r^(h-1-p) J_(h+p)(2r),   h = d/2.
//
// Its mass is finite if and only if p > (d-1)/2; it is about 1 for a large p and grows as p falls. With Eps = 0 the
// split is this measure, exactly, if the tail of |f|, of the order r^(-(p-(d-1)/2)), falls to 1e-8 by r = 1e5: in few
// dimensions for p >= (d+3)/2.
//
// Otherwise the split is a signed combination of Gaussians that is closer to k than Eps, in any dimension. Its mass may
// be smaller.
type SpherePolynomial struct {
	// a > 0
	A float64 `param:"a" default:"2" doc:"scale a"`
	// p >= 1, the degree
	P int `param:"p" range:"[1,1000]" default:"10" doc:"degree p"`
	// Eps is the largest error of the combination, relative to the largest |k| on the sphere (1 for a >= √2), from 1e-5
	// to 1. For Eps = 0 the split is the exact measure where there is one. Where there is none, Eps and Flat are chosen
	// to minimise the sum of squared bias and predicted variance (Coupling.Variance), averaged over the distances on
	// the sphere, for the dimension, the number of frequencies and their coupling.
	Eps float64 `param:"eps" words:"auto=0" range:"[1e-5,0.5]" default:"auto"`
	// Flat, from 0 to 1000, favours small scales s = 1/σ², which orthogonal frequencies estimate best, at the price of
	// a larger mass: the combination minimises Σ|c| (1 + Flat (s/s₀)²), where s₀ is the scale of the Gaussian that is
	// as wide as k. 0 minimises the mass. It must be 0 where Eps is 0.
	Flat float64 `param:"flat" range:"[0,1000]" default:"0"`
}

// At returns (1 - ‖x-z‖²/a²)^p.
func (k SpherePolynomial) At(x, z []float64) float64 { return k.at(distance(x, z)) }

func (k SpherePolynomial) at(r float64) float64 {
	return math.Pow((1-r/k.A)*(1+r/k.A), float64(k.P))
}

// sharpest is well above the curvature 2p/a² at r = 0.
func (k SpherePolynomial) sharpest(float64) float64 {
	return max(200, 40*float64(k.P)/k.A/k.A)
}

// Domain is the unit sphere.
func (k SpherePolynomial) Domain() Domain { return domain.UnitSphere(sphereTolerance) }

// maxPower is the largest p. Maclaurin holds p+1 numbers.
const maxPower = 1 << 16

// Validate returns an error that wraps ErrParam unless a is finite and a > 0, p is from 1 to 65536, (1 - r²/a²)^p does
// not overflow on the sphere, Eps is 0 or from 1e-5 to below 1, and Flat is from 0 to 1000, and 0 where Eps is.
func (k SpherePolynomial) Validate() error {
	return cmp.Or(positive("SpherePolynomial", "A", k.A),
		require(k.P >= 1 && k.P <= maxPower, "SpherePolynomial: P = %d, must be from 1 to %d", k.P, maxPower),
		require(!math.IsInf(largest(k), 1),
			"SpherePolynomial: (1 - r²/a²)^p overflows for opposite points, a = %v and p = %d; raise A", k.A, k.P),
		validFit("SpherePolynomial", k.Eps, k.Flat))
}

// Split returns the exact measure or fits a signed combination of Gaussians, see SpherePolynomial. Errors wrap
// ErrParam: an invalid kernel, d or m below 1, no combination within Eps, an unknown coupling where Eps is to be
// chosen.
func (k SpherePolynomial) Split(d, m int, c Coupling) (*Split, error) {
	if k.A == 2 && k.Eps == 0 && d > 0 && m > 0 && k.Validate() == nil {
		if plus, minus := sphereMeasure(d, k.P); plus != nil {
			// k(0) = 1, whatever was rounded
			p := &Split{Of: k, Parts: []Component{{1 + minus.mass, plus}}}
			if minus.mass > 0 {
				p.Parts = append(p.Parts, Component{-minus.mass, minus})
			}
			return p, nil
		}
	}
	return checkedMixture(k, k.Eps, k.Flat, d, m, c)
}

// Affine returns the slope 2/a² and the offset 1 - 2/a² of k(x, z) = (slope x·z + offset)^p. The offset is negative for
// a < √2.
func (k SpherePolynomial) Affine() (slope, offset float64) {
	slope = 2 / k.A / k.A
	return slope, 1 - slope
}

// Maclaurin returns the coefficients of the powers of x·z, a_n = C(p, n) (2/a²)^n (1 - 2/a²)^(p-n). For a >= √2 none is
// negative; for a < √2 their signs alternate. It returns nil for a kernel that Validate refuses.
func (k SpherePolynomial) Maclaurin() []float64 {
	if k.Validate() != nil {
		return nil
	}
	slope, offset := k.Affine()
	a := make([]float64, k.P+1)
	for n := range a {
		lnChoose := lnGamma(float64(k.P+1)) - lnGamma(float64(n+1)) - lnGamma(float64(k.P-n+1))
		a[n] = math.Exp(lnChoose+float64(n)*math.Log(slope)) * math.Pow(offset, float64(k.P-n))
	}
	return a
}
