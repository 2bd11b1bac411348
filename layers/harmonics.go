package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
)

// harmonicOptions are the options of a homogeneous map.
type harmonicOptions struct {
	order      *int // nil: as many as the kernel can use, at most one
	window     spectral.Window
	period     *float64 // nil: fitted
	optimal    bool
	stationary bool
}

// harmonicDefaults are the defaults of VLFeat.
var harmonicDefaults = harmonicOptions{window: spectral.Rectangular}

// WithOrder sets the order n of the map of an additive homogeneous kernel, which has 2n+1 columns for each input
// column. The default is 1. A kernel whose spectrum is a point mass (Hellinger) has order 0, where its map is exact;
// any other order is an error (ErrParam). For the LevyLayer of spectral.ReciprocalSemigroup n is the order of
// spectral.LogWaves, with 2n columns for each input column.
func WithOrder(n int) Option { return option("WithOrder", func(o *options) { o.harmonics.order = &n }) }

// WithWindow sets the window of a homogeneous map. The default is spectral.Rectangular. For a kernel whose spectrum is
// a point mass (Hellinger) the option is an error (ErrParam).
func WithWindow(w spectral.Window) Option {
	return option("WithWindow", func(o *options) { o.harmonics.window = w })
}

// WithPeriod sets the period Λ of a homogeneous map. The default is spectral.FittedPeriod. For a kernel whose spectrum
// is a point mass (Hellinger) the option is an error (ErrParam).
func WithPeriod(period float64) Option {
	return option("WithPeriod", func(o *options) { o.harmonics.period, o.harmonics.optimal = &period, false })
}

// WithOptimalPeriod chooses spectral.OptimalPeriod, the period with the least largest error. For a kernel whose
// spectrum is a point mass (Hellinger), and together with WithStationary, the option is an error (ErrParam).
func WithOptimalPeriod() Option {
	return option("WithOptimalPeriod", func(o *options) { o.harmonics.optimal = true })
}

// WithStationary makes a homogeneous map approximate the translation-invariant kernel Σ 𝒦(z - x) on ℝ^d, which has the
// signature 𝒦 of the homogeneous kernel. It ignores the degree γ of that kernel and its extension to negative numbers.
// The map is periodic: choose a period of at least twice the largest difference of two coordinates. Vedaldi and
// Zisserman (2012), equation (18).
func WithStationary() Option {
	return option("WithStationary", func(o *options) { o.harmonics.stationary = true })
}

// pointMass says whether the spectrum of a kernel is a point mass at frequency 0, as for Hellinger.
func pointMass(k spectral.Homogeneous) bool { return math.IsInf(k.Spectrum(0), 1) }

// pointMassUnused says why the map of such a kernel does not have seriesOptions.
const pointMassUnused = "the spectrum of the kernel is the one frequency 0, and the map of it is exact"

// form returns the form of the map of a kernel.
func (o harmonicOptions) form(k spectral.Homogeneous) homogeneousForm {
	f := homogeneousForm{k, 1, sampling{Window: o.window}}
	if o.order != nil {
		f.Order = *o.order
	}
	if o.optimal {
		f.Sampling.Period = -1
	} else if o.period != nil {
		f.Sampling.Period = *o.period
	}
	return f
}

// of computes the harmonics of a kernel.
func (o harmonicOptions) of(k spectral.Homogeneous) (*spectral.Harmonics, error) {
	n := 1
	if o.order != nil {
		n = *o.order
	} else if pointMass(k) {
		n = 0
	}
	var period float64
	var err error
	switch {
	case o.optimal && o.stationary:
		return nil, fmt.Errorf("the stationary form has no optimal period: its error at a distance of Λ is about "+
			"𝒦(0) for every Λ; "+
			"use WithPeriod and at least twice the largest difference of two coordinates: %w", ErrParam)
	case o.optimal:
		period, err = spectral.OptimalPeriod(k, n, o.window)
	case o.period != nil:
		period = *o.period
	default:
		period, err = spectral.FittedPeriod(k, n, o.window)
	}
	if err != nil {
		return nil, err
	}
	return spectral.NewHarmonics(k, n, o.window, period)
}
