package layers

import (
	spectral "github.com/bochner-go/bochner/init"
)

// baselines are other people's maps of the kernel of sphere-polynomial, to compare with.
var baselines = []*Entry{
	{Name: "random-maclaurin", Formula: sphereFormula, Inputs: "‖x‖₂ = 1", Paper: "Kar and Karnick 2012", Sampled: true, Discrete: true,
		Params: []ParamDef{scaleDef, degreeDef,
			{Name: "degrees", Doc: "how the degrees are drawn: in proportion to 2^-(n+1), or to the coefficients of (x·z)^n", OfMap: true,
				Words: []string{spectral.Geometric.String(), spectral.Proportional.String()}, Default: spectral.Geometric.String()}},
		kernel: exactSpherePolynomial, layer: of(maclaurinLayer)},
	{Name: "tensor-sketch", Formula: sphereFormula, Inputs: "‖x‖₂ = 1", Paper: "Pham and Pagh 2013", Sampled: true, Discrete: true,
		Params: []ParamDef{scaleDef, degreeDef}, kernel: exactSpherePolynomial,
		layer: of(func(k spectral.SpherePolynomial, s Spec, opts []Option) (Layer, error) {
			return NewTensorSketchLayer(k, s.Dims, s.Features, opts...)
		})},
	{Name: "srf", Formula: sphereFormula + ", with a bias", Inputs: "‖x‖₂ = 1", Paper: "Pennington et al. 2015", Sampled: true, Tunable: true,
		Params: []ParamDef{scaleDef, degreeDef, phaseDef},
		kernel: func(v Values) spectral.Kernel { return spectral.SRF{A: v.Number("a"), P: int(v.Number("p"))} },
		layer: of(func(k spectral.SRF, s Spec, opts []Option) (Layer, error) {
			return NewSRFLayer(k, s.Dims, s.Features, opts...)
		})},
}

const sphereFormula = "(1 - ‖x-z‖²/a²)^p"

// The parameters of these maps. Products of more than 64 factors have no use, and the transforms of as many sketches no end.
var (
	scaleDef  = ParamDef{Name: "a", Doc: "scale a", Default: 2.}
	degreeDef = ParamDef{Name: "p", Doc: "degree p", Whole: true, Min: 1, Closed: true, Max: 64, Default: 10.}
)

func exactSpherePolynomial(v Values) spectral.Kernel {
	return spectral.SpherePolynomial{A: v.Number("a"), P: int(v.Number("p"))}
}

func maclaurinLayer(k spectral.Polynomial, s Spec, opts []Option) (Layer, error) {
	g, err := spectral.ParseDegrees(s.Params.Word("degrees"))
	if err != nil {
		return nil, err
	}
	return NewRandomMaclaurinLayer(k, s.Dims, s.Features, append(opts, WithDegrees(g))...)
}
