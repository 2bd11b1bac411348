package spectral

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Predictor is a sampler that predicts the variance of its estimates: IID, Orthogonal and Antithetic. They are
// unbiased, so the variance is the mean squared error.
type Predictor interface {
	Sampler
	// Variance returns the variance of the estimate of k(x, z) from m frequencies, with Fourier features in the pair
	// form [cos | sin] or with Laplace features; by IID also with the others. Errors are as for PairVariance,
	// ErrSampler for a law that does not fit, and ErrParam for m < 1 or rows without columns.
	Variance(k Random, x, z []float64, m int) (float64, error)
}

// Variance returns PairVariance/m. Errors are as in Predictor.
func (s IID) Variance(k Random, x, z []float64, m int) (float64, error) {
	if err := checkCounts(len(x), m); err != nil {
		return 0, err
	}
	return correlated(k, x, z, m, 0)
}

// Variance adds, to the variance for independent frequencies, the covariance of each two columns of a block,
//
//	E Ω_d(δ √(r₁² + r₂²)) - k².
//
// Here δ = ‖x-z‖, r₁ and r₂ are the independent norms, and Ω_d(t) is the mean of cos(t u) over a coordinate u of the
// unit sphere; the sum and the difference of two orthogonal frequencies have uniform directions. A quadrature computes
// it, to 1e-6 of PairVariance for the Gaussian and a Matérn of ν >= 1.5, and to 0.5 % for ν = 0.3. Errors are as in
// Predictor. Yu et al. (2016) give a bound for the Gaussian.
//
// With Coupled the norms of coupled columns are r = F⁻¹(u) and r' = F⁻¹(1-u) with u uniform, and their covariance is
//
//	E Ω_d(δ √(r² + r'²)) - k²   in one block,   E Ω_d(δr) Ω_d(δr') - k²   otherwise.
func (s Orthogonal) Variance(k Random, x, z []float64, m int) (float64, error) {
	d := len(x)
	if err := checkCounts(d, m); err != nil {
		return 0, err
	}
	delta, _, _, err := difference(k, x, z)
	if err != nil {
		return 0, err
	}
	law, err := radialLaw(s, k)
	if err != nil {
		return 0, err
	}
	if law.Transform == Laplace { // difference refuses other transforms than Fourier and LogFourier
		return 0, fmt.Errorf("spectral: the variance of sampler %v: %T is a Laplace transform, and a law "+
			"with a uniform direction has frequencies below 0: %w", s, k, ErrParam)
	}
	harmonics, sum := newZonal(d, 50), 0.
	norms := newNodes(func(p float64) float64 { return law.NormQuantile(d, p) }, .02)
	c := harmonics.cosines(norms, distance(delta, make([]float64, d)))
	for _, p := range harmonics.blockPairs(m, s.Coupled) {
		sum += float64(p.count/2) * p.of(c, c)
	}
	return correlated(k, x, z, m, sum)
}

// Variance adds, to the variance for independent frequencies, the covariance of a pair, ∏ E f(a) f(b) - k². The product
// is over the coordinates, with a = F⁻¹(u) and b = F⁻¹(1-u). f(a) f(b) is exp(-(x+z)(a+b)) for a Laplace kernel and
// cos(δa) cos(δb) otherwise. A quadrature computes it. Errors are as in Predictor, and ErrParam for the Fourier
// features of a law that is not symmetric.
func (s Antithetic) Variance(k Random, x, z []float64, m int) (float64, error) {
	if err := checkCounts(len(x), m); err != nil {
		return 0, err
	}
	delta, _, _, err := difference(k, x, z)
	if err != nil {
		return 0, err
	}
	law, err := productLaw(s, k)
	if err != nil {
		return 0, err
	}
	quantile, symmetric := magnitude(law)
	if !symmetric && law.Transform != Laplace {
		return 0, fmt.Errorf("spectral: the variance of sampler %v is not known for the Fourier features of %T, "+
			"whose law is not symmetric: %w", s, k, ErrParam)
	}
	n := newNodes(quantile, .01)
	product, cov := 1., 0. // ∏ of the squared means so far, ∏ E f(a) f(b) less that
	for _, t := range delta {
		f := func(v float64) float64 { return cosine(t * v) }
		if law.Transform == Laplace {
			f = func(v float64) float64 { return math.Exp(-t * v) }
		}
		a := cosines{nodes: n, means: n.apply(f)}
		a.mean = floats.Dot(n.weights, a.means)
		mean, c := a.mean, coupledApart(&a, &a)
		cov = cov*(mean*mean+c) + product*c
		product *= mean * mean
	}
	return correlated(k, x, z, m, float64(m/2)*cov)
}

// correlated is the variance of the mean of m terms, given the sum of the covariances over their pairs.
func correlated(k Random, x, z []float64, m int, covariances float64) (float64, error) {
	v, err := PairVariance(k, x, z)
	n := float64(m)
	return max(0, v+2*covariances/n) / n, err
}
