package spectral_test

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"gorgonia.org/tensor"
)

// Pairs of rows: of any numbers, and histograms.
var (
	rowX, rowZ   = []float64{1, 0, 2}, []float64{0, 1, 1}
	histX, histZ = []float64{.2, .3, .5}, []float64{0, .9, .1}
)

// must returns v, and panics with an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The baseline: its feature map is x itself.
func ExampleLinear() {
	fmt.Println(spectral.Linear{}.At(rowX, rowZ))
	// Output: 2
}

// It falls with the sum of the differences; d = 3.
func ExampleLaplacian() {
	k := spectral.Laplacian{Sigma: 2}
	fmt.Printf("%.4f = exp(-3/2)\n", k.At(rowX, rowZ))
	// Output: 0.2231 = exp(-3/2)
}

// The sum over the columns, in place of their product.
func ExampleAdditiveGaussian() {
	fmt.Printf("%.4f\n", spectral.AdditiveGaussian{Sigma: 2}.At(rowX, rowZ))
	fmt.Printf("%.4f\n", spectral.AdditiveGaussian{Sigma: 2}.At(rowX[:1], rowZ[:1]))
	// Output:
	// 2.6475
	// 0.8825
}

// Smoothness ½ is the exponential of the distance; from there it becomes the Gaussian.
func ExampleMatern() {
	for _, nu := range []float64{.5, 1.5, 2.5, 50} {
		fmt.Printf("ν = %v: %.4f\n", nu, spectral.Matern{Nu: nu, Ell: 2}.At(rowX, rowZ))
	}
	fmt.Printf("Gaussian: %.4f\n", spectral.Gaussian{Sigma: 2}.At(rowX, rowZ))
	// Output:
	// ν = 0.5: 0.4206
	// ν = 1.5: 0.5578
	// ν = 2.5: 0.6037
	// ν = 50: 0.6831
	// Gaussian: 0.6873
}

// Two rows a period apart are as similar as the fading over ten units says, and half a period apart they are opposites.
func ExampleSpectralMixture() {
	k := spectral.SpectralMixture{Means: []float64{2 * math.Pi / 3}, Sigmas: []float64{10}}
	for _, apart := range []float64{0, 1.5, 3, 6} {
		fmt.Printf("%.1f: %.3f\n", apart, k.At([]float64{0}, []float64{apart}))
	}
	// Output:
	// 0.0: 1.000
	// 1.5: -0.989
	// 3.0: 0.956
	// 6.0: 0.835
}

// The standard error of 1024 positive features relative to the kernel: they are exact for opposite rows, and of no use
// for equal rows of twice the length σ.
func ExampleSoftmax() {
	k := spectral.Softmax{Sigma: 1}
	for _, length := range []float64{.5, 2} {
		x := []float64{length}
		for _, z := range [][]float64{{-length}, {0}, x} {
			variance := must(spectral.IID{}.Variance(k, x, z, 1024))
			fmt.Printf("k(%.1f, %4.1f) = %7.4f ± %4.1f %%\n", length, z[0], k.At(x, z), 100*math.Sqrt(variance)/k.At(x, z))
		}
	}
	// Output:
	// k(0.5, -0.5) =  0.7788 ±  0.0 %
	// k(0.5,  0.0) =  1.0000 ±  1.7 %
	// k(0.5,  0.5) =  1.2840 ±  4.1 %
	// k(2.0, -2.0) =  0.0183 ±  0.0 %
	// k(2.0,  0.0) =  1.0000 ± 22.9 %
	// k(2.0,  2.0) = 54.5982 ± 9315.5 %
}

// A small shape has long tails; a large one is nearly the Gaussian.
func ExampleRationalQuadratic() {
	for _, alpha := range []float64{.5, 2, 50} {
		fmt.Printf("α = %v: %.4f\n", alpha, spectral.RationalQuadratic{Alpha: alpha, Ell: 2}.At(rowX, rowZ))
	}
	fmt.Printf("Gaussian: %.4f\n", spectral.Gaussian{Sigma: 2}.At(rowX, rowZ))
	// Output:
	// α = 0.5: 0.7559
	// α = 2: 0.7091
	// α = 50: 0.6883
	// Gaussian: 0.6873
}

// A product over the bins, λ/(x+z+λ) each.
func ExampleReciprocalSemigroup() {
	k := spectral.ReciprocalSemigroup{Lambda: 1}
	fmt.Printf("%.4f\n", k.At(histX, histZ))
	// Output: 0.2367
}

