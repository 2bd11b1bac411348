package layers_test

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
)

// twoUnitRows are orthogonal.
var twoUnitRows = matrix([]float64{1, 0, 0}, []float64{0, .6, .8})

// printInner prints the kernel of the two rows and its estimate.
func printInner(l layers.Layer, err error, k spectral.Kernel) {
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := l.Transform(nil, twoUnitRows)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := twoUnitRows.Float64s()
	fmt.Printf("exact %.3f, estimated %.1f\n", k.At(x[:3], x[3:]), inner(z, 0, 1))
}

// Products of projections on random signs.
func ExampleNewRandomMaclaurinLayer() {
	k := spectral.SpherePolynomial{A: 2, P: 3}
	l, err := layers.NewRandomMaclaurinLayer(k, 3, 1<<14)
	printInner(l, err, k)
	// Output: exact 0.125, estimated 0.1
}

// Convolved count sketches.
func ExampleNewTensorSketchLayer() {
	k := spectral.SpherePolynomial{A: 2, P: 3}
	l, err := layers.NewTensorSketchLayer(k, 3, 4096)
	printInner(l, err, k)
	// Output: exact 0.125, estimated 0.1
}

// Fourier features of a density that was fitted to the kernel, which says how far off it is.
func ExampleNewSRFLayer() {
	k := spectral.SRF{A: 3, P: 1}
	l, err := layers.NewSRFLayer(k, 3, 4096, layers.WithSampler(spectral.Orthogonal{}))
	printInner(l, err, k)
	fmt.Printf("off by at most %.2f\n", l.Split().Error)
	// Output:
	// exact 0.778, estimated 0.8
	// off by at most 0.02
}
