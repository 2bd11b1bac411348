package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// threeSets are three sets of 300 samples in [0, 1], the first two from one law and the third from another.
func threeSets() (*ops.Bags, error) {
	rng := rand.New(rand.NewPCG(1, 0))
	x := make([]float64, 0, 900)
	for _, mean := range []float64{.3, .3, .6} {
		for range 300 {
			x = append(x, math.Min(1, math.Max(0, mean+.1*rng.NormFloat64())))
		}
	}
	return ops.NewBags(tensor.New(tensor.WithShape(900, 1), tensor.WithBacking(x)), []int{0, 300, 600, 900})
}

// compareSets prints the inner products of the first set with the two others, on their features.
func compareSets(z *tensor.Dense) {
	d, cells := z.Shape()[1], z.Float64s()
	dot := func(i, j int) (sum float64) {
		for k := range d {
			sum += cells[i*d+k] * cells[j*d+k]
		}
		return sum
	}
	fmt.Printf("one law %.2f, two laws %.2f\n", dot(0, 1), dot(0, 2))
}

// Three sets of samples, two from one law and one from another, as features whose inner products are about
// exp(-JS/2σ²).
func ExampleNewHDDLayer() {
	bags, err := threeSets()
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := ops.ScottBandwidth(bags)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := layers.NewHDDLayer(layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: .5, Bandwidth: h}, 1, 4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	z := layers.MustDense(l.TransformBags(nil, bags))
	fmt.Printf("bandwidth %.3f\n", h[0])
	compareSets(z)
	// Output:
	// bandwidth 0.032
	// one law 1.00, two laws 0.34
}

// The same sets under exp(-‖p - q‖²/2σ²) of their densities, as a map of sets that train takes.
func ExampleNewHDDLayer_squared() {
	bags, err := threeSets()
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := layers.NewHDDLayer(layers.Density{Sigma: 1, Bandwidth: []float64{.03}}, 1, 4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	z := layers.MustDense(l.TransformBags(nil, bags))
	compareSets(z)
	// Output: one law 1.00, two laws 0.06
}

// A map of densities as one of sets of samples, which a Model and the fits of train take.
func ExampleNewBagLayer() {
	bags, err := threeSets()
	if err != nil {
		fmt.Println(err)
		return
	}
	densities, err := layers.NewHDDLayer(layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: .5,
		Bandwidth: []float64{.03}}, 1, 4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := layers.NewBagLayer(densities)
	if err != nil {
		fmt.Println(err)
		return
	}
	z := layers.MustDense(layers.Transform(l, nil, bags))
	fmt.Println(bags, "to", z.Shape())
	compareSets(z)
	// Output:
	// 3 bags of float64 (900, 1) to (3, 4096)
	// one law 1.00, two laws 0.34
}

// The same sets by the maximum mean discrepancy of a Gaussian kernel of their samples.
func ExampleNewMeanMapLayer() {
	bags, err := threeSets()
	if err != nil {
		fmt.Println(err)
		return
	}
	samples := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .1}, 1, 1024, layers.WithName("samples")))
	l := layers.Must(layers.NewMeanMapLayer(samples, .5, 8192))
	z := layers.MustDense(layers.Transform(l, nil, bags))
	compareSets(z)
	// Output: one law 1.00, two laws 0.16
}
