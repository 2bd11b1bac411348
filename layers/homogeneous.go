package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// HomogeneousLayer is the feature map of an additive homogeneous kernel k(x, z) = Σ (xz)^{γ/2} 𝒦(ln z - ln x). It draws
// nothing at random. Each coordinate v > 0 gives 2n+1 numbers, side by side,
//
//	√(κ̂₀ v^γ),   √(2κ̂_j v^γ) cos(f_j L ln v),   √(2κ̂_j v^γ) sin(f_j L ln v),   j = 1 to n,
//
// and v = 0 gives zeros. n is the order, L = 2π/Λ the base frequency of the period Λ, and κ̂_j and f_j are the
// spectral.Harmonics of k. A map of order 0, as for Hellinger, is √(κ̂₀ v^γ). Vedaldi and Zisserman (2012), equations
// (18) and (19).
//
// Input [n, d], non-negative, or any finite numbers if k has an extension; output [n, (2n+1)d]. With
// spectral.SplitNegative the output is twice as wide: the numbers for v < 0 follow those for v > 0. WithStationary
// gives the map of Σ 𝒦(z - x) on ℝ^d, with v in place of ln v and without the factor v^{γ/2}.
//
// Bandwidth and BandwidthEach tune ln L, one for all or one for each dimension, and keep the samples κ̂_j: this
// stretches the signature, whose transform becomes 𝒦̂(λ L/L₀). All tunes ln L and the roots of the samples, κ̂_j =
// root_κ_j², which therefore never become negative. The derivative for x at 0 is defined as 0, see ops.Homogeneous.
type HomogeneousLayer struct {
	csrMapper
	kernel    spectral.Homogeneous
	harmonics *spectral.Harmonics
	op        ops.Series
}

// NewHomogeneousLayer makes the map of k for d dimensions. The default is order 1 (0 if the spectrum of k is a point
// mass), the rectangular window and spectral.FittedPeriod. Errors (ErrParam): parameters of k, order or period out of
// range; a kernel without a fitted period; a window, a period or an order above 0 for a point mass; WithOptimalPeriod
// with WithStationary; a policy other than Frozen for order 0.
func NewHomogeneousLayer(k spectral.Homogeneous, d int, opts ...Option) (*HomogeneousLayer, error) {
	o, err := newOptions("NewHomogeneousLayer", opts, with(basicOptions,
		with(seriesOptions, "WithOrder", "Tune", "WithStationary")...))
	if err != nil {
		return nil, err
	}
	l, err := newHomogeneousLayer("HomogeneousLayer", k, d, o)
	if err == nil && l.policy != o.policy {
		return nil, fmt.Errorf("%s: policy %v: a map of order 0 has no frequency and nothing to tune: %w", l.who(),
			o.policy, ErrParam)
	}
	return l, err
}

// newHomogeneousLayer makes the layer, frozen if its order is 0.
func newHomogeneousLayer(kind string, k spectral.Homogeneous, d int, o options) (*HomogeneousLayer, error) {
	b, err := newBase(kind, d, 1, o, k)
	if err != nil {
		return nil, err
	}
	if pointMass(k) {
		why := "the spectrum of the kernel is the one frequency 0, and the map of it is exact"
		if err := o.noSeries(b.who(), why); err != nil {
			return nil, err
		}
	}
	h, err := o.harmonics.of(k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	if h.Order() == 0 {
		b.policy = Frozen
	}
	l := &HomogeneousLayer{csrMapper: csrMapper{newSparseMapper(b, ops.Domain{})}, kernel: k, harmonics: h}
	l.op = ops.Series{F: h.F[1:], Gamma: k.Degree(), Stationary: o.harmonics.stationary,
		Negative: k.Extension()}
	if err := b.checkSize(d, l.op.Width()); err != nil {
		return nil, err
	}
	if !l.op.Stationary {
		b.of = homogeneousForm{k, o.harmonics.orderOr(1), o.harmonics.sampling}
	}
	b.features, l.forward = d*l.op.Width(), l.through
	b.what = fmt.Sprintf("%s, order %d, %v window, period %.4g", kernelText(l.Kernel()), h.Order(), o.harmonics.Window,
		h.Period)
	roots := make([]float64, h.Order()+1)
	for j, v := range h.Kappa {
		roots[j] = math.Sqrt(v)
	}
	b.addPositive("L", b.policy != Frozen, slices.Repeat([]float64{h.Base()}, b.scales()))
	b.add("root_kappa", b.policy == All, roots)
	return l, nil
}

// Kernel returns the exact kernel that the map approximates: k, or spectral.Stationary of k.
func (l *HomogeneousLayer) Kernel() spectral.Kernel {
	if l.op.Stationary {
		return spectral.Stationary{Of: l.kernel}
	}
	return l.kernel
}

// Harmonics returns the frequencies and samples that the map was made with, before any tuning.
func (l *HomogeneousLayer) Harmonics() *spectral.Harmonics { return l.harmonics }

// Policy returns the tuning policy.
func (l *HomogeneousLayer) Policy() Policy { return l.policy }

func (l *HomogeneousLayer) String() string {
	return l.text(fmt.Sprintf("%s, %v, %v", l.what, l.dt, l.policy.word()))
}

func (l *HomogeneousLayer) through(f *flow, dst *tensor.Dense, x value) value {
	x, a := f.begin(l.base, x, l.attr())
	base, tuned := f.positive(l.base, "L")
	if !tuned {
		a.Frozen |= ops.L
	}
	if l.policy != All {
		a.Frozen |= ops.R
	}
	return f.do(ops.Homogeneous(l.op, a), dst, x, base, f.param(l.base, "root_kappa"))
}

// StaysSparse is true, except for the stationary form.
func (l *HomogeneousLayer) StaysSparse() bool { return !l.op.Stationary }

// TransformCSR is Transform for sparse rows.
func (l *HomogeneousLayer) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	if l.op.Stationary {
		return transformBlocks(l, dst, x)
	}
	return l.transform(dst, x)
}

