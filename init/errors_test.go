package spectral

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// errorOf and its likes are the error of a call.
func errorOf[A any](_ A, err error) error                     { return err }
func errorOf2[A, B any](_ A, _ B, err error) error            { return err }
func errorOf3[A, B, C any](_ A, _ B, _ C, err error) error    { return err }
func frequencies(k Random, s Sampler, d, m int) error         { return errorOf(Frequencies(k, s, d, m, 1)) }
func split(k SignedLaw, d, m int, c Coupling) error           { return errorOf(k.Split(d, m, c)) }
func gram(k Kernel, x, z *tensor.Dense) error                 { return errorOf(Gram(k, x, z)) }
func lambdas(d DensityDistance, m int, rule LambdaRule) error { return errorOf2(d.Lambdas(m, rule, 0)) }
func theorem5(d, s int, R, L, eps float64) error              { return errorOf(Theorem5(d, s, R, L, eps)) }
func variance(s Predictor, k Random, x, z []float64, m int) error {
	return errorOf(s.Variance(k, x, z, m))
}

// TestErrors: each error wraps its sentinel, begins with the package, and says the parts of the text, which | divides:
// the place, the value and the remedy.
func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	row, other := []float64{.1, .2}, []float64{1}
	waves := func(means, sigmas, weights []float64) error {
		return SpectralMixture{Means: means, Sigmas: sigmas, Weights: weights}.Validate()
	}
	gaussian, sphere := Gaussian{1}, customGaussian
	sphere.On = domain.UnitSphere(1e-6)
	noLaw, laplaceRadial := withLaw{gaussian, Law{}}, withLaw{gaussian, Law{Transform: Laplace,
		NormQuantile: gaussian.Law().NormQuantile}} // which claims what no law can be
	unbounded := withLaw{gaussian, Law{Transform: Fourier, NormQuantile: func(_ int, p float64) float64 {
		if p == .5 {
			return 1
		}
		return inf
	}}}
	one := must(DeltaGaussian{Sigmas: []float64{1}, Weights: []float64{1}}.Split(3, 5, SharedCoupled))
	x3 := []float64{1, 2, 3}

	good := dense("good", 5, 3)
	with := func(row, col int, v float64) *tensor.Dense {
		x := good.Clone().(*tensor.Dense)
		x.Float64s()[row*3+col] = v
		return x
	}
	matrix := func(n, d int, v ...float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v))
	}
	ints := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking(make([]int, 6)))
	vector := tensor.New(tensor.WithShape(3), tensor.WithBacking(make([]float64, 3)))

	type line struct {
		err, want error
		says      string
	}
	custom := func(change func(k *Custom)) error {
		k := customGaussian
		change(&k)
		return frequencies(k, IID{}, 2, 3)
	}
	lines := []line{
		// kernels of a user's own
		{custom(func(k *Custom) { k.Of.Transform = 0 }), ErrParam, "Custom|no transform"},
		{custom(func(k *Custom) { k.Of.Transform = 9 }), ErrParam, "Custom|Transform(9)"},
		{custom(func(k *Custom) { k.Of.Transform = ReLU }), ErrParam, "Custom|say Fourier, Laplace or LogFourier"},
		{custom(func(k *Custom) { k.Exact = nil }), ErrParam, "Custom|Exact"},
		{custom(func(k *Custom) { k.Of.Draw = nil }), ErrParam, "Custom|give Draw, Quantile or NormQuantile"},
		{custom(func(k *Custom) { k.Of.Shift = 1 }), ErrParam, "Custom|Shift = 1"},
		{custom(func(k *Custom) { k.Of.Transform, k.On = Laplace, sphere.On }), ErrParam, "Custom|x >= 0"},
		{custom(func(k *Custom) { k.Of.Transform, k.On = LogFourier, sphere.On }), ErrParam, "Custom|-Shift"},
		{custom(func(k *Custom) { k.Of.Transform, k.Of.Shift = LogFourier, -1 }), ErrParam, "Custom|C = -1"},
		{custom(func(k *Custom) { k.Of.Transform, k.Of.Shift = LogFourier, nan }), ErrParam, "Custom|C = NaN"},

		// draws
		{frequencies(gaussian, IID{}, 0, 1), ErrParam, "at least 1"},
		{frequencies(gaussian, IID{}, 1, 0), ErrParam, "at least 1"},
		{frequencies(gaussian, IID{}, -1, 2), ErrParam, "at least 1"},
		{frequencies(Gaussian{1e-310}, IID{}, 2, 3), ErrParam, "w[0,0]|not finite"},
		{frequencies(noLaw, IID{}, 2, 3), ErrSampler, "iid|no law"},
		{frequencies(NeuralTangent{}, IID{}, 3, 5), ErrParam, "ask for 6"},
		{frequencies(ArcCosine{}, Structured{}, 16, 4), ErrSampler, "spectral.Orthogonal{}"},
		{frequencies(gaussian, Structured{}, 1, 7), ErrSampler, "structured|1|spectral.Orthogonal{}"},
		{frequencies(gaussian, Structured{}, 15, 7), ErrSampler, "structured|15|spectral.Orthogonal{}"},
		{errorOf2(StructuredFrequencies(Gaussian{-2}, 17, 37, 5)), ErrParam, "Sigma"},
		{errorOf2(StructuredFrequencies(gaussian, 17, 0, 5)), ErrParam, "at least 1"},
		{errorOf2(StructuredFrequencies(Gaussian{1e-310}, 17, 37, 5)), ErrParam, "not finite"},
		{errorOf(SamplerByName("IID ")), ErrParam, `"IID "|iid, orthogonal, coupled, `},
		{errorOf3(DrawProducts(SpherePolynomial{A: 3, P: 4}, 0, 8, 1)), ErrParam, "at least 1"},
		{errorOf3(DrawProducts(SpherePolynomial{A: -1, P: 2}, 3, 8, 1)), ErrParam, "A = -1"},
		{errorOf3(DrawProducts(nothing{}, 3, 8, 1)), ErrParam, "largest coefficient"},
		{errorOf2(DrawCountSketches(0, 3, 8, 1)), ErrParam, "at least 1"},
		{errorOf2(DrawCountSketches(2, 3, 0, 1)), ErrParam, "at least 1"},
		{errorOf3(DrawGrids(Laplacian{1}, 3, 0, 1)), ErrParam, "at least 1"},
		{errorOf3(DrawGrids(Laplacian{1}, 0, 3, 1)), ErrParam, "at least 1"},
		{errorOf3(DrawGrids(Laplacian{-1}, 3, 2, 1)), ErrParam, "Sigma = -1"},
		{errorOf3(DrawGrids(Laplacian{1e-60}, 3, 2, 1)), ErrParam, "Sigma = 1e-60|scale the columns"},

		// variances
		{errorOf(PairVariance(Gaussian{}, other, other)), ErrParam, "Sigma = 0"},
		{errorOf(PairVariance(sphere, other, other)), ErrDomain, "2(x-z)"},
		{errorOf(PairVariance(noLaw, other, other)), ErrParam, "no transform"},
		{errorOf(PairVariance(noLaw, nil, nil)), ErrParam, "no transform"},
		{variance(Orthogonal{}, ArcCosine{}, other, []float64{2}, 3), ErrParam, "Step"},
		{variance(Antithetic{}, skewed{gaussian}, row, row, 7), ErrParam, "antithetic|not symmetric"},
		{variance(Orthogonal{}, laplaceRadial, row, row, 3), ErrParam, "orthogonal|Laplace transform"},
		{variance(Orthogonal{Coupled: true}, laplaceRadial, row, row, 3), ErrParam, "coupled|Laplace transform"},
		{variance(Orthogonal{}, Laplacian{1}, row, row, 3), ErrSampler, "orthogonal|Laplacian"},
		{variance(Orthogonal{Coupled: true}, Laplacian{1}, row, row, 3), ErrSampler, "coupled|Laplacian"},
		{variance(Antithetic{}, Matern{1, 1}, row, row, 3), ErrSampler, "antithetic|Matern"},
		{errorOf2(NormalisedVariance(ExpSemigroup{Beta: 1}, row, row, 0)), ErrParam, "0 frequencies"},
		{errorOf2(NormalisedVariance(ExpSemigroup{}, row, row, 1)), ErrParam, "Beta"},
		{errorOf(LevyVariance(Antithetic{}, ExpSemigroup{Beta: .5}, row, row, 9, 100)), ErrParam, "direction"},
		{errorOf(LevyVariance(IID{}, ExpSemigroup{Beta: .5}, row, row, 0, 100)), ErrParam, "0 dimensions"},
		{errorOf(LevyVariance(IID{}, ExpSemigroup{}, row, row, 9, 100)), ErrParam, "Beta"},
		{theorem5(0, 10, 1, 1, .1), ErrParam, "Theorem5|d = 0"},
		{theorem5(1, 0, 1, 1, .1), ErrParam, "Theorem5|s = 0"},
		{theorem5(1, 10, 0, 1, .1), ErrParam, "Theorem5|R = 0"},
		{theorem5(1, 10, nan, 1, .1), ErrParam, "Theorem5|R = NaN"},
		{theorem5(1, 10, 1, 0, .1), ErrParam, "Theorem5|L = 0"},
		{theorem5(1, 10, 1, inf, .1), ErrParam, "Theorem5|r > 0"},
		{theorem5(1, 10, 1, 1, 0), ErrParam, "Theorem5|eps = 0"},
		{theorem5(1, 10, 1, 1, -1), ErrParam, "Theorem5|eps = -1"},
		{theorem5(1, 10, 1, 1, 1), ErrParam, "Theorem5|R √L = 1"},
		{theorem5(3, 10, .1, 4, .3), ErrParam, "Theorem5|R √L"},

		// kernels on histograms
		{errorOf(FittedPeriod(struct{ Homogeneous }{Chi2{}}, 1, Uniform)), ErrParam, "OptimalPeriod"},
		{errorOf(NewHarmonics(Chi2{}, 1, Uniform, 0)), ErrParam, "period = 0"},
		{errorOf(NewHarmonics(Chi2{}, 1, Uniform, inf)), ErrParam, "period = +Inf"},
		{errorOf(NewHarmonics(Chi2{}, 1, Uniform, nan)), ErrParam, "period = NaN"},
		{errorOf2(LogWaves(0)), ErrParam, "order 0"},
		{errorOf2(LogWaves(MaxWaves + 1)), ErrParam, "order 17"},
		{errorOf(LogWavesError(-1, 1)), ErrParam, "order -1"},
		{lambdas(DensityDistance{}, 5, 0), ErrParam, "no kernel"},
		{lambdas(DensityDistance{Chi2{}, 0}, 5, 0), ErrParam, "Scale = 0"},
		{lambdas(DensityDistance{Chi2{Gamma: 2}, 1}, 5, 0), ErrParam, "degree 2"},
		{lambdas(DensityDistance{Chi2{Negative: SignNegative}, 1}, 5, 0), ErrParam, "negative=sign"},
		{lambdas(DensityDistance{Chi2{Gamma: -1}, 1}, 5, 0), ErrParam, "Gamma = -1"},
		{lambdas(DensityDistance{struct{ Homogeneous }{Chi2{}}, 1}, 5, 0), ErrParam, "SpectrumQuantile"},
		{lambdas(TotalVariation, 0, 0), ErrParam, "0 frequencies"},
		{lambdas(TotalVariation, MaxLambdas+1, 0), ErrParam, "65537 frequencies"},
		{lambdas(TotalVariation, 5, 3), ErrParam, "LambdaRule(3)"},
		{Softmax{}.Validate(), ErrParam, "Softmax: Sigma = 0"},
		{variance(Orthogonal{}, Softmax{1}, row, row, 5), ErrParam, "transform Positive"},
		{variance(Antithetic{}, Softmax{1}, row, row, 5), ErrParam, "transform Positive"},

		{waves(nil, other, nil), ErrParam, "0 Means, 1 Sigmas and 0 Weights"},
		{waves(row, []float64{1, 2, 3}, nil), ErrParam, "2 Means, 3 Sigmas"},
		{waves(row, row, other), ErrParam, "2 Sigmas and 1 Weights"},
		{waves([]float64{1, nan}, other, nil), ErrParam, "Means[1] = NaN"},
		{waves(other, []float64{0}, nil), ErrParam, "Sigmas[0] = 0"},
		{waves(row, row, []float64{1, -1}), ErrParam, "Weights[1] = -1"},
		{waves(row, row, []float64{math.MaxFloat64, math.MaxFloat64}), ErrParam, "overflows"},

		// kernels of two signs
		{split(DeltaGaussian{}, 3, 5, 0), ErrParam, "0 Sigmas"},
		{split(DeltaGaussian{Sigmas: []float64{1, 2}, Weights: other}, 3, 5, 0), ErrParam, "2 Sigmas and 1 Weights"},
		{split(DeltaGaussian{Sigmas: []float64{1, 0}, Weights: row}, 3, 5, 0), ErrParam, "Sigmas[1] = 0"},
		{split(DeltaGaussian{Sigmas: row, Weights: []float64{1, 0}}, 3, 5, 0), ErrParam, "Weights[1] = 0"},
		{split(DeltaGaussian{Sigmas: other, Weights: []float64{nan}}, 3, 5, 0), ErrParam, "Weights[0] = NaN"},
		{split(DeltaGaussian{Sigmas: row, Weights: []float64{math.MaxFloat64, -math.MaxFloat64}}, 3, 5, 0), ErrParam,
			"overflows"},
		{split(SpherePolynomial{A: 0, P: 1}, 3, 5, 0), ErrParam, "A = 0"},
		{split(SpherePolynomial{A: 2, P: 0}, 3, 5, 0), ErrParam, "P = 0"},
		{split(SpherePolynomial{A: 1e-3, P: 100}, 3, 5, 0), ErrParam, "overflows"},
		{split(SpherePolynomial{A: 2, P: 1, Eps: 1e-7}, 3, 5, 0), ErrParam, "Eps = 1e-07"},
		{split(SpherePolynomial{A: 2, P: 1, Eps: 1}, 3, 5, 0), ErrParam, "Eps = 1"},
		{split(SpherePolynomial{A: 2, P: 1, Eps: .1, Flat: -1}, 3, 5, 0), ErrParam, "Flat = -1"},
		{split(SpherePolynomial{A: 2, P: 1 << 30}, 3, 5, 0), ErrParam, "P = 1073741824"},
		{split(SpherePolynomial{A: 2, P: 1}, 0, 5, 0), ErrParam, "at least 1"},
		{split(ArcCosine{Eps: .1, Flat: nan}, 3, 5, 0), ErrParam, "Flat = NaN"},
		{split(NeuralTangent{Flat: 1}, 3, 5, 0), ErrParam, "Flat = 1 and Eps = 0"},
		{split(ArcCosine{Order: 2}, 3, 5, 0), ErrParam, "Order = 2"},
		{split(ArcCosine{Eps: 1e-3}, 3, 5, 0), ErrParam, "allow a larger Eps"},
		{split(NeuralTangent{Eps: -1}, 3, 5, 0), ErrParam, "Eps = -1"},
		{split(ArcCosine{}, 3, 0, 0), ErrParam, "at least 1"},
		{split(ArcCosine{}, 3, 1, 5), ErrParam, "Coupling(5)"},
		{split(ArcCosine{Eps: .01}, 3, 1, 5), ErrParam, "Coupling(5)"},
		{split(SRF{1.4, 2}, 3, 1, 0), ErrParam, "below √2"},
		{split(SRF{0, 1}, 3, 1, 0), ErrParam, "A = 0"},
		{split(SRF{2, 0}, 3, 1, 0), ErrParam, "P = 0"},
		{split(SRF{nan, 1}, 3, 1, 0), ErrParam, "A = NaN"},
		{split(SRF{2, 3}, 0, 1, 0), ErrParam, "at least 1"},
		{split(SRF{2, 3}, 3, 1, 7), ErrParam, "Coupling(7)"},
		{errorOf2(Coupling(7).Frequencies(one, 3, 5, 1)), ErrParam, "Coupling(7)"},
		{errorOf2(Joint.Frequencies(one, 0, 5, 1)), ErrParam, "at least 1"},
		{errorOf2(Joint.Frequencies(&Split{Of: one.Of}, 3, 5, 1)), ErrParam, "not both 0"},
		{errorOf2(Joint.Frequencies(nil, 3, 5, 1)), ErrParam, "nil"},
		{errorOf2(Joint.Frequencies(&Split{Parts: []Component{{nan, gaussian}}}, 3, 5, 1)), ErrParam, "NaN"},
		{errorOf2(Joint.Frequencies(&Split{Parts: []Component{{1, nil}}}, 3, 5, 1)), ErrParam, "no kernel"},
		{errorOf2(Joint.Frequencies(&Split{Parts: []Component{{1, Laplacian{1}}}}, 3, 5, 1)), ErrParam, "NormQuantile"},
		{errorOf2(Joint.Frequencies(&Split{Parts: []Component{{1, unbounded}}}, 3, 5, 1)), ErrParam, "norm +Inf"},
		{errorOf2(Joint.Frequencies(must(SRF{2, 10}.Split(3, 5, Joint)), 4, 5, 1)), ErrParam, "norm NaN"},
		{errorOf2(Joint.Frequencies(must(SpherePolynomial{A: 2, P: 10}.Split(3, 5, Joint)), 4, 5, 1)), ErrParam, "norm NaN"},
		{errorOf(Joint.Variance(must(SpherePolynomial{A: 2, P: 10}.Split(4, 5, Joint)), x3, x3, 1)), ErrParam,
			"norm NaN in 3 dimensions|Split"},
		{errorOf(Joint.Variance(one, x3, x3, 0)), ErrParam, "at least 1"},
		{errorOf(Joint.Variance(one, x3, row, 1)), ErrShape, "3 coordinates"},
		{errorOf(Coupling(-1).Variance(one, x3, x3, 1)), ErrParam, "Coupling(-1)"},

		// data
		{gram(Gaussian{0}, good, nil), ErrParam, "Sigma = 0"},
		{gram(nil, good, nil), ErrParam, "no kernel"},
		{gram(gaussian, nil, nil), ErrShape, "Gram, first argument|nil"},
		{gram(gaussian, vector, nil), ErrShape, "Gram, first argument|(3)"},
		{gram(gaussian, good, vector), ErrShape, "Gram, second argument"},
		{gram(gaussian, good, dense("other", 2, 5)), ErrShape, "3 columns|5"},
		{gram(gaussian, ints, nil), ErrDtype, "int|float32"},
		{gram(gaussian, with(2, 1, nan), nil), ErrDomain, "first argument|x[2,1] = NaN"},
		{gram(gaussian, good, with(4, 0, -inf)), ErrDomain, "second argument|x[4,0] = -Inf"},
		{gram(ExpSemigroup{1}, with(3, 2, -.25), nil), ErrDomain, "x[3,2] = -0.25|negative"},
		{gram(SkewedChi2{.03}, with(3, 2, -.03), nil), ErrDomain, "x[3,2] = -0.03|raise C"},
		{gram(SkewedIntersection{0}, with(1, 1, 0), nil), ErrDomain, "x[1,1] = 0"},
		{gram(sphere, good, nil), ErrDomain, "row 0"},
		{errorOf(MedianDistance(matrix(1, 2, 1, 2), 10, 1)), ErrShape, "MedianDistance|1 rows"},
		{errorOf(MedianDistance(matrix(2, 1, 1, 2), 0, 1)), ErrParam, "MedianDistance|pairs = 0"},
	}
	for _, k := range []Random{Laplacian{1}, ExpSemigroup{1}, SkewedChi2{1}, customGaussian} {
		lines = append(lines, line{frequencies(k, Structured{}, 16, 7), ErrSampler,
			fmt.Sprintf("structured|%T|spectral.IID{}", k)})
	}
	for _, c := range []line{
		{errorOf(NewHarmonics(Chi2{}, -1, Uniform, 8)), errorOf(FittedPeriod(Chi2{}, -1, Uniform)), "order -1"},
		{errorOf(NewHarmonics(Chi2{}, MaxOrder+1, Uniform, 8)), errorOf(OptimalPeriod(Chi2{}, MaxOrder+1, Uniform)),
			"order 101, want 0 to 100"},
		{errorOf(NewHarmonics(Hellinger{}, 1, Uniform, 8)), errorOf(OptimalPeriod(Hellinger{}, 1, Uniform)),
			"point mass"},
		{errorOf(NewHarmonics(Chi2{}, 1, 2, 8)), errorOf(FittedPeriod(Chi2{}, 1, 2)), "Window(2)"},
		{errorOf(NewHarmonics(Chi2{Gamma: -1}, 1, Uniform, 8)), errorOf(OptimalPeriod(Chi2{Gamma: -1}, 1, Uniform)),
			"Gamma"},
	} { // the periods check what the harmonics do
		lines = append(lines, line{c.err, ErrParam, c.says}, line{c.want, ErrParam, c.says})
	}
	for _, s := range Samplers() {
		if p, ok := s.(Predictor); ok {
			lines = append(lines, line{variance(p, Gaussian{}, row, row, 3), ErrParam, "Sigma = 0"},
				line{variance(p, gaussian, row, other, 3), ErrShape, "2 coordinates"},
				line{variance(p, gaussian, row, row, 0), ErrParam, "0 frequencies"},
				line{variance(p, gaussian, nil, nil, 3), ErrParam, "0 dimensions"})
		}
	}
	for _, c := range []struct {
		x    *tensor.Dense
		want error
		says string
	}{
		{nil, ErrShape, "nil"},
		{matrix(0, 3), ErrShape, "rows"},
		{vector, ErrShape, "(3)"},
		{ints, ErrDtype, "int"},
		{matrix(2, 2, 1, 2, nan, 4), ErrDomain, "x[1,0] = NaN"},
		{matrix(3, 2, .1, .1, .1, .1, .1, .1), ErrDomain, "by hand"},
		{matrix(2, 1, 0, 0), ErrDomain, "no spread"},
		{matrix(2, 1, math.MaxFloat64, -math.MaxFloat64), ErrDomain, "scale the data"},
	} {
		lines = append(lines, line{errorOf(MedianDistance(c.x, 10, 1)), c.want, "MedianDistance|" + c.says})
	}
	for _, c := range lines {
		wantErr(t, c.err, c.want, append(strings.Split(c.says, "|"), "spectral: ")...)
	}
	var cell *domain.CellError
	if err := gram(ExpSemigroup{1}, with(3, 2, -.25), nil); !errors.As(err, &cell) || cell.Row != 3 || cell.Col != 2 {
		t.Errorf("%#v", err)
	}
}

