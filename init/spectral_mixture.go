package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// SpectralMixture is a mixture of Gaussian spectra with means,
//
//	k(x, z) = Σ_q a_q exp(-‖τ‖²/(2σ_q²)) Π_j cos(μ_q τ_j),   τ = x - z,   Σ a_q = 1
//
// on ℝ^d. A component with μ = 2π/p repeats with the period p in each column and fades over the distance σ, so that a
// model can carry a period on beyond its rows; μ = 0 is a Gaussian. The coordinates of a frequency are ±μ_q + g/σ_q
// with independent signs and g ~ N(0, 1); IID alone draws them. Wilson and Adams (2013), equation 12, with one μ and one
// σ for all columns, and angular frequencies.
type SpectralMixture struct {
	// μ_q >= 0, angular, in the inverse unit of x; -0.7 is the same as 0.7
	Means []float64 `param:"means" default:"0" doc:"mean frequencies μ, 2π over the period"`
	// σ_q > 0, in the unit of x: one for all components or one each
	Sigmas []float64 `param:"sigmas" doc:"distances σ over which the components fade, one for all or one each"`
	// a_q > 0 in proportion; none: all are the same
	Weights []float64 `param:"weights" default:"" doc:"weights of the components in proportion; none: all the same"`
}

// component returns the weight, mean frequency and σ of a component.
func (k SpectralMixture) component(q int) (weight, mean, sigma float64) {
	weight, sigma = 1, k.Sigmas[0]
	if len(k.Sigmas) > 1 {
		sigma = k.Sigmas[q]
	}
	if len(k.Weights) > 0 {
		weight = k.Weights[q]
	}
	return weight, k.Means[q], sigma
}

// total is the sum of the weights.
func (k SpectralMixture) total() (sum float64) {
	for q := range k.Means {
		weight, _, _ := k.component(q)
		sum += weight
	}
	return sum
}

// At returns Σ a_q exp(-‖x-z‖²/(2σ_q²)) Π cos(μ_q (x_j-z_j)).
func (k SpectralMixture) At(x, z []float64) float64 {
	sum := 0.
	for q := range k.Means {
		weight, mean, sigma := k.component(q)
		v := weight * Gaussian{Sigma: sigma}.At(x, z)
		if v == 0 {
			continue // the difference may have overflowed
		}
		for j, a := range x {
			v *= math.Cos(mean * (a - z[j]))
		}
		sum += v
	}
	return sum / k.total()
}

// Gradient returns the sum over the components of a_q exp(-‖τ‖²/2σ²) (-τ_j/σ² Π cos(μτ) - μ sin(μτ_j) Π_{i≠j} cos(μτ_i)).
func (k SpectralMixture) Gradient(dst, x, z []float64) []float64 {
	dst = gradient(dst, x, z, zero)
	after := make([]float64, len(x)+1) // products of the cosines from a column on
	for q := range k.Means {
		weight, mean, sigma := k.component(q)
		before := weight * Gaussian{Sigma: sigma}.At(x, z)
		if before == 0 {
			continue
		}
		after[len(x)] = 1
		for j := len(x) - 1; j >= 0; j-- {
			after[j] = after[j+1] * math.Cos(mean*(x[j]-z[j]))
		}
		for j := range x {
			sin, cos := math.Sincos(mean * (x[j] - z[j]))
			dst[j] -= before * after[j+1] * ((x[j]-z[j])/sigma/sigma*cos + mean*sin)
			before *= cos
		}
	}
	floats.Scale(1/k.total(), dst)
	return dst
}

func (k SpectralMixture) Domain() Domain { return Domain{} }

// Validate returns an error that wraps ErrParam unless there is a mean, the means are finite, the sigmas and weights
// are finite and above 0, and there are as many as means, one sigma, or no weights.
func (k SpectralMixture) Validate() error {
	n := len(k.Means)
	if s, w := len(k.Sigmas), len(k.Weights); n == 0 || s != n && s != 1 || w != n && w != 0 {
		return invalid("SpectralMixture: %d Means, %d Sigmas and %d Weights; give a sigma and a weight for each mean, "+
			"or one sigma and no weights", n, s, w)
	}
	for q, v := range k.Means {
		if v-v != 0 {
			return invalid("SpectralMixture: Means[%d] = %v is not finite", q, v)
		}
	}
	for i, list := range [][]float64{k.Sigmas, k.Weights} {
		for q, v := range list {
			name := fmt.Sprintf("%s[%d]", [...]string{"Sigmas", "Weights"}[i], q)
			if err := positive("SpectralMixture", name, v); err != nil {
				return err
			}
		}
	}
	return require(!math.IsInf(k.total(), 1), "SpectralMixture: the sum of the Weights overflows; scale them")
}

// Law draws a component q by its share, and the coordinates ±μ_q + g/σ_q.
func (k SpectralMixture) Law() Law {
	return Law{Transform: Fourier, Draw: func(dst []float64, rng *rand.Rand) {
		shares, total := make([]float64, len(k.Means)), k.total()
		for q := range shares {
			weight, _, _ := k.component(q)
			shares[q] = weight / total
		}
		_, mean, sigma := k.component(pick(shares, rng.Float64()))
		for i := range dst {
			dst[i] = randomSign(rng)*mean + rng.NormFloat64()/sigma
		}
	}}
}
