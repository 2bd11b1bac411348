package spectral

import (
	"cmp"
	"fmt"
	"math"
)

// SRF is the kernel of SpherePolynomial for spherical random features: Fourier features of a positive density that
// approximates it. On the sphere no positive density has exactly this kernel, so the features are biased, by at most
// the Error of the Split for any number of features. SpherePolynomial uses a signed density and has no such bias.
// Pennington, Yu and Kumar (2015), Spherical random features for polynomial kernels.
type SRF struct {
	// a >= √2; below, |k| > k(x, x) at opposite points, which no positive density has
	A float64 `param:"a" default:"2" doc:"scale a"`
	// p >= 1, the degree; the range of the tag also serves maps that draw p factors a feature
	P int `param:"p" range:"[1,64]" default:"10" doc:"degree p"`
}

// At returns (1 - ‖x-z‖²/a²)^p, the kernel to approximate. The expectation of the estimate is the At of the Split.
func (k SRF) At(x, z []float64) float64 { return k.polynomial().At(x, z) }

func (k SRF) polynomial() SpherePolynomial { return SpherePolynomial{A: k.A, P: k.P} }

// Domain is the unit sphere.
func (k SRF) Domain() Domain { return k.polynomial().Domain() }

// Validate returns an error that wraps ErrParam unless a >= √2, p >= 1 and √p/a <= 100.
func (k SRF) Validate() error {
	if err := k.polynomial().Validate(); err != nil {
		return err
	}
	if sharp := math.Sqrt(float64(k.P)) / k.A; !(sharp <= mostSharp) {
		return fmt.Errorf("spectral: SRF: √P/A = %v, want at most %v: the kernel is too sharp for the grid of its "+
			"density; raise A, or lower P: %w", sharp, mostSharp, ErrParam)
	}
	if k.A < leastPositiveA {
		return fmt.Errorf("spectral: SRF: A = %v is below √2, where |k| > k(x, x) for opposite points, and no "+
			"positive density comes near; raise A, or use SpherePolynomial: %w", k.A, ErrParam)
	}
	return nil
}

// mostSharp is the largest √P/A of SRF. The length of the grid of the density and the time of a fit are proportional to
// it.
const mostSharp = 100

// leastPositiveA is √2, less some rounding.
const leastPositiveA = math.Sqrt2 - 1e-15

// sphericalLaw is the positive density of SRF in ℝ^d, and a table of its kernel.
type sphericalLaw struct {
	*radialDensity
	of    SRF
	off   float64 // the largest |At - k| on the sphere, measured at 401 distances
	table evenTable
}

// Law has a uniform direction, and the norm of the density in the dimension of the fit. In another dimension the norm
// is NaN, which Frequencies refuses.
func (l *sphericalLaw) Law() Law {
	return Law{Transform: Fourier, NormQuantile: func(d int, p float64) float64 {
		if d != l.d {
			return math.NaN()
		}
		return l.radialDensity.quantile(p)
	}}
}

// At returns E cos(w·(x - z)) of the density, which is the expectation of the estimate. Up to the diameter of the
// sphere it interpolates in a table, with an error of about 1e-8.
func (l *sphericalLaw) At(x, z []float64) float64 {
	if r := distance(x, z); r < 2 {
		return l.table.at(r)
	}
	return l.radialDensity.At(x, z)
}

func (l *sphericalLaw) String() string {
	return fmt.Sprintf("positive density for %T%+v in %d dimensions, biased by at most %.2g", l.of, l.of, l.d, l.off)
}

// sphericalLaws caches the laws by kernel and dimension; a fit takes a fraction of a second.
var sphericalLaws cache[sphericalKey, *sphericalLaw]

type sphericalKey struct {
	k SRF
	d int
}

// Split has one part, of weight 1: the positive density in ℝ^d with a uniform direction and a norm r of the density
//
//	f(r) ∝ max(0, Σ_i c_i A_i(r)),   A_i(r) = (r/2s_i)^(d-1) exp(-(r/2s_i)²)/(s_i Γ(d/2)),   i = 1 to 10.
//
// L-BFGS minimises ∫₀² (k - At)² over s and c. Some c may be negative; a negative sum counts as 0. The density is
// linear between the points of a grid. Pennington, Yu and Kumar (2015), algorithm 1. The split is the same for every m
// and coupling, and comes from a cache the second time. Errors wrap ErrParam: an invalid kernel, d or m below 1, an
// unknown coupling, no density found.
func (k SRF) Split(d, m int, c Coupling) (*Split, error) {
	if err := cmp.Or(validate(k), checkCounts(d, m), c.check()); err != nil {
		return nil, err
	}
	l, err := sphericalLaws.get(sphericalKey{k, d}, func() (*sphericalLaw, error) { return k.newLaw(d) })
	if err != nil {
		return nil, err
	}
	return &Split{Of: k, On: k.Domain(), Parts: []Component{{1, l}}, Error: l.off}, nil
}

// newLaw fits the density in ℝ^d.
func (k SRF) newLaw(d int) (*sphericalLaw, error) {
	fit := newSphericalFit(k, d)
	density := fit.solve()
	if density == nil {
		return nil, fmt.Errorf("spectral: %T%+v: no positive density found in %d dimensions: %w", k, k, d, ErrParam)
	}
	const steps = 400
	l := &sphericalLaw{radialDensity: density, of: k}
	l.table = newEvenTable(2./steps, 2, func(r float64) float64 {
		return density.mean(func(w float64) float64 {
			return fit.omega.at(w * r)
		})
	})
	for i := range steps + 1 {
		r := 2 * float64(i) / steps
		l.off = max(l.off, math.Abs(l.table.at(r)-k.polynomial().at(r)))
	}
	return l, nil
}

// evenTable holds an even function at equal steps from -step on, and interpolates with the cubic through four points.
type evenTable struct {
	step float64
	v    []float64
}

// newEvenTable tabulates f up to one step beyond end.
func newEvenTable(step, end float64, f func(float64) float64) evenTable {
	t := evenTable{step: step}
	for i := -1; float64(i-2)*step < end; i++ {
		t.v = append(t.v, f(math.Abs(float64(i)*step)))
	}
	return t
}

// at interpolates, for 0 <= x <= end.
func (t evenTable) at(x float64) float64 {
	i := min(int(x/t.step), len(t.v)-4)
	u, y := x/t.step-float64(i), t.v[i:i+4]
	return -u*(u-1)*(u-2)/6*y[0] + (u+1)*(u-1)*(u-2)/2*y[1] - (u+1)*u*(u-2)/2*y[2] + (u+1)*u*(u-1)/6*y[3]
}
