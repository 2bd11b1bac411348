package layers

import (
	spectral "github.com/bochner-go/bochner/init"
)

// linearForm is the form of the identity, the baseline without a map.
type linearForm struct{}

func (linearForm) traits() Traits {
	return Traits{Width: "as many features as input columns", Zeros: true, lends: true}
}

func (linearForm) plan(s Spec) (plan, error) {
	return plan{kernel: spectral.Linear{}, columns: s.Dims, build: func(opts ...Option) (Layer, error) {
		return NewIdentity(s.Dims, opts...)
	}}, nil
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

func (f drawnForm) traits() Traits {
	_, units := unitOfTransform(f.Kernel.Law().Transform)
	skewed := f.Kernel.Law().Transform == spectral.LogFourier
	return Traits{Sampled: true, HasSampler: true, Tunable: true, lends: !units, gains: !skewed}
}

func (f drawnForm) plan(s Spec) (plan, error) {
	transform, traits := f.Kernel.Law().Transform, f.traits()
	traits.Tunable = transform != spectral.Step
	columns, lifted := s.Features, 0
	if transform == spectral.Additive {
		lifted = 1
		if columns > 0 { // as many for each input column, one frequency at least
			columns = max(1, columns/2/max(1, s.Dims)) * 2 * s.Dims
		}
	}
	build := func(opts ...Option) (Layer, error) {
		switch k := f.Kernel.(type) {
		case spectral.SkewedChi2:
			return NewSkewedChi2Layer(k.C, s.Dims, s.Features, opts...)
		case spectral.SkewedIntersection:
			return NewSkewedIntersectionLayer(k.C, s.Dims, s.Features, opts...)
		}
		switch _, units := unitOfTransform(transform); {
		case units:
			return NewRandomReLULayer(f.Kernel, s.Dims, s.Features, opts...)
		case transform == spectral.Laplace:
			return NewRandomLaplaceLayer(f.Kernel, s.Dims, s.Features, opts...)
		case transform == spectral.LogFourier:
			return NewSkewedLayer(f.Kernel, s.Dims, s.Features, opts...)
		case transform == spectral.Additive:
			return NewAdditiveLayer(f.Kernel, s.Dims, columns, opts...)
		case transform == spectral.Positive:
			return NewPositiveLayer(f.Kernel, s.Dims, s.Features, opts...)
		}
		return NewFourierLayer(f.Kernel, s.Dims, s.Features, opts...)
	}
	return plan{kernel: f.Kernel, columns: columns, lifted: lifted, traits: traits, build: build}, nil
}

// productForm is the form of maps that draw random signs: products of projections, or sketches of them. They are maps
// of other papers of the polynomial kernel of the sphere, for comparison.
type productForm struct {
	Kernel spectral.SRF `param:",inline"` // with the range of p
	name   string
}

func (productForm) traits() Traits { return Traits{Sampled: true, Discrete: true} }

func (f productForm) plan(s Spec) (plan, error) {
	k := spectral.SpherePolynomial{A: f.Kernel.A, P: f.Kernel.P}
	return plan{kernel: k, build: func(opts ...Option) (Layer, error) {
		if f.name == sketchName {
			return NewTensorSketchLayer(k, s.Dims, s.Features, opts...)
		}
		return NewRandomMaclaurinLayer(k, s.Dims, s.Features, opts...)
	}}, nil
}

// The names of the maps of productForm.
const (
	maclaurinName = "random-maclaurin"
	sketchName    = "tensor-sketch"
)

// srfForm is the form of Fourier features whose positive density is fitted to a kernel that has none.
type srfForm struct {
	Kernel spectral.SRF `param:",inline"`
	Phase  bool         `param:"phase"`
}

func (srfForm) traits() Traits {
	return Traits{Sampled: true, HasSampler: true, Tunable: true, gains: true}
}

func (f srfForm) plan(s Spec) (plan, error) {
	return plan{kernel: f.Kernel, build: func(opts ...Option) (Layer, error) {
		return NewSRFLayer(f.Kernel, s.Dims, s.Features, opts...)
	}}, nil
}
