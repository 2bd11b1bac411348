package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// normal are frequencies of the Gaussian kernel exp(-‖x-y‖²/2), a standard normal number each. Package layers draws
// them, for this kernel and others; an op takes whatever it is given.
func normal(d, m int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(7, 0))
	v := make([]float64, d*m)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return tensorOf(v, d, m)
}

// A node of a graph like any other: the product of the features with their transpose is the kernel matrix, and what
// depends on it can be differentiated, here the kernel value of two points in the coordinates of both.
func ExampleFourier() {
	const d, m = 2, 20000
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(2, d), G.WithName("x"),
		G.WithValue(tensorOf([]float64{0, 0, 1, .5}, 2, d)))
	w := G.NewMatrix(g, G.Float64, G.WithShape(d, m), G.WithName("W"), G.WithValue(normal(d, m)))

	// Frozen says that nobody wants the gradient for W, and it is not computed.
	z := G.Must(ops.Fourier(ops.Attr{Frozen: ops.W}).Node(x, w))
	gram := G.Must(G.Mul(z, G.Must(G.Transpose(z))))
	k01 := G.Must(G.Slice(gram, G.S(0), G.S(1)))
	var k, k00 G.Value
	G.Read(k01, &k)
	G.Read(G.Must(G.Slice(gram, G.S(0), G.S(0))), &k00)
	if _, err := G.Grad(k01, x); err != nil {
		fmt.Println(err)
		return
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(x))
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		fmt.Println(err)
		return
	}
	grad := must(x.Grad())
	exact := math.Exp(-1.25 / 2) // ‖x₀-x₁‖² = 1.25, and dk/dx₀ = -(x₀-x₁)k
	fmt.Printf("features %v\n", z.Shape())
	fmt.Printf("k(x₀, x₀) = %.2f\n", k00)
	fmt.Printf("k(x₀, x₁) = %.2f, exact %.2f\n", k, exact)
	fmt.Printf("dk/dx₀ = %.1f, exact [%.1f %.1f]\n", grad.(*tensor.Dense).Float64s()[:d], exact, exact/2)
	// Output:
	// features (2, 40000)
	// k(x₀, x₀) = 1.00
	// k(x₀, x₁) = 0.54, exact 0.54
	// dk/dx₀ = [0.5 0.3], exact [0.5 0.3]
}

// The same features without a graph, as a server wants them: the frequencies are packed once, and the rows go into
// memory that is there already.
func ExampleOp_Into() {
	const n, d, m = 3, 2, 5
	fourier := ops.Fourier(ops.Attr{Layer: `layers: FourierLayer "rff"`})
	w := must(fourier.Pack(d, normal(d, m)))
	features := tensor.New(tensor.WithShape(n, 2*m), tensor.Of(tensor.Float64))
	rows := tensorOf([]float64{0, 0, 1, .5, -2, 3}, n, d)
	must(fourier.Into(features, rows, w))
	for i := range n {
		norm := 0.0
		for _, v := range features.Float64s()[i*2*m : (i+1)*2*m] {
			norm += v * v
		}
		fmt.Printf("row %d: norm %.3f\n", i, math.Sqrt(norm))
	}

	rows.Float64s()[3] = math.Inf(1)
	_, err := fourier.Into(features, rows, w)
	fmt.Println(err)
	fmt.Println(errors.Is(err, ops.ErrDomain))
	// Output:
	// row 0: norm 1.000
	// row 1: norm 1.000
	// row 2: norm 1.000
	// layers: FourierLayer "rff": x[1,1] = +Inf is not a finite number; drop the row or fill the value in
	// true
}

// The cosine and the sine of each of two columns, by one frequency each.
func ExampleColumnFourier() {
	x, w := tensorOf([]float64{0, 1, 1, .5}, 2, 2), tensorOf([]float64{math.Pi / 3, 1}, 2, 1)
	z := must(ops.ColumnFourier(false, ops.Attr{}).Into(nil, x, w))
	fmt.Printf("%.2f\n%.2f\n", z.Float64s()[:4], z.Float64s()[4:])
	// Output:
	// [1.00 0.00 0.54 0.84]
	// [0.50 0.87 0.88 0.48]
}

