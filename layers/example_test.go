package layers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// matrix makes a tensor of rows.
func matrix(rows ...[]float64) *tensor.Dense {
	var v []float64
	for _, r := range rows {
		v = append(v, r...)
	}
	return tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(v))
}

// inner is the inner product of rows i and j of z.
func inner(z *tensor.Dense, i, j int) float64 {
	d, v, sum := z.Shape()[1], z.Float64s(), 0.0
	for k := range d {
		sum += v[i*d+k] * v[j*d+k]
	}
	return sum
}

// Inner products of the features are values of the kernel. Orthogonal frequencies bring them closer than independent
// ones.
func ExampleNewFourierLayer() {
	k := spectral.Gaussian{Sigma: 2}
	x := []float64{1, 0, 2, -1}
	y := []float64{0, 1, 1, .5}

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

// Histograms have kernels of their own. A negative entry is no histogram's, and the error says where it is.
// The neural tangent kernel of rows of any length, by the gradients of a random network.
func ExampleNewRandomReLULayer() {
	k := spectral.NeuralTangent{}
	x, y := []float64{.2, .3, .5}, []float64{0, -3, 1}
	l := layers.Must(layers.NewRandomReLULayer(k, 3, 16384, layers.WithSeed(1)))
	z := layers.MustDense(l.Transform(nil, matrix(x, y)))
	fmt.Printf("k(x, y) = %.2f, by features %.2f\n", k.At(x, y), inner(z, 0, 1))
	// Output: k(x, y) = 0.26, by features 0.27
}

func ExampleNewRandomLaplaceLayer() {
	k := spectral.ExpSemigroup{Beta: .3}
	x := []float64{.2, .3, .5}
	y := []float64{0, .9, .1}

	l, err := layers.NewRandomLaplaceLayer(k, 3, 8192, layers.WithSeed(1), layers.WithName("words"))
	if err != nil {
		fmt.Println(err)
		return
	}
	z := layers.MustDense(l.Transform(nil, matrix(x, y)))
	fmt.Printf("k(x, y) = %.2f, z(x)·z(y) = %.2f\n", k.At(x, y), inner(z, 0, 1))

	_, err = l.Transform(nil, matrix(x, []float64{.5, -.1, .6}))
	fmt.Println(err)
	fmt.Println(errors.Is(err, layers.ErrDomain))
	// Output:
	// k(x, y) = 0.50, z(x)·z(y) = 0.50
	// layers: RandomLaplaceLayer "words": x[1,1] = -0.1 is negative; the kernel is defined for histograms, x >= 0: shift the data, or scale them by the range of the training rows and clip what is beyond it: the scaler cube
	// true
}

// A small c brings out small bins: the two histograms agree in their large bins and not in their small ones.
func ExampleNewSkewedChi2Layer() {
	x := []float64{.60, .38, .02, .00}
	y := []float64{.60, .38, .00, .02}
	for _, c := range []float64{1, .1, .01} {
		l, err := layers.NewSkewedChi2Layer(c, 4, 8192, layers.WithSeed(1))
		if err != nil {
			fmt.Println(err)
			return
		}
		z, err := l.Transform(nil, matrix(x, y))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("c = %-4v k(x, y) = %.2f, z(x)·z(y) = %.2f\n", c, spectral.SkewedChi2{C: c}.At(x, y), inner(z, 0, 1))
	}
	// Output:
	// c = 1    k(x, y) = 1.00, z(x)·z(y) = 1.00
	// c = 0.1  k(x, y) = 0.99, z(x)·z(y) = 0.99
	// c = 0.01 k(x, y) = 0.75, z(x)·z(y) = 0.75
}

// The pair form [cos | sin] makes two columns of a frequency and has an exact diagonal; the phase form makes one, and
// has not.
func ExampleNewSkewedIntersectionLayer() {
	x := []float64{.5, .3, .2}
	y := []float64{.6, .2, .2}
	fmt.Printf("k(x, y) = %.1f\n", spectral.SkewedIntersection{C: .1}.At(x, y))
	for _, opts := range [][]layers.Option{nil, {layers.WithPhase()}} {
		l, err := layers.NewSkewedIntersectionLayer(.1, 3, 8192, append(opts, layers.WithSeed(1))...)
		if err != nil {
			fmt.Println(err)
			return
		}
		z, err := l.Transform(nil, matrix(x, y))
		if err != nil {
			fmt.Println(err)
			return
		}
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
	x := []float64{.5, .3, .2}
	y := []float64{.2, .6, .2}
	l := layers.Must(layers.NewSkewedLayer(k, 3, 8192, layers.WithSeed(1)))
	z := layers.MustDense(l.Transform(nil, matrix(x, y)))
	fmt.Printf("k(x, y) = %.2f, z(x)·z(y) = %.2f\n", k.At(x, y), inner(z, 0, 1))
	// Output: k(x, y) = 0.67, z(x)·z(y) = 0.67
}

// A head by the name that a model file has for it.
func ExampleNewHead() {
	for _, kind := range []string{"linear", "softmax", "hinge"} {
		head, err := layers.NewHead(kind, 2, 3)
		if err != nil {
			fmt.Println(err)
			return
		}
		y, _ := head.Transform(nil, matrix([]float64{1, -1})) // its weights are still zero
		fmt.Printf("%s, classes %v: %.2f\n", head.Kind(), head.Classifies(), y.Float64s())
	}
	// Output:
	// linear, classes false: [0.00 0.00 0.00]
	// softmax, classes true: [0.33 0.33 0.33]
	// layers: NewHead: head "hinge" is none of linear, softmax, huber: invalid parameter
}

// A map and a head are nodes like any other: here they learn a sine by the solver of Gorgonia.
func ExampleNewLinearHead() {
	const n = 64
	x, y := make([][]float64, n), make([][]float64, n)
	for i := range n {
		t := 6*float64(i)/n - 3
		x[i], y[i] = []float64{t}, []float64{math.Sin(2 * t)}
	}
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 64, layers.WithSeed(1)))
	head := layers.MustHead(layers.NewLinearHead(64, 1))

	g := G.NewGraph()
	in := G.NewMatrix(g, G.Float64, G.WithShape(n, 1), G.WithName("x"), G.WithValue(matrix(x...)))
	want := G.NewMatrix(g, G.Float64, G.WithShape(n, 1), G.WithName("y"), G.WithValue(matrix(y...)))
	z := rff.Fwd(in)
	if z.Err() != nil {
		fmt.Println(z.Err())
		return
	}
	loss, err := head.Loss(z.Node(), want)
	if err != nil {
		fmt.Println(err)
		return
	}
	var value G.Value
	G.Read(loss, &value)
	if _, err := G.Grad(loss, head.Model()...); err != nil {
		fmt.Println(err)
		return
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(head.Model()...))
	defer machine.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(.05))
	for step := range 301 {
		if err := machine.RunAll(); err != nil {
			fmt.Println(err)
			return
		}
		if step%150 == 0 {
			fmt.Printf("step %3d: loss %.2f\n", step, value)
		}
		if err := solver.Step(G.NodesToValueGrads(head.Model())); err != nil {
			fmt.Println(err)
			return
		}
		machine.Reset()
	}
	// Without a graph, on a row that was not there: sin(2·0.6) = 0.93.
	features, _ := rff.Transform(nil, matrix([]float64{.6}))
	guess, _ := head.Transform(nil, features)
	fmt.Printf("f(0.6) = %.1f\n", guess.Float64s()[0])
	// Output:
	// step   0: loss 0.52
	// step 150: loss 0.00
	// step 300: loss 0.00
	// f(0.6) = 0.9
}

