package layers

import (
	"math"

	spectral "github.com/bochner-go/bochner/init"
)

// The parameters that several maps have.
var (
	phaseDef = ParamDef{Name: "phase", Doc: "the phase form √(2/m) cos(xW + b) in place of the pair", Flag: true,
		Default: false, OfMap: true}
	sigmaDef = ParamDef{Name: "sigma", Doc: "bandwidth σ"}
	cDef     = ParamDef{Name: "c", Doc: "shift c, above minus the smallest input", Closed: true}
)

const (
	histogramPaper = "Vedaldi and Zisserman 2012, figure 1"
	metricPaper    = "Vedaldi and Zisserman 2012, (29)"
	gorfPaper      = "Luo et al. 2021, section IV"
	hddPaper       = "Sutherland et al. 2016"
	sphereInputs   = "‖x‖₂ = 1"
	sphereFormula  = "(1 - ‖x-z‖²/a²)^p"
)

// table lists the maps of this package, one line for each.
var table = withTraits([]*Entry{
	{Name: "linear", Formula: "x·z", Inputs: "any", Paper: "the baseline", Form: linearForm{}},
	{Name: "gaussian", Formula: "exp(-‖x-z‖²/2σ²)", Inputs: "any", Paper: "Rahimi and Recht 2007", Form: Drawn{
		Params: []ParamDef{sigmaDef}, Defaults: scaled("sigma", 1, sqrtDVar),
		Kernel: func(v Values) spectral.Kernel { return spectral.Gaussian{Sigma: v.Number("sigma")} }}},
	{Name: "laplacian", Formula: "exp(-‖x-z‖₁/σ)", Inputs: "any", Paper: "Rahimi and Recht 2007", Form: Drawn{
		Params: []ParamDef{sigmaDef}, Defaults: scaled("sigma", 1, dMeanAbsDev),
		Kernel: func(v Values) spectral.Kernel { return spectral.Laplacian{Sigma: v.Number("sigma")} }}},
	{Name: "matern", Formula: "Matérn(ν, ℓ) of ‖x-z‖₂", Inputs: "any", Paper: "Rasmussen and Williams 2006, (4.14)",
		Form: Drawn{
			Params:   []ParamDef{{Name: "nu", Doc: "smoothness ν", Default: 1.5}, {Name: "ell", Doc: "length scale ℓ"}},
			Defaults: scaled("ell", 1, sqrtDVar),
			Kernel: func(v Values) spectral.Kernel {
				return spectral.Matern{Nu: v.Number("nu"), Ell: v.Number("ell")}
			}}},
	{Name: "cauchy", Formula: "Π 1/(1 + (x-z)²/σ²)", Inputs: "any", Paper: "Rahimi and Recht 2007", Form: Drawn{
		Params: []ParamDef{sigmaDef}, Defaults: scaled("sigma", math.Sqrt2, sqrtDVar),
		Kernel: func(v Values) spectral.Kernel { return spectral.Cauchy{Sigma: v.Number("sigma")} }}},
	{Name: "exp-semigroup", Formula: "exp(-β Σ √(x+z))", Inputs: "x >= 0", Paper: semigroupPaper, Form: semigroupForm{
		param: ParamDef{Name: "beta", Doc: "scale β"}, defaults: expSemigroupDefaults,
		kernel:    func(v float64) spectral.Semigroup { return spectral.ExpSemigroup{Beta: v} },
		mostOrder: spectral.MaxOrder, columns: func(order int) int { return 2*order + 1 }}},
	{Name: "reciprocal-semigroup", Formula: "Π λ/(x+z+λ)", Inputs: "x >= 0", Paper: semigroupPaper, Form: semigroupForm{
		param: ParamDef{Name: "lambda", Doc: "scale λ"}, defaults: reciprocalDefaults,
		kernel:    func(v float64) spectral.Semigroup { return spectral.ReciprocalSemigroup{Lambda: v} },
		mostOrder: spectral.MaxWaves, columns: func(order int) int { return 2 * order }, order: wavesOrder}},
	{Name: "skewed-chi2", Formula: "Π 2√(x+c)√(z+c)/(x+z+2c)", Inputs: "x > -c", Paper: skewedPaper,
		Form: skewed(func(c float64) spectral.Kernel { return spectral.SkewedChi2{C: c} })},
	{Name: "skewed-intersection", Formula: "Π min(√((x+c)/(z+c)), √((z+c)/(x+c)))", Inputs: "x > -c",
		Paper: skewedPaper,
		Form:  skewed(func(c float64) spectral.Kernel { return spectral.SkewedIntersection{C: c} })},
	{Name: "hellinger", Formula: "Σ √(xz)", Inputs: histogramInputs, Paper: histogramPaper,
		Form: Homogeneous{Kernel: hellinger}},
	{Name: "chi2", Formula: "Σ 2xz/(x+z)", Inputs: histogramInputs, Paper: histogramPaper, Form: Homogeneous{Kernel: chi2}},
	{Name: "intersection", Formula: "Σ min(x, z)", Inputs: histogramInputs, Paper: histogramPaper,
		Form: Homogeneous{Kernel: intersection}},
	{Name: "jensen-shannon", Formula: "Σ ½x log₂((x+z)/x) + ½z log₂((x+z)/z)", Inputs: histogramInputs,
		Paper: histogramPaper, Form: Homogeneous{Kernel: jensenShannon}},
	{Name: "exp-hellinger", Formula: "exp(-D²/2σ²), D² = Σ (√x - √z)²", Inputs: histogramInputs, Paper: metricPaper,
		Form: Exponentiated{Kernel: hellinger}},
	{Name: "exp-chi2", Formula: "exp(-D²/2σ²), D² = Σ (x-z)²/(x+z)", Inputs: histogramInputs, Paper: metricPaper,
		Form: Exponentiated{Kernel: chi2}},
	{Name: "exp-intersection", Formula: "exp(-D²/2σ²), D² = ‖x-z‖₁", Inputs: histogramInputs, Paper: metricPaper,
		Form: Exponentiated{Kernel: intersection}},
	{Name: "exp-jensen-shannon", Formula: "exp(-D²/2σ²), D² = 2 JS(x, z) in bits", Inputs: histogramInputs,
		Paper: metricPaper, Form: Exponentiated{Kernel: jensenShannon}},
	{Name: "sphere-polynomial", Formula: sphereFormula, Inputs: sphereInputs, Paper: gorfPaper, Form: TwoSigns{
		Params: []ParamDef{{Name: "a", Doc: "scale a", Default: 2.}, {Name: "p", Doc: "degree p", Whole: true, Min: 1,
			Closed: true, Max: 1000, Default: 10.}, epsDef, flatDef},
		Kernel: func(v Values) spectral.Kernel {
			return spectral.SpherePolynomial{A: v.Number("a"), P: int(v.Number("p")), Eps: epsOf(v),
				Flat: v.Number("flat")}
		}}},
	{Name: "delta-gaussian", Formula: "exp(-‖x-z‖²/2σ₁²) - exp(-‖x-z‖²/2σ₂²)", Inputs: "any", Paper: gorfPaper,
		Form: TwoSigns{
			Params: []ParamDef{{Name: "sigma1", Doc: "bandwidth σ₁", Default: 1.},
				{Name: "sigma2", Doc: "bandwidth σ₂", Default: 10.},
				{Name: "sigmas", Doc: "bandwidths of any number of Gaussians, in place of the two", List: true,
					Default: ""},
				{Name: "weights", Doc: "their weights, of either sign", List: true, Default: ""}},
			Kernel: deltaGaussian, Defaults: deltaDefaults, Together: oneKindOfSigma}},
	{Name: "arc-cosine", Formula: "1 - θ/π (order 0), ‖x‖‖z‖ (sin θ + (π-θ) cos θ)/π (order 1)", Inputs: "any",
		Paper: "Cho and Saul 2009", Form: Drawn{
			Params: []ParamDef{{Name: "order", Doc: "0: step functions; 1: rectified linear units", Whole: true,
				Closed: true, Max: 1, Default: 1.}},
			Transform: spectral.ReLU,
			Kernel:    func(v Values) spectral.Kernel { return spectral.ArcCosine{Order: int(v.Number("order"))} }}},
	{Name: "ntk", Formula: "x·z (π-θ)/π + ‖x‖‖z‖ (sin θ + (π-θ) cos θ)/π", Inputs: "any", Paper: "Jacot et al. 2018",
		Form: Drawn{Transform: spectral.Tangent,
			Kernel: func(Values) spectral.Kernel { return spectral.NeuralTangent{} }}},
	{Name: "random-maclaurin", Formula: sphereFormula, Inputs: sphereInputs, Paper: "Kar and Karnick 2012",
		Form: productForm{layer: maclaurinLayer}},
	{Name: "tensor-sketch", Formula: sphereFormula, Inputs: sphereInputs, Paper: "Pham and Pagh 2013",
		Form: productForm{layer: sketchLayer}},
	{Name: "srf", Formula: sphereFormula + ", with a bias", Inputs: sphereInputs, Paper: "Pennington et al. 2015",
		Form: srfForm{}},
	{Name: "add-kpca", Formula: "that of the additive map `kernel`, with its parameters", Inputs: "x >= 0",
		Paper: "Perronnin et al. 2010", Form: newKPCAForm()},
	{Name: "maji-berg", Formula: "Σ min(x, z)", Inputs: "x >= 0", Paper: "Maji and Berg 2009", Form: majiBergForm{}},
	{Name: "nystrom", Formula: "that of the map `kernel`, with its parameters", Inputs: "those of the kernel",
		Paper: "Williams and Seeger 2001", Form: newNystromForm()},
	{Name: "hdd-js", Formula: "exp(-JS(p, q)/2σ²), in nats", Inputs: bagInputs, Paper: hddPaper,
		Form: densityForm{"hdd-js", spectral.JensenShannonDivergence()}},
	{Name: "hdd-hellinger", Formula: "exp(-½∫(√p - √q)²/2σ²)", Inputs: bagInputs, Paper: hddPaper,
		Form: densityForm{"hdd-hellinger", spectral.SquaredHellinger()}},
	{Name: "hdd-tv", Formula: "exp(-∫|p - q|/2σ²)", Inputs: bagInputs, Paper: hddPaper,
		Form: densityForm{"hdd-tv", spectral.TotalVariation()}},
	{Name: "l2-density", Formula: "exp(-∫(p - q)²/2σ²)", Inputs: bagInputs, Paper: "Oliva et al. 2014",
		Form: densityForm{name: "l2-density"}},
	{Name: "mean-map", Formula: "exp(-MMD²/2τ²) of the kernel of the map `kernel`, with its parameters",
		Inputs: "sets of samples, those of the kernel",
		Paper:  "Muandet et al. 2012", Form: newMeanMapForm()},
})

const (
	semigroupPaper = "Yang et al. 2014, table 1"
	skewedPaper    = "Li et al. 2010, (9)"
)

// skewed returns the form of a skewed kernel with the shift c.
func skewed(kernel func(c float64) spectral.Kernel) Drawn {
	return Drawn{Params: []ParamDef{cDef}, Transform: spectral.LogFourier, Defaults: skewedDefaults(kernel),
		Kernel: func(v Values) spectral.Kernel { return kernel(v.Number("c")) }}
}

// withTraits fills in the Traits of entries from their forms.
func withTraits(entries []*Entry) []*Entry {
	for _, e := range entries {
		e.Traits = e.Form.traits()
	}
	return entries
}
