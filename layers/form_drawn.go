package layers

import (
	"fmt"
	"reflect"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// Drawn is the form of a kernel that is an expectation over random frequencies, a spectral.Random. The transform of the
// kernel decides on its map: a FourierLayer, a RandomLaplaceLayer, a skewed layer or a RandomReLULayer. Kernels of the
// Fourier transforms have the parameter phase besides their own.
type Drawn struct {
	simple
	Params []ParamDef
	// Kernel makes the kernel from values that are in the declared ranges.
	Kernel func(v Values) spectral.Kernel
	// Transform is the transform of the kernel. 0 is spectral.Fourier; one of spectral.Step, ReLU and Tangent stands
	// for all three.
	Transform spectral.Transform
	// Defaults fills in the parameters that depend on the rows x. It is nil if every parameter has a Default.
	Defaults func(v Values, x ops.Matrix) error
}

func (f Drawn) ready() bool { return f.Kernel != nil }

func (f Drawn) traits() Traits {
	_, units := unitOfTransform(f.Transform)
	return Traits{Draws: DrawsFrequencies, Tunable: true, lends: !units}
}

func (f Drawn) params() []ParamDef {
	if f.Transform == 0 || f.Transform == spectral.Fourier || f.Transform == spectral.LogFourier {
		return slices.Concat(f.Params, []ParamDef{phaseDef})
	}
	return f.Params
}

func (f Drawn) fill(v Values, x ops.Matrix) error { return fillBy(f.Defaults, v, x) }

// fillBy calls the defaults of a form unless they are nil.
func fillBy(defaults func(v Values, x ops.Matrix) error, v Values, x ops.Matrix) error {
	if defaults == nil {
		return nil
	}
	return defaults(v, x)
}

func (f Drawn) plan(s Spec) (plan, error) {
	k, err := kernelAs[spectral.Random](s, f.Kernel(s.Params))
	if err != nil {
		return plan{}, err
	}
	transform := f.Transform
	if transform == 0 {
		transform = spectral.Fourier
	}
	of, traits := k.Law().Transform, f.traits()
	traits.Tunable = of != spectral.Step
	return plan{kernel: k, traits: traits, build: func(opts []Option) (Layer, error) {
		_, units := unitOfTransform(transform)
		if _, too := unitOfTransform(of); of != transform && !(units && too) {
			return nil, fmt.Errorf("layers: map %s: its form is of %v features, and its kernel %T of %v features: %w",
				s.Map, transform, k, of, ErrParam)
		}
		switch k := k.(type) {
		case spectral.SkewedChi2:
			return NewSkewedChi2Layer(k.C, s.Dims, s.Features, opts...)
		case spectral.SkewedIntersection:
			return NewSkewedIntersectionLayer(k.C, s.Dims, s.Features, opts...)
		}
		switch {
		case units:
			return NewRandomReLULayer(k, s.Dims, s.Features, opts...)
		case transform == spectral.Laplace:
			return NewRandomLaplaceLayer(k, s.Dims, s.Features, opts...)
		case transform == spectral.LogFourier:
			return NewSkewedLayer(k, s.Dims, s.Features, opts...)
		}
		return NewFourierLayer(k, s.Dims, s.Features, opts...)
	}}, nil
}

// kernelAs returns k as a K, or an error if k is not one.
func kernelAs[K spectral.Kernel](s Spec, k spectral.Kernel) (K, error) {
	typed, ok := k.(K)
	if !ok {
		return typed, fmt.Errorf("layers: map %s: its kernel %T is no %v: %w", s.Map, k, reflect.TypeFor[K](), ErrParam)
	}
	return typed, nil
}

// linearForm is the form of the identity, the baseline without a map.
type linearForm struct{ simple }

func (linearForm) traits() Traits {
	return Traits{Width: "as many features as input columns", Zeros: true, lends: true}
}

func (linearForm) params() []ParamDef { return nil }

func (linearForm) plan(s Spec) (plan, error) {
	return plan{kernel: spectral.Linear{}, columns: s.Dims, build: func(opts []Option) (Layer, error) {
		return NewIdentity(s.Dims, opts...)
	}}, nil
}
