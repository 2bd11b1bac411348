package spectral

import (
	"cmp"
	"math"
	"sync"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
)

// Window is the function that multiplies a signature before it is made periodic.
type Window int

const (
	// Uniform multiplies by 1: κ̂_j = Lκ(jL). Every κ̂_j is non-negative.
	Uniform Window = iota
	// Rectangular cuts the signature off at ±Λ/2: κ̂_j = (1/Λ) ∫ 𝒦(λ) cos(jLλ) dλ over one period, clipped at 0. Copies
	// of the signature do not overlap, and the approximation is usually closer.
	Rectangular
)

func (w Window) String() string { return domain.Word(w, "uniform", "rectangular") }

// MarshalText returns the name.
func (w Window) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText sets w by its name. The error for an unknown name wraps ErrParam.
func (w *Window) UnmarshalText(name []byte) error {
	return domain.ParseWord(w, "spectral: window", string(name))
}

// Harmonics holds the numbers of a homogeneous kernel map of order n: the harmonics f_j of the base frequency L = 2π/Λ
// and the samples κ̂_j of the spectrum, j = 0 to n, such that
//
//	𝒦(λ) ≈ 𝒦̂(λ) = κ̂_0 + 2 Σ_j κ̂_j cos(f_j L λ),   |λ| <= Λ/2.
//
// The features of a coordinate x are √(x^γ κ̂_0), √(2x^γ κ̂_j) cos(f_j L ln x) and √(2x^γ κ̂_j) sin(f_j L ln x). They
// approximate the kernel for ratios y/x from e^{-Λ/2} to e^{Λ/2}. Vedaldi and Zisserman (2012), equations (17) to (20).
type Harmonics struct {
	Of     Homogeneous
	Period float64   // Λ
	F      []int     // f_0 = 0 < f_1 < ... < f_n
	Kappa  []float64 // κ̂_j >= 0
}

// Order is n, and -1 for the zero value.
func (h *Harmonics) Order() int { return len(h.F) - 1 }

// whole reports whether the harmonics have a period and as many samples as frequencies.
func (h *Harmonics) whole() bool {
	return h != nil && len(h.F) > 0 && len(h.F) == len(h.Kappa) && h.Period > 0 && !math.IsInf(h.Period, 1)
}

// Base is L = 2π/Λ.
func (h *Harmonics) Base() float64 { return 2 * math.Pi / h.Period }

// Signature is 𝒦̂(λ). It is NaN for harmonics without a period, or where F and Kappa differ in length.
func (h *Harmonics) Signature(lambda float64) float64 {
	if !h.whole() {
		return math.NaN()
	}
	sum := h.Kappa[0]
	for j := 1; j < len(h.F); j++ {
		sum += 2 * h.Kappa[j] * math.Cos(float64(h.F[j])*h.Base()*lambda)
	}
	return sum
}

// NewHarmonics computes the harmonics of order n for a window and a period Λ > 0, which FittedPeriod and OptimalPeriod
// choose. A spectrum that is a point mass at 0 (Hellinger) has order 0 only, with κ̂_0 = 1.
//
// The rectangular window can make negative samples. Slot j then takes the next harmonic with a positive sample, and
// from harmonic 3j - 1 on any harmonic, clipped at 0. This is VLFeat's rule.
//
// Errors wrap ErrParam: an invalid kernel or window, n below 0 or above MaxOrder, n > 0 for a point mass, a period that
// is not finite and positive.
func NewHarmonics(k Homogeneous, n int, w Window, period float64) (*Harmonics, error) {
	if err := cmp.Or(checkHarmonics(k, n, w), positive("Harmonics", "period", period)); err != nil {
		return nil, err
	}
	return newHarmonics(k, n, w, period), nil
}

// checkHarmonics checks the kernel, the order and the window.
func checkHarmonics(k Homogeneous, n int, w Window) error {
	if err := validate(k); err != nil {
		return err
	}
	return cmp.Or(require(n >= 0 && n <= MaxOrder, "Harmonics: order %d, want 0 to %d", n, MaxOrder),
		require(n == 0 || !pointMass(k),
			"Harmonics: order %d for %T, whose spectrum is a point mass at 0: its map is exact at order 0", n, k),
		require(w == Uniform || w == Rectangular, "Harmonics: %v, want Uniform or Rectangular", w))
}

func pointMass(k Homogeneous) bool { return math.IsInf(k.Spectrum(0), 1) }

