package spectral

import (
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
)

// ReciprocalSemigroup is the reciprocal-semigroup kernel
//
//	k(x, z) = Π_i λ/(x_i + z_i + λ)
//
// on [0, ∞)^d, for histograms. It is the Laplace transform at x + z of independent exponential variables of rate λ,
// w = -ln(U)/λ. Yang et al. (2014), section 3.2, table 1.
type ReciprocalSemigroup struct {
	Lambda float64 `param:"lambda" doc:"scale λ"` // λ > 0, in the unit of x
}

// At returns Π λ/(x+z+λ).
func (k ReciprocalSemigroup) At(x, z []float64) float64 { return math.Exp(-k.Exponent(x, z)) }

// Exponent is Σ ln(1 + (x+z)/λ).
func (k ReciprocalSemigroup) Exponent(x, z []float64) float64 {
	sameLength(x, z)
	return sumOver(x, z, func(a, b float64) float64 { return math.Log1p(a/k.Lambda + b/k.Lambda) })
}

// Metric is Σ 2 ln(1 + (x+z)/λ) - ln(1 + 2x/λ) - ln(1 + 2z/λ) = Σ 2 ln cosh(t/2), t = ln((x + λ/2)/(z + λ/2)). This is
// -2 ln k for the SkewedChi2 kernel k of shift λ/2.
func (k ReciprocalSemigroup) Metric(x, z []float64) float64 {
	sameLength(x, z)
	return sumOver(x, z, func(a, b float64) float64 {
		return 2 * lnCosh(math.Log1p(2*math.Abs(a-b)/(k.Lambda+2*math.Min(a, b)))/2)
	})
}

// lnCosh is ln cosh v for v >= 0, to full precision next to 0 and without an overflow.
func lnCosh(v float64) float64 {
	if v < 1 {
		s := math.Sinh(v)
		return math.Log1p(s*s) / 2
	}
	return v - math.Ln2 + math.Log1p(math.Exp(-2*v))
}

// Gradient returns -k(x,z)/(x+z+λ).
func (k ReciprocalSemigroup) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	return gradient(dst, x, z, func(a, b float64) float64 { return -v / (a + b + k.Lambda) })
}

func (k ReciprocalSemigroup) Domain() Domain { return domain.NonNegative() }
func (k ReciprocalSemigroup) Validate() error {
	return positive("ReciprocalSemigroup", "Lambda", k.Lambda)
}

// Law has independent exponential coordinates of the mean 1/λ.
func (k ReciprocalSemigroup) Law() Law {
	return Law{
		Transform: Laplace,
		Draw: func(dst []float64, rng *rand.Rand) {
			for i := range dst {
				dst[i] = rng.ExpFloat64() / k.Lambda
			}
		},
		Quantile: func(p float64) float64 { return -math.Log1p(-p) / k.Lambda },
	}
}
