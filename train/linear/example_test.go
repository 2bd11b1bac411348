package linear_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func ExampleRidgeOptions_Cost() {
	// 400 rows of a million columns, 300 cells of each, and two targets: by the rows, and by the columns as they are
	// read block by block.
	p := fits.Problem{Rows: 400, Features: 1_000_000, Outputs: 2, Stored: 400 * 300}
	fmt.Println(linear.RidgeOptions{}.Cost(p).Largest)
	p.Streamed = true
	c := linear.RidgeOptions{}.Cost(p)
	fmt.Printf("%s: %.0f GB\n", c.Largest, c.Bytes/1e9)
	// Output:
	// the sparse features, by rows and by columns
	// 1 matrices of 1000000 x 1000000 numbers, of the features: 8012 GB
}

func ExampleFitRidge_blocks() {
	head, err := linear.FitRidge(context.Background(), nil, line{}, linear.RidgeOptions{Lambdas: []float64{1e-9}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("y = %.3f x + %.3f\n", head.W.At(0, 0), head.B[0])
	// Output:
	// y = 2.000 x + 1.000
}

func ExampleFitRidgeCG() {
	head, err := linear.FitRidgeCG(context.Background(), nil, line{}, linear.CGOptions{Lambda: 1e-9})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("y = %.3f x + %.3f\n", head.W.At(0, 0), head.B[0])
	// Output:
	// y = 2.000 x + 1.000
}

// Of several λ the one that predicts each row best from the others.
func ExampleFitKernelRidge_choice() {
	x, y := sine(30)
	gram, err := spectral.Gram(spectral.Gaussian{Sigma: 1}, x, nil)
	if err != nil {
		log.Fatal(err)
	}
	fit, err := linear.FitKernelRidge(gram, y, 1e-4, 1e-2, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range fit.Scores {
		fmt.Printf("λ = %v: %.4f\n", s.Lambda, math.Sqrt(s.MSE))
	}
	fmt.Println("chosen:", fit.Lambda)
	// Output:
	// λ = 0.0001: 0.1327
	// λ = 0.01: 0.0972
	// λ = 1: 0.1127
	// chosen: 0.01
}

// The optimum of logistic regression on random features: probabilities of classes that no line parts.
func ExampleFitLogistic() {
	xor := [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	x, _ := data.FromSlices(xor)
	y, _ := data.OneVersusRest([]int{0, 1, 1, 0}, 2)
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, layers.WithSeed(1)))
	o := linear.LogisticOptions{Lambdas: []float64{.01}}
	f, err := linear.FitLogistic(context.Background(), rff, data.Pairs{X: x, Y: y}, o)
	if err != nil {
		log.Fatal(err)
	}
	head, _ := layers.NewSoftmaxHead(64, 2)
	if err := head.SetWeights(f.W.RawMatrix().Data, f.B); err != nil {
		log.Fatal(err)
	}
	z, _ := rff.Transform(nil, x)
	p, _ := head.Transform(nil, z)
	for i := range 4 {
		fmt.Printf("%v: class 1 above one half: %v\n", xor[i], p.Float64s()[2*i+1] > .5)
	}
	// Output:
	// [0 0]: class 1 above one half: false
	// [0 1]: class 1 above one half: true
	// [1 0]: class 1 above one half: true
	// [1 1]: class 1 above one half: false
}

// A softmax head that knows where it has seen rows: far from them its probabilities tend to one half.
func ExampleFitLaplace() {
	x, _ := data.FromSlices([][]float64{{-2}, {-1.5}, {-1}, {1}, {1.5}, {2}})
	y, _ := data.OneVersusRest([]int{0, 0, 0, 1, 1, 1}, 2)
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 256, layers.WithSeed(1)))
	rows, ctx := data.Pairs{X: x, Y: y}, context.Background()
	f, err := linear.FitLogistic(ctx, rff, rows, linear.LogisticOptions{Lambdas: []float64{.05}})
	if err != nil {
		log.Fatal(err)
	}
	l, err := linear.FitLaplace(ctx, rff, rows, f, linear.LaplaceOptions{Lambda: .05})
	if err != nil {
		log.Fatal(err)
	}
	at, _ := data.FromSlices([][]float64{{1.5}, {0}, {40}})
	z, _ := rff.Transform(nil, at)
	p, _ := l.Probabilities(z)
	fmt.Println("covariance:", l.Covariance)
	for i, x := range []float64{1.5, 0, 40} {
		fmt.Printf("at %v: class 1 with %.1f\n", x, p.At(i, 1))
	}
	// Output:
	// covariance: exact
	// at 1.5: class 1 with 0.8
	// at 0: class 1 with 0.5
	// at 40: class 1 with 0.5
}

