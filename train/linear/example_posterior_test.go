package linear_test

import (
	"context"
	"fmt"
	"log"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

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