// TestValidate: numbers that no parameter may be, in every kernel, alone and behind a sampler.
func TestValidate(t *testing.T) {
	for name, of := range map[string]func(v float64) Validator{
		"Gaussian: Sigma":             func(v float64) Validator { return Gaussian{v} },
		"Laplacian: Sigma":            func(v float64) Validator { return Laplacian{v} },
		"Cauchy: Sigma":               func(v float64) Validator { return Cauchy{v} },
		"Matern: Nu":                  func(v float64) Validator { return Matern{v, 1} },
		"Matern: Ell":                 func(v float64) Validator { return Matern{1, v} },
		"RationalQuadratic: Alpha":    func(v float64) Validator { return RationalQuadratic{v, 1} },
		"RationalQuadratic: Ell":      func(v float64) Validator { return RationalQuadratic{1, v} },
		"ExpSemigroup: Beta":          func(v float64) Validator { return ExpSemigroup{v} },
		"ReciprocalSemigroup: Lambda": func(v float64) Validator { return ReciprocalSemigroup{v} },
		"SkewedChi2: C":               func(v float64) Validator { return SkewedChi2{v} },
		"SkewedIntersection: C":       func(v float64) Validator { return SkewedIntersection{v} },
		"TruncatedL1: Rho":            func(v float64) Validator { return TruncatedL1{v} },
		"Exponentiated: Sigma":        func(v float64) Validator { return Exponentiated{Chi2{}, v} },
		"Hellinger: Gamma":            func(v float64) Validator { return Hellinger{Gamma: v} },
		"Chi2: Gamma":                 func(v float64) Validator { return Exponentiated{Chi2{Gamma: v}, 1} },
		"Intersection: Gamma":         func(v float64) Validator { return Stationary{Intersection{Gamma: v}} },
		"JensenShannon: Gamma":        func(v float64) Validator { return JensenShannon{Gamma: v} },
		"HomogeneousGaussian: Gamma":  func(v float64) Validator { return HomogeneousGaussian{Gamma: v} },
	} {
		for _, v := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 0} {
			zero := v == 0 && (strings.HasSuffix(name, ": C") || strings.HasSuffix(name, ": Gamma"))
			if zero { // c = 0 is allowed, and γ = 0 stands for 1
				continue
			}
			wantErr(t, of(v).Validate(), ErrParam, "spectral: "+name+" = "+fmt.Sprint(v))
			if k, ok := of(v).(Random); ok && frequencies(k, IID{}, 2, 3) == nil {
				t.Errorf("%s = %v: Frequencies does not ask Validate", name, v)
			}
		}
		if err := of(2).Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, v := range []float64{-1, .2, 9, math.NaN(), math.Inf(1)} {
		wantErr(t, HomogeneousGaussian{Sigma: v}.Validate(), ErrParam, fmt.Sprintf("Sigma = %v, want 0.25 to 8", v))
	}
	wantErr(t, ExpSemigroup{1e200}.Validate(), ErrParam, "1e+200", "1e100")
	for _, n := range []Negative{-1, 3} {
		for _, k := range []Validator{Hellinger{Negative: n}, Chi2{Negative: n}, Intersection{Negative: n},
			JensenShannon{Negative: n}, HomogeneousGaussian{Negative: n}} {
			wantErr(t, k.Validate(), ErrParam, n.String())
		}
	}
}

// TestCustom: the domains of what Validate accepts.
func TestCustom(t *testing.T) {
	for _, c := range []struct {
		transform Transform
		shift     float64
		on, want  Domain
	}{
		{Fourier, 0, Domain{}, domain.Reals()},
		{Fourier, 0, domain.UnitSphere(1e-9), domain.UnitSphere(1e-9)},
		{Laplace, 0, Domain{}, domain.NonNegative()},
		{LogFourier, .2, Domain{}, domain.Above(.2)},
		{LogFourier, .2, domain.NonNegative(), domain.NonNegative()},
	} {
		k := customGaussian
		k.Of.Transform, k.Of.Shift, k.On = c.transform, c.shift, c.on
		if err := k.Validate(); err != nil || k.Domain() != c.want {
			t.Errorf("%v on %v: domain %v, want %v, %v", c.transform, c.on, k.Domain(), c.want, err)
		}
	}
}
