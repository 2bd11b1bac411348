package spectral

import "math"

// zonal are the zonal harmonics in ℝ^d of the even degrees n = 2, 4, ..., which average over the directions of two
// columns. Let u and v be unit vectors that have the cosine c with each other and a uniform direction together. Then
//
//	E cos(a u·e) cos(b v·e) = Σ_{n even} N_n j_n(a) j_n(b) P_n(c),   j_n(t) = Γ(h) (2/t)^(h-1) J_(h-1+n)(t),   h = d/2,
//
// where P_n is the Legendre polynomial of degree n in d dimensions and N_n the number of harmonics. The term of n = 0
// is Ω_d(a) Ω_d(b), the product of the means, so the others are the covariance. A mean over independent norms a and b
// is one over each of them, and a mean over random c is one of each P_n. Watson (1944), A Treatise on the Theory of
// Bessel Functions, section 11.4 (Gegenbauer's addition theorem).
type zonal struct {
	d     int
	roots []float64 // ln √N_n
	scale []float64 // ln Γ(h)/(2^n Γ(h+n)), the factor of t^n Ω_{d+2n}(t) in j_n(t)
}

// newZonal has a number of degrees, but none in one dimension, where N_n is 0.
func newZonal(d, count int) zonal {
	z, h, dims := zonal{d: d}, float64(d)/2, float64(d)
	for n := 2.; n <= 2*float64(count) && d > 1; n += 2 {
		z.roots = append(z.roots, (math.Log(2*n+dims-2)+lnGamma(n+dims-2)-lnGamma(n+1)-lnGamma(dims-1))/2)
		z.scale = append(z.scale, lnGamma(h)-n*math.Ln2-lnGamma(h+n))
	}
	return z
}

// add adds weight·√N_n j_n(t) to the number of each degree, for t > 0.
func (z zonal) add(dst []float64, weight, t float64) {
	last := len(z.scale) - 1
	if t > float64(z.d+2*last) { // the recurrence of J upwards is stable there, and j_n may not be t^n times a number
		before, j := sphereMean(z.d, t), t/float64(z.d)*sphereMean(z.d+2, t)
		for k, n := 0, 1.; k <= last; n++ {
			if before, j = j, (2*n+float64(z.d)-2)/t*j-before; int(n)%2 == 1 { // n+1 is even
				dst[k] += weight * math.Exp(z.roots[k]) * j
				k++
			}
		}
		return
	}
	for k, scale := range z.scale { // j_n falls beyond n = t
		n := 2*k + 2
		v := math.Exp(z.roots[k]+scale+float64(n)*math.Log(t)) * sphereMean(z.d+2*n, t)
		if dst[k] += weight * v; float64(n) > t && math.Abs(v) < 1e-9 {
			return
		}
	}
}

// legendre adds weight·P_n(c) to the number of each degree.
func (z zonal) legendre(dst []float64, weight, c float64) {
	before, p, dims := 1., c, float64(z.d)
	for n := 1.; int(n) < 2*len(dst); n++ {
		before, p = p, ((2*n+dims-2)*c*p-n*before)/(n+dims-2)
		if k := int(n); k%2 == 1 {
			dst[k/2] += weight * p
		}
	}
}

// orthogonal returns P_n(0), for two orthogonal columns.
func (z zonal) orthogonal() []float64 {
	mean := make([]float64, len(z.scale))
	z.legendre(mean, 1, 0)
	return mean
}

// truncated returns E P_n(c) for two columns of which d of n coordinates are kept, see Joint. Let t be the squared norm
// of what is kept of one of them, of the law Beta(d/2, (n-d)/2), and g a coordinate of an independent uniform unit
// vector of ℝ^d. The other column, orthogonal to the first one in ℝⁿ and otherwise uniform, has after normalisation
//
//	c = √(1-t) g/√(1 - t g²).
func (z zonal) truncated(n int, step float64) []float64 {
	if n <= z.d || z.d == 1 {
		return z.orthogonal()
	}
	h, mean := float64(z.d)/2, make([]float64, len(z.scale))
	kept := newNodes(func(p float64) float64 { return betaQuantile(float64(n)/2-h, h, p) }, 4*step) // 1-t
	squares := newNodes(func(p float64) float64 { return betaQuantile(.5, h-.5, p) }, step)         // g²
	for i, left := range kept.values {
		for j, g := range squares.values {
			if w := kept.weights[i] * squares.weights[j]; w > 1e-16 {
				z.legendre(mean, w, math.Sqrt(left*g/(1-(1-left)*g)))
			}
		}
	}
	return mean
}

