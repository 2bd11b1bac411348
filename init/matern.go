package spectral

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Matern is the Matérn kernel of smoothness ν > 0 and length scale ℓ > 0,
//
//	k(x, z) = 2^(1-ν)/Γ(ν) (√(2ν) r/ℓ)^ν K_ν(√(2ν) r/ℓ),   r = ‖x - z‖₂
//
// on ℝ^d, where K_ν is the modified Bessel function of the second kind. For ν = 1/2 it is exp(-r/ℓ); for ν → ∞ it tends
// to Gaussian{Sigma: ℓ}.
//
// Its frequencies follow the multivariate t law with 2ν degrees of freedom, w = N(0, I)/(ℓ √(χ²_{2ν}/(2ν))), with one
// chi-square variable for the whole frequency. The direction is uniform, but the coordinates are not independent.
// Rasmussen and Williams (2006), equations 4.14 and 4.15.
//
// For a small ν the law has very heavy tails, P(‖w‖ > t) ~ t^(-2ν). Norms are cut off at 1e290/ℓ, which for ν >= 0.05
// concerns less than 1 frequency in 10²⁸.
type Matern struct {
	// ν > 0, the smoothness: the kernel has 2n derivatives at r = 0 for every n < ν
	Nu float64 `param:"nu" default:"1.5" doc:"smoothness ν"`
	// ℓ > 0, the length scale, in the unit of x; as in scikit-learn and GPyTorch
	Ell float64 `param:"ell" doc:"length scale ℓ"`
}

// maxMaternNorm keeps coordinates finite; see Matern.
const maxMaternNorm = 1e290

// At returns k(x, z), with a relative error of about 1e-13.
func (k Matern) At(x, z []float64) float64 {
	return maternShape(k.Nu, distance(x, z)/k.Ell)
}

// Gradient returns -(x-z) 2^(1-ν)/Γ(ν) (2ν/ℓ²) t^(ν-1) K_{ν-1}(t), t = √(2ν) r/ℓ. At x = z it returns 0. For ν <= 1/2
// the kernel has a cusp there, and 0 is the mean over opposite directions.
func (k Matern) Gradient(dst, x, z []float64) []float64 {
	rho := distance(x, z) / k.Ell
	if rho == 0 || math.IsInf(rho, 1) {
		return gradient(dst, x, z, zero)
	}
	slope := maternSlope(k.Nu, rho) * rho
	return gradient(dst, x, z, func(a, b float64) float64 { return -(a - b) / k.Ell / rho * slope / k.Ell })
}

func (k Matern) Domain() Domain { return Domain{} }

// Validate returns an error that wraps ErrParam unless ν and ℓ are finite and above 0.
func (k Matern) Validate() error {
	return cmp.Or(positive("Matern", "Nu", k.Nu), positive("Matern", "Ell", k.Ell))
}

// Law is the multivariate t law of 2ν degrees of freedom and scale 1/ℓ. Its norm is √(d F)/ℓ, where F has the F law
// with d and 2ν degrees of freedom; ℓ²‖w‖²/(2ν) = B/(1-B) with B ~ Beta(d/2, ν). Its coordinates are not independent.
func (k Matern) Law() Law {
	return Law{
		Transform: Fourier,
		Draw: func(dst []float64, rng *rand.Rand) {
			// a normal vector over the root of χ²_{2ν}/(2ν) ~ Gamma(ν, rate ν)
			scale := min(math.Exp(-logGammaOfMeanOne(k.Nu, rng)/2), maxMaternNorm) / k.Ell
			for i := range dst {
				dst[i] = rng.NormFloat64() * scale
			}
		},
		NormQuantile: func(d int, p float64) float64 {
			h := float64(d) / 2
			var odds float64
			if y := betaQuantile(h, k.Nu, p); y <= 0.999 {
				odds = y / (1 - y)
			} else { // 1 - y has lost its digits: 1-B ~ Beta(ν, d/2)
				c := betaQuantile(k.Nu, h, 1-p)
				odds = (1 - c) / c
			}
			return min(math.Sqrt(2*k.Nu)*math.Sqrt(odds), maxMaternNorm) / k.Ell
		},
	}
}

// logGammaOfMeanOne is ln g of a draw g ~ Gamma(a, rate a). For a < 1, g may underflow, so it takes ln Gamma(a+1) +
// ln(U)/a.
func logGammaOfMeanOne(a float64, rng *rand.Rand) float64 {
	shape, logU := a, 0.0
	if a < 1 {
		shape, logU = a+1, math.Log(openUniform(rng))/a
	}
	return math.Log(distuv.Gamma{Alpha: shape, Beta: 1, Src: rng}.Rand()/a) + logU
}

// distance is ‖x-z‖₂ without overflow or underflow of the squares.
func distance(x, z []float64) float64 {
	sameLength(x, z)
	scale := 0.0
	for i, v := range x {
		scale = max(scale, math.Abs(v-z[i]))
	}
	if scale == 0 || math.IsInf(scale, 1) {
		return scale
	}
	sum := 0.0
	for i, v := range x {
		t := (v - z[i]) / scale
		sum += t * t
	}
	return scale * math.Sqrt(sum)
}
