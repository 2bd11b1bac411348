package layers

import (
	"math"

	spectral "github.com/bochner-go/bochner/init"
)

// phaseParam is the parameter of Fourier maps that chooses their phase form.
const phaseParam = "phase"

const (
	histogramPaper = "Vedaldi and Zisserman 2012, figure 1"
	metricPaper    = "Vedaldi and Zisserman 2012, (29)"
	gorfPaper      = "Luo et al. 2021, section IV"
	hddPaper       = "Sutherland et al. 2016"
	sphereInputs   = "‖x‖₂ = 1"
	sphereFormula  = "(1 - ‖x-z‖²/a²)^p"
)

// table lists the maps of this package, one line for each.
var table = completed([]*Entry{
	{Name: "linear", Formula: "x·z", Inputs: "any", Paper: "the baseline", Kernel: spectral.Linear{}},
	{Name: "gaussian", Formula: "exp(-‖x-z‖²/2σ²)", Inputs: "any", Paper: "Rahimi and Recht 2007",
		Kernel: spectral.Gaussian{}, Defaults: scaled("sigma", 1, SqrtDVar)},
	{Name: "laplacian", Formula: "exp(-‖x-z‖₁/σ)", Inputs: "any", Paper: "Rahimi and Recht 2007",
		Kernel: spectral.Laplacian{}, Defaults: scaled("sigma", 1, DMeanAbsDev)},
	{Name: "matern", Formula: "Matérn(ν, ℓ) of ‖x-z‖₂", Inputs: "any", Paper: "Rasmussen and Williams 2006, (4.14)",
		Kernel: spectral.Matern{}, Defaults: scaled("ell", 1, SqrtDVar)},
	{Name: "cauchy", Formula: "Π 1/(1 + (x-z)²/σ²)", Inputs: "any", Paper: "Rahimi and Recht 2007",
		Kernel: spectral.Cauchy{}, Defaults: scaled("sigma", math.Sqrt2, SqrtDVar)},
	{Name: "rational-quadratic", Formula: "(1 + ‖x-z‖²/2αℓ²)^(-α)", Inputs: "any",
		Paper: "Rasmussen and Williams 2006, (4.19)", Kernel: spectral.RationalQuadratic{},
		Defaults: scaled("ell", 1, SqrtDVar)},
	{Name: "spectral-mixture", Formula: "Σ a exp(-‖x-z‖²/2σ²) Π cos(μ(x-z))", Inputs: "any",
		Paper: "Wilson and Adams 2013", Kernel: spectral.SpectralMixture{}, Defaults: mixtureDefaults},
	{Name: "additive-gaussian", Formula: "Σ exp(-(x-z)²/2σ²)", Inputs: "any", Paper: "Duvenaud et al. 2011",
		Kernel: spectral.AdditiveGaussian{}, Defaults: scaled("sigma", 1, sqrtVar)},
	{Name: "softmax", Formula: "exp(x·z/σ²)", Inputs: "any", Paper: "Choromanski et al. 2021",
		Kernel: spectral.Softmax{}, Defaults: softmaxDefaults},
	{Name: "random-binning", Formula: "exp(-‖x-z‖₁/σ)", Inputs: "any", Paper: "Rahimi and Recht 2007, algorithm 2",
		of: binningForm{}, Traits: signTraits, Defaults: scaled("sigma", 1, DMeanAbsDev)},
	{Name: "exp-semigroup", Formula: "exp(-β Σ √(x+z))", Inputs: "x >= 0", Paper: semigroupPaper,
		Kernel: spectral.ExpSemigroup{}, Defaults: expSemigroupDefaults},
	{Name: "reciprocal-semigroup", Formula: "Π λ/(x+z+λ)", Inputs: "x >= 0", Paper: semigroupPaper,
		Kernel: spectral.ReciprocalSemigroup{}, Defaults: reciprocalDefaults},
	{Name: "skewed-chi2", Formula: "Π 2√(x+c)√(z+c)/(x+z+2c)", Inputs: "x > -c", Paper: skewedPaper,
		Kernel:   spectral.SkewedChi2{},
		Defaults: skewedDefaults(func(c float64) spectral.Kernel { return spectral.SkewedChi2{C: c} })},
	{Name: "skewed-intersection", Formula: "Π min(√((x+c)/(z+c)), √((z+c)/(x+c)))", Inputs: "x > -c",
		Paper: skewedPaper, Kernel: spectral.SkewedIntersection{},
		Defaults: skewedDefaults(func(c float64) spectral.Kernel { return spectral.SkewedIntersection{C: c} })},
	{Name: "hellinger", Formula: "Σ √(xz)", Inputs: histogramInputs, Paper: histogramPaper,
		Kernel: spectral.Hellinger{}},
	{Name: "chi2", Formula: "Σ 2xz/(x+z)", Inputs: histogramInputs, Paper: histogramPaper, Kernel: spectral.Chi2{}},
	{Name: "intersection", Formula: "Σ min(x, z)", Inputs: histogramInputs, Paper: histogramPaper,
		Kernel: spectral.Intersection{}},
	{Name: "jensen-shannon", Formula: "Σ ½x log₂((x+z)/x) + ½z log₂((x+z)/z)", Inputs: histogramInputs,
		Paper: histogramPaper, Kernel: spectral.JensenShannon{}},
	{Name: "homogeneous-gaussian", Formula: "Σ √(xz) exp(-(ln z - ln x)²/2σ²)", Inputs: histogramInputs,
		Paper: "Vedaldi and Zisserman 2012, lemma 1", Kernel: spectral.HomogeneousGaussian{}},
	{Name: "exp-hellinger", Formula: "exp(-D²/2σ²), D² = Σ (√x - √z)²", Inputs: histogramInputs, Paper: metricPaper,
		Kernel: spectral.Exponentiated{Of: spectral.Hellinger{}}},
	{Name: "exp-chi2", Formula: "exp(-D²/2σ²), D² = Σ (x-z)²/(x+z)", Inputs: histogramInputs, Paper: metricPaper,
		Kernel: spectral.Exponentiated{Of: spectral.Chi2{}}},
	{Name: "exp-intersection", Formula: "exp(-D²/2σ²), D² = ‖x-z‖₁", Inputs: histogramInputs, Paper: metricPaper,
		Kernel: spectral.Exponentiated{Of: spectral.Intersection{}}},
	{Name: "exp-jensen-shannon", Formula: "exp(-D²/2σ²), D² = 2 JS(x, z) in bits", Inputs: histogramInputs,
		Paper: metricPaper, Kernel: spectral.Exponentiated{Of: spectral.JensenShannon{}}},
	{Name: "sphere-polynomial", Formula: sphereFormula, Inputs: sphereInputs, Paper: gorfPaper,
		Kernel: spectral.SpherePolynomial{}},
	{Name: "delta-gaussian", Formula: "exp(-‖x-z‖²/2σ₁²) - exp(-‖x-z‖²/2σ₂²)", Inputs: "any", Paper: gorfPaper,
		Kernel: spectral.DeltaGaussian{}, of: deltaForm{}, Traits: signedTraits},
	{Name: "arc-cosine", Formula: "1 - θ/π (order 0), ‖x‖‖z‖ (sin θ + (π-θ) cos θ)/π (order 1)", Inputs: "any",
		Paper: "Cho and Saul 2009", Kernel: spectral.ArcCosine{}},
	{Name: "ntk", Formula: "x·z (π-θ)/π + ‖x‖‖z‖ (sin θ + (π-θ) cos θ)/π", Inputs: "any", Paper: "Jacot et al. 2018",
		Kernel: spectral.NeuralTangent{}},
	{Name: maclaurinName, Formula: sphereFormula, Inputs: sphereInputs, Paper: "Kar and Karnick 2012",
		of: productForm{name: maclaurinName}, Traits: signTraits},
	{Name: sketchName, Formula: sphereFormula, Inputs: sphereInputs, Paper: "Pham and Pagh 2013",
		of: productForm{name: sketchName}, Traits: signTraits},
	{Name: "srf", Formula: sphereFormula + ", with a bias", Inputs: sphereInputs, Paper: "Pennington et al. 2015",
		Kernel: spectral.SRF{}, of: drawnForm{Kernel: spectral.SRF{}}, Traits: drawnTraits(false, true)},
	{Name: "add-kpca", Formula: "the kernel of the additive map `kernel`, with its parameters", Inputs: "x >= 0",
		Paper: "Perronnin et al. 2010", of: AddKPCA{},
		Traits: Traits{Fitted: true, Zeros: true, Width: "`components` columns for each input column"}},
	{Name: "maji-berg", Formula: "Σ min(x, z)", Inputs: "x >= 0", Paper: "Maji and Berg 2009", of: MajiBerg{},
		Traits: Traits{Fitted: true, Zeros: true, Width: "`bins` columns for each input column"}},
	{Name: "nystrom", Formula: "the kernel of the map `kernel`, with its parameters", Inputs: "the domain of the kernel",
		Paper: "Williams and Seeger 2001", of: Nystrom{}, Traits: Traits{Fitted: true}},
	{Name: "hdd-js", Formula: "exp(-JS(p, q)/2σ²), in nats", Inputs: bagInputs, Paper: hddPaper,
		of: densityForm{Density: Density{Distance: spectral.JensenShannonDivergence}}, Traits: bagTraits},
	{Name: "hdd-hellinger", Formula: "exp(-½∫(√p - √q)²/2σ²)", Inputs: bagInputs, Paper: hddPaper,
		of: densityForm{Density: Density{Distance: spectral.SquaredHellinger}}, Traits: bagTraits},
	{Name: "hdd-tv", Formula: "exp(-∫|p - q|/2σ²)", Inputs: bagInputs, Paper: hddPaper,
		of: densityForm{Density: Density{Distance: spectral.TotalVariation}}, Traits: bagTraits},
	{Name: "l2-density", Formula: "exp(-∫(p - q)²/2σ²)", Inputs: bagInputs, Paper: "Oliva et al. 2014",
		of: densityForm{}, Traits: bagTraits},
	{Name: "mean-map", Formula: "exp(-MMD²/2τ²) of the kernel of the map `kernel`, with its parameters",
		Inputs: "sets of samples in the domain of the kernel",
		Paper:  "Muandet et al. 2012", of: meanMapForm{}, Traits: bagTraits},
})

const (
	histogramInputs = "x >= 0; any with `negative`"
	semigroupPaper  = "Yang et al. 2014, table 1"
	skewedPaper     = "Li et al. 2010, (9)"
)

// identityWidth is the Width of a layer that has as many features as input columns.
const identityWidth = "as many features as input columns"

// The Traits of maps that draw random signs or bins, of indefinite kernels, and of sets of samples.
var (
	signTraits   = Traits{Sampled: true, Discrete: true}
	signedTraits = Traits{Sampled: true, Signed: true, Tunable: true, gains: true}
	bagTraits    = Traits{Sampled: true, HasSampler: true, Tunable: true, Bags: true}
)

// drawnTraits returns the Traits of a map that a sampler draws the frequencies of.
func drawnTraits(lends, gains bool) Traits {
	return Traits{Sampled: true, HasSampler: true, Tunable: true, lends: lends, gains: gains}
}

// completed fills in the forms and Traits of entries of a kernel alone.
func completed(entries []*Entry) []*Entry {
	for _, e := range entries {
		if !e.complete() {
			panic(e.Name)
		}
	}
	return entries
}