// A ring around a disc: no line separates them, and a linear machine on random features does. The better of three
// penalties is chosen on rows that are set aside.
func ExampleFitSVM() {
	rng, rows := rand.New(rand.NewPCG(1, 0)), make([][]float64, 400)
	labels := make([]int, len(rows))
	for i := range rows {
		a, b := 4*rng.Float64()-2, 4*rng.Float64()-2
		if rows[i] = []float64{a, b}; a*a+b*b > 2 {
			labels[i] = 1
		}
	}
	x, _ := data.FromSlices(rows)
	y, _ := data.OneVersusRest(labels, 2)
	o := linear.SVMOptions{Lambdas: []float64{1e-3, 1e-2, 1}}
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 128, layers.WithSeed(1)))
	for _, m := range []layers.Map{nil, rff} { // nil: the rows as they are
		fit, err := linear.FitSVM(context.Background(), m, data.Pairs{X: x, Y: y}, o)
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range fit.Scores {
			if s.Lambda == fit.Lambda {
				fmt.Printf("%.0f %% wrong on rows that were set aside\n", 100*s.ErrorRate)
			}
		}
	}
	// Output:
	// 42 % wrong on rows that were set aside
	// 0 % wrong on rows that were set aside
}

// Ridge on random features, with the penalty that leaves each row out best.
func ExampleFitRidge_features() {
	x, y := sine(200)
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 100, layers.WithSeed(1)))
	fit, err := linear.FitRidge(context.Background(), rff, data.Pairs{X: x, Y: y}, linear.RidgeOptions{
		Lambdas: []float64{1e-3, 1e-2, 1e-1, 1, 10, 100}, Select: linear.SelectLOO,
	})
	if err != nil {
		log.Fatal(err)
	}
	z := layers.MustDense(rff.Transform(nil, tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{.8}))))
	f := mat.Dot(mat.NewVecDense(100, z.Float64s()), fit.W.ColView(0)) + fit.B[0]
	fmt.Printf("f(0.8) = %.1f, sin(0.8) = %.1f\n", f, math.Sin(.8))
	for _, s := range fit.Scores {
		if s.Lambda == fit.Lambda {
			fmt.Printf("leave-one-out error %.1f\n", math.Sqrt(s.MSE))
		}
	}
	// Output:
	// f(0.8) = 0.7, sin(0.8) = 0.7
	// leave-one-out error 0.1
}

// What the exact kernel predicts is what ridge on more and more random features comes close to.
func ExampleFitKernelRidge_limit() {
	const n, lambda = 50, .01
	k := spectral.Gaussian{Sigma: .2}
	x, y := sine(n)
	gram, err := spectral.Gram(k, x, nil)
	if err != nil {
		log.Fatal(err)
	}
	exact, err := linear.FitKernelRidge(gram, y, lambda)
	if err != nil {
		log.Fatal(err)
	}
	want, _ := exact.Predict(gram)
	for _, features := range []int{10, 100, 10000} {
		rff := layers.Must(layers.NewFourierLayer(k, 1, features, layers.WithSeed(1)))
		fit, err := linear.FitRidge(context.Background(), rff, data.Pairs{X: x, Y: y}, linear.RidgeOptions{Lambdas: []float64{lambda}})
		if err != nil {
			log.Fatal(err)
		}
		z := layers.MustDense(rff.Transform(nil, x))
		var got mat.Dense
		got.Mul(mat.NewDense(n, features, z.Float64s()), fit.W)
		largest := 0.0
		for i := range n {
			largest = math.Max(largest, math.Abs(got.At(i, 0)+fit.B[0]-want.At(i, 0)))
		}
		fmt.Printf("%-5d features: largest difference %.2f\n", features, largest)
	}
	// Output:
	// 10    features: largest difference 0.72
	// 100   features: largest difference 0.02
	// 10000 features: largest difference 0.00
}

// sine are n numbers and their sines, with an error that rises and falls from one to the next.
func sine(n int) (x *tensor.Dense, y *mat.Dense) {
	x, y = tensor.New(tensor.WithShape(n, 1), tensor.Of(tensor.Float64)), mat.NewDense(n, 1, nil)
	for i := range n {
		t := 6 * float64(i) / float64(n)
		x.Float64s()[i] = t
		y.Set(i, 0, math.Sin(t)+.1*math.Sin(40*t))
	}
	return x, y
}

// line is y = 2x + 1 in two blocks: rows of a type of one's own.
type line struct{}

func (line) Blocks(context.Context, int) iter.Seq2[data.Pairs, error] {
	return func(yield func(data.Pairs, error) bool) {
		for _, x := range [][]float64{{0, 1, 2}, {5, 7}} {
			y := mat.NewDense(len(x), 1, nil)
			for i, v := range x {
				y.Set(i, 0, 2*v+1)
			}
			if !yield(data.Pairs{X: tensor.New(tensor.WithShape(len(x), 1), tensor.WithBacking(x)), Y: y}, nil) {
				return
			}
		}
	}
}