// Positive features of a row at 0, and of one where the product with a frequency and the length count.
func ExamplePositive() {
	x, w := tensorOf([]float64{0, 0, 1, -2}, 2, 2), tensorOf([]float64{1, 0, .5, -1}, 2, 2)
	z := must(ops.Positive(ops.Attr{}).Into(nil, x, w, tensorOf([]float64{.5}, 1)))
	fmt.Printf("%.3f %.3f\n", z.Float64s()[:2], z.Float64s()[2:])
	// Output: [0.707 0.707] [0.378 2.797]
}

// Two blocks of two columns become one column each: x₁ + x₂ - 1 and x₃ - x₄.
func ExampleBlockAffine() {
	x, a := tensorOf([]float64{1, 2, 3, 4}, 1, 4), tensorOf([]float64{1, 1, 1, -1}, 4, 1)
	z := must(ops.BlockAffine(ops.Attr{}).Into(nil, x, a, tensorOf([]float64{-1, 0}, 2, 1)))
	fmt.Println(z.Float64s())
	// Output: [2 -1]
}

// Bags of words: two rows of six columns, three entries. The cosine of a row without words is 1.
func ExampleNewCSR() {
	x := must(ops.NewCSR(2, 6, []int{0, 0, 3}, []int32{0, 3, 5}, []float64{1, 2, 1}))
	z := must(ops.Fourier(ops.Attr{}).Into(nil, x, tensorOf([]float64{.5, 9, 9, .25, 9, 1}, 6, 1)))
	fmt.Println(x)
	fmt.Printf("%.4f\n", z.Float64s())
	// Output:
	// CSR float64 (2, 6), 3 stored
	// [1.0000 0.0000 -0.4161 0.9093]
}

// Of two classes the softmax is the logistic function of the difference.
func ExampleSoftmax() {
	show(ops.Softmax(ops.Attr{}).Into(nil, tensorOf([]float64{0, math.Log(3)}, 1, 2)))
	// Output: [0.250 0.750]
}

// tensorOf is a tensor of the shape with the numbers.
func tensorOf(v []float64, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
}

// show prints a result of Into or Sparse with three decimals.
func show(z interface{ Float64s() []float64 }, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", z.Float64s())
}

// Frequencies are packed once and serve any number of rows.
func ExampleOp_Pack() {
	fourier := ops.Fourier(ops.Attr{})
	w := must(fourier.Pack(1, tensorOf([]float64{1, 2}, 1, 2)))
	show(fourier.Into(nil, tensorOf([]float64{0, math.Pi / 2}, 2, 1), w))
	// Output: [0.707 0.707 0.000 0.000 0.000 -0.707 0.707 0.000]
}

// max(x, 0) of each number.
func ExampleActivate() {
	show(ops.Activate(ops.ReLU, ops.Attr{}).Into(nil, tensorOf([]float64{-1, 0, 2}, 1, 3)))
	// Output: [0.000 0.000 2.000]
}

// Weights need not be packed for a single call.
func ExampleAffine() {
	x, w, b := tensorOf([]float64{1, 2}, 1, 2), tensorOf([]float64{1, 10, 100, 1000}, 2, 2), tensorOf([]float64{.5, -.5}, 2)
	show(ops.Affine(ops.Attr{}).Into(nil, x, w, b))
	// Output: [201.500 2009.500]
}

// Two sets of one and two rows.
func ExampleBagMean() {
	show(ops.BagMean([]int{0, 1, 3}, ops.Attr{}).Into(nil, tensorOf([]float64{1, 2, 3, 5, 8, 9}, 3, 2)))
	// Output: [1.000 2.000 5.500 7.000]
}

// Twice the bandwidth is half the frequencies.
func ExampleBandwidth() {
	show(ops.Bandwidth(ops.Attr{}).Into(nil, tensorOf([]float64{2, 4}, 1, 2), tensorOf([]float64{math.Ln2}, 1)))
	// Output: [1.000 2.000]
}

// The coefficients of a function at two points on two functions.
func ExampleCoefficients() {
	show(ops.Coefficients(ops.Attr{}).Into(nil, tensorOf([]float64{3, 1}, 1, 2), tensorOf([]float64{.5, .5, .5, -.5}, 2, 2)))
	// Output: [2.000 1.000]
}