// cosines are the cosines cos(r v·δ) of columns r v of a law with a uniform direction v, at the distance ‖δ‖.
type cosines struct {
	nodes                             // of r
	at        func(r float64) float64 // Ω_d(r‖δ‖), the mean over v
	means     []float64               // at each node
	mean      float64                 // over the nodes
	harmonics []float64               // E √N_n j_n(r‖δ‖)
}

func (z zonal) cosines(n nodes, delta float64) *cosines {
	c := &cosines{nodes: n, harmonics: make([]float64, len(z.scale))}
	c.at = func(r float64) float64 {
		if delta == 0 || r == 0 {
			return 1
		}
		return sphereMean(z.d, delta*r)
	}
	c.means = apply(n.values, c.at)
	for i, w := range n.weights {
		c.mean += w * c.means[i]
		if t := delta * n.values[i]; t > 0 && t <= math.MaxFloat64 && w > 1e-17 {
			z.add(c.harmonics, w, t)
		}
	}
	return c
}

// covariance is the covariance of the cosines of two columns, or their mean product.
type covariance func(a, b *cosines) float64

// independentNorms is the covariance for the mean Legendre polynomials of the cosine between the columns.
func independentNorms(legendre []float64) covariance {
	return func(a, b *cosines) (sum float64) {
		for k, p := range legendre {
			sum += p * a.harmonics[k] * b.harmonics[k]
		}
		return sum
	}
}

// coupledApart is the covariance for independent directions and the norms F⁻¹(u) and F⁻¹(1-u).
func coupledApart(a, b *cosines) (sum float64) {
	last := len(b.means) - 1
	for i, w := range a.weights {
		sum += w * (a.means[i] - a.mean) * (b.means[last-i] - b.mean)
	}
	return sum
}

// coupledColumns is the covariance for orthogonal directions and the norms F⁻¹(u) and F⁻¹(1-u).
func coupledColumns(a, b *cosines) float64 {
	sum, last := coupledApart(a, b), len(b.means)-1
	for i, w := range a.weights { // of the order ‖δ‖⁴: a difference that is summed before it is cancelled
		sum += w * (a.at(math.Hypot(a.values[i], b.values[last-i])) - a.means[i]*b.means[last-i])
	}
	return sum
}

// sameColumn is the mean product for the same direction and the norms F₊⁻¹(u) and F₋⁻¹(u).
func sameColumn(a, b *cosines) (sum float64) {
	for i, w := range a.weights {
		r, s := a.values[i], b.values[i]
		sum += w / 2 * (a.at(r+s) + a.at(math.Abs(r-s)))
	}
	return sum
}

// pairs are numbers of ordered pairs of columns that have the same covariance.
type pairs struct {
	count int
	of    covariance
}

// blockPairs are the pairs of n columns in Haar blocks of d, with independent norms or those of neighbours coupled,
// that are not independent. For an odd d the border of every second two blocks, from the first on, divides a coupled
// pair.
func (z zonal) blockPairs(n int, coupled bool) []pairs {
	d := z.d
	inBlock, together, apart := n/d*(d*(d-1)/2)+n%d*(n%d-1)/2, 0, 0
	if coupled {
		if d%2 == 1 {
			apart = ((n-1)/d + 1) / 2
		}
		together = n/2 - apart
	}
	return []pairs{{2 * (inBlock - together), independentNorms(z.orthogonal())}, {2 * together, coupledColumns},
		{2 * apart, coupledApart}}
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