func ExampleLaplace_Restore() {
	x, _ := data.FromSlices([][]float64{{-2}, {-1.5}, {-1}, {1}, {1.5}, {2}})
	y, _ := data.OneVersusRest([]int{0, 0, 0, 1, 1, 1}, 2)
	rows, ctx := data.Pairs{X: x, Y: y}, context.Background()
	f, err := linear.FitLogistic(ctx, nil, rows, linear.LogisticOptions{Lambdas: []float64{.05}})
	if err != nil {
		log.Fatal(err)
	}
	l, err := linear.FitLaplace(ctx, nil, rows, f, linear.LaplaceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	var again linear.Laplace
	if err := again.Restore(l.Tensors(), f.W, f.B); err != nil {
		log.Fatal(err)
	}
	a, _ := l.Probabilities(x)
	b, _ := again.Probabilities(x)
	fmt.Println(mat.Equal(a, b))
	// Output: true
}

// The lambda of the largest evidence, and how sure the fit of a sine is among its rows, at 2, and far from them, at 50.
func ExamplePosterior() {
	x, y := sine(60)
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 1024, layers.WithSeed(1)))
	var s linear.RidgeStats
	if err := s.AddRows(context.Background(), rff, data.Pairs{X: x, Y: y}); err != nil {
		log.Fatal(err)
	}
	e, err := s.Evidence(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := s.Posterior(e.Lambda)
	if err != nil {
		log.Fatal(err)
	}
	z := layers.MustDense(rff.Transform(nil, tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{2, 50}))))
	v, err := p.Variance(nil, z)
	if err != nil {
		log.Fatal(err)
	}
	row := mat.NewDense(2, 1024, z.Float64s())
	fmt.Printf("noise %.2f, prior %.1f\n", math.Sqrt(p.Noise[0]), math.Sqrt(p.Noise[0]/p.Penalty))
	for i, at := range []float64{2, 50} {
		mean := p.Fit.B[0] + mat.Dot(row.RowView(i), p.Fit.W.ColView(0))
		fmt.Printf("at %v: %.1f ± %.2f\n", at, mean, math.Sqrt(p.Noise[0]*v[i]))
	}
	f, err := p.Draw(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("one function of many: %.1f at 2\n", f.B[0]+mat.Dot(row.RowView(0), f.W.ColView(0)))
	// Output:
	// noise 0.08, prior 0.5
	// at 2: 0.9 ± 0.03
	// at 50: -0.1 ± 0.61
	// one function of many: 0.9 at 2
}

// A posterior through its tensors, as for a model file.
func ExamplePosterior_Restore() {
	var s linear.RidgeStats
	z := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float64{0, 1, 2, 3}))
	if err := s.Add(z, mat.NewDense(4, 1, []float64{1, 3, 5.5, 7})); err != nil {
		log.Fatal(err)
	}
	p, err := s.Posterior(.01, .04)
	if err != nil {
		log.Fatal(err)
	}
	var back linear.Posterior
	if err := back.Restore(p.Tensors()); err != nil {
		log.Fatal(err)
	}
	v, err := back.Variance(nil, z)
	fmt.Printf("f(z) = %.2f z + %.2f, variances %.4f, %v\n", back.Fit.W.At(0, 0), back.Fit.B[0], v, err)
	// Output: f(z) = 2.04 z + 1.06, variances [0.6989 0.2999 0.2999 0.6989], <nil>
}

// Nyström features know nothing far from their landmarks, and with the residual the variance there is the one of the
// prior, 1/ρ beside the intercept's.
func ExamplePosterior_Variance_residual() {
	x, y := sine(60)
	kernel := spectral.Gaussian{Sigma: 1}
	nystrom := layers.Must(layers.NewNystromLayer(layers.Nystrom{Kernel: kernel}, x, 8, layers.WithSeed(1)))
	var s linear.RidgeStats
	if err := s.AddRows(context.Background(), nystrom, data.Pairs{X: x, Y: y}); err != nil {
		log.Fatal(err)
	}
	p, err := s.Posterior(.1)
	if err != nil {
		log.Fatal(err)
	}
	at := []float64{2, 50}
	z := layers.MustDense(nystrom.Transform(nil, tensor.New(tensor.WithShape(2, 1), tensor.WithBacking(at))))
	plain, err := p.Variance(nil, z)
	if err != nil {
		log.Fatal(err)
	}
	whole, err := p.Variance(nil, z, kernel.At(at[:1], at[:1]), kernel.At(at[1:], at[1:]))
	for i := range at {
		fmt.Printf("at %v: %.3f and %.3f of the prior\n", at[i], plain[i]*p.Penalty, whole[i]*p.Penalty)
	}
	fmt.Println(err)
	// Output:
	// at 2: 0.006 and 0.006 of the prior
	// at 50: 0.134 and 1.134 of the prior
	// <nil>
}
