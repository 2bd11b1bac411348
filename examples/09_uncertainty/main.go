// Command 09_uncertainty asks ridge regression on random features how sure it is, and checks the answers.
//
//	go run ./examples/09_uncertainty
//
// Ridge regression is the mean of a posterior, and linear.RidgeStats computes all of it from its sums:
//
//	best, err := stats.Evidence(ctx, nil)       // the penalty of the largest marginal likelihood
//	p, err := stats.Posterior(best.Lambda)      // p.Fit is the mean, p.Noise the variance of the noise
//	v, err := p.Variance(nil, z)                // √(p.Noise[0]·v) is the standard deviation of the function
//	head, err := p.Draw(seed)                   // a function from the posterior
//	err = stats.Forget(.9)                      // earlier rows count for less than those that follow
//
// The first table compares the posterior with the exact Gaussian process of the same kernel, noise and prior. Among the
// points they agree. In a gap and outside, the difference falls as the number of features grows. The second learns a
// function from few points: each next one is where the standard deviation is largest, or it is drawn at random. In the
// third a target stays, turns into another, and stays again; sums that forget follow it.
//
// It exits with 1 unless more features come closer to the exact process, the chosen points have the lower error, and
// forgetting has the lower error once the target drifts.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"log"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/cmd/picture"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func main() {
	plot := flag.String("plot", "09_uncertainty.png", "where the picture goes; empty draws none")
	flag.Parse()
	blas.Use()
	must.Do(picture.Save(*plot, 1, band(), must.Get(report.Grid(2, choose(), drift()))))
}

// band compares the posterior with the exact process, by place and number of features, and draws the one of 256.
func band() image.Image {
	const draws = 20
	rng := rand.New(rand.NewPCG(1, 0))
	var x, y []float64
	for i := range 40 { // with a gap of three bandwidths
		v := 4*rng.Float64() + float64(7*(i%2))
		x, y = append(x, v), append(y, math.Sin(1.3*v)+.3*v-1.5+.15*rng.NormFloat64())
	}
	sums := func(features int, seed uint64) (*layers.RandomLayer, *linear.RidgeStats) {
		m, s := gaussian(1, 1, features, seed), new(linear.RidgeStats)
		must.Do(s.Add(must.Get(m.Transform(nil, rows(x, 1))), mat.NewDense(len(y), 1, y)))
		return m, s
	}
	m, s := sums(256, 1)
	lambda := must.Get(s.Evidence(context.Background(), nil)).Lambda
	p := must.Get(s.Posterior(lambda))

	fmt.Printf("Difference from the exact Gaussian process as a share of the prior standard deviation, the largest at a "+
		"place, mean of %d draws\n\n| place | mean, 64 features | 256 | 1024 | std, 64 features | 256 | 1024 |\n|---|---|---|---|---|---|---|\n", draws)
	for _, place := range []struct {
		name string
		x    []float64
	}{
		{"in the data", append(floats.Span(make([]float64, 41), 0, 4), floats.Span(make([]float64, 41), 7, 11)...)},
		{"in the middle of the gap", []float64{5.5}},
		{"1 bandwidth outside", []float64{-1, 12}}, {"2 bandwidths outside", []float64{-2, 13}}, {"4 bandwidths outside", []float64{-4, 15}},
	} {
		var off [6]float64
		for i := range 3 {
			for seed := range uint64(draws) {
				m, s := sums(64<<(2*i), seed)
				q := must.Get(s.Posterior(lambda, p.Noise...))
				mean, std := posterior(q, must.Get(m.Transform(nil, rows(place.x, 1))))
				wantMean, wantStd := exact(x, y, place.x, q.Noise[0], q.Penalty)
				prior := math.Sqrt(q.Noise[0] / q.Penalty)
				off[i] += floats.Distance(mean, wantMean, math.Inf(1)) / prior / draws
				off[3+i] += floats.Distance(std, wantStd, math.Inf(1)) / prior / draws
			}
		}
		fmt.Printf("| %s | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f |\n", place.name, off[0], off[1], off[2], off[3], off[4], off[5])
		claim(off[2] < off[0] && off[5] < off[3]/2, "%s more features are not closer: %.4f", place.name, off)
	}
	fmt.Println()

	at := floats.Span(make([]float64, 381), -4, 15)
	z := must.Get(m.Transform(nil, rows(at, 1)))
	mean, std := posterior(p, z)
	wantMean, wantStd := exact(x, y, at, p.Noise[0], p.Penalty)
	floats.Scale(1.96, std)
	floats.Scale(1.96, wantStd)
	return must.Get(report.Lines("x, in bandwidths", "f(x)", []report.Line{
		{Name: "mean of 256 features and 95 %", X: at, Y: mean, Bars: std, Band: true},
		{Name: "the exact process", X: at, Y: wantMean, Bars: wantStd, Band: true},
		{Name: "points", X: x, Y: y, Points: true}, {Name: "a function drawn", X: at, Y: values(must.Get(p.Draw(1)), z)},
	}, report.WithTitle("The posterior of ridge regression beside the exact Gaussian process"), report.WithSize(1800, 760)))
}