// The last two columns, doubled.
func ExampleColumns() {
	show(ops.Columns(1, 3, 2, ops.Attr{}).Into(nil, tensorOf([]float64{1, 2, 3}, 1, 3)))
	// Output: [4.000 6.000]
}

// Two parts side by side, the second halved.
func ExampleConcat() {
	x, y := tensorOf([]float64{1, 2}, 1, 2), tensorOf([]float64{8}, 1, 1)
	show(ops.Concat([]float64{1, .5}, ops.Attr{}).Into(nil, x, y))
	// Output: [1.000 2.000 4.000]
}

func ExampleKronecker() {
	x, y := tensorOf([]float64{1, 2}, 1, 2), tensorOf([]float64{8, 4}, 1, 2)
	show(ops.Kronecker([]float64{1, .5}, ops.Attr{}).Into(nil, x, y))
	// Output: [4.000 2.000 8.000 4.000]
}

// -ln ¾ of the scores 0 and ln 3 where the second class is true.
func ExampleCrossEntropy() {
	show(ops.CrossEntropy(ops.Attr{}).Into(nil, tensorOf([]float64{0, math.Log(3)}, 1, 2), tensorOf([]float64{0, 1}, 1, 2)))
	// Output: [0.288]
}

// Features of length 1 get the length √k(x, x) of exp(-√(x+z)): at x = 2, exp(-√4/2).
func ExampleDamp() {
	x, s, z := tensorOf([]float64{2}, 1, 1), tensorOf([]float64{1}, 1), tensorOf([]float64{.6, .8}, 1, 2)
	show(ops.Damp(ops.Root, ops.Attr{}).Into(nil, x, s, z))
	// Output: [0.221 0.294]
}

// χ² features of order 0 of sparse rows stay sparse: a root for each entry.
func ExampleHomogeneous() {
	x := must(ops.NewCSR(2, 3, []int{0, 1, 2}, []int32{1, 2}, []float64{4, 9}))
	chi2 := ops.Homogeneous(ops.Series{Gamma: 1}, ops.Attr{})
	show(chi2.Sparse(x, tensorOf([]float64{1}, 1), tensorOf([]float64{1}, 1)))
	// Output: [2.000 3.000]
}

// A parabola up to δ = 2, a line beyond.
func ExampleHuber() {
	show(ops.Huber(2, ops.Attr{}).Into(nil, tensorOf([]float64{-2, 1, 10}, 1, 3)))
	// Output: [2.000 0.500 18.000]
}

// The quantile .9: a prediction that is too low costs nine times as much as one that is too high.
func ExamplePinball() {
	show(ops.Pinball(.9, ops.Attr{}).Into(nil, tensorOf([]float64{-1, 0, 1}, 1, 3)))
	// Output: [0.900 0.000 0.100]
}

// The density of a set of two samples at four points of [0, 1].
func ExampleKDE() {
	grid := must(ops.NewGrid(4))
	kde := ops.KDE([]int{0, 2}, grid, ops.Attr{})
	show(kde.Into(nil, tensorOf([]float64{.2, .3}, 2, 1), tensorOf([]float64{.2}, 1)))
	// Output: [1.980 1.629 0.371 0.020]
}

// exp(-xW)/√2 of W = (0, ln 2).
func ExampleLaplace() {
	show(ops.Laplace(ops.Attr{}).Into(nil, tensorOf([]float64{1}, 1, 1), tensorOf([]float64{0, math.Ln2}, 1, 2)))
	// Output: [0.707 0.354]
}

// The same, scaled to the length 1.
func ExampleUnitLaplace() {
	show(ops.UnitLaplace(ops.Attr{}).Into(nil, tensorOf([]float64{1}, 1, 1), tensorOf([]float64{0, math.Ln2}, 1, 2)))
	// Output: [0.894 0.447]
}

// 2(cos ln 2 - 1) and 2 sin ln 2 of an entry .5, and nothing of a zero.
func ExampleLogWaves() {
	x := must(ops.NewCSR(1, 3, []int{0, 1}, []int32{1}, []float64{.5}))
	show(ops.LogWaves([]float64{1}, []float64{2}, ops.Attr{}).Sparse(x))
	// Output: [-0.462 1.278]
}

