package spectral

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"
)

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

func (r LambdaRule) String() string { return nameOf(r, "gauss", "quantile", "drawn") }

// MarshalText returns the name.
func (r LambdaRule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText sets r by its name. The error for an unknown name wraps ErrParam.
func (r *LambdaRule) UnmarshalText(name []byte) error {
	return setByName(r, "lambdas", name, DrawnLambdas)
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
	if err := d.Validate(); err != nil {
		return nil, nil, err
	}
	if m < 1 || m > MaxLambdas {
		return nil, nil, fmt.Errorf("spectral: DensityDistance: %d frequencies, want 1 to %d: %w",
			m, MaxLambdas, ErrParam)
	}
	if pointMass(d.Of) {
		return []float64{0}, []float64{d.Mass()}, nil
	}
	q, ok := d.Of.(spectrumQuantiler)
	if !ok {
		return nil, nil,
			fmt.Errorf("spectral: DensityDistance: %T has no SpectrumQuantile to take frequencies from: %w",
				d.Of, ErrParam)
	}
	u, weight := make([]float64, m), make([]float64, m)
	for j := range weight {
		weight[j] = 1 / float64(m)
	}
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
		return nil, nil, fmt.Errorf("spectral: DensityDistance: %v, want QuantileLambdas, GaussLambdas or "+
			"DrawnLambdas: %w", rule, ErrParam)
	}
	lambda = make([]float64, m)
	for j, p := range u {
		lambda[j] = q.SpectrumQuantile(p)
		weight[j] *= d.Mass()
	}
	return lambda, weight, nil
}
