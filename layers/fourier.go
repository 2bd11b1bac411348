package layers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
)

// FourierLayer is the random Fourier feature map of a shift-invariant kernel k(x, x') = E cos(w·(x - x')),
//
//	z(x) = [cos(xW) | sin(xW)] / √m   (default)      z(x) = √(2/m) cos(xW + b)   (WithPhase)
//
// with m frequencies from the kernel's spectral distribution. The pair form has m = features/2, the lower variance, and
// z(x)·z(x) = k(x, x) exactly; the phase form has m = features. Input [n, d], any finite numbers; output [n, features].
// Rahimi and Recht (2007), algorithm 1.
//
// With the sampler spectral.Structured, for d >= 16, W is a product of Hadamard matrices: the parameters are signs and
// norms, and a row costs O(d log d) for each d frequencies. W itself is formed only if multiplying by it is faster, for
// d <= 64 in float32 and d <= 48 in float64. The policy of such a map is Frozen or Bandwidth.
type FourierLayer struct{ *randomMap }

// NewFourierLayer draws the map of k for d dimensions and the given number of output columns. Errors: a kernel that is
// not of the Fourier transform, parameters out of range, features < 1 or odd in the pair form, the policies
// BandwidthEach and All for the sampler spectral.Structured (ErrParam); a sampler that does not fit the kernel
// (spectral.ErrSampler).
func NewFourierLayer(k spectral.Random, d, features int, opts ...Option) (*FourierLayer, error) {
	return newTransform[FourierLayer]("fourier", k, d, features, opts, spectral.Fourier)
}

// newTransform makes a layer that is a randomMap of a kernel, which must be of one of the transforms.
func newTransform[L ~struct{ *randomMap }](auto string, k spectral.Random, d, features int, opts []Option,
	of ...spectral.Transform) (*L, error) {
	kind := reflect.TypeFor[L]().Name()
	if err := checkKernel("layers: "+kind, k); err != nil {
		return nil, err
	}
	if t := k.Law().Transform; !slices.Contains(of, t) {
		return nil, fmt.Errorf("layers: %s: %T is an expectation of %v features, not of %v features: %w", kind, k, t,
			strings.Join(mapped(of, spectral.Transform.String), ", "), ErrParam)
	}
	applicable := fourierOptions
	switch {
	case k.Law().Transform == spectral.Laplace:
		applicable = with(sampledOptions, "WithNormalisation")
	case !circular(k.Law().Transform):
		applicable = sampledOptions
	}
	o, err := newOptions("New"+kind, opts, applicable)
	if err != nil {
		return nil, err
	}
	l, err := newRandomMap(kind, auto, k, d, features, o)
	if err != nil {
		return nil, err
	}
	return &L{l}, nil
}

// drawnForm is the form of a kernel that is an expectation over random frequencies. The transform of the kernel decides
// on its map.
type drawnForm struct {
	Kernel spectral.Random `param:",inline"`
	Phase  bool            `param:"phase"`
}

func (f drawnForm) hides(name string) bool {
	return name == phaseParam && !circular(f.Kernel.Law().Transform)
}

// traitsOfLaw returns the traits of the map of a kernel of a law.
func traitsOfLaw(law spectral.Law) Traits {
	_, unit := units[law.Transform]
	return drawnTraits(!unit, law.Transform != spectral.LogFourier)
}

func (f drawnForm) plan(s Spec) (plan, error) {
	transform, traits := f.Kernel.Law().Transform, traitsOfLaw(f.Kernel.Law())
	traits.Tunable = transform != spectral.Step
	columns, lifted := s.Features, 0
	if transform == spectral.Additive {
		lifted = 1
		if columns > 0 { // as many for each input column, one frequency at least
			columns = max(1, columns/2/max(1, s.Dims)) * 2 * s.Dims
		}
	}
	build := func(o options) (Layer, error) {
		switch k := f.Kernel.(type) {
		case spectral.SkewedChi2:
			return NewSkewedChi2Layer(k.C, s.Dims, s.Features, withAll(o))
		case spectral.SkewedIntersection:
			return NewSkewedIntersectionLayer(k.C, s.Dims, s.Features, withAll(o))
		}
		switch _, unit := units[transform]; {
		case unit:
			return NewRandomReLULayer(f.Kernel, s.Dims, s.Features, withAll(o))
		case transform == spectral.Laplace:
			return NewRandomLaplaceLayer(f.Kernel, s.Dims, s.Features, withAll(o))
		case transform == spectral.LogFourier:
			return NewSkewedLayer(f.Kernel, s.Dims, s.Features, withAll(o))
		case transform == spectral.Additive:
			return NewAdditiveLayer(f.Kernel, s.Dims, columns, withAll(o))
		case transform == spectral.Positive:
			return NewPositiveLayer(f.Kernel, s.Dims, s.Features, withAll(o))
		}
		return NewFourierLayer(f.Kernel, s.Dims, s.Features, withAll(o))
	}
	return plan{kernel: f.Kernel, columns: columns, lifted: lifted, traits: traits, build: build}, nil
}