// exact returns the mean and the standard deviation of the Gaussian process with the covariance σ²/ρ k, the noise σ² and
// a flat prior on its mean; Rasmussen and Williams (2006), (2.41) and (2.42).
func exact(x, y, at []float64, noise, rho float64) (mean, std []float64) {
	n, gram := len(x), mat.NewSymDense(len(x), nil)
	k := func(a, b float64) float64 { return math.Exp(-(a - b) * (a - b) / 2) }
	b := mat.NewDense(n, 2, nil) // y and 1
	for i := range n {
		for j := range i {
			gram.SetSym(i, j, k(x[i], x[j]))
		}
		gram.SetSym(i, i, 1+rho)
		b.SetRow(i, []float64{y[i], 1})
	}
	var factor mat.Cholesky
	claim(factor.Factorize(gram), "the kernel matrix has no Cholesky factor")
	var solved mat.Dense
	must.Do(factor.SolveTo(&solved, b))
	mass := mat.Sum(solved.ColView(1))
	offset := mat.Sum(solved.ColView(0)) / mass
	for _, a := range at {
		row := mat.NewVecDense(n, nil)
		for i := range x {
			row.SetVec(i, k(a, x[i]))
		}
		var half mat.VecDense
		must.Do(factor.SolveVecTo(&half, row))
		left := 1 - mat.Dot(row, solved.ColView(1))
		mean = append(mean, mat.Dot(row, solved.ColView(0))+left*offset)
		std = append(std, math.Sqrt(noise/rho*(1-mat.Dot(row, &half)+left*left/mass)))
	}
	return mean, std
}

// posterior returns the mean and the standard deviation of the function at features.
func posterior(p *linear.Posterior, z *tensor.Dense) (mean, std []float64) {
	std = must.Get(p.Variance(nil, z))
	for i, v := range std {
		std[i] = math.Sqrt(p.Noise[0] * v)
	}
	return values(p.Fit, z), std
}

// values returns the values of a head with one target at features.
func values(f *linear.Fit, z *tensor.Dense) []float64 {
	return must.Get(must.Get(f.Head("linear")).Transform(nil, z)).Float64s()
}

// gaussian is a map to random Fourier features of the Gaussian kernel.
func gaussian(sigma float64, dims, features int, seed uint64) *layers.RandomLayer {
	return must.Get(layers.NewFourierLayer(spectral.Gaussian{Sigma: sigma}, dims, features, layers.WithSeed(seed)))
}

// rows is x as a matrix of so many columns.
func rows(x []float64, dims int) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(x)/dims, dims), tensor.WithBacking(x))
}

// claim ends the program where a claim does not hold.
func claim(holds bool, format string, values ...any) {
	if !holds {
		log.Fatalf(format, values...)
	}
}