// One feature of degree 2 with the factors (1, 1) and (1, -1), and one of degree 0, of a row of two columns.
func ExampleMaclaurin() {
	w := tensorOf([]float64{1, 0, 1, 0, 1, 0, -1, 0}, 2, 4)
	degrees, scales := tensorOf([]float64{2, 0}, 2), tensorOf([]float64{1, 3}, 2)
	show(ops.Maclaurin(ops.Attr{}).Into(nil, tensorOf([]float64{3, 2}, 1, 2), w, degrees, scales))
	// Output: [3.536 2.121]
}

// A row of length 5.
func ExampleNormalise() {
	show(ops.Normalise(ops.L2, ops.Attr{}).Into(nil, tensorOf([]float64{3, -4}, 1, 2)))
	// Output: [0.600 -0.800]
}

// A kernel of the caller's own, 1/(1 + (x-l)²), of rows of one number with two landmarks l; P = I hands the two values
// on.
func ExampleNystrom() {
	landmarks, projection := tensorOf([]float64{0, 1}, 2, 1), tensorOf([]float64{1, 0, 0, 1}, 2, 2)
	show(ops.Nystrom(cauchy{}, ops.Attr{}).Into(nil, tensorOf([]float64{0, 3}, 2, 1), landmarks, projection))
	// Output: [1.000 0.500 0.100 0.200]
}

// Sparse rows in the unit of a kernel, as sparse rows: one scale a column.
func ExampleScaleColumns() {
	x := must(ops.NewCSR(2, 3, []int{0, 1, 3}, []int32{2, 0, 1}, []float64{4, 1, 2}))
	show(ops.ScaleColumns(ops.Attr{}).Sparse(x, tensorOf([]float64{10, 1, .5}, 3)))
	// Output: [2.000 10.000 2.000]
}

// 2cos(π/3), 2sin(π/3), cos(2π/3) and sin(2π/3): one direction, a norm for each sign, and the roots of the masses 4 and 1.
func ExampleSignedFourier() {
	u, norms, roots := tensorOf([]float64{1}, 1, 1), tensorOf([]float64{1, 2}, 2), tensorOf([]float64{2, 1}, 2)
	show(ops.SignedFourier(ops.Attr{}).Into(nil, tensorOf([]float64{math.Pi / 3}, 1, 1), u, norms, roots))
	// Output: [1.000 1.732 -0.500 0.866]
}

// cos and sin of ln(x + 1).
func ExampleSkewedFourier() {
	c, w := tensorOf([]float64{1}, 1), tensorOf([]float64{1}, 1, 1)
	show(ops.SkewedFourier(ops.Attr{}).Into(nil, tensorOf([]float64{0, math.Exp(math.Pi/2) - 1}, 2, 1), c, w))
	// Output: [1.000 0.000 0.000 1.000]
}

// Signs and norms in place of a matrix of frequencies: (1 1; 1 -1)/√2 of one block of two.
func ExampleStructuredFourier() {
	signs, norms := tensorOf([]float64{1, 1, 1, 1, 1, 1}, 3, 2), tensorOf([]float64{1, 1}, 2)
	show(ops.StructuredFourier(ops.Attr{}).Into(nil, tensorOf([]float64{math.Pi / 2, 0}, 1, 2), signs, norms))
	// Output: [0.314 0.314 0.634 0.634]
}

// Two columns with a table of one function each, x and 10x, between the knots 0 and 1.
func ExampleTable() {
	knots, tables := tensorOf([]float64{0, 1, 0, 1}, 2, 2), tensorOf([]float64{0, 1, 0, 10}, 2, 2)
	o := ops.Table(ops.Tables{Points: 2, Width: 1, Power: 1}, ops.Attr{})
	show(o.Into(nil, tensorOf([]float64{0, .5, .25, 0}, 2, 2), knots, tables))
	// Output: [0.000 5.000 0.250 0.000]
}

