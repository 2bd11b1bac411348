package spectral_test

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"gorgonia.org/tensor"
)

// A kernel is an expectation: the mean of cos(w·(x-z)) over its frequencies comes close to k(x, z).
func ExampleGaussian() {
	k := spectral.Gaussian{Sigma: 2}
	x, z := []float64{1, 0, 2}, []float64{0, 1, 1}

	const d, m = 3, 10000
	w, err := spectral.Frequencies(k, spectral.IID{}, d, m, 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean := 0.0
	for j := range m {
		dot := 0.0
		for i := range d {
			dot += w.Float64s()[i*m+j] * (x[i] - z[i])
		}
		mean += math.Cos(dot) / m
	}
	variance, _ := spectral.PairVariance(k, x, z)
	fmt.Printf("exact %.3f, %d features %.2f, standard error %.3f\n", k.At(x, z), 2*m, mean, math.Sqrt(variance/m))
	// Output: exact 0.687, 20000 features 0.69, standard error 0.004
}

// Histograms have their own kernels: here features are exp(-w·x).
func ExampleExpSemigroup() {
	k := spectral.ExpSemigroup{Beta: 0.5}
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{0.2, 0.3, 0.5, 0, 0.9, 0.1}))
	g, err := spectral.Gram(k, x, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f %.3f\n%.3f %.3f\n", g.At(0, 0), g.At(0, 1), g.At(1, 0), g.At(1, 1))

	variance, _ := spectral.PairVariance(k, []float64{0.2, 0.3, 0.5}, []float64{0, 0.9, 0.1})
	fmt.Printf("features for a standard error of 0.01: %.0f\n", math.Ceil(variance/.01/.01))
	// Output:
	// 0.300 0.314
	// 0.314 0.409
	// features for a standard error of 0.01: 958
}

// Frequencies in one block are orthogonal, and a sampler that does not fit a kernel says so.
func ExampleOrthogonal() {
	const d, m = 2, 2
	w, err := spectral.Frequencies(spectral.Gaussian{Sigma: 1}, spectral.Orthogonal{}, d, m, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := w.Float64s()
	fmt.Printf("inner product of the columns: %.6f\n", math.Abs(v[0]*v[1]+v[2]*v[3]))

	_, err = spectral.Frequencies(spectral.Laplacian{Sigma: 1}, spectral.Orthogonal{}, d, m, 1)
	fmt.Println(err)
	// Output:
	// inner product of the columns: 0.000000
	// spectral: sampler orthogonal does not fit spectral.Laplacian: its frequencies are not known to have a uniform direction (no NormQuantile); use spectral.IID{}
}

// A structured draw is signs and norms, from which the same frequencies can be written out. It is for many dimensions.
func ExampleStructured() {
	const d, m = 784, 4096
	k := spectral.Gaussian{Sigma: 5}
	signs, norms, err := spectral.StructuredFrequencies(k, d, m, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("signs", signs.Shape(), "norms", norms.Shape(), "in place of W", tensor.Shape{d, m})

	_, err = spectral.Frequencies(k, spectral.Structured{}, 8, m, 1)
	fmt.Println(err)
	// Output:
	// signs (12, 1024) norms (4096) in place of W (784, 4096)
	// spectral: sampler structured does not fit spectral.Gaussian: it is biased where dimensions are few, by -0.031 at two bandwidths for 8, and 8 is less than 16; use spectral.Orthogonal{}
}

// The kernel Π sinc(x_i - z_i) has uniform frequencies.
func ExampleCustom() {
	k := spectral.Custom{
		Exact: func(x, z []float64) float64 {
			v := 1.0
			for i := range x {
				if t := x[i] - z[i]; t != 0 {
					v *= math.Sin(t) / t
				}
			}
			return v
		},
		Of: spectral.Law{Transform: spectral.Fourier, Quantile: func(p float64) float64 { return 2*p - 1 }},
	}
	x, z := []float64{1, 2}, []float64{2, 0.5}
	w, err := spectral.Frequencies(k, spectral.IID{}, 2, 10000, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, mean := w.Float64s(), 0.0
	for j := range 10000 {
		mean += math.Cos(v[j]*(x[0]-z[0])+v[10000+j]*(x[1]-z[1])) / 10000
	}
	fmt.Printf("exact %.3f, estimate %.2f\n", k.At(x, z), mean)
	// Output: exact 0.560, estimate 0.56
}
