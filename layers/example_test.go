package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// compare prints the kernel of two rows and the inner product of their features.
func compare(k spectral.Kernel, l layers.Layer, x, y []float64) {
	z := layers.MustDense(l.Transform(nil, matrix(x, y)))
	fmt.Printf("k(x, y) = %.2f, z(x)·z(y) = %.2f\n", k.At(x, y), inner(z, 0, 1))
}

// Two histograms, and two orthogonal rows of unit length.
var (
	histogram, other = []float64{.2, .3, .5}, []float64{0, .9, .1}
	unit, orthogonal = []float64{1, 0, 0}, []float64{0, .6, .8}
)

// Inner products of the features are values of the kernel. Orthogonal frequencies bring them closer than independent
// ones.
func ExampleNewFourierLayer() {
	k := spectral.Gaussian{Sigma: 2}
	x, y := []float64{1, 0, 2, -1}, []float64{0, 1, 1, .5}
	rff := layers.Must(layers.NewFourierLayer(k, 4, 4096, layers.WithSampler(spectral.Orthogonal{}),
		layers.WithSeed(7)))
	z := layers.MustDense(rff.Transform(nil, matrix(x, y)))
	fmt.Println("features:", z.Shape())
	fmt.Printf("k(x, y) = %.2f, z(x)·z(y) = %.2f\n", k.At(x, y), inner(z, 0, 1))
	fmt.Printf("k(x, x) = %.2f, z(x)·z(x) = %.2f\n", k.At(x, x), inner(z, 0, 0))
	// Output:
	// features: (2, 4096)
	// k(x, y) = 0.52, z(x)·z(y) = 0.52
	// k(x, x) = 1.00, z(x)·z(x) = 1.00
}

// In a notebook an error stops the cell.
func ExampleMust() {
	k := spectral.Gaussian{Sigma: 1}
	rff := layers.Must(layers.NewFourierLayer(k, 2, 4096, layers.WithSeed(1)))
	compare(k, rff, []float64{0, 0}, []float64{1, .5})
	// Output: k(x, y) = 0.54, z(x)·z(y) = 0.54
}

// The features of an additive kernel are those of each column by itself.
func ExampleNewAdditiveLayer() {
	k := spectral.AdditiveGaussian{Sigma: 1}
	l := layers.Must(layers.NewAdditiveLayer(k, 2, 16384, layers.WithSeed(1)))
	compare(k, l, []float64{1, 2}, []float64{1, 0})
	// Output: k(x, y) = 1.14, z(x)·z(y) = 1.13
}

