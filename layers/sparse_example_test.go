package layers_test

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
)

// Bags of words stay sparse: a map reads the entries of the rows, and nothing of the size of the dictionary is made.
func ExampleTransform() {
	bags, err := ops.NewCSR(2, 50000, []int{0, 2, 3}, []int32{7, 40123, 7}, []float64{.5, .5, 1})
	if err != nil {
		panic(err)
	}
	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 50000, 64, layers.WithSeed(1))
	if err != nil {
		panic(err)
	}
	z, err := layers.Transform(rff, nil, bags)
	if err != nil {
		panic(err)
	}
	f := z.Float64s()
	kernel := 0.0
	for j := range 64 {
		kernel += f[j] * f[64+j]
	}
	fmt.Printf("z is %v, z·z' = %.1f, the kernel is %.1f\n", z.Shape(), kernel,
		spectral.Gaussian{Sigma: 1}.At([]float64{.5, .5}, []float64{1, 0}))
	// Output: z is (2, 64), z·z' = 0.8, the kernel is 0.8
}
