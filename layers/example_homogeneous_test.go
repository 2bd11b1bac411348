package layers_test

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// Seven columns for each bin of a histogram make inner products that are the χ² kernel to three digits, without
// randomness.
func ExampleNewHomogeneousLayer() {
	k := spectral.Chi2{}
	l, err := layers.NewHomogeneousLayer(k, 3, layers.WithOrder(3), layers.WithOptimalPeriod())
	if err != nil {
		fmt.Println(err)
		return
	}
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{.2, .3, .5, 0, .9, .1}))
	z := layers.MustDense(l.Transform(nil, x))
	v, d := z.Float64s(), l.Features()
	dot := 0.0
	for i := range d {
		dot += v[i] * v[d+i]
	}
	exact := k.At([]float64{.2, .3, .5}, []float64{0, .9, .1})
	fmt.Printf("%d -> %d columns, period %.1f\n", l.Dims(), d, l.Harmonics().Period)
	fmt.Printf("exact %.3f, features %.3f, error at most %.3f\n", exact, dot, 2*l.Harmonics().SupError())
	// Output:
	// 3 -> 21 columns, period 12.7
	// exact 0.617, features 0.619, error at most 0.006
}

// Random features of the exponential χ² kernel exp(-D²/2σ²), of the distance D² = Σ (x-z)²/(x+z).
func ExampleNewExponentiatedLayer() {
	k := spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: .5}
	l := layers.Must(layers.NewExponentiatedLayer(k, 3, 4096, layers.WithOrder(3), layers.WithSeed(1),
		layers.WithSampler(spectral.Orthogonal{})))
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{.2, .3, .5, 0, .9, .1}))
	z := layers.MustDense(l.Transform(nil, x))
	v, d := z.Float64s(), l.Features()
	dot := 0.0
	for i := range d {
		dot += v[i] * v[d+i]
	}
	fmt.Printf("exact %.2f, features %.2f\n", k.At([]float64{.2, .3, .5}, []float64{0, .9, .1}), dot)
	// Output: exact 0.22, features 0.21
}

// The exponential-semigroup kernel of two histograms: from Laplace features, from normalised ones, and from a
// Gaussian's on a map without randomness.
func ExampleNewLevyLayer() {
	const features = 512
	k := spectral.ExpSemigroup{Beta: .3}
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{.2, .3, .5, 0, .9, .1}))
	fmt.Printf("exact       %.4f\n", k.At([]float64{.2, .3, .5}, []float64{0, .9, .1}))
	laplace := layers.Must(layers.NewRandomLaplaceLayer(k, 3, features))
	normalised := layers.Must(layers.NewRandomLaplaceLayer(k, 3, features, layers.WithNormalisation()))
	levy := layers.Must(layers.NewLevyLayer(k, 3, features, layers.WithSampler(spectral.Orthogonal{Coupled: true})))
	for _, c := range []struct {
		name string
		l    layers.Layer
	}{{"Laplace", laplace}, {"normalised", normalised}, {"Lévy", levy}} {
		z, err := c.l.Transform(nil, x)
		if err != nil {
			fmt.Println(err)
			return
		}
		v, dot := z.Float64s(), 0.0
		for i := range features {
			dot += v[i] * v[features+i]
		}
		fmt.Printf("%-11s %.4f\n", c.name, dot)
	}
	// Output:
	// exact       0.4990
	// Laplace     0.5075
	// normalised  0.5005
	// Lévy        0.4998
}
