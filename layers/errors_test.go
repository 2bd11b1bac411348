package layers_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// layer is the error of a constructor.
func layer[L any](_ L, err error) error { return err }

// probe is an option that names a layer, and named its error, which must say that name.
var probe = layers.WithName("probe")

func named[L any](_ L, err error) error {
	if err != nil && !strings.Contains(err.Error(), `"probe"`) {
		return errors.New("without the name of the layer: " + err.Error())
	}
	return err
}

// TestErrors: each mistake is an error that wraps what it should and says what would do.
func TestErrors(t *testing.T) {
	chi2, gauss, semi := spectral.Chi2{}, spectral.Gaussian{Sigma: 1}, spectral.ExpSemigroup{Beta: 1}
	custom := spectral.Custom{Exact: semi.At, Of: semi.Law()}
	good, zeros := histograms(tensor.Float64, 13, 3, 1), zeros(13, 3)
	with := func(v float64) *tensor.Dense {
		x := good.Clone().(*tensor.Dense)
		x.Float64s()[3*5+1] = v
		return x
	}
	kpca := func(k spectral.Homogeneous, x *tensor.Dense) error {
		return named(layers.NewAddKPCALayer(layers.AddKPCA{Kernel: k}, x, probe))
	}
	table := func(components, points int) error {
		of := layers.AddKPCA{Kernel: chi2, Components: components, Points: points}
		return named(layers.NewAddKPCALayer(of, good, probe))
	}
	bins := func(n int, x *tensor.Dense) error {
		return named(layers.NewMajiBergLayer(layers.MajiBerg{Bins: n}, x, probe))
	}
	nystrom := func(k spectral.Kernel, x *tensor.Dense, features int, opts ...layers.Option) error {
		return named(layers.NewNystromLayer(layers.Nystrom{Kernel: k}, x, features, append(opts, probe)...))
	}
	chosen := func(of layers.Nystrom, x *tensor.Dense) error { return named(layers.NewNystromLayer(of, x, 5, probe)) }
	series := func(k spectral.Homogeneous, opts ...layers.Option) error {
		return named(layers.NewHomogeneousLayer(k, 3, append(opts, probe)...))
	}
	exponentiated := func(of spectral.Homogeneous, sigma float64, opts ...layers.Option) error {
		k := spectral.Exponentiated{Of: of, Sigma: sigma}
		return named(layers.NewExponentiatedLayer(k, 3, 4, append(opts, probe)...))
	}
	spec := func(s layers.Spec) error { return layer(s.Build()) }
	fine := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.0}, Dims: 3, Features: 4}
	delta := func(v layers.Values) error {
		return spec(layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Params: v})
	}
	parsed := func(name, text string) error { return layer(layers.ParseValues(name, text)) }
	split := func(of string, s layers.Spec, parts ...layers.Spec) error {
		s.Map, s.Dims, s.Parts = of, 2, parts
		return spec(s)
	}
	part := layers.Spec{Map: "gaussian", Features: 4, Params: layers.Values{"sigma": 1}}
	signs := func(k spectral.SignedLaw, opts ...layers.Option) error {
		return layer(layers.NewGORFLayer(k, 3, 8, opts...))
	}
	sets := func(of layers.Density) (*layers.HDDLayer, error) {
		if of.Distance == (spectral.DensityDistance{}) {
			of.Distance = spectral.JensenShannonDivergence
		}
		return layers.NewHDDLayer(of, max(1, len(of.Points)), 6, probe)
	}
	density := func(of layers.Density) error {
		of.Sigma = .5
		return named(sets(of))
	}
	bags := func(cells ...float64) *ops.Bags {
		return must(ops.NewBags(dense(1, cells...), []int{0, len(cells)}))
	}
	estimated := must(sets(layers.Density{Sigma: .5, Bandwidth: []float64{.1}}))
	ofSets := func(h ...float64) *layers.BagLayer {
		return must(layers.NewBagLayer(must(sets(layers.Density{Sigma: .5, Bandwidth: h}))))
	}
	node := func(n, d int, dt tensor.Dtype) *G.Node { return input(G.NewGraph(), rows(dt, n, d, 1)) }
	negative := rows(tensor.Float64, 2, 128, 1)
	negative.Float64s()[131] = -1
	rff := must(layers.NewFourierLayer(gauss, 3, 4, layers.WithName("rff")))
	wide, wideSpec := []layers.Layer{must(layers.NewIdentity(1 << 16)), must(layers.NewIdentity(1 << 16))}, part
	wideSpec.Features = 1 << 16
	own := struct{ spectral.Homogeneous }{chi2} // without a fitted period it has the optimal one, or a number
	for _, err := range []error{spec(fine), series(own, layers.WithOptimalPeriod())} {
		if err != nil {
			t.Error(err)
		}
	}
	weights := must(layers.NewMajiBergLayer(layers.MajiBerg{}, good))
	for _, c := range []struct {
		err, is error
		says    string
	}{
		// NewAddKPCALayer.
		{table(-1, 0), layers.ErrParam, "-1 components"},
		{table(5, 4), layers.ErrParam, "5 components of 4 points"},
		{table(65, 100), layers.ErrParam, "at most 64"},
		{table(0, 1), layers.ErrParam, "want 2 to 1024"},
		{table(0, 1025), layers.ErrParam, "want 2 to 1024"},
		{kpca(spectral.Chi2{Gamma: -1}, good), layers.ErrParam, "Gamma"},
		{kpca(chi2, with(-.5)), layers.ErrDomain, "x[5,1] = -0.5 is negative"},
		{kpca(spectral.Chi2{Gamma: 3}, with(1e300)),
			layers.ErrDomain, "column 1: a value of 1e+300 is too large for a kernel of degree 3"},
		{kpca(spectral.Chi2{Gamma: 1.9}, with(1e170)), layers.ErrDomain, "column 1: the kernel of"},

		// NewMajiBergLayer.
		{bins(-1, good), layers.ErrParam, "-1 bins"},
		{bins(65, good), layers.ErrParam, "want 1 to 64"},
		{bins(0, with(-.5)), layers.ErrDomain, "x[5,1] = -0.5 is negative"},

		// NewNystromLayer.
		{nystrom(gauss, good, 14),
			layers.ErrParam, "the sample has 13 rows, and 14 landmarks are asked for; ask for at most 13"},
		{nystrom(gauss, good, 0), layers.ErrParam, "want at least 1"},
		{chosen(layers.Nystrom{Kernel: gauss, Landmarks: 4}, good), layers.ErrParam, "4 landmarks for 5 features"},
		{nystrom(gauss, good, 1<<14+1), layers.ErrParam, "at most 16384"},
		{chosen(layers.Nystrom{Kernel: gauss, Select: 7}, good), layers.ErrParam, "LandmarkChoice(7)"},
		{nystrom(gauss, good, 5, layers.Tune(layers.All)), layers.ErrParam, "nothing to tune"},
		{nystrom(spectral.Gaussian{}, good, 5), layers.ErrParam, "Sigma = 0"},
		{nystrom(gauss, nil, 5), layers.ErrParam, "the sample is nil; give rows"},
		{nystrom(gauss, tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64)), 5),
			layers.ErrShape, "the sample has shape (3)"},
		{nystrom(gauss, dense(3), 5), layers.ErrShape, "sample has shape (0, 3)"},
		{nystrom(gauss, tensor.New(tensor.WithShape(13, 3), tensor.Of(tensor.Int)), 5), layers.ErrDtype, "int"},
		{nystrom(gauss, with(math.NaN()), 5), layers.ErrDomain, "x[5,1] = NaN"},
		{nystrom(spectral.Chi2{}, with(-.5), 5), layers.ErrDomain, "x[5,1] = -0.5 is negative"},
		{nystrom(gauss, with(1e300), 5, layers.WithDtype(tensor.Float32)), layers.ErrDomain, "x[5,1] = +Inf"},
		{nystrom(spectral.Linear{}, with(1e300), 13),
			layers.ErrDomain, "the kernel of the rows 5 and 5 of the sample is +Inf"},
		{chosen(layers.Nystrom{Kernel: spectral.Linear{}, Select: layers.CholeskyLandmarks}, with(1e300)),
			layers.ErrDomain, "the kernel of the rows 5 and 5 of the sample is +Inf"},
		{chosen(layers.Nystrom{Kernel: spectral.Chi2{}, Select: layers.CholeskyLandmarks}, zeros),
			layers.ErrDomain, "look for rows of zeros"},
		{nystrom(spectral.Chi2{}, zeros, 5), layers.ErrDomain, "look for rows of zeros"},

		// NewHomogeneousLayer.
		{series(spectral.Chi2{Gamma: -1}), layers.ErrParam, "Gamma = -1"},
		{series(chi2, layers.WithOrder(-1)), layers.ErrParam, "order -1"},
		{series(chi2, layers.WithOrder(1000)), layers.ErrParam, "order 1000"},
		{series(chi2, layers.WithPeriod(0)), layers.ErrParam, "period = 0"},
		{series(chi2, layers.WithPeriod(math.NaN())), layers.ErrParam, "period = NaN"},
		{series(chi2, layers.WithOptimalPeriod(), layers.WithStationary()), layers.ErrParam, "no optimal period"},
		{series(chi2, layers.WithOrder(0), layers.Tune(layers.All)), layers.ErrParam, "order 0"},
		{series(spectral.Hellinger{}, layers.WithOrder(1)), layers.ErrParam, "point mass"},
		{series(struct{ spectral.Homogeneous }{chi2}), layers.ErrParam, "OptimalPeriod"},

		// NewExponentiatedLayer.
		{exponentiated(nil, 1), layers.ErrParam, "no kernel"},
		{exponentiated(spectral.Intersection{}, 1, layers.WithOptimalPeriod()),
			layers.ErrParam, ""}, // without a series
		{exponentiated(chi2, 0), layers.ErrParam, "Sigma = 0"},
		{exponentiated(spectral.Chi2{Gamma: math.NaN()}, 1), layers.ErrParam, "Gamma = NaN"},

		// maps of semigroup kernels.
		{layer(layers.NewRandomLaplaceLayer(custom, 3, 4, layers.WithNormalisation())),
			layers.ErrParam, "not for spectral.Custom"},
		{layer(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: 1e-30}, 3, 4,
			layers.WithNormalisation(), layers.WithDtype(tensor.Float32))),
			layers.ErrParam, "scale"},
		{layer(layers.NewLevyLayer(semi, 3, 5)), layers.ErrParam, "ask for 6: "},
		{layer(layers.NewLevyLayer(spectral.ExpSemigroup{}, 3, 4)), layers.ErrParam, "Beta = 0"},
		{layer(layers.NewLevyLayer(semi, 3, 4, layers.WithPhase())), layers.ErrParam, "phase form"},
		{layer(layers.NewLevyLayer(semi, 3, 4, layers.WithNormalisation())), layers.ErrParam, "anyhow"},
		{layer(layers.NewLevyLayer(semi, 3, 4, layers.WithOrder(101))), layers.ErrParam, "order 101"},
		{layer(layers.NewLevyLayer(spectral.ReciprocalSemigroup{Lambda: 1}, 3, 4, layers.WithOrder(0))),
			layers.ErrParam, "order 0"},
		{layer(layers.NewLevyLayer(spectral.ReciprocalSemigroup{Lambda: 1}, 3, 4, layers.WithOptimalPeriod())),
			layers.ErrParam, "WithOptimalPeriod does not apply: it is for the map of spectral.ExpSemigroup"},

		// other constructors, and rows that do not fit. Options that do not apply are in package ops_test.
		{layer(layers.NewFourierLayer(gauss, 0, 4)), layers.ErrParam, "0 input dimensions"},
		{layer(layers.NewFourierLayer(semi, 3, 4)), layers.ErrParam, "Laplace features, not of Fourier"},
		{layer(layers.NewFourierLayer(spectral.Gaussian{Sigma: 4e-39}, 3, 8, layers.WithSeed(1),
			layers.WithDtype(tensor.Float32))), layers.ErrParam, "the frequency w[2,3] = 3.87"},
		{layer(layers.NewFourierLayer(nil, 3, 4)), layers.ErrParam, "no kernel"},
		{layer(layers.NewFourierLayer(spectral.Gaussian{Sigma: -1}, 3, 4)), layers.ErrParam, "Sigma = -1"},
		{layer(layers.NewRandomLaplaceLayer(gauss, 3, 4)), layers.ErrParam, "Fourier features, not of Laplace"},
		{layer(layers.NewRandomLaplaceLayer(semi, 3, 4, layers.WithSampler(spectral.Orthogonal{}))),
			spectral.ErrSampler, "orthogonal"},
		{layer(layers.NewFourierLayer(gauss, 3, 4, layers.WithDtype(tensor.Int))), layers.ErrDtype, "int"},
		{layer(layers.NewLinearHead(3, 0)), layers.ErrParam, "0 features"},
		{layer(layers.NewHead("hinge", 3, 4)), layers.ErrParam, "linear, softmax, huber"},
		{layers.PackHead(nil), layers.ErrParam, ""},
		{layer(layers.NewSequential()), layers.ErrParam, "no layers"},
		{layer(layers.NewSequential(rff, fourier(4, 4, layers.WithName("rff")))), layers.ErrName, `"rff"`},
		{layer(layers.NewSequential(rff, must(layers.NewLinearHead(5, 2)))), layers.ErrShape, "makes 4 columns"},
		{layer(layers.NewConcat(5, []layers.Part{{rff, 3, 6, 1}})), layers.ErrShape, "columns 3 to 6 of 5"},
		{layer(layers.NewConcat(5, []layers.Part{{rff, 0, 3, -1}})), layers.ErrParam, "weight -1"},
		{layer(layers.NewProduct(5, []layers.Part{{rff, 3, 6, 1}})), layers.ErrShape, "columns 3 to 6 of 5"},
		{layer(layers.NewProduct(5, []layers.Part{{rff, 0, 3, 0}})), layers.ErrParam, "weight 0, want a finite"},
		{layer(layers.NewProduct(1<<16, []layers.Part{{wide[0], 0, 1 << 16, 1}, {wide[1], 0, 1 << 16, 1}})),
			layers.ErrShape, "parts of [65536 65536] features make more than 2147483647"},
		{rff.Fwd(node(7, 2, tensor.Float64)).Err(), layers.ErrShape, "want [n, 3]"},
		{rff.Fwd(node(7, 3, tensor.Float32)).Err(), layers.ErrDtype, "WithDtype(tensor.Float32)"},
		{layer(rff.Transform(nil, rows(tensor.Float64, 7, 2, 1))), layers.ErrShape, "want [n, 3]"},
		{layer(layers.Dot(nil)), layers.ErrShape, ""},
		{layer(layers.Dot(G.NewGraph())), layers.ErrShape, ""},
		{must(layers.NewLinearHead(3, 2)).SetWeights(make([]float64, 5), make([]float64, 2)),
			layers.ErrShape, "5 weights"},

		// NewGORFLayer.
		{signs(nil), layers.ErrParam, "no kernel"},
		{signs(twoGaussians, layers.WithSampler(spectral.Sobol{})), layers.ErrParam, "use WithCoupling"},
		{signs(spectral.ArcCosine{Eps: 1e-3}), layers.ErrParam, "allow a larger Eps"},
		{signs(spectral.DeltaGaussian{Sigmas: []float64{1e-45}, Weights: []float64{1}},
			layers.WithDtype(tensor.Float32)), layers.ErrParam, "which float32 cannot hold"},

		// NewHDDLayer.
		{named(layers.NewHDDLayer(layers.Density{Sigma: .5, Points: []int{8, 8}}, 4, 6, probe)),
			layers.ErrParam, "points on 2 axes for 1"},
		{named(layers.NewHDDLayer(layers.Density{Sigma: .5}, 0, 6, probe)), layers.ErrParam, "0 dimensions"},
		{named(layers.NewHDDLayer(layers.Density{Sigma: .5, Points: []int{8, 8, 8}}, 2, 6, probe)),
			layers.ErrParam, "points on 3 axes for 2"},
		{named(layers.NewHDDLayer(layers.Density{Sigma: .5}, 1, 5, probe)), layers.ErrParam, "5 features is odd"},
		{named(sets(layers.Density{})), layers.ErrParam, "Sigma = 0"},
		{density(layers.Density{Points: []int{8}}), layers.ErrParam,
			"10 functions of the cosine basis on axis 0, want 1 to 8"},
		{density(layers.Density{Basis: layers.FourierBasis, Functions: 128}), layers.ErrParam, "want 1 to 127"},
		{density(layers.Density{Basis: 7, Functions: 3}), layers.ErrParam, "Basis(7)"},
		{density(layers.Density{Points: []int{100, 100, 100}, Functions: 40}), layers.ErrParam, "ask for fewer points"},
		{density(layers.Density{Lambdas: -1}), layers.ErrParam, "-1 frequencies"},
		{density(layers.Density{Lambdas: 3, Rule: 7}), layers.ErrParam, "LambdaRule(7)"},
		{density(layers.Density{Distance: spectral.SquaredHellinger, Lambdas: 1}),
			layers.ErrParam, "the one frequency 0"},
		{density(layers.Density{Bandwidth: []float64{1, 2}}), layers.ErrParam, "2 bandwidths for 1 axes"},
		{density(layers.Density{Bandwidth: []float64{-1}}), layers.ErrParam, "the field Bandwidth is -1"},
		{density(layers.Density{Distance: spectral.DensityDistance{Scale: 1}}), layers.ErrParam, "no kernel"},
		{density(layers.Density{Distance: spectral.TotalVariation, Functions: 4}), layers.ErrParam, ""},
		{density(layers.Density{Distance: spectral.TotalVariation, Basis: layers.FourierBasis}), layers.ErrParam, ""},
		{density(layers.Density{Distance: spectral.TotalVariation, Box: true}), layers.ErrParam, ""},
		{named(layers.NewBagLayer(must(sets(layers.Density{Sigma: .5})))), layers.ErrParam, "ops.ScottBandwidth"},
		{named(ofSets(.001).TransformBags(nil, bags(.5))), layers.ErrParam, "the bandwidth of axis 0 is 0.001"},
		{named(ofSets(.1).TransformBags(nil, uniformBags(2, 1, 1))),
			layers.ErrShape, "the samples have 2 coordinates, want 1"},
		{named(0, ofSets(.1).FwdBags(node(2, 1, tensor.Float64), []int{0, 1, 1, 2}).Err()),
			layers.ErrShape, "bag 1 is empty"},
		{named(0, ofSets(.1).FwdBags(node(2, 2, tensor.Float64), []int{0, 2}).Err()), layers.ErrShape, "want [n, 1]"},
		{named(0, estimated.Fwd(node(2, 128, tensor.Float32)).Err()), layers.ErrDtype, "Float32"},
		{named(estimated.Transform(nil, negative)), layers.ErrDomain, "x[1,3] = -1 is negative"},
		{named(estimated.Transform(nil, rows(tensor.Float64, 2, 127, 1))),
			layers.ErrShape, "densities at [128] points"},
		{named(estimated.Embed(nil, rows(tensor.Float64, 2, 127, 1))), layers.ErrShape, "densities at [128] points"},

		// Values as text. The rows that follow from the declarations of parameters are in package ops_test.
		{parsed("gaussian", "sigma="), layers.ErrParam, `sigma = "", want a number above 0`},
		{parsed("gaussian", "sigma=1,"), layers.ErrParam, "map gaussian"},
		{parsed("gaussian", "gamma=1"), layers.ErrParam, `map gaussian has no parameter "gamma"; it has sigma, phase`},
		{parsed("linear", "sigma=1"), layers.ErrParam, "linear has no parameters"},
		{parsed("rbf", "sigma=1"), layers.ErrParam, `no map "rbf"; want one of linear, gaussian`},
		{parsed("chi2", "period=best"), layers.ErrParam, `period = "best", want auto, optimal or a number above 0`},
		{parsed("nystrom", "kernel=gaussian,beta=1"),
			layers.ErrParam, `no parameter "beta"; it has kernel, sigma, landmarks, select`},
		{parsed("nystrom", "phase=true"), layers.ErrParam, `no parameter "phase"`},
		{parsed("nystrom", "kernel=nystrom"), layers.ErrParam, "kernel"},
		{parsed("nystrom", "kernel=chi2,window=hann"), layers.ErrParam, `no parameter "window"`},
		{parsed("nystrom", "kernel=matern,nu=-1"), layers.ErrParam, "nu = -1"},
		{parsed("add-kpca", "kernel=gaussian"), layers.ErrParam, "jensen-shannon or homogeneous-gaussian"},
		{parsed("exp-intersection", "window=uniform"), layers.ErrParam, ""}, // without a series
		{parsed("hdd-tv", "functions=4"), layers.ErrParam, ""},              // without an embedding
		{parsed("exp-semigroup", "beta=1,order=2"), layers.ErrParam, ""},
		{parsed("exp-semigroup", "beta=1,way=laplace,order=2"), layers.ErrParam, ""},
		{parsed("exp-semigroup", "beta=1,way=levy,order=0"), layers.ErrParam, ""},
		{parsed("exp-semigroup", "beta=1,way=levy,order=1.5"), layers.ErrParam, ""},
		{layer(layers.ParsePolicy("All")), layers.ErrParam, "none, bandwidth, bandwidth-each or all"},
		{layer(layers.Lookup("Gaussian")), layers.ErrParam, "exp-semigroup"},

		// Trees.
		{split("sequential", layers.Spec{}), layers.ErrParam, "the Spec has no Parts"},
		{spec(deep(17)), layers.ErrParam, "more than 16 deep"},
		{split("gaussian", part, part), layers.ErrParam, "map gaussian has no parts"},
		{split("sequential", layers.Spec{Tune: "all"}, part), layers.ErrParam, "set Tune of the Parts"},
		{split("sequential", layers.Spec{}, layers.Spec{Map: "linear", Dtype: "float32"}),
			layers.ErrDtype, "leave the Dtype of parts out"},
		{split("sequential", layers.Spec{}, part, layers.Spec{Map: "linear", Dims: 3}),
			layers.ErrShape, "takes 3 columns and gets 4"},
		{split("concat", layers.Spec{Params: layers.Values{"from": "0:1:1"}}, part),
			layers.ErrParam, "want a number for each of"},
		{split("product", layers.Spec{Params: layers.Values{"from": "0:1:1"}}, part),
			layers.ErrParam, "layers: product: from = 0:1:1, want a number for each of"},
		{split("product", layers.Spec{}, wideSpec, wideSpec), layers.ErrShape, "layers: product: parts of"},
		{split("concat", layers.Spec{Params: layers.Values{"from": "1", "to": "3"}}, part),
			layers.ErrShape, "columns 1 to 3 of 2"},
		{split("sequential", layers.Spec{}, layers.Spec{Map: "mean-map", Features: 4,
			Params: layers.Values{"tau": 1, "sigma": 1}}), layers.ErrParam, "stands by itself"},
		{split("sequential", layers.Spec{}, layers.Spec{Map: "rbf"}), layers.ErrParam, `there is no map "rbf"`},
		{split("sequential", layers.Spec{}, layers.Spec{Map: "gaussian", Features: 4}),
			layers.ErrParam, "parameter sigma is missing"},
		{spec(layers.Spec{Map: "dense", Dims: 2, Features: 3, Tune: "bandwidth"}),
			layers.ErrParam, "a dense layer has no bandwidth"},
		{spec(layers.Spec{Map: "dense", Dims: 2, Features: 3, Sampler: "sobol"}), layers.ErrParam, "draws weights"},
		{split("sequential", layers.Spec{}, layers.Spec{Map: "linear", Name: "a"}, layers.Spec{Map: "linear", Name: "a"}),
			layers.ErrName, "two layers are called"},

		// Spec.Build. The rows that every map has are in package ops_test.
		{delta(layers.Values{"sigmas": "1:2"}), layers.ErrParam,
			"layers: map delta-gaussian: sigmas and weights go together"},
		{delta(layers.Values{"sigmas": "1:2", "weights": "1"}), layers.ErrParam, "are not as many"},
		{delta(layers.Values{"sigmas": "1:2", "weights": "1:-1", "sigma1": 1.}),
			layers.ErrParam, "or sigmas and weights"},
		{delta(layers.Values{"sigmas": "1:-2", "weights": "1:-1"}), layers.ErrParam, "Sigmas[1] = -2"},
		{parsed("exp-intersection", "sigma=1,window=uniform"), layers.ErrParam,
			"layers: map exp-intersection: window = uniform is of a series"},
		{spec(layers.Spec{Map: "chi2", Dims: 3, Tune: "all", Params: layers.Values{"order": 0.0}}),
			layers.ErrParam, "a map of order 0 has no frequency"},
		{spec(layers.Spec{Map: "hellinger", Dims: 3, Tune: "all"}),
			layers.ErrParam, "map hellinger has nothing to tune (all)"},
		{layer(layers.Spec{Map: "gaussian"}.Kernel()), layers.ErrParam, "sigma"},
		{(&layers.Spec{Map: "rbf"}).FillDefaults(rows(tensor.Float64, 3, 2, 1)), layers.ErrParam, `"rbf"`},

		// What is found only later.
		{layer(weights.SparseWeights(nil)), layers.ErrShape, "want 48"},
		{layer(weights.SparseWeights(mat.NewDense(3, 1, nil))), layers.ErrShape, "want 48"},
		{must(layers.NewNystromLayer(layers.Nystrom{Kernel: spectral.Exponentiated{Of: chi2, Sigma: 1}}, good, 5,
			layers.WithInputGrad())).
			Fwd(input(G.NewGraph(), rows(tensor.Float64, 2, 3, 1))).Err(), layers.ErrParam, "has no method Gradient"},
	} {
		wantErr(t, c.says, c.err, c.is, c.says)
	}
}
