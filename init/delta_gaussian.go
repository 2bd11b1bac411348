package spectral

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// DeltaGaussian is a combination of Gaussian kernels with weights of either sign,
//
//	k(x, z) = Σ_i c_i exp(-‖x - z‖²/(2 σ_i²))
//
// on ℝ^d. The usual one is the indefinite kernel exp(-r²/2σ₁²) - exp(-r²/2σ₂²). The measures of both signs are mixtures
// of normal distributions, so the split is exact. Oglic and Gärtner (2018); Luo et al. (2021), section IV, with σ = 1
// and 10.
type DeltaGaussian struct {
	Sigmas  []float64 // σ_i > 0, in the unit of x
	Weights []float64 // c_i, one for each σ_i: finite and not 0
}

// At returns Σ c_i exp(-‖x-z‖²/(2σ_i²)).
func (k DeltaGaussian) At(x, z []float64) float64 {
	sum := 0.
	for i, s := range k.Sigmas {
		sum += k.Weights[i] * Gaussian{Sigma: s}.At(x, z)
	}
	return sum
}

// Gradient returns the weighted sum of the gradients of the Gaussians.
func (k DeltaGaussian) Gradient(dst, x, z []float64) []float64 {
	dst = gradient(dst, x, z, zero)
	one := make([]float64, len(x))
	for i, s := range k.Sigmas {
		for j, v := range (Gaussian{Sigma: s}).Gradient(one, x, z) {
			dst[j] += k.Weights[i] * v
		}
	}
	return dst
}

func (k DeltaGaussian) Domain() Domain { return Domain{} }

// Validate returns an error that wraps ErrParam unless there is a σ, each σ is finite and σ > 0, and each has a finite
// weight other than 0.
func (k DeltaGaussian) Validate() error {
	if len(k.Sigmas) == 0 || len(k.Sigmas) != len(k.Weights) {
		return invalid("DeltaGaussian: %d Sigmas and %d Weights; give at least one, and a weight for each",
			len(k.Sigmas), len(k.Weights))
	}
	for i, s := range k.Sigmas {
		w := k.Weights[i]
		if err := cmp.Or(positive("DeltaGaussian", fmt.Sprintf("Sigmas[%d]", i), s), require(w != 0 && w-w == 0,
			"DeltaGaussian: Weights[%d] = %v is not a finite number other than 0", i, w)); err != nil {
			return err
		}
	}
	return nil
}

// Split is exact: the law N(0, I/σ_i²) for each Gaussian, with its weight. Errors wrap ErrParam.
func (k DeltaGaussian) Split(_, _ int, _ Coupling) (*Split, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	p := &Split{Of: k}
	for i, s := range k.Sigmas {
		p.Parts = append(p.Parts, Component{k.Weights[i], Gaussian{Sigma: s}})
	}
	slices.SortStableFunc(p.Parts, func(a, b Component) int {
		return cmp.Compare(b.Of.(Gaussian).Sigma, a.Of.(Gaussian).Sigma)
	})
	if plus, minus := p.Masses(); math.IsInf(plus+minus, 1) {
		return nil, invalid("DeltaGaussian: the sum of |Weights| overflows; scale them")
	}
	return p, nil
}
