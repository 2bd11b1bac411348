// Command 01_first_features replaces a Gaussian kernel by explicit features, in two lines, and watches the error
// shrink.
//
//	go run ./examples/01_first_features
//
// The Gaussian kernel compares two rows,
//
//	k(x, x') = exp(-‖x-x'‖²/2σ²),
//
// and a machine that works with it needs the n × n matrix of all pairs. By Bochner's theorem the kernel is an
// expectation over random frequencies w, k(x, x') = E cos(w·(x - x')), here of a normal w of standard deviation 1/σ.
// Draw m of them once, and every row gets 2m columns of its own,
//
//	z(x) = [cos(xW) | sin(xW)] / √m,   z(x)·z(x') ≈ k(x, x'),
//
// on which a linear model is a kernel machine. These two lines draw the map and apply it:
//
//	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 3}, 8, 1024)
//	z, err := rff.Transform(nil, x)
//
// The error of an inner product falls as 1/√m. Where the frequencies are drawn together and not one by one it is
// smaller for the same m: spectral.Orthogonal and its Coupled form make them orthogonal in blocks of as many as there
// are input columns. The program measures the error of the whole kernel matrix of 200 rows in 8 dimensions over ten
// seeds and draws it against the number of features.
//
// It exits with 1 unless the error has fallen as theory says and orthogonal frequencies beat independent ones.
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
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

const rows, dims = 200, 8

func main() {
	plot := flag.String("plot", "01_first_features.png", "where the picture goes")
	flag.Parse()

	kernel := spectral.Gaussian{Sigma: 3}
	x := normal(rows, dims, 1)
	rff := must.Get(layers.NewFourierLayer(kernel, dims, 1024))
	z := must.Get(rff.Transform(nil, x))
	fmt.Printf("%d rows of %d columns became %d columns; k(x₀, x₁) = %.3f, z(x₀)·z(x₁) = %.3f\n\n", rows, dims, z.Shape()[1], kernel.At(row(x, 0), row(x, 1)), floats.Dot(row(z, 0), row(z, 1)))

	fmt.Println("features       iid  orthogonal     coupled")
	counts := []int{32, 64, 128, 256, 512, 1024, 2048}
	curves := []report.Line{{Name: "iid"}, {Name: "orthogonal"}, {Name: "coupled"}}
	for _, features := range counts {
		fmt.Printf("%8d", features)
		for i, sampler := range []spectral.Sampler{spectral.IID{}, spectral.Orthogonal{},
			spectral.Orthogonal{Coupled: true}} {
			draw := func(seed uint64) (report.Map, error) {
				return layers.NewFourierLayer(kernel, dims, features, layers.WithSampler(sampler), layers.WithSeed(seed))
			}
			e := must.Get(report.KernelError(kernel, draw, x, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))
			curves[i].Add(float64(features), e.Mean.RelativeFrobenius, e.StdErr.RelativeFrobenius)
			fmt.Printf("%12.4f", e.Mean.RelativeFrobenius)
		}
		fmt.Println()
	}
	must.Do(report.SavePNG(*plot, must.Get(report.ErrorCurves(curves, report.WithTitle("A Gaussian kernel by random features")))))
	fmt.Println("\ndrawn:", *plot)

	iid, orthogonal := curves[0].Y, curves[1].Y
	last := len(counts) - 1
	fall := math.Sqrt(float64(counts[last]) / float64(counts[0]))
	fmt.Printf("%d times the features: the error of iid falls to 1/%.1f, theory says 1/%.1f\n", counts[last]/counts[0], iid[0]/iid[last], fall)
	if ratio := iid[0] / iid[last] / fall; ratio < .75 || ratio > 1.33 {
		log.Fatalf("the error of independent frequencies does not fall as 1/√m: %v", iid)
	}
	for i := range counts {
		if orthogonal[i] >= iid[i] {
			log.Fatalf("%d features: the error of orthogonal frequencies, %v, is not below that of independent ones, %v", counts[i], orthogonal[i], iid[i])
		}
	}
}

// normal draws an n × d matrix of standard normal numbers.
func normal(n, d int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := make([]float64, n*d)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v))
}

func row(x *tensor.Dense, i int) []float64 {
	d := x.Shape()[1]
	return x.Float64s()[i*d : (i+1)*d]
}
