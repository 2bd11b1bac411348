package spectral

import (
	"cmp"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
)

// profile is a kernel on the unit sphere that depends on the distance r = ‖x - z‖ <= 2 alone.
type profile interface {
	SignedLaw
	at(r float64) float64
	// sharpest is the largest scale s of a Gaussian exp(-s r²/2) that is useful in a combination of relative error eps.
	sharpest(eps float64) float64
}

// sphereTolerance is how far from 1 the norm of a row on the sphere may be.
const sphereTolerance = 1e-6

// leastEps is the least relative error that a fit of the smooth kernels can reach.
const leastEps = 1e-5

// mostFlat is the largest flat; only the flattest combination is left there.
const mostFlat = 1e3

// validFit checks the relative error eps, where 0 means that it is to be chosen, and flat.
func validFit(kernel string, eps, flat float64) error {
	return cmp.Or(require(eps == 0 || eps >= leastEps && eps < 1,
		"%s: Eps = %v is not between %v and 1, nor the 0 that lets it be chosen", kernel, eps, leastEps),
		require(flat >= 0 && flat <= mostFlat, "%s: Flat = %v is not between 0 and %v", kernel, flat, mostFlat),
		require(eps != 0 || flat == 0, "%s: Flat = %v and Eps = 0, with which both are chosen; give both or none",
			kernel, flat))
}

// checkedMixture returns the split of k by the mixture for eps and flat. For eps = 0 it chooses the best mixture for d,
// m and the coupling.
func checkedMixture(k profile, eps, flat float64, d, m int, c Coupling) (*Split, error) {
	if err := cmp.Or(validate(k), checkCounts(d, m), c.check()); err != nil {
		return nil, err
	}
	var p *Split
	var err error
	if eps == 0 {
		p, err = chosen.get([4]any{k, d, m, c}, func() (*Split, error) {
			return leastRisk(k, newQuickVariance(c, d, m))
		})
	} else {
		p, err = fitMixture(k, eps, flat)
	}
	if err != nil {
		return nil, err
	}
	own := *p // of the caller, who may change it
	own.Parts = slices.Clone(p.Parts)
	return &own, nil
}

// largest is the largest |k| on a grid.
func largest(k profile) float64 {
	top := 0.
	for i := range 2001 {
		top = max(top, math.Abs(k.at(float64(i)/1000)))
	}
	return top
}

// width returns the least distance at which k is e^(-1/2) k(0), the σ of a Gaussian of the same width, and at most 2.
func width(k profile) float64 {
	for i := range 2000 {
		if r := float64(i) / 1000; k.at(r) <= k.at(0)*math.Exp(-.5) {
			return r
		}
	}
	return 2
}

// fitted caches mixtures and failures. They depend only on the kernel, eps and flat; a fit takes about 10 ms.
var fitted cache[*Split]

// fitMixture returns the mixture from the cache, or fits it.
func fitMixture(k profile, eps, flat float64) (*Split, error) {
	return fitted.get([3]any{k, eps, flat}, func() (*Split, error) { return newMixture(k, eps, flat) })
}

// newMixture returns a signed combination of Gaussians and a constant,
//
//	k(r) ≈ Σ_i c_i exp(-s_i r²/2),   0 <= r <= 2,   Σ c_i = k(0).
//
// It has the least cost Σ|c_i| (1 + flat (s_i/s₀)²) among the combinations with a largest error of at most eps, where
// s₀ is the scale of the Gaussian that is as wide as k. For flat = 0 this is the mass. By Bochner's theorem the
// combination has a signed measure of finite mass that can be sampled exactly in any dimension, also where the Fourier
// transform of k, cut off at r = 2, has no finite mass. The scales of the linear program are 0 and a geometric grid.
func newMixture(k profile, eps, flat float64) (*Split, error) {
	const perDecade, flattest = 40, 1e-2
	scales := []float64{0}
	for i := 0; scales[i] < k.sharpest(eps); i++ {
		scales = append(scales, flattest*math.Pow(10, float64(i)/perDecade))
	}
	unit, top := 1/width(k)/width(k), largest(k)
	price := apply(scales, func(s float64) float64 { return 1 + flat*(s/unit)*(s/unit) })
	lp := &chebyshev{phi: func(i int, r float64) float64 { return math.Exp(-scales[i] * r * r / 2) },
		n: len(scales), price: price, f: func(r float64) float64 { return k.at(r) / top }, eps: .999 * eps}
	c, ok := lp.solve(distances(2000))
	if !ok {
		return nil, invalid("no combination of Gaussians found that is within %v of %T%+v on the sphere; allow a "+
			"larger Eps", eps*top, k, k)
	}
	p := &Split{Of: k, On: domain.UnitSphere(sphereTolerance), Eps: eps, Flat: flat}
	var used []int
	for i, v := range c {
		if v == 0 {
			continue
		}
		part := Component{v * top, constant{}}
		if i > 0 {
			part.Of = Gaussian{Sigma: 1 / math.Sqrt(scales[i])}
		}
		used, p.Parts = append(used, i), append(p.Parts, part)
	}
	for _, r := range distances(50000) {
		sum := 0.
		for j, i := range used {
			sum += p.Parts[j].Weight * lp.phi(i, r)
		}
		p.Error = max(p.Error, math.Abs(sum-k.at(r)))
	}
	if p.Error > eps*top {
		return nil, invalid("the combination of Gaussians for %T%+v is off by %v between the points of the fit, more "+
			"than %v; allow a larger Eps", k, k, p.Error, eps*top)
	}
	return p, nil
}

