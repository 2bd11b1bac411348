package layers

import (
	"fmt"
	"math"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
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
// (spectral.Coupled has the least; spectral.LevyVariance predicts it), and a bias from Ψ of at most √(k(x, x) k(z, z))
// |D² - ‖Ψ(sx) - Ψ(sz)‖²|/2. Use the map if the features are several times the columns of x; otherwise
// RandomLaplaceLayer with WithNormalisation has the same error for less.
//
// Bandwidth and BandwidthEach tune s, one or one for each column of x, by its logarithm, and k(x, x) with it. All tunes
// one s, W, and what All tunes of the homogeneous map. For f(u) = √u the derivatives at x = 0 are defined as 0, see
// ops.Damp.
type LevyLayer struct {
	*base
	kernel   spectral.Semigroup
	exponent ops.Exponent
	inner    metricMap
	outer    *randomMap
	policy   Policy

	scratch sync.Pool // *tensor.Dense, the Ψ of a block of rows
}

var _ Layer = (*LevyLayer)(nil)

// metricMap is the map Ψ.
type metricMap interface {
	Map
	peeker
	MapCSR(x *ops.CSR) (*ops.CSR, error)
	fwd(x *G.Node) (*G.Node, error)
	form() string
}

// NewLevyLayer draws the map of k for d dimensions and the given number of output columns. Errors: a kernel other than
// spectral.ExpSemigroup and spectral.ReciprocalSemigroup, parameters out of range or beyond the element type, an odd
// number of features, WithWindow, WithPeriod or WithOptimalPeriod for spectral.ReciprocalSemigroup (ErrParam), and the
// errors of NewHomogeneousLayer, spectral.LogWaves and NewFourierLayer.
func NewLevyLayer(k spectral.Semigroup, d, features int, opts ...Option) (*LevyLayer, error) {
	const kind = "LevyLayer"
	o, err := newOptions("New"+kind, opts, with(sampledOptions, with(seriesOptions, "WithOrder")...))
	if err != nil {
		return nil, err
	}
	b, err := newBase(kind, "levy", d, features, o)
	if err != nil {
		return nil, err
	}
	if err := checkKernel(b.who(), k); err != nil {
		return nil, err
	}
	l := &LevyLayer{base: b, kernel: k, policy: o.policy}
	f, scale, err := unitOf(b, k)
	if err != nil {
		return nil, err
	}
	l.exponent, o.name = f, b.name
	if l.inner, err = newMetricMap(kind, f, d, o); err != nil {
		return nil, err
	}
	of := o
	if of.policy != All {
		of.policy = Frozen
	}
	l.outer, err = newRandomMap(kind, "", spectral.Gaussian{Sigma: 1}, l.inner.Features(), features, of)
	if err != nil {
		return nil, err
	}
	if o.unused("", "", seriesOptions...) == nil {
		order := 1
		if o.harmonics.order != nil {
			order = *o.harmonics.order
		}
		switch f := formOf(k).(type) {
		case expSemigroupForm:
			f.Way, f.Order = levyWay, order
			b.describe(f, o)
		case reciprocalForm:
			f.Way, f.Order = levyWay, order
			b.describe(f, o)
		}
	}
	b.params = append([]Param{l.scaleParam(scale, o)}, l.inner.peek()...)
	b.params = append(b.params, l.outer.params...)
	b.changed, b.origin, b.watch = l.outer.changed, l.outer.origin, l.outer.watch
	return l, nil
}

// newMetricMap makes Ψ for s = 1. All tunes it.
func newMetricMap(kind string, f ops.Exponent, d int, o options) (metricMap, error) {
	of := o
	of.policy = Frozen
	if f == ops.Log1p {
		why := "it is for the map of spectral.ExpSemigroup, and the other kernel's has an order alone"
		if err := o.unused(fmt.Sprintf("layers: %s %q", kind, o.name), why, seriesOptions...); err != nil {
			return nil, err
		}
		return newLogWavesMap(kind, d, of)
	}
	l, err := newHomogeneousLayer(kind, "", spectral.Levy{}, d, of)
	if err == nil && o.policy == All && l.harmonics.Order() > 0 {
		l.policy = All
		l.addParams(o.undrawn)
	}
	return l, err
}

// scaleParam returns the parameter s, or its logarithm if it is tuned.
func (l *LevyLayer) scaleParam(scale float64, o options) Param {
	scales := 1
	if o.undrawn {
		scale = 1
	}
	if l.policy == BandwidthEach {
		scales = l.dims
	}
	if l.policy == Frozen {
		return Param{"scale", newTensor(l.dt, []float64{scale}, 1), false}
	}
	return Param{"log_scale", newTensor(l.dt, repeat(math.Log(scale), scales), scales), true}
}

// Kernel returns the exact kernel that the map approximates, with the parameter that the map was drawn with.
func (l *LevyLayer) Kernel() spectral.Random { return l.kernel }

// Metric returns the map Ψ. Its input is sx: β²x or x/λ.
func (l *LevyLayer) Metric() Map { return l.inner }

// Policy returns the tuning policy.
func (l *LevyLayer) Policy() Policy { return l.policy }

func (l *LevyLayer) String() string {
	return fmt.Sprintf("%s %q: %d -> %d -> %d, %s by %s, sampler %v, seed %d, %v, %v", l.kind, l.name, l.dims,
		l.inner.Features(), l.features, kernelText(l.kernel),
		l.inner.form(), l.outer.sampler, l.outer.seed, l.dt, l.policy)
}

// Fwd adds the map to the graph of x.
func (l *LevyLayer) Fwd(x G.Input) G.Result { return l.lift(x, l.fwd) }

func (l *LevyLayer) fwd(x *G.Node) (*G.Node, error) {
	x, p, a, err := l.begin(x, ops.Attr{Layer: l.who()})
	if err != nil {
		return nil, err
	}
	s := p["scale"]
	if s != nil {
		a.Frozen |= ops.S
	} else if s, err = G.Exp(p["log_scale"]); err != nil {
		return nil, err
	}
	scaled, err := ops.ScaleColumns(a).Node(x, s)
	if err != nil {
		return nil, err
	}
	psi, err := l.inner.fwd(scaled)
	if err != nil {
		return nil, err
	}
	z, err := l.outer.fwd(psi)
	if err != nil {
		return nil, err
	}
	return ops.Damp(l.exponent, a).Node(x, s, z)
}

// scale returns s with the value that a graph would use.
func (l *LevyLayer) scale() *tensor.Dense {
	if v := l.param("log_scale"); v != nil {
		return mapTensor(v, math.Exp)
	}
	return l.param("scale")
}

// Transform writes the features of the rows of x to dst.
func (l *LevyLayer) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	if x.Dtype() != l.dt {
		return nil, fmt.Errorf("%s: x is %v, the layer is %v: %w", l.who(), x.Dtype(), l.dt, ErrDtype)
	}
	s, a := l.scale(), ops.Attr{Layer: l.who()}
	var rows, scaled *tensor.Dense // of the block at hand
	first := func(psi, x *tensor.Dense) (*tensor.Dense, error) {
		if rows = x; scaled != nil && !scaled.Shape().Eq(x.Shape()) {
			scaled = nil
		}
		var err error
		if scaled, err = ops.ScaleColumns(a).Into(scaled, x, s); err != nil {
			return nil, err
		}
		return l.inner.Transform(psi, scaled)
	}
	second := func(dst, psi *tensor.Dense) (*tensor.Dense, error) {
		if _, err := l.outer.Transform(dst, psi); err != nil {
			return nil, err
		}
		return ops.Damp(l.exponent, a).Into(dst, rows, s, dst)
	}
	return inTwoSteps(l.who(), &l.scratch, dst, x, blockRows(max(l.inner.Features(), l.features)), l.features, first,
		second)
}

// TransformCSR is Transform for sparse rows. Their Ψ is sparse, too.
func (l *LevyLayer) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	s, a := l.scale(), ops.Attr{Layer: l.who()}
	scaled, err := ops.ScaleColumns(a).Sparse(x, s)
	if err != nil {
		return nil, err
	}
	psi, err := l.inner.MapCSR(scaled)
	if err != nil {
		return nil, err
	}
	if dst, err = l.outer.TransformCSR(dst, psi); err != nil {
		return nil, err
	}
	return ops.Damp(l.exponent, a).Into(dst, x, s, dst)
}