// Equal rows have the value 1, and what lies above -c is in the domain.
func ExampleSkewedChi2() {
	k := spectral.SkewedChi2{C: .1}
	fmt.Printf("%.4f %.0f, on %v\n", k.At(histX, histZ), k.At(histX, histX), k.Domain())
	// Output: 0.6776 1, on x > -0.1
}

// It falls with the sum of |ln(x+c) - ln(z+c)|/2 over the bins.
func ExampleSkewedIntersection() {
	k := spectral.SkewedIntersection{C: .1}
	sum := 0.
	for i, x := range histX {
		sum += math.Abs(math.Log(x+.1) - math.Log(histZ[i]+.1))
	}
	fmt.Printf("%.4f %.4f\n", k.At(histX, histZ), math.Exp(-sum/2))
	// Output: 0.2108 0.2108
}

// A sum over the bins of 2xz/(x+z); histograms of sum 1 have k(x, x) = 1.
func ExampleChi2() {
	fmt.Printf("%.4f %.4f\n", spectral.Chi2{}.At(histX, histZ), spectral.Chi2{}.At(histX, histX))
	// Output: 0.6167 1.0000
}

// What two histograms share, bin by bin. Negative numbers are an error unless the kernel is extended to them.
func ExampleIntersection() {
	k := spectral.Intersection{Negative: spectral.SignNegative}
	fmt.Printf("%.1f\n", k.At(histX, histZ))
	fmt.Printf("%.1f\n", k.At([]float64{-.2, .3}, []float64{-.5, -.3}))
	// Output:
	// 0.4
	// -0.1
}

func ExampleTruncatedL1() {
	k := spectral.TruncatedL1{Rho: .7 * 3}
	fmt.Printf("%.1f\n", k.At([]float64{0, 0, 1}, []float64{.5, .5, 1}))
	fmt.Printf("%.1f\n", k.At([]float64{0, 0, 1}, []float64{1, 1, 0}))
	// Output:
	// 1.1
	// 0.0
}

// The larger σ is, the nearer the kernel is to Hellinger's.
func ExampleHomogeneousGaussian() {
	x, z := []float64{.5, .3, .2}, []float64{.2, .2, .6}
	for _, sigma := range []float64{.5, 2, 8} {
		fmt.Printf("%.4f\n", spectral.HomogeneousGaussian{Sigma: sigma}.At(x, z))
	}
	fmt.Printf("%.4f, Hellinger\n", spectral.Hellinger{}.At(x, z))
	// Output:
	// 0.2663
	// 0.8226
	// 0.9020
	// 0.9076, Hellinger
}

// One minus the Jensen-Shannon divergence to base 2, for histograms of sum 1.
func ExampleJensenShannon() {
	k := spectral.JensenShannon{}
	kl := func(p, q []float64) (sum float64) {
		for i, v := range p {
			if v > 0 {
				sum += v * math.Log2(v/((v+q[i])/2)) / 2
			}
		}
		return sum
	}
	fmt.Printf("%.4f %.4f\n", k.At(histX, histZ), 1-kl(histX, histZ)-kl(histZ, histX))
	// Output: 0.6818 0.6818
}

// The Bhattacharyya coefficient; its feature map is the root of every cell, exactly.
func ExampleHellinger() {
	fmt.Printf("%.4f\n", spectral.Hellinger{}.At(histX, histZ))
	// Output: 0.7432
}

// The Gaussian kernel of the metric of χ².
func ExampleExponentiated() {
	k := spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: .5}
	d2 := spectral.SquaredMetric(spectral.Chi2{}, histX, histZ)
	fmt.Printf("%.4f %.4f\n", k.At(histX, histZ), math.Exp(-d2/(2*.5*.5)))
	// Output: 0.2158 0.2158
}

// The kernel of the differences that has the signature of χ², a sum of sech((z-x)/2).
func ExampleStationary() {
	k := spectral.Stationary{Of: spectral.Chi2{}}
	fmt.Printf("%.4f %.4f\n", k.At([]float64{1}, []float64{3}), 1/math.Cosh(1))
	// Output: 0.6481 0.6481
}

// Two Gaussians of opposite weights: indefinite, and split into its two signs exactly.
func ExampleDeltaGaussian() {
	k := spectral.DeltaGaussian{Sigmas: []float64{1, 10}, Weights: []float64{1, -1}}
	split := must(k.Split(3, 64, spectral.SharedCoupled))
	plus, minus := split.Masses()
	fmt.Printf("k(x, x) = %.0f, k(x, z) = %.4f, masses %.0f and %.0f\n",
		k.At(rowX, rowX), k.At(rowX, rowZ), plus, minus)
	// Output: k(x, x) = 0, k(x, z) = -0.7620, masses 1 and 1
}

