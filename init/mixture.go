package spectral

import (
	"fmt"
	"math"
	"sync"
)

// profile is a kernel on the unit sphere that depends on the distance r = ‖x - z‖ <= 2 alone.
type profile interface {
	SignedLaw
	at(r float64) float64
	// sharpest is the largest scale s of a Gaussian exp(-s r²/2) that a combination of the relative error eps has a use
	// for.
	sharpest(eps float64) float64
}

// The sphere's tolerance: how far from 1 the norm of a row may be.
const sphereTolerance = 1e-6

// mixture is a signed combination of Gaussians and a constant,
//
//	k(r) ≈ Σ_i c_i exp(-s_i r²/2),   0 <= r <= 2,   Σ c_i = k(0),
//
// which costs least, Σ|c_i| (1 + flat (s_i/s₀)²), among the combinations of a given largest error eps: by Bochner's
// theorem for each, a signed measure of finite mass, in any dimension, that is sampled exactly. Where the Fourier
// transform of k itself, cut off at r = 2, has no finite mass, this does. s₀ is the scale of the Gaussian as wide as k.
// For flat = 0 the mass Σ|c_i| is least.
type mixture struct {
	s, c      []float64 // by s, from 0 on
	err       float64   // the largest error on the sphere
	eps, flat float64   // what it was fitted with
}

// leastEps is the relative error that the smooth kernels can still be fitted to.
const leastEps = 1e-5

// mostFlat is where only the flattest combination is left.
const mostFlat = 1e3

// validFit is the check of a relative error, 0 for one that is chosen, and of what goes with it.
func validFit(kernel string, eps, flat float64) error {
	switch {
	case eps != 0 && !(eps >= leastEps && eps < 1):
		return fmt.Errorf("spectral: %s: Eps = %v is not between %v and 1, nor the 0 that lets it be chosen: %w",
			kernel, eps, leastEps, ErrParam)
	case !(flat >= 0 && flat <= mostFlat):
		return fmt.Errorf("spectral: %s: Flat = %v is not between 0 and %v: %w", kernel, flat, mostFlat, ErrParam)
	case eps == 0 && flat != 0:
		return fmt.Errorf("spectral: %s: Flat = %v and Eps = 0, with which both are chosen; give both or none: %w",
			kernel, flat, ErrParam)
	}
	return nil
}

// checkedMixture is the split of k by the mixture of eps and flat, or, where eps is 0, by the one that is best for
// the frequencies.
func checkedMixture(k profile, eps, flat float64, d, m int, c Coupling) (*Split, error) {
	if err := validate(k); err != nil {
		return nil, err
	}
	if err := checkCounts(d, m); err != nil {
		return nil, err
	}
	if eps == 0 {
		return chooseMixture(k, d, m, c)
	}
	f, err := fitMixture(k, eps, flat)
	if err != nil {
		return nil, err
	}
	return f.split(k), nil
}

// largest is the largest |k| on a grid.
func largest(k profile) float64 {
	top := 0.
	for i := range 2001 {
		top = max(top, math.Abs(k.at(float64(i)/1000)))
	}
	return top
}

// width is the first distance at which k is down to e^(-1/2) of k(0), as a Gaussian of that σ is, or 2.
func width(k profile) float64 {
	for i := range 2000 {
		if r := float64(i) / 1000; k.at(r) <= k.at(0)*math.Exp(-.5) {
			return r
		}
	}
	return 2
}

func (f *mixture) at(r float64) float64 {
	sum := 0.
	for i, c := range f.c {
		sum += c * math.Exp(-f.s[i]*r*r/2)
	}
	return sum
}

func (f *mixture) split(k SignedLaw) *Split {
	laws := make([]RadialLaw, len(f.s))
	for i, s := range f.s {
		if laws[i] = (constant{}); s > 0 {
			laws[i] = Gaussian{Sigma: 1 / math.Sqrt(s)}
		}
	}
	p := splitOf(k, f.c, laws, f.err)
	p.Eps, p.Flat = f.eps, f.flat
	return p
}

// fitted remembers mixtures, which depend on the kernel, eps and flat alone, and where there is none: a fit takes
// some 10 ms, and maps are drawn many times over.
var fitted = struct {
	sync.Mutex
	of map[fitKey]fit
}{of: map[fitKey]fit{}}

type fitKey struct {
	k         profile
	eps, flat float64
}

type fit struct {
	*mixture
	err error
}

// mostFits bounds the memory of that.
const mostFits = 256

// fitMixture finds the mixture, or remembers it.
func fitMixture(k profile, eps, flat float64) (*mixture, error) {
	fitted.Lock()
	defer fitted.Unlock()
	key := fitKey{k, eps, flat}
	f, ok := fitted.of[key]
	if !ok {
		f.mixture, f.err = newMixture(k, eps, flat)
		if len(fitted.of) >= mostFits {
			clear(fitted.of)
		}
		fitted.of[key] = f
	}
	return f.mixture, f.err
}

// newMixture solves the linear program. The scales are 0 and a geometric grid.
func newMixture(k profile, eps, flat float64) (*mixture, error) {
	const perDecade, flattest = 40, 1e-2
	scales := []float64{0}
	for i := 0; ; i++ {
		s := flattest * math.Pow(10, float64(i)/perDecade)
		scales = append(scales, s)
		if s >= k.sharpest(eps) {
			break
		}
	}
	price, unit := make([]float64, len(scales)), 1/width(k)/width(k)
	for i, s := range scales {
		price[i] = 1 + flat*(s/unit)*(s/unit)
	}
	top := largest(k)
	lp := &chebyshev{phi: func(i int, r float64) float64 { return math.Exp(-scales[i] * r * r / 2) },
		n: len(scales), price: price, f: func(r float64) float64 { return k.at(r) / top }, eps: .999 * eps}
	c, ok := lp.solve(distances(2000))
	if !ok {
		return nil, fmt.Errorf("spectral: no combination of Gaussians found that is within %v of %T%+v on the "+
			"sphere; allow a larger Eps: %w", eps*top, k, k, ErrParam)
	}
	f := &mixture{eps: eps, flat: flat}
	for i, v := range c {
		if v != 0 {
			f.s, f.c = append(f.s, scales[i]), append(f.c, v*top)
		}
	}
	for _, r := range distances(50000) {
		f.err = max(f.err, math.Abs(f.at(r)-k.at(r)))
	}
	if f.err > eps*top {
		return nil, fmt.Errorf("spectral: the combination of Gaussians for %T%+v is off by %v between the points of "+
			"the fit, more than %v; allow a larger Eps: %w",
			k, k, f.err, eps*top, ErrParam)
	}
	return f, nil
}

// distances are 0, n equal steps up to 2, and ever smaller ones towards both ends, where kernels of the angle are
// steep.
func distances(n int) []float64 {
	var near []float64
	step := math.Pow(1e5, 1/float64(n/10))
	for v := 1e-8; v < 2/float64(n); v *= step {
		near = append(near, v)
	}
	points := append([]float64{0}, near...)
	for i := 1; i < n; i++ {
		points = append(points, 2*float64(i)/float64(n))
	}
	for i := range near {
		points = append(points, 2-near[len(near)-1-i])
	}
	return append(points, 2)
}
