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

// cosine is the kernel Π cos((x-z)/σ), whose frequencies are 1/σ or -1/σ in each coordinate.
type cosine struct {
	Sigma float64 `param:"sigma" default:"1" doc:"bandwidth σ"`
}

func (k cosine) At(x, z []float64) float64 {
	product := 1.
	for j := range x {
		product *= math.Cos((x[j] - z[j]) / k.Sigma)
	}
	return product
}

func (cosine) Domain() spectral.Domain { return spectral.Domain{} }

func (k cosine) Law() spectral.Law {
	return spectral.Law{Transform: spectral.Fourier, Draw: func(w []float64, rng *rand.Rand) {
		for j := range w {
			w[j] = float64(2*rng.IntN(2)-1) / k.Sigma
		}
	}}
}

// A kernel of your own is a map as any other once it is registered. Package maptest holds it to its promises.
func ExampleRegister() {
	err := layers.Register(layers.Entry{Name: "cosine", Formula: "Π cos((x-z)/σ)", Inputs: "any", Kernel: cosine{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{0, 0, 1, .5, -1, 2, .3, -.7}))
	s := layers.Spec{Map: "cosine", Params: layers.Values{"sigma": 2}, Dims: 2, Features: 4096, Seed: 1}
	l := layers.Must(s.Build())
	z := layers.MustDense(l.Transform(nil, x))
	dot := 0.
	for j := range 4096 {
		dot += z.Float64s()[j] * z.Float64s()[4096+j]
	}
	k, err := s.Kernel()
	fmt.Println(math.Abs(dot-k.At([]float64{0, 0}, []float64{1, .5})) < .05, err)
	// Output: true <nil>
}

// What was built by hand has a Spec, which a model file holds.
func ExampleSpecOf() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, 3, 4096, layers.WithName("rff"),
		layers.WithSampler(spectral.Sobol{})))
	net := layers.Must(layers.NewSequential(layers.Must(layers.NewNormalise(3, ops.L2, layers.WithName("unit"))), rff))
	s, err := layers.SpecOf(net)
	if err != nil {
		fmt.Println(err)
		return
	}
	same := layers.Must(s.Build())
	x := tensor.New(tensor.WithShape(1, 3), tensor.WithBacking([]float64{1, 2, 3}))
	a, b := layers.MustDense(net.Transform(nil, x)), layers.MustDense(same.Transform(nil, x))
	fmt.Println(s.Parts[0], slices.Equal(a.Float64s(), b.Float64s()))
	// Output: normalise norm=l2, 3 -> 3, float64, name "unit" true
}