func newHarmonics(k Homogeneous, n int, w Window, period float64) *Harmonics {
	h := &Harmonics{Of: k, Period: period, F: make([]int, n+1), Kappa: make([]float64, n+1)}
	if pointMass(k) {
		h.Kappa[0] = k.Signature(0)
		return h
	}
	for i, j := 0, 0; i <= n; {
		v := sampleSpectrum(k, j, w, period)
		h.F[i], h.Kappa[i] = j, math.Max(0, v)
		if j++; v > 0 || j >= 3*i {
			i++
		}
	}
	return h
}

// sampleSpectrum is κ̂_j before it is clipped. For the rectangular window it integrates the signature, which is smooth
// on [0, Λ/2]; VLFeat sums over a convolution of spectra instead.
func sampleSpectrum(k Homogeneous, j int, w Window, period float64) float64 {
	base := 2 * math.Pi / period
	if w == Uniform {
		return base * k.Spectrum(float64(j)*base)
	}
	omega := float64(j) * base
	end := math.Min(period/2, 1500) // every signature of a kernel with a density is 0 in float64 beyond
	panels := math.Ceil(math.Max(end/8, omega*end/(8*math.Pi)))
	return 2 / period * integral(0, end, panels, func(l, dl float64) float64 {
		return dl * k.Signature(l) * math.Cos(omega*l)
	})
}

// integral sums f(t, dt), the integrand times dt, over a Gauss-Legendre rule on each of a number of panels of
// [from, from+width].
func integral(from, width, panels float64, f func(t, dt float64) float64) float64 {
	x, weight := legendre()
	sum, half := 0.0, width/panels/2
	for p := range int(panels) {
		middle := from + (2*float64(p)+1)*half
		for i, u := range x {
			sum += f(middle+half*u, weight[i]*half)
		}
	}
	return sum
}

// legendre holds the nodes and weights of a Gauss-Legendre rule on [-1, 1] that is exact enough for a panel of four
// waves of a signature that falls by e^{-4}.
var legendre = sync.OnceValues(func() (x, w []float64) {
	x, w = make([]float64, 48), make([]float64, 48)
	quad.Legendre{}.FixedLocations(x, w, -1, 1)
	return x, w
})

// periodFitter is a homogeneous kernel with a formula for a good period.
type periodFitter interface {
	Homogeneous
	// FittedPeriod returns Λ by a formula of the order.
	FittedPeriod(order int, w Window) float64
}

// FittedPeriod returns the period of Vedaldi and Zisserman (2012), section 5.1: a formula for each kernel and window,
// which they fitted to the periods with the least mean error on visual-word and HOG histograms. The constants are
// VLFeat's; the paper prints none. The result is at least 1, and 1 for a kernel whose spectrum is a point mass. Where
// large ratios of coordinates matter, OptimalPeriod is better. Errors wrap ErrParam: an invalid kernel or window, an
// order out of range, a kernel without a formula.
func FittedPeriod(k Homogeneous, order int, w Window) (float64, error) {
	if err := checkHarmonics(k, order, w); err != nil {
		return 0, err
	}
	if pointMass(k) {
		return 1, nil
	}
	f, ok := k.(periodFitter)
	if !ok {
		return 0, invalid("FittedPeriod: there is no fit for %T; use OptimalPeriod, or a number", k)
	}
	return math.Max(1, f.FittedPeriod(order, w)), nil
}

// OptimalPeriod returns the period with the least SupError. The error has several local minima, so the best of a grid
// of 240 periods, from 1/4 to several times the fitted ones, is refined. It is rounded to four decimals, so that every
// machine finds the same. This takes some ten milliseconds, more for high orders; results for the kernels of this
// package are cached. Errors wrap ErrParam: an invalid kernel or window, an order out of range.
func OptimalPeriod(k Homogeneous, order int, w Window) (float64, error) {
	if err := checkHarmonics(k, order, w); err != nil {
		return 0, err
	}
	if pointMass(k) {
		return 1, nil
	}
	find := func() (float64, error) { return optimalPeriod(k, order, w), nil }
	if k != (Levy{}) && additiveOf(k) == nil { // a type of the user's own may change behind a pointer
		return find()
	}
	return optimalPeriods.get([3]any{k, order, w}, find)
}

var optimalPeriods cache[float64]