// 1·1, -x·x, -1·x and x·1: two sketches of one column and the constant, of (x·x' + 1)², in four buckets.
func ExampleTensorSketch() {
	buckets, signs := tensorOf([]float64{0, 1, 1, 3}, 2, 2), tensorOf([]float64{1, 1, -1, 1}, 2, 2)
	o := ops.TensorSketch(4, 1, 1, ops.Attr{})
	show(o.Into(nil, tensorOf([]float64{5}, 1, 1), buckets, signs))
	// Output: [1.000 -25.000 -5.000 5.000]
}

// Cell 2 of a grid of cells 5 wide. Its hash, 2·2²², has the column 1 of 2 and the sign +1.
func ExampleBinning() {
	rates, offsets := tensorOf([]float64{.2}, 1, 1), tensorOf([]float64{0}, 1, 1)
	hash := tensorOf([]float64{0, 1 << 22}, 1, 2)
	show(ops.Binning(2, ops.Attr{}).Into(nil, tensorOf([]float64{14}, 1, 1), rates, offsets, hash))
	// Output: [0.000 1.000]
}

// Rectified linear units of the projections 1 and -1.
func ExampleUnits() {
	show(ops.Units(ops.ReLUUnit, ops.Attr{}).Into(nil, tensorOf([]float64{1}, 1, 1), tensorOf([]float64{1, -1}, 1, 2)))
	// Output: [1.000 0.000]
}

// The coefficients of √p cos(λ ln p) and √p sin(λ ln p) of a density at two points, on the constant.
func ExampleHDD() {
	p, basis := tensorOf([]float64{.5, 1.5}, 1, 2), tensorOf([]float64{.5, .5}, 2, 1)
	show(ops.HDD(false, ops.Attr{}).Into(nil, p, tensorOf([]float64{1}, 1), tensorOf([]float64{1}, 1), basis))
	// Output: [0.835 0.016]
}

// The cells that are not 0.
func ExampleCSROf() {
	x, err := ops.CSROf(tensorOf([]float64{0, 2, 0, 0, 0, 3}, 2, 3))
	fmt.Println(x, err)
	// Output: CSR float64 (2, 3), 2 stored <nil>
}

// Sparse rows side by side.
func ExampleConcat_sparse() {
	x := must(ops.NewCSR(2, 3, []int{0, 1, 2}, []int32{2, 0}, []float64{5, 7}))
	z, err := ops.Concat([]float64{1, .5}, ops.Attr{}).Sparse(x, x)
	fmt.Println(z, z.Columns(), z.Float64s(), err)
	// Output: CSR float64 (2, 6), 4 stored [2 5 0 3] [5 2.5 7 3.5] <nil>
}

// Sets of samples side by side in one matrix: the first has two samples in the plane, the second one.
func ExampleNewBags() {
	b := must(ops.NewBags(tensorOf([]float64{.1, .2, .3, .4, .5, .6}, 3, 2), []int{0, 2, 3}))
	fmt.Println(b, b.Size(0), b.Bag(1).Float64s())
	_, err := ops.NewBags(tensorOf([]float64{.1, .2}, 1, 2), []int{0, 2})
	fmt.Println(err)
	// Output:
	// 2 bags of float64 (3, 2) 2 [0.5 0.6]
	// ops: Bags: the offsets end at 2 and there are 1 samples: shape does not fit
}

// Rows as sets of one sample each.
func ExampleBagsOfRows() {
	b, err := ops.BagsOfRows(tensorOf([]float64{.1, .2, .3, .4}, 2, 2))
	fmt.Println(b, b.Size(1), b.Bag(1).Float64s(), err)
	// Output: 2 bags of float64 (2, 2) 1 [0.3 0.4] <nil>
}

// Three points of the unit square, in place of a grid.
func ExampleNewPoints() {
	g, err := ops.NewPoints(tensorOf([]float64{.1, .9, .5, .5, .9, .2}, 3, 2))
	fmt.Println(g.Len(), g.Axes(), g.At(0), err)
	// Output: 3 2 [0.1 0.9] <nil>
}

// The midpoints of 4 × 2 cells of the unit square.
func ExampleNewGrid() {
	g, err := ops.NewGrid(4, 2)
	fmt.Println(g.Len(), g.Axes(), g.At(0), g.At(7), err)
	// Output: 8 2 [0.125 0.25] [0.875 0.75] <nil>
}