// Attention in linear time. The weights exp(q·k/√d) of 512 keys for each query are inner products of positive features
// φ, so averages of values need φ(K)ᵀ times the values, and a column of ones for the sums of the weights, alone. Here σ
// is 2: for queries and keys twice as long the error is more than half of the averages.
func ExampleNewPositiveLayer() {
	const n, d, features = 512, 16, 1024
	kernel := spectral.Softmax{Sigma: math.Pow(d, .25)}
	l := layers.Must(layers.NewPositiveLayer(kernel, d, features, layers.WithSampler(spectral.Orthogonal{})))
	phi := func(x *tensor.Dense) *mat.Dense {
		return mat.NewDense(n, features, layers.MustDense(l.Transform(nil, x)).Float64s())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, length := range []float64{1, 2, 4} {
		queries, keys, values := zeros(n, d), zeros(n, d), mat.NewDense(n, 2, nil)
		for _, x := range []*tensor.Dense{queries, keys} {
			for i := range x.Float64s() {
				x.Float64s()[i] = length / math.Sqrt(d) * rng.NormFloat64()
			}
		}
		for i := range n {
			values.SetRow(i, []float64{math.Copysign(1, keys.Float64s()[i*d]), 1})
		}
		weights := must(spectral.Gram(kernel, queries, keys))
		var exact, sums, fast mat.Dense
		exact.Mul(weights, values)
		sums.Mul(phi(keys).T(), values)
		fast.Mul(phi(queries), &sums)
		off, size := 0., 0.
		for i := range n {
			want := exact.At(i, 0) / exact.At(i, 1)
			off, size = math.Hypot(off, fast.At(i, 0)/fast.At(i, 1)-want), math.Hypot(size, want)
		}
		fmt.Printf("length %.0f: averages of %.3f, off by %.3f\n", length, size/math.Sqrt(n), off/math.Sqrt(n))
	}
	// Output:
	// length 1: averages of 0.015, off by 0.005
	// length 2: averages of 0.052, off by 0.010
	// length 4: averages of 0.192, off by 0.120
}

// The neural tangent kernel of rows of any length, by the gradients of a random network.
func ExampleNewRandomReLULayer() {
	k := spectral.NeuralTangent{}
	compare(k, layers.Must(layers.NewRandomReLULayer(k, 3, 16384, layers.WithSeed(1))), histogram, []float64{0, -3, 1})
	// Output: k(x, y) = 0.26, z(x)·z(y) = 0.27
}

// Histograms have kernels of their own. A negative entry is no histogram's, and the error says where it is.
func ExampleNewRandomLaplaceLayer() {
	k := spectral.ExpSemigroup{Beta: .3}
	l := layers.Must(layers.NewRandomLaplaceLayer(k, 3, 8192, layers.WithSeed(1), layers.WithName("words")))
	compare(k, l, histogram, other)
	_, err := l.Transform(nil, matrix(histogram, []float64{.5, -.1, .6}))
	fmt.Println(err)
	// Output:
	// k(x, y) = 0.50, z(x)·z(y) = 0.50
	// layers: RandomLaplaceLayer "words": x[1,1] = -0.1 is negative; the kernel is defined for histograms, x >= 0: shift the data, or scale them by the range of the training rows and clip what is beyond it: the scaler cube (--scale cube)
}

// A small c brings out small bins: the two histograms agree in their large bins and not in their small ones.
func ExampleNewSkewedChi2Layer() {
	for _, c := range []float64{1, .1, .01} {
		l := layers.Must(layers.NewSkewedChi2Layer(c, 4, 8192, layers.WithSeed(1)))
		compare(spectral.SkewedChi2{C: c}, l, []float64{.60, .38, .02, .00}, []float64{.60, .38, .00, .02})
	}
	// Output:
	// k(x, y) = 1.00, z(x)·z(y) = 1.00
	// k(x, y) = 0.99, z(x)·z(y) = 0.99
	// k(x, y) = 0.75, z(x)·z(y) = 0.75
}

// The pair form [cos | sin] makes two columns of a frequency and has an exact diagonal; the phase form makes one, and
// has not.
func ExampleNewSkewedLayer_phase() {
	k, x, y := spectral.SkewedIntersection{C: .1}, []float64{.5, .3, .2}, []float64{.6, .2, .2}
	fmt.Printf("k(x, y) = %.1f\n", k.At(x, y))
	for _, opts := range [][]layers.Option{nil, {layers.WithPhase()}} {
		l := layers.Must(layers.NewSkewedLayer(k, 3, 8192, append(opts, layers.WithSeed(1))...))
		z := layers.MustDense(l.Transform(nil, matrix(x, y)))
		exact := math.Abs(inner(z, 0, 0)-1) < 1e-12
		fmt.Printf("z(x)·z(y) = %.1f, z(x)·z(x) is exact: %v\n", inner(z, 0, 1), exact)
	}
	// Output:
	// k(x, y) = 0.8
	// z(x)·z(y) = 0.8, z(x)·z(x) is exact: true
	// z(x)·z(y) = 0.8, z(x)·z(x) is exact: false
}

// Any law of frequencies gives a kernel on ratios of bins. Normal ones give exp(-½ Σ (ln (x+c)/(y+c))²).
func ExampleNewSkewedLayer() {
	const c = .1
	k := spectral.Custom{
		Exact: func(x, y []float64) float64 {
			sum := 0.0
			for i := range x {
				r := math.Log((x[i] + c) / (y[i] + c))
				sum += r * r
			}
			return math.Exp(-sum / 2)
		},
		Of: spectral.Law{Transform: spectral.LogFourier, Shift: c, Draw: func(dst []float64, rng *rand.Rand) {
			for i := range dst {
				dst[i] = rng.NormFloat64()
			}
		}},
	}
	l := layers.Must(layers.NewSkewedLayer(k, 3, 8192, layers.WithSeed(1)))
	compare(k, l, []float64{.5, .3, .2}, []float64{.2, .6, .2})
	// Output: k(x, y) = 0.67, z(x)·z(y) = 0.67
}

// Seven columns for each bin of a histogram make inner products that are the χ² kernel to three digits, without
// randomness.
func ExampleNewHomogeneousLayer() {
	k := spectral.Chi2{}
	l := must(layers.NewHomogeneousLayer(k, 3, layers.WithOrder(3), layers.WithOptimalPeriod()))
	fmt.Printf("%d -> %d columns, period %.1f\n", l.Dims(), l.Features(), l.Harmonics().Period)
	compare(k, l, histogram, other)
	fmt.Printf("error at most %.3f\n", 2*l.Harmonics().SupError())
	// Output:
	// 3 -> 21 columns, period 12.7
	// k(x, y) = 0.62, z(x)·z(y) = 0.62
	// error at most 0.006
}

// Random features of the exponential χ² kernel exp(-D²/2σ²), of the distance D² = Σ (x-z)²/(x+z).
func ExampleNewExponentiatedLayer() {
	k := spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: .5}
	compare(k, layers.Must(layers.NewExponentiatedLayer(k, 3, 4096, layers.WithOrder(3), layers.WithSeed(1),
		layers.WithSampler(spectral.Orthogonal{}))), histogram, other)
	// Output: k(x, y) = 0.22, z(x)·z(y) = 0.21
}