// distances returns 0, n equal steps up to 2, and ever smaller steps towards both ends, where kernels of the angle are
// steep.
func distances(n int) []float64 {
	points, step := []float64{0}, math.Pow(1e5, 1/float64(n/10))
	for v := 1e-8; v < 2/float64(n); v *= step {
		points = append(points, v)
	}
	near := points[1:]
	for i := 1; i < n; i++ {
		points = append(points, 2*float64(i)/float64(n))
	}
	for _, v := range slices.Backward(near) {
		points = append(points, 2-v)
	}
	return append(points, 2)
}

// The relative errors and the flatness among which a mixture is chosen, in the order in which they are tried.
var (
	tolerances = []float64{.2, .1, .07, .05, .03, .02, .015, .01, .007, .005, .003, .002, .001, 5e-4, 2e-4, 1e-4}
	flatness   = []float64{.05, 2}
)

// chosen caches choices.
var chosen cache[*Split]

// leastRisk returns the mixture with the least bias² + variance, both as means over the sphere. A closer mixture has
// more variance, so the search ends where the variance alone exceeds the least risk.
func leastRisk(k profile, q *signedVariance) (best *Split, last error) {
	least := math.Inf(1)
	for _, flat := range flatness {
		for _, eps := range tolerances {
			p, err := fitMixture(k, eps, flat)
			if err != nil {
				last = err
				break // and closer ones still less
			}
			variance := q.mean(p)
			if risk := p.bias(k) + variance; risk < least {
				best, least = p, risk
			}
			if variance >= least {
				break
			}
		}
	}
	if best != nil {
		last = nil
	}
	return best, last
}

// sphereWeight is the weight of a distance in these means. Rows without negative numbers are at most √2 apart, rows of
// random direction about √2, and few data have many rows at opposite points.
func sphereWeight(r float64) float64 { return 1.5 * (1 - r*r/4) }

// bias is the mean of (At - k)².
func (p *Split) bias(k profile) float64 {
	const n = 200
	sum := 0.
	for i := range n {
		r := 2 * (float64(i) + .5) / n
		off := p.At([]float64{r}, []float64{0}) - k.at(r)
		sum += sphereWeight(r) * off * off / n
	}
	return sum
}

var quickDistances = []float64{.2, .6, 1, 1.4, 1.8}

// newQuickVariance is Coupling.Variance of splits into Gaussians to about one per cent, with fewer nodes and harmonics.
func newQuickVariance(c Coupling, d, m int) *signedVariance {
	quantile := Gaussian{Sigma: 1}.Law().NormQuantile
	norms := nodesUpTo(14, func(u float64) float64 { return quantile(d, u) }, 1)
	return newSignedVariance(c, d, m, 12, .2, func(of Random) nodes {
		sigma := math.Inf(1) // of the constant
		if g, ok := of.(Gaussian); ok {
			sigma = g.Sigma
		}
		return nodes{apply(norms.values, func(r float64) float64 { return r / sigma }), norms.weights}
	})
}

// mean is the mean variance of a split at a few distances.
func (v *signedVariance) mean(p *Split) float64 {
	sum := 0.
	for _, r := range quickDistances {
		sum += sphereWeight(r) * v.of(p, r) / float64(len(quickDistances))
	}
	return sum
}
