package layers

import (
	"fmt"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// LevyLayer is a random feature map of a semigroup kernel k(x, z) = exp(-Σ f(s(x + z))). Such a kernel is a Gaussian of
// a metric D, times a factor for each row (spectral.Semigroup). The layer makes Fourier features of that Gaussian on a
// deterministic map Ψ, and scales each row to the length √k(x, x):
//
//	z(x) = √k(x, x) [cos(Ψ(sx)W) | sin(Ψ(sx)W)] / √m,   ‖Ψ(sx) - Ψ(sz)‖² ≈ D²(x, z),   W ~ N(0, 1).
//
// For spectral.ExpSemigroup, s = β² and Ψ is the HomogeneousLayer of spectral.Levy, with (2n+1)d columns for order n.
// For spectral.ReciprocalSemigroup, s = 1/λ and Ψ is spectral.LogWaves, with 2nd columns. The default order is 1. Input
// [n, d], non-negative; output [n, features], even.
//
// k(x, x) is exact. The kernel error has two parts: the variance, which depends on the sampler of the Gaussian
// (Coupled has the least; spectral.LevyVariance predicts it), and a bias from Ψ of at most √(k(x, x) k(z, z))
// |D² - ‖Ψ(sx) - Ψ(sz)‖²|/2. Use the map if the features are several times the columns of x; otherwise
// RandomLaplaceLayer with WithNormalisation has the same error for less.
//
// Bandwidth and BandwidthEach tune s, one or one for each column of x, by its logarithm, and k(x, x) with it. All tunes
// one s, W, and what All tunes of the homogeneous map. For f(u) = √u the derivatives at x = 0 are defined as 0, see
// ops.Damp.
type LevyLayer struct {
	composed
	kernel spectral.Semigroup
}

// NewLevyLayer draws the map of k for d dimensions and the given number of output columns. Errors: a kernel other than
// spectral.ExpSemigroup and spectral.ReciprocalSemigroup, parameters out of range or beyond the element type, an odd
// number of features, WithWindow, WithPeriod or WithOptimalPeriod for spectral.ReciprocalSemigroup (ErrParam), and the
// errors of NewHomogeneousLayer, spectral.LogWaves and NewFourierLayer.
func NewLevyLayer(k spectral.Semigroup, d, features int, opts ...Option) (*LevyLayer, error) {
	const kind = "LevyLayer"
	b, o, err := begin(kind, d, features, opts, with(sampledOptions, with(seriesOptions, "WithOrder")...), k)
	if err != nil {
		return nil, err
	}
	f, scale, err := unitOf(b, k)
	if err != nil {
		return nil, err
	}
	if o.name = b.name; o.noSeries("", "") == nil { // which a Spec does not have
		b.of = semigroupFormOf(k, levyWay, o.harmonics.orderOr(1))
	}
	l := &LevyLayer{composed{sparseMapper: newSparseMapper(b, ops.Domain{}), damped: true, exponent: f}, k}
	if f == ops.Root {
		l.inner, err = newHomogeneousLayer(kind, spectral.Levy{}, d, o.allOrNone())
	} else {
		l.inner, err = newLogWavesMap(kind, d, o)
	}
	if err != nil {
		return nil, err
	}
	l.addPositive("scale", l.policy != Frozen, slices.Repeat([]float64{scale}, l.scales()))
	return l, l.compose(spectral.Gaussian{Sigma: 1}, o.allOrNone())
}

// Kernel returns the exact kernel that the map approximates, with the parameter that the map was drawn with.
func (l *LevyLayer) Kernel() spectral.Random { return l.kernel }

// Metric returns the map Ψ. Its input is sx: β²x or x/λ.
func (l *LevyLayer) Metric() Map { return l.inner }

func (l *LevyLayer) String() string {
	return l.drawnText(fmt.Sprintf("%s by %s", kernelText(l.kernel), l.inner.about()))
}

// newLogWavesMap makes the Ψ of spectral.ReciprocalSemigroup, for x/λ. It has no parameters.
func newLogWavesMap(kind string, d int, o options) (metricMap, error) {
	why := "it is for the map of spectral.ExpSemigroup, and the other kernel's has an order alone"
	if err := o.noSeries(fmt.Sprintf("layers: %s %q", kind, o.name), why); err != nil {
		return nil, err
	}
	b, err := newBase(kind, d, 1, o)
	if err != nil {
		return nil, err
	}
	omega, amplitude, err := spectral.LogWaves(o.harmonics.orderOr(1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	b.features = d * 2 * len(omega)
	b.what = fmt.Sprintf("waves of ln(1 + 2x/λ), order %d", len(omega))
	op := func(a ops.Attr) ops.Op { return ops.LogWaves(omega, amplitude, a) }
	return csrMapper{sparseMapper{newSingle(b, ops.Domain{}, false, op)}}, nil
}
