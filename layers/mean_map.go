package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
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
	o, err := newOptions("NewMeanMapLayer", opts, []string{"WithName", "WithDtype", "WithSeed", "Tune", "WithSampler",
		"WithPhase"})
	if err != nil {
		return nil, err
	}
	return newMeanMapLayer(inner, tau, features, o)
}

func newMeanMapLayer(inner Layer, tau float64, features int, o options) (*BagLayer, error) {
	const kind = "MeanMapLayer"
	if domain.IsNil(inner) {
		return nil, fmt.Errorf("layers: %s: the map of samples is nil: %w", kind, ErrParam)
	}
	k := kernelOfLayer(inner)
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
	over, err := newRandomMap(kind, "", spectral.Gaussian{Sigma: tau}, inner.Features(), features, o)
	if err != nil {
		return nil, err
	}
	if inner.Dtype() != over.Dtype() {
		return nil, fmt.Errorf("%s: the map of samples is %v, the layer %v: %w", over.who(), inner.Dtype(),
			over.Dtype(), ErrDtype)
	}
	l := newBagLayer(inner.Dims(), &FourierLayer{over}, &meanKernel{k, tau}, o)
	l.inner, l.width = inner, inner.Features()
	l.step = func(f *flow, dst *tensor.Dense, x value, offsets []int) value {
		z, a := f.begin(l.base, f.layer(inner, nil, x), ops.Attr{Layer: l.who()})
		return f.do(ops.BagMean(offsets, a), dst, z)
	}
	return l, nil
}

// kernelOfLayer returns the kernel that a layer approximates, or nil.
func kernelOfLayer(l Layer) spectral.Kernel {
	if _, ok := l.(*Identity); ok {
		return spectral.Linear{}
	}
	return kernelBehind(l)
}
