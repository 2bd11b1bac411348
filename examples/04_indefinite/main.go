// Command 04_indefinite gives explicit features to a kernel that is not positive definite, and compares ways of drawing
// them.
//
//	go run ./examples/04_indefinite
//
// The difference of a narrow and a wide Gaussian,
//
//	k(x, x') = exp(-‖x-x'‖²/2σ₁²) - exp(-‖x-x'‖²/2σ₂²),
//
// is no inner product: its Fourier transform has both signs. But each sign alone is a positive measure, so that the
// kernel is m₊k₊ - m₋k₋ with random features for either part, and k(x, x') ≈ Σ_j σ_j z_j(x) z_j(x') with a sign σ_j for
// each column (layers.GORFLayer, layers.SignatureOf). A linear model on the features needs no signs; what takes inner
// products of them does, and report.KernelError and linear.FitRidge ask for them.
//
// The estimate is a difference, and what its two parts have in common falls out. How the frequencies of the two signs
// are drawn together is a spectral.Coupling:
//
//	iid              independent frequencies, the GRFF of Luo et al. (2021)
//	joint            columns of one orthogonal matrix for both signs, cut off at d rows, their GORF (algorithm 1)
//	shared-coupled   the same directions for both signs, norms that go together between them; the default
//
// The program measures the error of the kernel matrix of 200 rows in 16 dimensions over eight seeds and draws it. It
// exits with 1 unless the kernel matrix has eigenvalues of both signs, every coupling is unbiased, and the default has
// the least error at every number of features.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

const rows, dims = 200, 16

func main() {
	plot := flag.String("plot", "04_indefinite.png", "where the picture goes")
	flag.Parse()

	kernel := spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}
	x := uniform(rows, dims, 1)
	low, high := extremes(must.Get(report.ExactGram(kernel, x)))
	fmt.Printf("eigenvalues of the kernel matrix: %.2f to %.2f\n\n", low, high)
	if low >= 0 || high <= 0 {
		log.Fatal("the kernel is not indefinite on these rows")
	}

	fmt.Println("features        iid      joint  shared-coupled")
	var curves []report.Line
	couplings := []spectral.Coupling{spectral.Independent, spectral.Joint, spectral.SharedCoupled}
	for _, c := range couplings {
		curves = append(curves, report.Line{Name: c.String()})
	}
	for _, features := range []int{64, 128, 256, 512, 1024, 2048} {
		fmt.Printf("%8d", features)
		for i, c := range couplings {
			draw := func(seed uint64) (report.Map, error) {
				return layers.NewGORFLayer(kernel, dims, features, layers.WithCoupling(c), layers.WithSeed(seed))
			}
			e := must.Get(report.KernelError(kernel, draw, x, []uint64{1, 2, 3, 4, 5, 6, 7, 8}))
			curves[i].Add(float64(features), e.Mean.RelativeFrobenius, e.StdErr.RelativeFrobenius)
			fmt.Printf("%11.4f", e.Mean.RelativeFrobenius)
			if math.Abs(e.Bias.Z) > 6 { // Student's t with 7 degrees of freedom: one in two thousand
				log.Fatalf("coupling %v, %d features: the bias is %v standard errors", c, features, e.Bias.Z)
			}
		}
		fmt.Println()
	}
	title := report.WithTitle("A difference of two Gaussians by random features")
	must.Do(report.SavePNG(*plot, must.Get(report.ErrorCurves(curves, title))))
	fmt.Println("\ndrawn:", *plot)

	for i, e := range curves[2].Y {
		if e >= curves[0].Y[i] || e >= curves[1].Y[i] {
			log.Fatalf("%v features: shared-coupled has the error %v, joint %v, iid %v", curves[0].X[i], e, curves[1].Y[i], curves[0].Y[i])
		}
	}
}

// uniform draws an n × d matrix of numbers in [0, 1).
func uniform(n, d int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := make([]float64, n*d)
	for i := range v {
		v[i] = rng.Float64()
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v))
}

// extremes are the smallest and the largest eigenvalue of a symmetric matrix.
func extremes(k *mat.Dense) (low, high float64) {
	n, _ := k.Dims()
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, k.RawMatrix().Data), false) {
		log.Fatal("no eigenvalues")
	}
	v := e.Values(nil)
	return v[0], v[n-1]
}
