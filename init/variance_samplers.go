package spectral

import (
	"fmt"
	"math"
)

// Predictor is a sampler that predicts the variance of its estimates: IID, Orthogonal and Antithetic. They are
// unbiased, so the variance is the mean squared error.
type Predictor interface {
	Sampler
	// Variance returns the variance of the estimate of k(x, z) from m frequencies, with Fourier features in the pair
	// form [cos | sin] or with Laplace features. Errors are as for PairVariance, ErrSampler for a law that does
	// not fit, and ErrParam for m < 1 or rows without columns.
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
	r, err := newRadial(s, k, x, z, m)
	if err != nil {
		return 0, err
	}
	d := len(x)
	blocks, together, apart := pairsInBlocks(d, m), 0, 0
	var directions, norms float64
	if s.Coupled {
		together, apart = coupledPairs(d, m)
		directions, norms = r.coupled()
	}
	return correlated(k, x, z, m, float64(blocks-together)*r.orthogonal()+float64(together)*(directions+norms)+
		float64(apart)*norms)
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
	a := newNodes(quantile, .01)
	product, cov := 1., 0. // ∏ of the squared means so far, ∏ E f(a) f(b) less that
	for _, t := range delta {
		f := func(v float64) float64 { return cosine(t * v) }
		if law.Transform == Laplace {
			f = func(v float64) float64 { return math.Exp(-t * v) }
		}
		mean, c := a.antithetic(f)
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

// coupledPairs counts the pairs of m columns with coupled norms, in one block and in two. For an odd d the border of
// every second two blocks, from the first on, divides a pair.
func coupledPairs(d, m int) (together, apart int) {
	if d%2 == 1 {
		apart = ((m-1)/d + 1) / 2
	}
	return m/2 - apart, apart
}

// pairsInBlocks counts the pairs of m columns that lie in the same block of d.
func pairsInBlocks(d, m int) int { return m/d*(d*(d-1)/2) + m%d*(m%d-1)/2 }

// radial are the norms of a law in ℝ^d, to be averaged over at the distance δ.
type radial struct {
	d     int
	delta float64
	law   Law
}

func newRadial(s Sampler, k Random, x, z []float64, m int) (radial, error) {
	if err := checkCounts(len(x), m); err != nil {
		return radial{}, err
	}
	delta, _, _, err := difference(k, x, z)
	if err != nil {
		return radial{}, err
	}
	law, err := radialLaw(s, k)
	if err != nil {
		return radial{}, err
	}
	if law.Transform == Laplace { // difference refuses other transforms than Fourier and LogFourier
		return radial{}, fmt.Errorf("spectral: the variance of sampler %v: %T is a Laplace transform, and a law "+
			"with a uniform direction has frequencies below 0: %w", s, k, ErrParam)
	}
	return radial{len(x), distance(delta, make([]float64, len(x))), law}, nil
}

func (r radial) norms(step float64) nodes {
	return newNodes(func(p float64) float64 { return r.law.NormQuantile(r.d, p) }, step)
}

func (r radial) mean(norm float64) float64 {
	if r.delta == 0 {
		return 1
	}
	return sphereMean(r.d, r.delta*norm)
}

// excess is the difference of E cos cos between two orthogonal and two independent frequencies of the norms a and b. It
// is of the order δ⁴ for small δ, so a sum of it keeps its relative precision.
func (r radial) excess(a, b, meanA, meanB float64) float64 {
	return r.mean(math.Hypot(a, b)) - meanA*meanB
}

// orthogonal is the covariance of two orthogonal frequencies of independent norms.
func (r radial) orthogonal() float64 {
	n := r.norms(.1)
	means, sum := n.apply(r.mean), 0.
	for i, a := range n.values {
		row := n.weights[i] * r.excess(a, a, means[i], means[i])
		for j, b := range n.values[:i] {
			row += 2 * n.weights[j] * r.excess(a, b, means[i], means[j])
		}
		sum += n.weights[i] * row
	}
	return sum
}

// coupled returns the two parts of the covariance of two frequencies with coupled norms: the part of orthogonal
// directions, and the part of the norms.
func (r radial) coupled() (directions, norms float64) {
	n := r.norms(.02)
	means, last := n.apply(r.mean), len(n.values)-1
	for i, w := range n.weights {
		directions += w * r.excess(n.values[i], n.values[last-i], means[i], means[last-i])
	}
	_, norms = n.antithetic(r.mean)
	return directions, norms
}

// nodes are a quadrature of E f(F⁻¹(u)) over a uniform u: the trapezoidal rule in y with u = 1/(1+e^(-y)), which is
// dense at both ends. Node i and the ith node from the end belong to u and 1-u.
type nodes struct{ values, weights []float64 }

func newNodes(quantile func(p float64) float64, step float64) nodes {
	return nodesUpTo(34, quantile, step) // e^-34 is 15 times the rounding of 1
}

// nodesUpTo is newNodes for |y| <= end.
func nodesUpTo(end float64, quantile func(p float64) float64, step float64) nodes {
	count := int(end / step)
	var n nodes
	total := 0.
	for i := -count; i <= count; i++ {
		e := math.Exp(-step * float64(i))
		w := e / (1 + e) / (1 + e)
		n.values, n.weights = append(n.values, quantile(1/(1+e))), append(n.weights, w)
		total += w
	}
	for i := range n.weights {
		n.weights[i] /= total
	}
	return n
}

func (n nodes) apply(f func(float64) float64) []float64 {
	out := make([]float64, len(n.values))
	for i, v := range n.values {
		out[i] = f(v)
	}
	return out
}

// antithetic returns E f(a) and the covariance of f(a) and f(b), a = F⁻¹(u) and b = F⁻¹(1-u).
func (n nodes) antithetic(f func(float64) float64) (mean, cov float64) {
	v := n.apply(f)
	for i, w := range n.weights {
		mean += w * v[i]
	}
	last := len(v) - 1
	for i, w := range n.weights {
		cov += w * (v[i] - mean) * (v[last-i] - mean)
	}
	return mean, cov
}