func optimalPeriod(k Homogeneous, order int, w Window) float64 {
	const grid = 240
	supError := func(lnPeriod float64, points int) float64 {
		return newHarmonics(k, order, w, math.Exp(lnPeriod)).supError(points)
	}
	low, top := math.Log(.25), math.Log(40+40*math.Sqrt(float64(order))) // the fits are below 7√n + 8
	lnPeriod := floats.Span(make([]float64, grid), low, top)
	best := floats.MinIdx(apply(lnPeriod, func(l float64) float64 { return supError(l, 400) }))
	fine := func(lnPeriod float64) float64 { return supError(lnPeriod, 2000) }
	period := math.Exp(minimise(fine, lnPeriod[max(0, best-1)], lnPeriod[min(grid-1, best+1)]))
	// The least error may stand where a sample becomes negative, and beside a jump: there, only one of the neighbours
	// will do.
	down, up := math.Floor(1e4*period)/1e4, math.Ceil(1e4*period)/1e4
	if fine(math.Log(up)) < fine(math.Log(down)) {
		return up
	}
	return down
}

// SupError returns the largest error of the approximation of a scalar kernel of degree γ,
//
//	sup |k(x, y) - k̂(x, y)| over max(x, y) = 1   =   sup over t >= 0 of e^{-γt/2} |𝒦(t) - 𝒦̂(t)|,
//
// so that |k - k̂| <= SupError·Σ max(x_i, z_i)^γ for any two rows. It is NaN for a kernel that Validate refuses and
// where Signature is NaN.
func (h *Harmonics) SupError() float64 {
	switch {
	case !h.whole() || validate(h.Of) != nil:
		return math.NaN()
	case pointMass(h.Of):
		return 0
	}
	return h.supError(4000)
}

// supError evaluates the error at the given number of points a period and refines the largest. 𝒦(t) and e^{-γt/2} fall
// and |𝒦̂| is bounded, so it stops where no larger error is possible.
func (h *Harmonics) supError(points int) float64 {
	k, gamma := h.Of, h.Of.Degree()
	err := func(t float64) float64 { return math.Exp(-gamma*t/2) * math.Abs(k.Signature(t)-h.Signature(t)) }
	most := h.Signature(0) // the κ̂_j are not negative, so |𝒦̂| has its maximum there
	return supremum(err, h.Period/float64(points), func(t, worst float64) bool {
		return t > h.Period/2 && math.Exp(-gamma*t/2)*(k.Signature(t)+most) <= worst
	})
}

// supremum returns the largest f over the points 0, step, 2·step, ... until stop(t, largest so far), refined between
// its neighbours.
func supremum(f func(float64) float64, step float64, stop func(t, worst float64) bool) float64 {
	at, worst := 0.0, f(0)
	for i := 1; ; i++ {
		t := float64(i) * step
		if stop(t, worst) {
			break
		}
		if v := f(t); v > worst {
			at, worst = t, v
		}
	}
	best := minimise(func(t float64) float64 { return -f(t) }, math.Max(0, at-step), at+step)
	return math.Max(worst, f(best))
}

// ErrorBound returns the bound of lemma 3 of Vedaldi and Zisserman (2012): for rows with Σ x_i^γ = 1, of any number of
// dimensions,
//
//	|k(x, z) - k̂(x, z)| <= 2 max(ε₀, ε₁ e^{-Λγ/4}),
//
// where ε₀ is the largest |𝒦 - 𝒦̂| within half a period and ε₁ the largest anywhere. It holds for both windows. (Their
// proof prints min(x, y) <= max(x, y) 2^{-Λ/2} but uses e^{-Λ/2}.) The bound 2·SupError is at least as good. It is NaN
// where SupError is.
func (h *Harmonics) ErrorBound() float64 {
	k := h.Of
	if !h.whole() || validate(k) != nil {
		return math.NaN()
	}
	err := func(t float64) float64 { return math.Abs(k.Signature(t) - h.Signature(t)) }
	step := h.Period / 4000
	within := supremum(err, step, func(t, _ float64) bool { return t > h.Period/2 })
	// 𝒦 falls, so a period on which it is as good as 0 shows the largest error of all that follow.
	far := 0.0
	for k.Signature(far) > 1e-17 && far < 1e3 {
		far++
	}
	anywhere := supremum(err, step, func(t, _ float64) bool { return t > far+h.Period })
	return 2 * math.Max(within, anywhere*math.Exp(-h.Period*k.Degree()/4))
}
