package spectral

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

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
		return 0, fmt.Errorf("spectral: FittedPeriod: there is no fit for %T; use OptimalPeriod, or a number: %w",
			k, ErrParam)
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
	if k != (Levy{}) && additiveOf(k) == nil { // a type of the user's own may change behind a pointer
		return optimalPeriod(k, order, w), nil
	}
	return optimalPeriods.get(periodKey{k, order, w}, func() (float64, error) { return optimalPeriod(k, order, w), nil })
}

type periodKey struct {
	k     Homogeneous
	order int
	w     Window
}

var optimalPeriods cache[periodKey, float64]

func optimalPeriod(k Homogeneous, order int, w Window) float64 {
	const grid = 240
	worst := func(lnPeriod float64) float64 { return newHarmonics(k, order, w, math.Exp(lnPeriod)).supError(400) }
	low, top := math.Log(.25), math.Log(40+40*math.Sqrt(float64(order))) // the fits are below 7√n + 8
	lnPeriod := floats.Span(make([]float64, grid), low, top)
	at := make([]float64, grid)
	for i, l := range lnPeriod {
		at[i] = worst(l)
	}
	best := floats.MinIdx(at)
	fine := func(lnPeriod float64) float64 {
		return newHarmonics(k, order, w, math.Exp(lnPeriod)).supError(2000)
	}
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
