package layers

import (
	"fmt"
	"maps"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// NewMeanMapLayer draws the random feature map of the kernel exp(-MMD²/2τ²) of sets of samples. MMD is the maximum mean
// discrepancy of a kernel k of samples,
//
//	MMD²(X, Z) = mean k(x, x') + mean k(z, z') - 2 mean k(x, z)   over all pairs, including a sample with itself.
//
// The layer makes Fourier features of the Gaussian kernel on the mean of the features of the samples by inner, the map
// of k. inner may be any frozen layer with a Kernel that is not indefinite. It becomes a part of the new layer; in a
// graph it needs a name of its own. Bandwidth tunes τ, BandwidthEach one τ for each feature of inner, All W. Input as
// of BagLayer, from the domain of k. Muandet, Fukumizu, Dinuzzo and Schölkopf (2012), Learning from distributions via
// support measure machines; Sutherland et al. (2016), section 4.
//
// Errors: inner is nil, has no kernel or an indefinite one, or has tuned parameters (ErrParam); it has another element
// type (ErrDtype); and the errors of NewFourierLayer.
func NewMeanMapLayer(inner Layer, tau float64, features int, opts ...Option) (*BagLayer, error) {
	const kind = "MeanMapLayer"
	o, err := newOptions("New"+kind, opts, []string{"WithName", "WithDtype", "WithSeed", "Tune", "WithSampler",
		"WithPhase"})
	if err != nil {
		return nil, err
	}
	if domain.IsNil(inner) {
		return nil, fmt.Errorf("layers: %s: the map of samples is nil: %w", kind, ErrParam)
	}
	k := kernelBehind(inner)
	switch {
	case k == nil:
		return nil, fmt.Errorf("layers: %s: the map of samples %v has no kernel: %w", kind, inner, ErrParam)
	case SignatureOf(inner) != nil:
		return nil, fmt.Errorf("layers: %s: the features of %v are of two signs, and their means have no distance: %w",
			kind, inner, ErrParam)
	}
	for _, p := range paramsOf(inner) {
		if p.Tuned {
			return nil, fmt.Errorf("layers: %s: the map of samples tunes %s; it must be frozen: %w", kind, p.Name,
				ErrParam)
		}
	}
	if o.name == "" {
		o.name = autoName("meanmap")
	}
	taken := map[streamKey]*draw{}
	for _, d := range drawsOf(inner) {
		taken[d.key] = d
	}
	o.nth = unused(streamKey{"W", o.seed, o.stream, 0}, taken).nth
	over, err := newRandomLayer(kind, spectral.Gaussian{Sigma: tau}, inner.Features(), features, o)
	if err != nil {
		return nil, err
	}
	if inner.Dtype() != over.Dtype() {
		return nil, fmt.Errorf("%s: the map of samples is %v, the layer %v: %w", over.who(), inner.Dtype(),
			over.Dtype(), ErrDtype)
	}
	l := newBagLayer(inner.Dims(), inner, over, &meanKernel{k, tau}, o)
	l.width = inner.Features()
	l.step = func(f *flow, dst *tensor.Dense, x value, offsets []int) value {
		z, a := f.begin(l.base, f.layer(inner, nil, x), ops.Attr{Layer: l.who()})
		return f.do(ops.BagMean(offsets, a), dst, z)
	}
	return l, nil
}

// meanMapForm is the form of NewMeanMapLayer for the kernel of another map.
type meanMapForm struct {
	Kernel    spectral.Kernel `param:"kernel" default:"gaussian" doc:"the map whose kernel and parameters it has"`
	Inner     int             `param:"inner" range:"(0,65536]" default:"512"`
	Landmarks int             `param:"landmarks" range:"[0,16384]" default:"0"`
	Order     int             `param:"order" words:"auto=-1" range:"[0,100]" default:"auto"`
	Tau       float64         `param:"tau" doc:"bandwidth τ of the discrepancy"`
	Phase     bool            `param:"phase"`
}

// hides hides the order of a kernel whose map has none, or always has its default.
func (f meanMapForm) hides(name string) bool {
	k, direct := f.Kernel.(spectral.Exponentiated)
	if direct {
		_, direct = k.Laplacian()
	}
	return name == "order" && !direct
}

func (f meanMapForm) plan(s Spec) (plan, error) {
	_, of, err := f.innerSpec(s, "").plan()
	if err != nil {
		return plan{}, err
	}
	p := plan{kernel: &meanKernel{f.Kernel, f.Tau}, traits: bagTraits, size: of.size + s.fourier(of.columns, f.Phase),
		rows: of.rows}
	p.traits.Fitted = of.traits.Fitted
	p.build = func(o options) (Layer, error) {
		if o.name == "" {
			o.name = autoName("meanmap")
		}
		l, err := f.innerSpec(s, o.name+"_inner").build(o.undrawn, o.sample)
		if err != nil {
			return nil, fmt.Errorf("layers: map mean-map: %w", err)
		}
		o.sample = nil
		return NewMeanMapLayer(l, f.Tau, s.Features, withAll(o))
	}
	return p, nil
}

// meanMapFormOf returns the form of a mean map of a map of samples, or nil if that is none that a Spec makes.
func meanMapFormOf(inner Layer, k *meanKernel, phase bool) form {
	s, err := SpecOf(inner)
	e := lender(k.of)
	if err != nil || e == nil {
		return nil
	}
	f := meanMapForm{Kernel: k.of, Inner: 512, Order: -1, Tau: k.tau, Phase: phase}
	if v, ok := inner.(*NystromLayer); ok {
		if f.Landmarks = v.Landmarks(); f.Landmarks != v.Features() || v.choice != UniformLandmarks {
			return nil
		}
		return f
	}
	if e.HasFeatures() {
		f.Inner = s.Features
	}
	if order, given := s.Params["order"].(float64); given && !f.hides("order") {
		f.Order = int(order)
	}
	made, err := f.innerSpec(s, "").build(true, nil)
	if err != nil {
		return nil
	}
	want, err := SpecOf(made)
	if err != nil || want.Map != s.Map || want.Sampler != s.Sampler || !maps.Equal(want.Params, s.Params) {
		return nil
	}
	return f
}

// innerSpec describes the map of a sample. Parameters that shape its features have their defaults. s is the spec of the
// mean map.
func (f meanMapForm) innerSpec(s Spec, name string) Spec {
	e := lender(f.Kernel)
	inner := Spec{Map: e.Name, Params: valuesOf(f.Kernel), Dims: s.Dims, Seed: s.Seed, Dtype: s.Dtype, Name: name}
	if f.Landmarks > 0 {
		inner.Map, inner.Params[kernelParam], inner.Features = "nystrom", e.Name, f.Landmarks
		return inner
	}
	if e.HasFeatures() {
		inner.Features = f.Inner
	}
	if !f.hides("order") && f.Order >= 0 {
		inner.Params["order"] = f.Order
	}
	return inner
}

// fill fills in the defaults of the kernel for the samples, and τ.
func (f meanMapForm) fill(v Values, x ops.Matrix) error {
	samples := x
	if b, ok := x.(*ops.Bags); ok {
		samples = b.Samples()
	}
	if err := fillKernel(f.Kernel, v, samples); err != nil {
		return err
	}
	return fillScale(v, "tau", x, func(b *ops.Bags) (func(i, j int) float64, error) {
		full := decoded(f, v)
		full.Landmarks = 0
		inner, err := full.innerSpec(Spec{Dims: b.Axes(), Dtype: b.Dtype().String()}, "tau_inner").Build()
		if err != nil {
			return nil, err
		}
		l, err := NewMeanMapLayer(inner, 1, 2, WithName("tau"), WithDtype(b.Dtype()))
		if err != nil {
			return nil, err
		}
		z, err := l.Rows(b)
		if err != nil {
			return nil, err
		}
		means := slices.Collect(slices.Chunk(ops.Float64s(z), inner.Features()))
		return func(i, j int) float64 { return math.Pow(floats.Distance(means[i], means[j], 2), 2) }, nil
	})
}