// harmonicOptions are the options of a homogeneous map.
type harmonicOptions struct {
	order *int // nil: as many as the kernel can use, at most one
	sampling
	given      bool // Period is a number, whatever its value
	stationary bool
}

// WithOrder sets the order n of the map of an additive homogeneous kernel, which has 2n+1 columns for each input
// column. The default is 1. A kernel whose spectrum is a point mass (Hellinger) has order 0, where its map is exact;
// any other order is an error (ErrParam). For the LevyLayer of spectral.ReciprocalSemigroup n is the order of
// spectral.LogWaves, with 2n columns for each input column.
func WithOrder(n int) Option { return option("WithOrder", func(o *options) { o.harmonics.order = &n }) }

// WithWindow sets the window of a homogeneous map, see Option for its errors. The default is spectral.Rectangular.
func WithWindow(w spectral.Window) Option {
	return option("WithWindow", func(o *options) { o.harmonics.Window = w })
}

// WithPeriod sets the period Λ of a homogeneous map, see Option for its errors. The default is spectral.FittedPeriod.
func WithPeriod(period float64) Option {
	return option("WithPeriod", func(o *options) { o.harmonics.Period, o.harmonics.given = period, true })
}

// WithOptimalPeriod chooses spectral.OptimalPeriod, the period with the least largest error, see Option for its errors.
func WithOptimalPeriod() Option {
	return option("WithOptimalPeriod", func(o *options) { o.harmonics.Period, o.harmonics.given = -1, false })
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

// orderOr returns the order that was given, or else n.
func (o harmonicOptions) orderOr(n int) int {
	if o.order != nil {
		return *o.order
	}
	return n
}

// of computes the harmonics of a kernel.
func (o harmonicOptions) of(k spectral.Homogeneous) (*spectral.Harmonics, error) {
	n := o.orderOr(1)
	if pointMass(k) {
		n = o.orderOr(0)
	}
	var err error
	period, optimal := o.Period, o.Period < 0 && !o.given
	switch {
	case optimal && o.stationary:
		return nil, fmt.Errorf("the stationary form has no optimal period: its error at a distance of Λ is about "+
			"𝒦(0) for every Λ; "+
			"use WithPeriod and at least twice the largest difference of two coordinates: %w", ErrParam)
	case optimal:
		period, err = spectral.OptimalPeriod(k, n, o.Window)
	case period == 0 && !o.given:
		period, err = spectral.FittedPeriod(k, n, o.Window)
	}
	if err != nil {
		return nil, err
	}
	return spectral.NewHarmonics(k, n, o.Window, period)
}

// sampling says at which frequencies a homogeneous map samples the spectrum of its kernel.
type sampling struct {
	Window spectral.Window `param:"window" words:"uniform,rectangular" default:"rectangular" doc:"window of the signature"`
	// 0 is spectral.FittedPeriod, -1 spectral.OptimalPeriod
	Period float64 `param:"period" words:"auto=0,optimal=-1" range:"(0," default:"auto"`
}

// samplingHidden says whether a kernel has a spectrum without frequencies, a point mass, and so no such parameter.
func samplingHidden(k spectral.Homogeneous, name string) bool {
	return pointMass(k) && slices.Contains([]string{"order", "window", "period"}, name)
}

// homogeneousForm is the form of an additive homogeneous kernel. Its map is a HomogeneousLayer.
type homogeneousForm struct {
	Kernel   spectral.Homogeneous `param:",inline"`
	Order    int                  `param:"order" range:"[0,100]" default:"1" doc:"order n: 2n+1 columns for each input"`
	Sampling sampling             `param:",inline"`
}

func (f homogeneousForm) hides(name string) bool { return samplingHidden(f.Kernel, name) }

// homogeneousTraits returns the traits of the map of a kernel.
func homogeneousTraits(k spectral.Homogeneous) Traits {
	t := Traits{Tunable: !pointMass(k), Zeros: true, lends: true,
		Width: "2·order+1 columns for each input column, twice that for negative=split"}
	if !t.Tunable {
		t.Width = "one column for each input column, two for negative=split"
	}
	return t
}

func (f homogeneousForm) plan(s Spec) (plan, error) {
	return plan{kernel: f.Kernel, columns: f.columns(s.Dims), build: func(o options) (Layer, error) {
		o.harmonics = f.series()
		return NewHomogeneousLayer(f.Kernel, s.Dims, withAll(o))
	}}, nil
}

// columns returns the number of output columns of dims input columns.
func (f homogeneousForm) columns(dims int) int {
	s := ops.Series{Negative: f.Kernel.Extension()}
	if !pointMass(f.Kernel) {
		s.F = make([]int, f.Order)
	}
	return dims * s.Width()
}

// series returns the options that the parameters stand for, the defaults for a point mass.
func (f homogeneousForm) series() harmonicOptions {
	if pointMass(f.Kernel) {
		return apply(nil).harmonics
	}
	return harmonicOptions{order: &f.Order, sampling: f.Sampling}
}
