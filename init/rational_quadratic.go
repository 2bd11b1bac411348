package spectral

import (
	"cmp"
	"math"
	"math/rand/v2"
)

// RationalQuadratic is the rational quadratic kernel of shape α > 0 and length scale ℓ > 0,
//
//	k(x, z) = (1 + r²/(2αℓ²))^(-α),   r = ‖x - z‖₂
//
// on ℝ^d: a mixture of Gaussian kernels of all length scales. It is smooth, falls as r^(-2α) at large distances, and
// tends to Gaussian{Sigma: ℓ} for α → ∞.
//
// Its frequencies are the same mixture of normal laws, w = √τ g/ℓ with g ~ N(0, I) and one τ ~ Gamma(α, rate α) for the
// whole frequency: E exp(-τr²/2ℓ²) is k. The direction is uniform, but neither the coordinates nor the norm have a
// quantile function in closed form, so IID alone draws them. Rasmussen and Williams (2006), equations 4.19 and 4.20.
type RationalQuadratic struct {
	// α > 0, the shape: of a small α the length scales differ most
	Alpha float64 `param:"alpha" default:"1" doc:"shape α"`
	// ℓ > 0, the length scale, in the unit of x; as in scikit-learn and GPyTorch
	Ell float64 `param:"ell" doc:"length scale ℓ"`
}

// At returns k(x, z).
func (k RationalQuadratic) At(x, z []float64) float64 {
	return math.Exp(-k.Alpha * k.logBase(distance(x, z)/k.Ell))
}

// logBase is ln(1 + ρ²/2α), also where ρ² overflows.
func (k RationalQuadratic) logBase(rho float64) float64 {
	if t := rho / k.Alpha / 2 * rho; t < math.MaxFloat64 {
		return math.Log1p(t)
	}
	return 2*math.Log(rho) - math.Log(k.Alpha) - math.Ln2
}

// Gradient returns -(x-z)/ℓ² (1 + r²/(2αℓ²))^(-α-1).
func (k RationalQuadratic) Gradient(dst, x, z []float64) []float64 {
	slope := math.Exp(-(k.Alpha + 1) * k.logBase(distance(x, z)/k.Ell))
	return gradient(dst, x, z, func(a, b float64) float64 { return fall(a-b, slope, k.Ell) })
}

func (k RationalQuadratic) Domain() Domain { return Domain{} }

// Validate returns an error that wraps ErrParam unless α and ℓ are finite and above 0.
func (k RationalQuadratic) Validate() error {
	return cmp.Or(positive("RationalQuadratic", "Alpha", k.Alpha), positive("RationalQuadratic", "Ell", k.Ell))
}

// Law is the mixture of N(0, τI/ℓ²) over τ ~ Gamma(α, rate α).
func (k RationalQuadratic) Law() Law {
	return Law{Transform: Fourier, Draw: func(dst []float64, rng *rand.Rand) {
		scale := math.Exp(logGammaOfMeanOne(k.Alpha, rng)/2) / k.Ell
		for i := range dst {
			dst[i] = rng.NormFloat64() * scale
		}
	}}
}
