package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	gonum "gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// threeSets are three sets of 300 samples in [0, 1], the first two from one law and the third from another.
func threeSets() *ops.Bags {
	rng := rand.New(rand.NewPCG(1, 0))
	x := make([]float64, 0, 900)
	for _, mean := range []float64{.3, .3, .6} {
		for range 300 {
			x = append(x, math.Min(1, math.Max(0, mean+.1*rng.NormFloat64())))
		}
	}
	return must(ops.NewBags(dense(1, x...), []int{0, 300, 600, 900}))
}

// compareSets prints the inner products of the first set with the two others, on their features.
func compareSets(z *tensor.Dense, err error) {
	layers.MustDense(z, err)
	fmt.Printf("one law %.2f, two laws %.2f\n", inner(z, 0, 1), inner(z, 0, 2))
}

// Three sets of samples, two from one law and one from another, as features whose inner products are about
// exp(-JS/2σ²).
func ExampleNewHDDLayer() {
	bags := threeSets()
	h := must(ops.ScottBandwidth(bags))
	l := must(layers.NewHDDLayer(layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: .5, Bandwidth: h},
		1, 4096))
	fmt.Printf("bandwidth %.3f\n", h[0])
	compareSets(must(layers.NewBagLayer(l)).TransformBags(nil, bags))
	// Output:
	// bandwidth 0.032
	// one law 1.00, two laws 0.34
}

// The same sets under exp(-‖p - q‖²/2σ²) of their densities.
func ExampleNewHDDLayer_squared() {
	l := must(layers.NewHDDLayer(layers.Density{Sigma: 1, Bandwidth: []float64{.03}}, 1, 4096))
	compareSets(must(layers.NewBagLayer(l)).TransformBags(nil, threeSets()))
	// Output: one law 1.00, two laws 0.06
}

// A map of densities as one of sets of samples, which a Model and the fits of train take.
func ExampleNewBagLayer() {
	bags := threeSets()
	l := layers.Must(layers.NewBagLayer(must(layers.NewHDDLayer(layers.Density{
		Distance: spectral.JensenShannonDivergence, Sigma: .5, Bandwidth: []float64{.03}}, 1, 4096))))
	z, err := layers.Transform(l, nil, bags)
	fmt.Println(bags, "to", z.Shape())
	compareSets(z, err)
	// Output:
	// 3 bags of float64 (900, 1) to (3, 4096)
	// one law 1.00, two laws 0.34
}

// The same sets by the maximum mean discrepancy of a Gaussian kernel of their samples.
func ExampleNewMeanMapLayer() {
	samples := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .1}, 1, 1024, layers.WithName("samples")))
	compareSets(layers.Transform(layers.Must(layers.NewMeanMapLayer(samples, .5, 8192)), nil, threeSets()))
	// Output: one law 1.00, two laws 0.16
}

// mixtures are n densities on [0, 1]^l at the points of a grid: each the mean of two products of truncated normal laws
// with standard deviations of .1 to .3 about random means.
func mixtures(n int, g ops.Grid, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := g.Len()
	p := make([]float64, n*v)
	points := make([][]float64, v)
	for k := range points {
		points[k] = g.At(k)
	}
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	for i := range n {
		for range 2 {
			height := .5
			mean, sd := make([]float64, g.Axes()), make([]float64, g.Axes())
			for j := range mean {
				mean[j], sd[j] = rng.Float64(), .1+.2*rng.Float64()
				height /= sd[j] * math.Sqrt(2*math.Pi) * (cdf((1-mean[j])/sd[j]) - cdf(-mean[j]/sd[j]))
			}
			for k, t := range points {
				e := 0.0
				for j, u := range t {
					e += (u - mean[j]) * (u - mean[j]) / (sd[j] * sd[j])
				}
				p[i*v+k] += height * math.Exp(-e/2)
			}
		}
	}
	return dense(v, p...)
}