// Four points that no line separates, the corners of a square, by the class of its diagonal. The head's output are
// probabilities.
func ExampleNewSoftmaxHead() {
	x := matrix([]float64{0, 0}, []float64{1, 1}, []float64{0, 1}, []float64{1, 0})
	targets := matrix([]float64{1, 0}, []float64{1, 0}, []float64{0, 1}, []float64{0, 1})
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, layers.WithSeed(1)))
	head := layers.MustHead(layers.NewSoftmaxHead(64, 2))

	g := G.NewGraph()
	in := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"), G.WithValue(x))
	want := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("targets"), G.WithValue(targets))
	loss, err := head.Loss(rff.Fwd(in).Node(), want)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := G.Grad(loss, head.Model()...); err != nil {
		fmt.Println(err)
		return
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(head.Model()...))
	defer machine.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(.1))
	for range 100 {
		if err := machine.RunAll(); err != nil {
			fmt.Println(err)
			return
		}
		if err := solver.Step(G.NodesToValueGrads(head.Model())); err != nil {
			fmt.Println(err)
			return
		}
		machine.Reset()
	}
	z, _ := rff.Transform(nil, x)
	p, _ := head.Transform(nil, z)
	for i := range 4 {
		fmt.Printf("%v: %.1f %.1f\n", x.Float64s()[2*i:2*i+2], p.Float64s()[2*i], p.Float64s()[2*i+1])
	}
	// Output:
	// [0 0]: 1.0 0.0
	// [1 1]: 1.0 0.0
	// [0 1]: 0.0 1.0
	// [1 0]: 0.0 1.0
}

