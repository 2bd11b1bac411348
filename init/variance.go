package spectral

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// PairVariance returns the variance of the term of one independent frequency in the estimate of k(x, z). The estimate
// from m frequencies has the standard error √(PairVariance/m), so ⌈PairVariance/s²⌉ independent frequencies bring it
// down to s.
//
//	Fourier, LogFourier   cos(w·δ), features [cos | sin]:   (1 + k(2δ))/2 - k²
//	Laplace               exp(-w·(x+z)):                    k(2x, 2z) - k²
//	Positive              exp(w·(x+z) - s²(‖x‖²+‖z‖²)/2):   E (term)² - k², in closed form for Softmax
//	Step, ReLU, Tangent   the terms of the Transform:       E (term)² - k², in closed form for ArcCosine, NeuralTangent
//
// Here δ is x - z, or ln(x+c) - ln(z+c). k(2δ) is k(2(x-z), 0) for a Fourier kernel, and k of two rows with the log
// difference 2δ for a LogFourier kernel. The phase form √2 cos(w·x + b), with b uniform on [0, 2π), has ½ more, also at
// x = z. Errors: an invalid kernel (ErrParam), rows of different lengths (ErrShape), a Fourier kernel that is not
// defined on all of ℝ^d (ErrDomain).
func PairVariance(k Random, x, z []float64) (float64, error) {
	if err := cmp.Or(validate(k), checkLengths(x, z)); err != nil {
		return 0, err
	}
	law := k.Law()
	if law.squares != nil {
		value, square := k.At(x, z), law.squares(x, z)
		if math.IsInf(square, 1) { // the difference of two infinities would be NaN
			return square, nil
		}
		return max(0, square-value*value), nil
	}
	_, variance, err := difference(k, x, z)
	return variance, err
}

// difference returns the vector δ of k = E cos(w·δ), or of E exp(-w·δ), and the variance of the cosine or exponential,
// for a valid kernel and rows of the same length.
func difference(k Random, x, z []float64) (delta []float64, variance float64, err error) {
	law := k.Law()
	if law.Transform == Fourier && (k.Domain() != Domain{}) {
		return nil, 0, fmt.Errorf("spectral: the variance of %T needs k at 2(x-z), outside its domain %v: %w",
			k, k.Domain(), ErrDomain)
	}
	if t := law.Transform; t != Fourier && t != Laplace && t != LogFourier {
		return nil, 0, invalid("%T is of the transform %v; want Fourier, Laplace or LogFourier", k, t)
	}
	delta = make([]float64, len(x))
	x2, z2 := make([]float64, len(x)), make([]float64, len(x))
	for i, a := range x {
		switch b := z[i]; law.Transform {
		case Fourier:
			delta[i], x2[i] = a-b, 2*(a-b)
		case Laplace:
			delta[i], x2[i], z2[i] = a+b, 2*a, 2*b
		case LogFourier:
			delta[i] = logRatio(a, b, law.Shift)
			x2[i], z2[i] = doubleLog(a, b, law.Shift)
		}
	}
	value, square := k.At(x, z), k.At(x2, z2)
	if law.Transform != Laplace {
		square = (1 + square) / 2
	}
	return delta, max(0, square-value*value), nil
}

// doubleLog returns x', z' with ln(x'+c) - ln(z'+c) = 2 (ln(x+c) - ln(z+c)). The pair x' = (x+c)² - c would lose every
// digit where (x+c)² is far below c. So the pair is scaled such that the smaller of x'+c and z'+c is 2c, or 1 for c =
// 0.
func doubleLog(x, z, c float64) (x2, z2 float64) {
	base := 2 * c
	if c == 0 {
		base = 1
	}
	if x < z {
		z2, x2 = doubleLog(z, x, c)
		return x2, z2
	}
	r := (x + c) / (z + c)
	return min(base*r*r, math.MaxFloat64) - c, base - c
}

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
	v, err := PairVariance(k, x, z)
	return v / float64(m), err
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
	if err := cmp.Or(checkCounts(d, m), validate(k), checkLengths(x, z)); err != nil {
		return 0, err
	}
	delta, v, err := difference(k, x, z)
	if err != nil {
		return 0, err
	}
	law := k.Law()
	if err := cmp.Or(radial(s, k), // difference refuses other transforms than Fourier, LogFourier and Laplace
		require(law.Transform != Laplace, "the variance of sampler %v: %T is a Laplace transform, and a law with a "+
			"uniform direction has frequencies below 0", s, k)); err != nil {
		return 0, err
	}
	harmonics, sum := newZonal(d, 50), 0.
	norms := newNodes(func(p float64) float64 { return law.NormQuantile(d, p) }, .02)
	c := harmonics.cosines(norms, distance(delta, make([]float64, d)))
	for _, p := range harmonics.blockPairs(m, s.Coupled) {
		sum += float64(p.count/2) * p.of(c, c)
	}
	return correlated(v, m, sum), nil
}

// Variance adds, to the variance for independent frequencies, the covariance of a pair, ∏ E f(a) f(b) - k². The product
// is over the coordinates, with a = F⁻¹(u) and b = F⁻¹(1-u). f(a) f(b) is exp(-(x+z)(a+b)) for a Laplace kernel and
// cos(δa) cos(δb) otherwise. A quadrature computes it. Errors are as in Predictor, and ErrParam for the Fourier
// features of a law that is not symmetric.
func (s Antithetic) Variance(k Random, x, z []float64, m int) (float64, error) {
	if err := cmp.Or(checkCounts(len(x), m), validate(k), checkLengths(x, z)); err != nil {
		return 0, err
	}
	delta, v, err := difference(k, x, z)
	if err != nil {
		return 0, err
	}
	if err := independent(s, k); err != nil {
		return 0, err
	}
	law := k.Law()
	quantile, symmetric := magnitude(law)
	if !symmetric && law.Transform != Laplace {
		return 0, invalid("the variance of sampler %v is not known for the Fourier features of %T, whose law is not "+
			"symmetric", s, k)
	}
	n := newNodes(quantile, .01)
	product, cov := 1., 0. // ∏ of the squared means so far, ∏ E f(a) f(b) less that
	for _, t := range delta {
		f := func(v float64) float64 { return cosine(t * v) }
		if law.Transform == Laplace {
			f = func(v float64) float64 { return math.Exp(-t * v) }
		}
		a := cosines{nodes: n, means: apply(n.values, f)}
		a.mean = floats.Dot(n.weights, a.means)
		mean, c := a.mean, coupledApart(&a, &a)
		cov = cov*(mean*mean+c) + product*c
		product *= mean * mean
	}
	return correlated(v, m, float64(m/2)*cov), nil
}

// correlated is the variance of the mean of m terms of a variance, given the sum of the covariances over their pairs.
func correlated(variance float64, m int, covariances float64) float64 {
	n := float64(m)
	return max(0, variance+2*covariances/n) / n
}
