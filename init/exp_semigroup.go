package spectral

import (
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
)

// ExpSemigroup is the exponential-semigroup kernel
//
//	k(x, z) = exp(-β Σ_i √(x_i + z_i))
//
// on [0, ∞)^d, for histograms. It is the Laplace transform at x + z of independent Lévy variables of scale β²/2, with
// the density β/(2√π) w^(-3/2) exp(-β²/(4w)): w = (β²/2)/N² for a standard normal N. The law has no mean. A few
// frequencies are huge, and rows with large entries get features that are exactly 0. Yang et al. (2014), section 3.2,
// table 1.
type ExpSemigroup struct {
	// β, from 1e-100 to 1e100, in the unit of 1/√x; a useful start for l1-normalised histograms is 1e-3 to 1
	Beta float64 `param:"beta" doc:"scale β"`
}

// At returns exp(-β Σ √(x+z)).
func (k ExpSemigroup) At(x, z []float64) float64 { return math.Exp(-k.Exponent(x, z)) }

// Exponent is β Σ √(x+z).
func (k ExpSemigroup) Exponent(x, z []float64) float64 {
	sameLength(x, z)
	return k.Beta * sumOver(x, z, func(a, b float64) float64 { return math.Sqrt(a + b) })
}

// Metric is β Σ 2√(x+z) - √(2x) - √(2z), β times the squared metric of Levy.
func (k ExpSemigroup) Metric(x, z []float64) float64 { return k.Beta * levyMetric(x, z) }

// Gradient returns -β k(x,z)/(2√(x+z)), which is -Inf in the coordinates where x and z are both 0.
func (k ExpSemigroup) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	return gradient(dst, x, z, func(a, b float64) float64 {
		if a+b == 0 {
			return math.Inf(-1)
		}
		return -k.Beta * v / math.Sqrt(a+b) / 2
	})
}

func (k ExpSemigroup) Domain() Domain { return domain.NonNegative() }

// Validate returns an error that wraps ErrParam unless 1e-100 <= β <= 1e100; beyond, squares leave the range of
// float64.
func (k ExpSemigroup) Validate() error {
	return require(k.Beta >= 1e-100 && k.Beta <= 1e100, "ExpSemigroup: Beta = %v is not between 1e-100 and 1e100", k.Beta)
}

// Law has independent Lévy coordinates: w = (β²/2)/N² with the quantile function (β²/4)/erfcinv(p)².
func (k ExpSemigroup) Law() Law {
	return Law{
		Transform: Laplace,
		Draw: func(dst []float64, rng *rand.Rand) { // again where it is infinite: 0·∞ would make a feature NaN
			for i := range dst {
				for dst[i] = math.Inf(1); math.IsInf(dst[i], 1); {
					t := k.Beta / rng.NormFloat64()
					dst[i] = t * t / 2
				}
			}
		},
		Quantile: func(p float64) float64 { // by the normal quantile: math.Erfcinv is infinite for p < 1e-16
			t := k.Beta / normalQuantile(p/2)
			return t * t / 2
		},
	}
}