// With a policy, the map's own parameters are learnable nodes too. The data oscillate faster than the bandwidth that
// the map was drawn for allows, and one parameter, the logarithm of a factor on it, finds a narrower one.
func ExampleTune() {
	const n = 64
	x, y := make([][]float64, n), make([][]float64, n)
	for i := range n {
		t := 6*float64(i)/n - 3
		x[i], y[i] = []float64{t}, []float64{math.Sin(4 * t)}
	}
	for _, policy := range []layers.Policy{layers.Frozen, layers.Bandwidth} {
		rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 64, layers.WithSeed(1), layers.Tune(policy))
		if err != nil {
			fmt.Println(err)
			return
		}
		head, err := layers.NewLinearHead(64, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		g := G.NewGraph()
		in := G.NewMatrix(g, G.Float64, G.WithShape(n, 1), G.WithName("x"), G.WithValue(matrix(x...)))
		want := G.NewMatrix(g, G.Float64, G.WithShape(n, 1), G.WithName("y"), G.WithValue(matrix(y...)))
		loss, err := head.Loss(rff.Fwd(in).Node(), want)
		if err != nil {
			fmt.Println(err)
			return
		}
		var value G.Value
		G.Read(loss, &value)
		model := layers.Collect(rff, head)
		if _, err := G.Grad(loss, model...); err != nil {
			fmt.Println(err)
			return
		}
		machine := G.NewTapeMachine(g, G.BindDualValues(model...))
		solver := G.NewAdamSolver(G.WithLearnRate(.05))
		for range 300 {
			if err := machine.RunAll(); err != nil {
				fmt.Println(err)
				return
			}
			if err := solver.Step(G.NodesToValueGrads(model)); err != nil {
				fmt.Println(err)
				return
			}
			machine.Reset()
		}
		machine.Close()
		fmt.Printf("%v: %d learnable nodes, loss below 0.05: %v\n", policy, len(model), float64(*value.(*G.F64)) < .05)
		for _, p := range rff.Params() {
			if p.Tuned {
				fmt.Printf("%s moved, the bandwidth is narrower: %v\n", p.Name, p.Value.Float64s()[0] < 0)
			}
		}
	}
	// Output:
	// frozen: 2 learnable nodes, loss below 0.05: false
	// bandwidth: 3 learnable nodes, loss below 0.05: true
	// log_bandwidth moved, the bandwidth is narrower: true
}

// A map and its head as one layer, for a training graph of one batch size and an inference graph of another.
func ExampleNewSequential() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 10, layers.WithName("rff"),
		layers.WithSeed(1)))
	head := layers.MustHead(layers.NewLinearHead(10, 2, layers.WithName("head")))
	model := layers.Must(layers.NewSequential(rff, head))
	for _, n := range []int{32, 1} {
		g := G.NewGraph()
		in := G.NewMatrix(g, G.Float64, G.WithShape(n, 3), G.WithName("x"))
		out := model.Fwd(in)
		if out.Err() != nil {
			fmt.Println(out.Err())
			return
		}
		fmt.Println(out.Node().Shape(), model.Model())
	}
	fmt.Println(model)
	// Output:
	// (32, 2) [head_W, head_b]
	// (1, 2) [head_W, head_b]
	// Sequential of
	//   FourierLayer "rff": 3 -> 10, spectral.Gaussian{Sigma:1}, sampler iid, seed 1, float64, frozen
	//   LinearHead "head": 10 -> 2, float64
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
	x := []float64{.2, .3, .5, 1, 4}
	y := []float64{0, .9, .1, 2, 3}
	z := layers.MustDense(both.Transform(nil, matrix(x, y)))
	exact := 3*histogram.At(x[:3], y[:3]) + position.At(x[3:], y[3:])
	fmt.Printf("3k(x, y) + k'(x, y) = %.1f, z(x)·z(y) = %.1f, %d features\n", exact, inner(z, 0, 1), both.Features())
	// Output: 3k(x, y) + k'(x, y) = 2.3, z(x)·z(y) = 2.3, 16384 features
}