// The error of embedded squared distances, in per cent of the largest distance among 15 pairs of densities: the
// largest, and in brackets the root mean square. The first line of each dimension has the defaults. Points and
// functions are counted for an axis.
func ExampleHDDLayer_Embed() {
	fmt.Println("l  points  functions   M                   JS           TV    Hellinger")
	axes, exact := 0, [3][]float64{}
	for _, c := range []struct {
		axes, points, functions, m int
		rule                       spectral.LambdaRule
	}{
		{1, 128, 10, 5, spectral.GaussLambdas},
		{1, 16, 10, 5, spectral.GaussLambdas},
		{1, 128, 10, 2, spectral.GaussLambdas},
		{1, 128, 10, 20, spectral.GaussLambdas},
		{1, 128, 10, 5, spectral.QuantileLambdas},
		{1, 128, 10, 5, spectral.DrawnLambdas},
		{2, 48, 10, 5, spectral.GaussLambdas},
		{2, 48, 10, 5, spectral.QuantileLambdas},
		{2, 48, 16, 20, spectral.GaussLambdas},
		{3, 20, 10, 5, spectral.GaussLambdas},
		{3, 20, 10, 5, spectral.QuantileLambdas},
		{3, 20, 16, 20, spectral.GaussLambdas},
	} {
		fmt.Printf("%d  %6d  %9d  %2d %-8v", c.axes, c.points, c.functions, c.m, c.rule)
		if c.axes != axes {
			axes = c.axes
			fine := map[int]int{1: 1024, 2: 128, 3: 48}[axes] // points of an axis
			x := mixtures(6, must(ops.NewGrid(slices.Repeat([]int{fine}, axes)...)), 1)
			for k, d := range hddDistances {
				exact[k] = pairs(x, d.d.At)
			}
		}
		for k, d := range hddDistances {
			l := must(layers.NewHDDLayer(withLambdas(d.d, c.m, c.rule, layers.Density{Sigma: 1,
				Points: slices.Repeat([]int{c.points}, c.axes), Functions: c.functions}), c.axes, 2))
			got := pairs(must(l.Embed(nil, mixtures(6, l.Grid(), 1))), squaredDistance)
			worst, largest := gonum.Distance(got, exact[k], math.Inf(1)), gonum.Max(exact[k])
			rms := gonum.Distance(got, exact[k], 2) / math.Sqrt(15)
			fmt.Printf("%13s", fmt.Sprintf("%.1f (%.1f)", 100*worst/largest, 100*rms/largest))
		}
		fmt.Println()
	}
	// Output:
	// l  points  functions   M                   JS           TV    Hellinger
	// 1     128         10   5 gauss       0.8 (0.5)   10.8 (6.0)    0.1 (0.0)
	// 1      16         10   5 gauss       0.8 (0.5)    8.9 (4.9)    0.2 (0.1)
	// 1     128         10   2 gauss       4.2 (2.3)   14.8 (8.3)    0.1 (0.0)
	// 1     128         10  20 gauss       0.1 (0.1)    7.9 (6.1)    0.1 (0.0)
	// 1     128         10   5 quantile    2.7 (1.5)    9.1 (4.5)    0.1 (0.0)
	// 1     128         10   5 drawn       9.1 (4.7)  47.0 (27.6)    0.1 (0.0)
	// 2      48         10   5 gauss       0.5 (0.3)  14.7 (11.2)    0.0 (0.0)
	// 2      48         10   5 quantile    1.9 (1.2)    9.8 (7.3)    0.0 (0.0)
	// 2      48         16  20 gauss       0.0 (0.0)    7.8 (6.4)    0.0 (0.0)
	// 3      20         10   5 gauss       0.2 (0.1)  14.9 (12.9)    0.2 (0.1)
	// 3      20         10   5 quantile    1.0 (0.5)  12.9 (11.6)    0.2 (0.1)
	// 3      20         16  20 gauss       0.2 (0.1)    7.9 (7.3)    0.2 (0.1)
}