// The exponential-semigroup kernel of two histograms: from Laplace features, from normalised ones, and from a
// Gaussian's on a map without randomness.
func ExampleNewLevyLayer() {
	k := spectral.ExpSemigroup{Beta: .3}
	fmt.Printf("exact %.4f\n", k.At(histogram, other))
	for _, l := range []layers.Layer{
		layers.Must(layers.NewRandomLaplaceLayer(k, 3, 512)),
		layers.Must(layers.NewRandomLaplaceLayer(k, 3, 512, layers.WithNormalisation())),
		layers.Must(layers.NewLevyLayer(k, 3, 512, layers.WithSampler(spectral.Orthogonal{Coupled: true}))),
	} {
		fmt.Printf("%.4f\n", inner(layers.MustDense(l.Transform(nil, matrix(histogram, other))), 0, 1))
	}
	// Output:
	// exact 0.4990
	// 0.5075
	// 0.5005
	// 0.4998
}

// Products of projections on random signs.
func ExampleNewRandomMaclaurinLayer() {
	k := spectral.SpherePolynomial{A: 2, P: 2}
	compare(k, layers.Must(layers.NewRandomMaclaurinLayer(k, 3, 1<<14)), unit, orthogonal)
	// Output: k(x, y) = 0.25, z(x)·z(y) = 0.25
}

// A row has one feature that is not 0 in each of 4096 grids.
func ExampleNewBinningLayer() {
	k := spectral.Laplacian{Sigma: 2}
	compare(k, layers.Must(layers.NewBinningLayer(k, 3, 65536, 16)), unit, orthogonal)
	// Output: k(x, y) = 0.30, z(x)·z(y) = 0.30
}

// Convolved count sketches.
func ExampleNewTensorSketchLayer() {
	k := spectral.SpherePolynomial{A: 2, P: 2}
	compare(k, layers.Must(layers.NewTensorSketchLayer(k, 3, 4096)), unit, orthogonal)
	// Output: k(x, y) = 0.25, z(x)·z(y) = 0.25
}

// Fourier features of a density that was fitted to the kernel, which says how far off it is.
func ExampleRandomLayer_Split() {
	k := spectral.SRF{A: 3, P: 1}
	l := must(layers.NewFourierLayer(k, 3, 4096, layers.WithSampler(spectral.Orthogonal{})))
	compare(k, l, unit, orthogonal)
	fmt.Printf("off by at most %.2f\n", l.Split().Error)
	// Output:
	// k(x, y) = 0.78, z(x)·z(y) = 0.77
	// off by at most 0.02
}

