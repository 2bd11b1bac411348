package spectral

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// DensityDistance is a squared homogeneous distance of two probability densities p and q on the unit cube,
//
//	ρ²(p, q) = ∫ d²(p(t), q(t)) dt,
//	d²(x, y) = Scale·(k(x,x) + k(y,y) - 2k(x,y)) = ∫₀^∞ |x^{½+iλ} - y^{½+iλ}|² m(λ) dλ,
//
// where k is a homogeneous kernel of degree 1. Its spectrum κ gives the measure m = 2·Scale·κ on the half-line, with
// the mass Z = Scale·𝒦(0). Sutherland, Oliva, Póczos and Schneider (2016), equations (2) and (3). Of their table 1 are
//
//	                         d²(x, y)                           m(λ)                    Z
//	JensenShannonDivergence  ½x ln(2x/(x+y)) + ½y ln(2y/(x+y))  sech(πλ)/(1 + 4λ²)      ln(2)/2
//	SquaredHellinger         ½(√x - √y)²                        half a point mass at 0  ½
//	TotalVariation           |x - y|                            4/(π(1 + 4λ²))          1
//
// DensityDistance{Chi2{}, 1} is the triangular divergence ∫ (p - q)²/(p + q).
//
// A density is a row of its values at V points of equal weight; the mean of the row is the integral.
type DensityDistance struct {
	Of    Homogeneous // of degree 1, without an extension to negative numbers
	Scale float64     // > 0
}

// The distances of Sutherland et al. (2016), table 1.
var (
	// ∫ ½p ln(2p/(p+q)) + ½q ln(2q/(p+q)), in nats and at most ln 2
	JensenShannonDivergence = DensityDistance{JensenShannon{}, math.Ln2 / 2}
	// ½ ∫ (√p - √q)², at most 1
	SquaredHellinger = DensityDistance{Hellinger{}, .5}
	// ∫ |p - q|, at most 2: twice the largest |P(A) - Q(A)| over events A
	TotalVariation = DensityDistance{Intersection{}, 1}
)

// Validate returns an error that wraps ErrParam unless Of is a valid kernel of degree 1 without an extension to
// negative numbers, and Scale is finite and > 0.
func (d DensityDistance) Validate() error {
	if err := validate(d.Of); err != nil {
		return err
	}
	if d.Of.Degree() != 1 || d.Of.Extension() != RejectNegative {
		return fmt.Errorf("spectral: DensityDistance: %T of degree %v with negative=%v; densities want degree 1 and "+
			"no extension: %w", d.Of, d.Of.Degree(), d.Of.Extension(), ErrParam)
	}
	return positive("DensityDistance", "Scale", d.Scale)
}

// At returns ρ² of two densities given by their values at V points of equal weight, (1/V) Σ_v d²(p_v, q_v).
func (d DensityDistance) At(p, q []float64) float64 {
	return d.Scale * SquaredMetric(d.Of, p, q) / float64(len(p))
}

// Mass returns Z, the mass of m, and NaN without the kernel.
func (d DensityDistance) Mass() float64 {
	if domain.IsNil(d.Of) {
		return math.NaN()
	}
	return d.Scale * d.Of.Signature(0)
}

// Kernel returns exp(-ρ²/2σ²) as a kernel of rows of density values at the given number of points. The metric D² of the
// homogeneous kernel is a sum over the points, so ρ² = Scale·D²/points, and the Sigma² of the result is
// σ²·points/Scale. For histograms, rows p/points that sum to 1, use Sigma² = σ²/Scale instead: 2.885σ² for
// Jensen-Shannon, 2σ² for Hellinger.
func (d DensityDistance) Kernel(sigma float64, points int) Exponentiated {
	return Exponentiated{Of: d.Of, Sigma: sigma * math.Sqrt(float64(points)/d.Scale)}
}