// Rows at a right angle: 1 - θ/π of order 0, and ‖x‖ ‖z‖ (sin θ + (π-θ) cos θ)/π of order 1.
func ExampleArcCosine() {
	x, z := []float64{2, 0}, []float64{0, 5}
	fmt.Printf("%.4f %.4f\n", spectral.ArcCosine{Order: 0}.At(x, z), spectral.ArcCosine{Order: 1}.At(x, z))
	// Output: 0.5000 3.1831
}

// The neural tangent kernel of two layers: what a wide network with one hidden layer learns with.
func ExampleNeuralTangent() {
	x, z := []float64{1, 0}, []float64{math.Cos(1), math.Sin(1)}
	fmt.Printf("%.4f %.0f\n", spectral.NeuralTangent{}.At(x, z), spectral.NeuralTangent{}.At(x, x))
	// Output: 1.0045 2
}

// Three numbers a bin for χ²: of order 1, with the fitted period.
func ExampleNewHarmonics() {
	period := must(spectral.FittedPeriod(spectral.Chi2{}, 1, spectral.Rectangular))
	h := must(spectral.NewHarmonics(spectral.Chi2{}, 1, spectral.Rectangular, period))
	fmt.Printf("period %.2f, samples %.3f, largest error %.3f\n",
		h.Period, h.Kappa, h.SupError())
	// Output: period 7.92, samples [0.655 0.169], largest error 0.029
}

// FittedPeriod has the least error on average where the bins of two rows differ little, OptimalPeriod at the worst pair
// of numbers.
func ExampleFittedPeriod() {
	fitted := must(spectral.FittedPeriod(spectral.JensenShannon{}, 3, spectral.Rectangular))
	optimal := must(spectral.OptimalPeriod(spectral.JensenShannon{}, 3, spectral.Rectangular))
	fmt.Printf("fitted %.2f, optimal %.2f\n", fitted, optimal)
	// Output: fitted 16.33, optimal 17.39
}

// Of a sum of one, from √x + √z - √(x+z) of each bin: its metric makes the exponential-semigroup kernel a Gaussian.
func ExampleLevy() {
	k := spectral.ExpSemigroup{Beta: .3}
	d2 := spectral.SquaredMetric(spectral.Levy{}, histX, histZ)
	fmt.Printf("k(x, z) = %.4f\n", spectral.Levy{}.At(histX, histZ))
	fmt.Printf("%.6f = √(%.4f·%.4f) exp(-β·%.4f/2)\n", k.At(histX, histZ), k.At(histX, histX), k.At(histZ, histZ), d2)
	// Output:
	// k(x, z) = 0.6497
	// 0.498986 = √(0.4857·0.5847) exp(-β·0.4386/2)
}

// At the distance σ in one coordinate the kernel is one half.
func ExampleCauchy() {
	k := spectral.Cauchy{Sigma: 2}
	fmt.Println(k.At([]float64{0}, []float64{2}), k.At([]float64{0, 0}, []float64{2, 4}))
	// Output: 0.5 0.1
}

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
	g := must(spectral.Gram(k, x, nil))
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
	w := must(spectral.Frequencies(spectral.Gaussian{Sigma: 1}, spectral.Orthogonal{}, d, m, 1))
	v := w.Float64s()
	fmt.Printf("inner product of the columns: %.6f\n", math.Abs(v[0]*v[1]+v[2]*v[3]))

	_, err := spectral.Frequencies(spectral.Laplacian{Sigma: 1}, spectral.Orthogonal{}, d, m, 1)
	fmt.Println(err)
	// Output:
	// inner product of the columns: 0.000000
	// spectral: sampler orthogonal does not fit spectral.Laplacian: its frequencies are not known to have a uniform direction (no NormQuantile); use iid, spectral.IID{}
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
	// spectral: sampler structured does not fit spectral.Gaussian: it is biased where dimensions are few, by -0.031 at two bandwidths for 8, and 8 is less than 16; use orthogonal, spectral.Orthogonal{}
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
	fmt.Printf("exact %.3f, estimate %.2f\n", k.At(x, z), estimate(k, spectral.IID{}, x, z, 10000, 3))
	// Output: exact 0.560, estimate 0.56
}
