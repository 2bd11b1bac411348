package spectral

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
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
	degree, extension := d.Of.Degree(), d.Of.Extension()
	return cmp.Or(require(degree == 1 && extension == RejectNegative, "DensityDistance: %T of degree %v with "+
		"negative=%v; densities want degree 1 and no extension", d.Of, degree, extension),
		positive("DensityDistance", "Scale", d.Scale))
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

// LambdaRule says how the frequencies λ_j and weights w_j of a DensityDistance are chosen, such that Σ_j w_j
// |x^{½+iλ_j} - y^{½+iλ_j}|² ≈ d²(x, y).
type LambdaRule int

const (
	// GaussLambdas are the quantiles of m at the Gauss-Legendre nodes on [0, 1], with their weights times Z.
	GaussLambdas LambdaRule = iota
	// QuantileLambdas are the quantiles of m at (j - ½)/M, j = 1 to M, with equal weights Z/M.
	QuantileLambdas
	// DrawnLambdas are independent draws from m with equal weights Z/M, an unbiased estimate. Sutherland et al. (2016),
	// equation (4).
	DrawnLambdas
)

func (r LambdaRule) String() string { return domain.Word(r, "gauss", "quantile", "drawn") }

// MarshalText returns the name.
func (r LambdaRule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText sets r by its name. The error for an unknown name wraps ErrParam.
func (r *LambdaRule) UnmarshalText(name []byte) error {
	return domain.ParseWord(r, "spectral: lambdas", string(name))
}

// spectrumQuantiler is a homogeneous kernel with a quantile function of its spectrum.
type spectrumQuantiler interface {
	Homogeneous
	// SpectrumQuantile is the λ > 0 for which [-λ, λ] has the share p of the spectrum, 0 < p < 1.
	SpectrumQuantile(p float64) float64
}

// Lambdas returns m frequencies by a rule, and their weights, which sum to the mass Z. DrawnLambdas uses the stream
// "lambda" of the seed; the other rules ignore the seed. A point mass (Hellinger) has one frequency, 0, for any rule
// and m.
//
// Errors wrap ErrParam: an invalid d, m below 1 or above MaxLambdas, an unknown rule, a kernel without
// SpectrumQuantile.
func (d DensityDistance) Lambdas(m int, rule LambdaRule, seed uint64) (lambda, weight []float64, err error) {
	if err := cmp.Or(d.Validate(), require(m >= 1 && m <= MaxLambdas, "DensityDistance: %d frequencies, want 1 to %d",
		m, MaxLambdas)); err != nil {
		return nil, nil, err
	}
	if pointMass(d.Of) {
		return []float64{0}, []float64{d.Mass()}, nil
	}
	q, ok := d.Of.(spectrumQuantiler)
	if !ok {
		return nil, nil, invalid("DensityDistance: %T has no SpectrumQuantile to take frequencies from", d.Of)
	}
	u, weight := make([]float64, m), slices.Repeat([]float64{1 / float64(m)}, m)
	switch rule {
	case QuantileLambdas:
		for j := range u {
			u[j] = (float64(j) + .5) / float64(m)
		}
	case GaussLambdas:
		quad.Legendre{}.FixedLocations(u, weight, 0, 1)
	case DrawnLambdas:
		rng := rand.New(Stream(seed, "lambda"))
		for j := range u {
			u[j] = openUniform(rng)
		}
	default:
		return nil, nil, invalid("DensityDistance: %v, want QuantileLambdas, GaussLambdas or DrawnLambdas", rule)
	}
	floats.Scale(d.Mass(), weight)
	return apply(u, q.SpectrumQuantile), weight, nil
}