// A row is a histogram of three bins and a position in the plane. The kernel of the whole is a weighted sum of one of
// each.
func ExampleNewConcat() {
	histogram, position := spectral.ExpSemigroup{Beta: .3}, spectral.Gaussian{Sigma: 2}
	a := layers.Must(layers.NewRandomLaplaceLayer(histogram, 3, 8192, layers.WithSeed(1)))
	b := layers.Must(layers.NewFourierLayer(position, 2, 8192, layers.WithSeed(2)))
	both := layers.Must(layers.NewConcat(5, []layers.Part{
		{Layer: a, From: 0, To: 3, Weight: 3},
		{Layer: b, From: 3, To: 5, Weight: 1},
	}))
	x, y := []float64{.2, .3, .5, 1, 4}, []float64{0, .9, .1, 2, 3}
	z := layers.MustDense(both.Transform(nil, matrix(x, y)))
	exact := 3*histogram.At(x[:3], y[:3]) + position.At(x[3:], y[3:])
	fmt.Printf("3k(x, y) + k'(x, y) = %.1f, z(x)·z(y) = %.1f, %d features\n", exact, inner(z, 0, 1), both.Features())
	// Output: 3k(x, y) + k'(x, y) = 2.3, z(x)·z(y) = 2.3, 16384 features
}

// A row is a histogram of colours and one of edges. The product of their kernels is large where both agree; 15
// features of each make 225.
func ExampleNewProduct() {
	chi2 := spectral.Chi2{}
	both := layers.Must(layers.NewProduct(6, []layers.Part{
		{Layer: layers.Must(layers.NewHomogeneousLayer(chi2, 3, layers.WithOrder(2))), From: 0, To: 3, Weight: 1},
		{Layer: layers.Must(layers.NewHomogeneousLayer(chi2, 3, layers.WithOrder(2))), From: 3, To: 6, Weight: 1},
	}))
	x, y := []float64{.2, .3, .5, .1, .6, .3}, []float64{.1, .8, .1, .2, .4, .4}
	z := layers.MustDense(both.Transform(nil, matrix(x, y)))
	exact := chi2.At(x[:3], y[:3]) * chi2.At(x[3:], y[3:])
	fmt.Printf("k(x, y)·k'(x, y) = %.2f, z(x)·z(y) = %.2f, %d features\n", exact, inner(z, 0, 1), both.Features())
	// Output: k(x, y)·k'(x, y) = 0.70, z(x)·z(y) = 0.70, 225 features
}

// The product over columns Π 2xz/(x + z) is √x√z of each, which one feature is, times SkewedChi2 with c = 0. So it has
// a random map of any width.
func ExampleNewProduct_columns() {
	skewed := layers.Must(layers.NewSkewedChi2Layer(0, 3, 8192, layers.WithSeed(1)))
	parts := []layers.Part{{Layer: skewed, To: 3, Weight: 1}}
	for j := range 3 {
		root := layers.Must(layers.NewHomogeneousLayer(spectral.Hellinger{}, 1))
		parts = append(parts, layers.Part{Layer: root, From: j, To: j + 1, Weight: 1})
	}
	product := layers.Must(layers.NewProduct(3, parts))
	x, y := []float64{2, 1, 3}, []float64{1, 2, 4}
	exact := 1.
	for j := range x {
		exact *= spectral.Chi2{}.At(x[j:j+1], y[j:j+1])
	}
	z := layers.MustDense(product.Transform(nil, matrix(x, y)))
	fmt.Printf("k(x, y) = %.1f, z(x)·z(y) = %.1f, %d features\n", exact, inner(z, 0, 1), product.Features())
	// Output: k(x, y) = 6.1, z(x)·z(y) = 6.1, 8192 features
}

// The baseline: its features are its input, and its kernel is the inner product.
func ExampleNewIdentity() {
	l := layers.Must(layers.NewIdentity(3))
	z := layers.MustDense(l.Transform(nil, matrix([]float64{1, 2, 3}, []float64{0, 1, -1})))
	fmt.Println(z.Float64s(), inner(z, 0, 1))
	// Output: [1 2 3 0 1 -1] -1
}

