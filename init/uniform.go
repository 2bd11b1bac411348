package spectral

import (
	"math"
	"math/rand/v2"
)

// openUniform draws from the multiples of 2⁻⁵³ in the open interval (0, 1), because quantiles are infinite at its ends.
// u and 1-u have the same law.
func openUniform(rng *rand.Rand) float64 {
	for {
		if u := rng.Float64(); u > 0 {
			return u
		}
	}
}

// direction fills dst with a point drawn uniformly from the unit sphere, for one dimension ±1.
func direction(dst []float64, rng *rand.Rand) {
	for {
		sum := 0.0
		for i := range dst {
			dst[i] = rng.NormFloat64()
			sum += dst[i] * dst[i]
		}
		if sum == 0 {
			continue
		}
		norm := math.Sqrt(sum)
		for i := range dst {
			dst[i] /= norm
		}
		return
	}
}