// The baseline: its features are its input, and its kernel is the inner product.
func ExampleNewIdentity() {
	l, err := layers.NewIdentity(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := matrix([]float64{1, 2, 3}, []float64{0, 1, -1})
	z := layers.MustDense(l.Transform(nil, x))
	fmt.Println(z.Float64s(), inner(z, 0, 1))

	_, err = l.Transform(nil, matrix([]float64{1, math.NaN(), 3}))
	fmt.Println(errors.Is(err, layers.ErrDomain))
	// Output:
	// [1 2 3 0 1 -1] -1
	// true
}

// A spec describes a map by name, as a flag or a file does, and the same spec draws the same map everywhere.
func ExampleSpec() {
	params, err := layers.ParseValues("matern", "nu=2.5, ell=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := layers.Spec{Map: "matern", Params: params, Dims: 3, Features: 4096, Seed: 7, Name: "map"}
	text, _ := json.Marshal(spec)
	fmt.Println(string(text))

	l := layers.Must(spec.Build())
	k, err := spec.Kernel()
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := []float64{1, 0, 2}, []float64{0, 1, 1}
	z := layers.MustDense(l.Transform(nil, matrix(x, y)))
	fmt.Printf("k(x, y) = %.1f, z(x)·z(y) = %.1f\n", k.At(x, y), inner(z, 0, 1))
	// Output:
	// {"map":"matern","params":{"ell":2,"nu":2.5},"dims":3,"features":4096,"sampler":"","seed":7,"dtype":"","tune":"","name":"map"}
	// k(x, y) = 0.6, z(x)·z(y) = 0.6
}

// What is not given comes from the data: here the bandwidth of scikit-learn's gamma = "scale", sqrt(d Var/2).
func ExampleSpec_FillDefaults() {
	spec := layers.Spec{Map: "gaussian", Dims: 2, Features: 64}
	if err := spec.FillDefaults(matrix([]float64{0, 4}, []float64{4, 0})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Params)
	// Output: phase=false,sigma=2
}

// The table of maps lists every map. Another name is an error.
func ExampleLookup() {
	for _, e := range layers.Entries()[:3] {
		fmt.Println(e.Name, e.Formula)
		for _, p := range e.Params() {
			fmt.Println("  ", p.Name)
		}
	}
	_, err := layers.Lookup("rbf")
	fmt.Println(errors.Is(err, layers.ErrParam))
	// Output:
	// linear x·z
	// gaussian exp(-‖x-z‖²/2σ²)
	//    sigma
	//    phase
	// laplacian exp(-‖x-z‖₁/σ)
	//    sigma
	//    phase
	// true
}

// With structured frequencies no W is formed: 256 input columns and 1024 frequencies take 3072 signs and 1024 norms.
// The bandwidth can be tuned.
func ExampleWithSampler_structured() {
	k := spectral.Gaussian{Sigma: 1}
	rff, err := layers.NewFourierLayer(k, 256, 2048, layers.WithSampler(spectral.Structured{}),
		layers.Tune(layers.Bandwidth), layers.WithSeed(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range rff.Params() {
		fmt.Println(p.Name, p.Value.Shape(), "tuned:", p.Tuned)
	}
	cells := make([]float64, 2*256) // two points at the distance 1
	for i := range 256 {
		cells[256+i] = 1. / 16
	}
	z := layers.MustDense(rff.Transform(nil, tensor.New(tensor.WithShape(2, 256), tensor.WithBacking(cells))))
	inner := 0.0
	for j, v := range z.Float64s()[:2048] {
		inner += v * z.Float64s()[2048+j]
	}
	fmt.Printf("k = %.1f, exactly %.3f\n", inner, k.At(cells[:256], cells[256:]))

	_, err = layers.NewFourierLayer(k, 256, 2048, layers.WithSampler(spectral.Structured{}), layers.Tune(layers.All),
		layers.WithName("rff"))
	fmt.Println(err)
	// Output:
	// signs (12, 256) tuned: false
	// norms (1024) tuned: false
	// log_bandwidth (1) tuned: true
	// k = 0.6, exactly 0.607
	// layers: FourierLayer "rff": policy all tunes frequencies one by one or a dimension at a time, and the structured sampler keeps signs and norms in their place; use policy frozen or bandwidth, or the sampler orthogonal: invalid parameter
}

// A Nyström map of any kernel is fitted on rows: here the exponential χ² kernel of histograms, with 20 of 200 rows as
// landmarks, by randomly pivoted Cholesky. At those rows it is exact; Rank counts the eigenvalues that are not 0.
func ExampleNewNystromLayer() {
	sample := histograms(tensor.Float64, 200, 8, 1)
	k := spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: 2}
	l, err := layers.NewNystromLayer(layers.Nystrom{Kernel: k, Select: layers.CholeskyLandmarks}, sample, 20,
		layers.WithSeed(7), layers.WithName("nystrom"))
	if err != nil {
		fmt.Println(err)
		return
	}
	e := must(report.Compare(must(spectral.Gram(k, sample, nil)), must(report.ApproxGram(l, sample))))
	fmt.Println(l.Dims(), "->", l.Features(), "rank", l.Rank())
	fmt.Printf("relative error %.2f\n", e.RelativeFrobenius)

	_, err = layers.NewNystromLayer(layers.Nystrom{Kernel: k}, sample, 201, layers.WithName("nystrom"))
	fmt.Println(err)
	// Output:
	// 8 -> 20 rank 20
	// relative error 0.01
	// layers: NystromLayer "nystrom": the sample has 200 rows, and 201 landmarks are asked for; ask for at most 200 features: invalid parameter
}

// Three columns a bin, fitted on the rows that the kernel is for, against the three of the homogeneous map, which needs
// none.
func ExampleNewAddKPCALayer() {
	sample, k := histograms(tensor.Float64, 200, 8, 1), spectral.Chi2{}
	fitted := layers.Must(layers.NewAddKPCALayer(layers.AddKPCA{Kernel: k}, sample))
	universal := layers.Must(layers.NewHomogeneousLayer(k, 8))
	x := histograms(tensor.Float64, 100, 8, 2)
	exact := must(spectral.Gram(k, x, nil))
	for _, l := range []layers.Layer{fitted, universal} {
		e := must(report.Compare(exact, must(report.ApproxGram(l, x))))
		fmt.Printf("%d -> %d, relative error %.4f\n", l.Dims(), l.Features(), e.RelativeFrobenius)
	}
	// Output:
	// 8 -> 24, relative error 0.0009
	// 8 -> 24, relative error 0.0042
}

// The map of Maji and Berg in its two encodings: a model that is fitted on the dense one is served by two numbers a
// column of the sparse one.
func ExampleNewMajiBergLayer() {
	sample := matrix([]float64{1, .2}, []float64{.4, .5})
	dense, err := layers.NewMajiBergLayer(layers.MajiBerg{Bins: 4}, sample)
	if err != nil {
		fmt.Println(err)
		return
	}
	sparse, err := dense.Sparse()
	if err != nil {
		fmt.Println(err)
		return
	}
	x := matrix([]float64{.6, .1})
	fmt.Printf("%.3f\n%.3f\n", must(dense.Transform(nil, x)).Float64s(), must(sparse.Transform(nil, x)).Float64s())

	w := mat.NewDense(8, 1, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	v := must(dense.SparseWeights(w))
	fmt.Println(mat.Formatted(v.T()))
	// Output:
	// [0.500 0.500 0.200 0.000 0.283 0.000 0.000 0.000]
	// [0.000 0.300 0.200 0.000 0.283 0.000 0.000 0.000]
	// [ 1   3   6  10   5  11  18  26]
}

// A head that has learned, and from now on predicts a row at a time.
func ExamplePackHead() {
	head, err := layers.NewLinearHead(3, 1)
	if err == nil {
		err = head.SetWeights([]float64{1, 2, 3}, []float64{.5})
	}
	if err == nil {
		err = layers.PackHead(head)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := head.Transform(nil, matrix([]float64{1, 1, 1}))
	fmt.Println(scores.Float64s(), err)
	// Output: [6.5] <nil>
}