func ExampleNewDense() {
	l, err := layers.NewDense(2, 3, ops.Tanh, layers.WithSeed(1), layers.WithName("hidden"), layers.Tune(layers.All))
	fmt.Println(l, err)
	// Output: Dense "hidden": 2 -> 3, float64, tanh, all <nil>
}

// The first layer of a network on a table: three functions of each column beside the columns themselves.
func ExampleNewPeriodicLayer() {
	l, err := layers.NewPeriodicLayer(2, 5, 3, layers.WithSeed(1), layers.WithName("columns"), layers.Tune(layers.All))
	fmt.Println(l, err)
	for _, p := range l.Params() {
		fmt.Println(p.Name, p.Value.Shape())
	}
	// Output:
	// PeriodicLayer "columns": 2 -> 8, 5 frequencies a column, relu, float64, all <nil>
	// W (2, 5)
	// A (20, 3)
	// b (2, 3)
}

func ExampleNewNormalise() {
	l := layers.Must(layers.NewNormalise(2, ops.L2))
	fmt.Println(l.Transform(nil, matrix([]float64{3, 4}, []float64{0, 0})))
	// Output:
	// ⎡0.6  0.8⎤
	// ⎣  0    0⎦
	//  <nil>
}

// With structured frequencies no W is formed: 256 input columns and 1024 frequencies take 3072 signs and 1024 norms.
// The bandwidth can be tuned.
func ExampleWithSampler_structured() {
	k := spectral.Gaussian{Sigma: 1}
	structured := layers.WithSampler(spectral.Structured{})
	rff := layers.Must(layers.NewFourierLayer(k, 256, 2048, structured, layers.Tune(layers.Bandwidth),
		layers.WithSeed(1)))
	for _, p := range rff.Params() {
		fmt.Println(p.Name, p.Value.Shape(), "tuned:", p.Tuned)
	}
	x, y := make([]float64, 256), make([]float64, 256) // two points at the distance 1
	for i := range y {
		y[i] = 1. / 16
	}
	compare(k, rff, x, y)
	_, err := layers.NewFourierLayer(k, 256, 2048, structured, layers.Tune(layers.All), layers.WithName("rff"))
	fmt.Println(err)
	// Output:
	// signs (12, 256) tuned: false
	// norms (1024) tuned: false
	// log_bandwidth (1) tuned: true
	// k(x, y) = 0.61, z(x)·z(y) = 0.61
	// layers: FourierLayer "rff": policy all tunes frequencies one by one or a dimension at a time, and the structured sampler keeps signs and norms in their place; use policy frozen or bandwidth, or the sampler orthogonal: invalid parameter
}

// A Nyström map of any kernel is fitted on rows: here the exponential χ² kernel of histograms, with 20 of 200 rows as
// landmarks, by randomly pivoted Cholesky. At those rows it is exact; Rank counts the eigenvalues that are not 0.
func ExampleNewNystromLayer() {
	sample := histograms(tensor.Float64, 200, 8, 1)
	k := spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: 2}
	l := must(layers.NewNystromLayer(layers.Nystrom{Kernel: k, Select: layers.CholeskyLandmarks}, sample, 20,
		layers.WithSeed(7)))
	fmt.Println(l.Dims(), "->", l.Features(), "rank", l.Rank())
	fmt.Printf("relative error %.2f\n", gramError(k, l, sample).RelativeFrobenius)
	// Output:
	// 8 -> 20 rank 20
	// relative error 0.01
}

// Three columns a bin, fitted on the rows that the kernel is for, against the three of the homogeneous map, which needs
// none.
func ExampleNewAddKPCALayer() {
	sample, k := histograms(tensor.Float64, 200, 8, 1), spectral.Chi2{}
	fitted := layers.Must(layers.NewAddKPCALayer(layers.AddKPCA{Kernel: k}, sample))
	universal := layers.Must(layers.NewHomogeneousLayer(k, 8))
	x := histograms(tensor.Float64, 100, 8, 2)
	for _, l := range []layers.Layer{fitted, universal} {
		fmt.Printf("%d -> %d, relative error %.4f\n", l.Dims(), l.Features(), gramError(k, l, x).RelativeFrobenius)
	}
	// Output:
	// 8 -> 24, relative error 0.0009
	// 8 -> 24, relative error 0.0042
}

