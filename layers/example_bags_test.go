package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
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

// The error of embedded squared distances, in per cent of the largest distance among 15 pairs of densities: the
// largest, and in brackets the root mean square. The first line of each dimension has the defaults. Points and
// functions are counted for an axis.
func ExampleHDDLayer_Embed() {
	fmt.Println("l  points  functions   M                   JS           TV    Hellinger")
	for axes, fine := range []int{1024, 128, 48} {
		axes++
		x := mixtures(6, must(ops.NewGrid(slices.Repeat([]int{fine}, axes)...)), 1)
		var exact [3][]float64
		for k, d := range hddDistances {
			exact[k] = pairs(x, d.d.At)
		}
		for _, c := range []struct {
			points, functions, m int
			rule                 spectral.LambdaRule
		}{
			{0, 10, 5, spectral.GaussLambdas},
			{16, 10, 5, spectral.GaussLambdas},
			{0, 10, 2, spectral.GaussLambdas},
			{0, 10, 20, spectral.GaussLambdas},
			{0, 16, 20, spectral.GaussLambdas},
			{0, 10, 5, spectral.QuantileLambdas},
			{0, 16, 20, spectral.QuantileLambdas},
			{0, 10, 5, spectral.DrawnLambdas},
		} {
			of := layers.Density{Sigma: 1, Functions: c.functions}
			if c.points > 0 {
				of.Points = []int{c.points}
			}
			for k, d := range hddDistances {
				l := must(layers.NewHDDLayer(withLambdas(d.d, c.m, c.rule, of), axes, 2))
				if k == 0 {
					fmt.Printf("%d  %6d  %9d  %2d %-8v", axes, l.Grid().Points()[0], c.functions, c.m, c.rule)
				}
				got := pairs(must(l.Embed(nil, mixtures(6, l.Grid(), 1))), squaredDistance)
				worst, rms, largest := 0., 0., 0.
				for i, want := range exact[k] {
					largest = math.Max(largest, want)
					worst = math.Max(worst, math.Abs(got[i]-want))
					rms += (got[i] - want) * (got[i] - want) / float64(len(got))
				}
				fmt.Printf("%13s", fmt.Sprintf("%.1f (%.1f)", 100*worst/largest, 100*math.Sqrt(rms)/largest))
			}
			fmt.Println()
		}
	}
	// Output:
	// l  points  functions   M                   JS           TV    Hellinger
	// 1     128         10   5 gauss       0.8 (0.5)   10.8 (6.0)    0.1 (0.0)
	// 1      16         10   5 gauss       0.8 (0.5)    8.9 (4.9)    0.2 (0.1)
	// 1     128         10   2 gauss       4.2 (2.3)   14.8 (8.3)    0.1 (0.0)
	// 1     128         10  20 gauss       0.1 (0.1)    7.9 (6.1)    0.1 (0.0)
	// 1     128         16  20 gauss       0.0 (0.0)    5.6 (4.0)    0.0 (0.0)
	// 1     128         10   5 quantile    2.7 (1.5)    9.1 (4.5)    0.1 (0.0)
	// 1     128         16  20 quantile    0.6 (0.4)    5.3 (3.7)    0.0 (0.0)
	// 1     128         10   5 drawn       9.1 (4.7)  47.0 (27.6)    0.1 (0.0)
	// 2      48         10   5 gauss       0.5 (0.3)  14.7 (11.2)    0.0 (0.0)
	// 2      16         10   5 gauss       0.6 (0.3)  13.9 (10.5)    0.2 (0.1)
	// 2      48         10   2 gauss       3.1 (1.9)    9.0 (5.1)    0.0 (0.0)
	// 2      48         10  20 gauss       0.1 (0.1)  13.0 (10.5)    0.0 (0.0)
	// 2      48         16  20 gauss       0.0 (0.0)    7.8 (6.4)    0.0 (0.0)
	// 2      48         10   5 quantile    1.9 (1.2)    9.8 (7.3)    0.0 (0.0)
	// 2      48         16  20 quantile    0.4 (0.2)    8.0 (6.3)    0.0 (0.0)
	// 2      48         10   5 drawn       8.7 (5.4)  33.7 (20.2)    0.0 (0.0)
	// 3      20         10   5 gauss       0.2 (0.1)  14.9 (12.9)    0.2 (0.1)
	// 3      16         10   5 gauss       0.2 (0.1)  14.6 (12.6)    0.3 (0.2)
	// 3      20         10   2 gauss       1.8 (0.9)    7.7 (4.7)    0.2 (0.1)
	// 3      20         10  20 gauss       0.2 (0.1)  13.5 (12.4)    0.2 (0.1)
	// 3      20         16  20 gauss       0.2 (0.1)    7.9 (7.3)    0.2 (0.1)
	// 3      20         10   5 quantile    1.0 (0.5)  12.9 (11.6)    0.2 (0.1)
	// 3      20         16  20 quantile    0.2 (0.1)    8.0 (7.3)    0.2 (0.1)
	// 3      20         10   5 drawn       6.7 (5.1)   11.2 (6.1)    0.2 (0.1)
}
