package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
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
	o, err := newOptions("NewMeanMapLayer", opts, []string{"WithName", "WithDtype", "WithSeed", "Tune", "WithSampler", "WithPhase"})
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
	l.inner = inner
	l.rows = func(b *ops.Bags) (*tensor.Dense, error) { return means(l.who(), inner, b) }
	l.fwd = l.fwdMeans
	return l, nil
}

// kernelOfLayer returns the kernel that a layer approximates, or nil.
func kernelOfLayer(l Layer) spectral.Kernel {
	if _, ok := l.(*Identity); ok {
		return spectral.Linear{}
	}
	return kernelBehind(l)
}

// means returns the means of the features of the samples. It computes about psiCells features at a time.
func means(who string, inner Layer, b *ops.Bags) (*tensor.Dense, error) {
	d := inner.Features()
	out := tensor.New(tensor.WithShape(b.Len(), d), tensor.Of(inner.Dtype()))
	most, offsets := max(1, psiCells/d), b.Offsets()
	var z *tensor.Dense
	for lo := 0; lo < b.Len(); {
		hi := lo + 1
		for hi < b.Len() && offsets[hi+1]-offsets[lo] <= most {
			hi++
		}
		some := b.Slice(lo, hi)
		if z != nil && z.Shape()[0] != some.Samples().Shape()[0] {
			z = nil
		}
		var err error
		if z, err = inner.Transform(z, some.Samples()); err != nil {
			return nil, some.InBag(err)
		}
		if _, err := ops.BagMean(some.Offsets(), ops.Attr{Layer: who}).Into(ops.Rows(out, lo, hi), z); err != nil {
			return nil, err
		}
		lo = hi
	}
	return out, nil
}

func (l *BagLayer) fwdMeans(x *G.Node, offsets []int) (*G.Node, error) {
	z := l.inner.Fwd(x)
	if z.Err() != nil {
		return nil, z.Err()
	}
	n, a, err := ops.Data(z.Node(), ops.Attr{Layer: l.who()})
	if err != nil {
		return nil, err
	}
	mean, err := ops.BagMean(offsets, a).Node(n)
	if err != nil {
		return nil, err
	}
	return l.over.(*FourierLayer).fwd(mean)
}