// The map of Maji and Berg in its two encodings: a model that is fitted on the dense one is served by two numbers a
// column of the sparse one.
func ExampleNewMajiBergLayer() {
	dense := must(layers.NewMajiBergLayer(layers.MajiBerg{Bins: 4}, matrix([]float64{1, .2}, []float64{.4, .5})))
	sparse := must(dense.Sparse())
	x := matrix([]float64{.6, .1})
	fmt.Printf("%.3f\n%.3f\n", must(dense.Transform(nil, x)).Float64s(), must(sparse.Transform(nil, x)).Float64s())
	v := must(dense.SparseWeights(mat.NewDense(8, 1, []float64{1, 2, 3, 4, 5, 6, 7, 8})))
	fmt.Println(mat.Formatted(v.T()))
	// Output:
	// [0.500 0.500 0.200 0.000 0.283 0.000 0.000 0.000]
	// [0.000 0.300 0.200 0.000 0.283 0.000 0.000 0.000]
	// [ 1   3   6  10   5  11  18  26]
}

// Bags of words stay sparse: a map reads the entries of the rows, and nothing of the size of the dictionary is made.
func ExampleTransform() {
	bags := must(ops.NewCSR(2, 50000, []int{0, 2, 3}, []int32{7, 40123, 7}, []float64{.5, .5, 1}))
	k := spectral.Gaussian{Sigma: 1}
	rff := layers.Must(layers.NewFourierLayer(k, 50000, 64, layers.WithSeed(1)))
	z := must(layers.Transform(rff, nil, bags))
	fmt.Printf("z is %v, z·z' = %.1f, the kernel is %.1f\n", z.Shape(), inner(z, 0, 1),
		k.At([]float64{.5, .5}, []float64{1, 0}))
	// Output: z is (2, 64), z·z' = 0.8, the kernel is 0.8
}

// Features, the value of a node and a loss are read by their types.
func Example_readingATensor() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 4))
	rows := matrix([]float64{0, 0}, []float64{1, 2})
	z := layers.MustDense(rff.Transform(nil, rows))
	fmt.Printf("features of the first row: %.2f\n", z.Float64s()[:4]) // [cos 0, cos 0 | sin 0, sin 0]/√2

	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(2, 2), G.WithName("x"), G.WithValue(rows))
	features := rff.Fwd(x).Node()
	sum := G.Must(G.Sum(G.Must(G.Square(features))))
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	must(0, machine.RunAll())
	fmt.Printf("of its node: %.2f\n", features.Value().(*tensor.Dense).Float64s()[:4])
	fmt.Printf("squares of both rows: %.2f\n", float64(*sum.Value().(*G.F64)))
	// Output:
	// features of the first row: [0.71 0.71 0.00 0.00]
	// of its node: [0.71 0.71 0.00 0.00]
	// squares of both rows: 2.00
}

// The truncated ℓ1 kernel is indefinite: with every row a landmark, its Nyström map lacks the negative part alone.
func ExampleNystromLayer() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mapped(zeros(60, 4), func(float64) float64 { return rng.Float64() })
	k := spectral.TruncatedL1{Rho: 1}
	for _, landmarks := range []int{10, 30, 60} {
		l := must(layers.NewNystromLayer(layers.Nystrom{Kernel: k}, x, landmarks))
		fmt.Printf("%d landmarks, rank %d, error %.3f\n", landmarks, l.Rank(), gramError(k, l, x).RelativeFrobenius)
	}
	// Output:
	// 10 landmarks, rank 10, error 0.699
	// 30 landmarks, rank 30, error 0.296
	// 60 landmarks, rank 56, error 0.024
}

// renamed is a layer under a name of the program.
type renamed struct{ layers.Layer }

func (renamed) String() string { return "my map" }

func (r renamed) Unwrap() layers.Layer { return r.Layer }

func ExampleUnwrap() {
	wrapped := renamed{layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8))}
	_, fourier := layers.Unwrap(wrapped).(*layers.RandomLayer)
	fmt.Println(wrapped, fourier)
	// Output: my map true
}
