package layers

import (
	"slices"

	spectral "github.com/bochner-go/bochner/init"
)

// polynomialDefs are the parameters of maps from other papers of the polynomial kernel of the sphere, for comparison.
// The degree is at most 64: maps of more factors have no use, and a TensorSketchLayer of as many sketches takes very
// long.
var polynomialDefs = []ParamDef{
	{Name: "a", Doc: "scale a", Default: 2.},
	{Name: "p", Doc: "degree p", Whole: true, Min: 1, Closed: true, Max: 64, Default: 10.},
}

// productForm is the form of maps that draw random signs: products of projections, or sketches of them.
type productForm struct {
	simple
	layer func(k spectral.SpherePolynomial, s Spec, opts []Option) (Layer, error)
}

func (productForm) traits() Traits { return Traits{Draws: DrawsSigns} }

func (productForm) params() []ParamDef { return polynomialDefs }

func (f productForm) plan(s Spec) (plan, error) {
	k := spectral.SpherePolynomial{A: s.Params.Number("a"), P: int(s.Params.Number("p"))}
	return plan{kernel: k, build: func(opts []Option) (Layer, error) { return f.layer(k, s, opts) }}, nil
}

func maclaurinLayer(k spectral.SpherePolynomial, s Spec, opts []Option) (Layer, error) {
	return NewRandomMaclaurinLayer(k, s.Dims, s.Features, opts...)
}

func sketchLayer(k spectral.SpherePolynomial, s Spec, opts []Option) (Layer, error) {
	return NewTensorSketchLayer(k, s.Dims, s.Features, opts...)
}

// srfForm is the form of Fourier features whose positive density is fitted to a kernel that has none.
type srfForm struct{ simple }

func (srfForm) traits() Traits { return Traits{Draws: DrawsFrequencies, Tunable: true} }

func (srfForm) params() []ParamDef { return slices.Concat(polynomialDefs, []ParamDef{phaseDef}) }

func (srfForm) plan(s Spec) (plan, error) {
	k := spectral.SRF{A: s.Params.Number("a"), P: int(s.Params.Number("p"))}
	return plan{kernel: k, build: func(opts []Option) (Layer, error) {
		return NewSRFLayer(k, s.Dims, s.Features, opts...)
	}}, nil
}
