package spectral_test

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
)

// estimate is the mean of cos(w·(x-z)) over m frequencies.
func estimate(k spectral.Random, s spectral.Sampler, x, z []float64, m int, seed uint64) float64 {
	w := must(spectral.Frequencies(k, s, len(x), m, seed))
	mean := 0.0
	for j := range m {
		dot := 0.0
		for i := range x {
			dot += w.Float64s()[i*m+j] * (x[i] - z[i])
		}
		mean += math.Cos(dot) / float64(m)
	}
	return mean
}

// How far off eight frequencies will be: what one can expect of each sampler before anything is drawn.
func ExampleOrthogonal_coupled() {
	k := spectral.Gaussian{Sigma: 1}
	x, z := []float64{.4, -.2, .3, 0, .5, .1, -.3, .2}, make([]float64, 8)
	for _, s := range []spectral.Predictor{spectral.IID{}, spectral.Antithetic{}, spectral.Orthogonal{},
		spectral.Orthogonal{Coupled: true}} {
		v := must(s.Variance(k, x, z, 8))
		fmt.Printf("%-10v standard error %.3f\n", s, math.Sqrt(v))
	}
	// Output:
	// iid        standard error 0.123
	// antithetic standard error 0.117
	// orthogonal standard error 0.061
	// coupled    standard error 0.047
}

// Random Laplace features fall with every coordinate of a frequency, and opposite frequencies make up for each other.
func ExampleAntithetic() {
	k := spectral.ReciprocalSemigroup{Lambda: 2}
	x, z := []float64{.2, .3, .5}, []float64{0, .9, .1}
	iid, _ := spectral.IID{}.Variance(k, x, z, 256)
	antithetic, _ := spectral.Antithetic{}.Variance(k, x, z, 256)
	fmt.Printf("variance %.2f of the variance of iid\n", antithetic/iid)

	_, err := spectral.Frequencies(spectral.Matern{Nu: 1.5, Ell: 1}, spectral.Antithetic{}, 3, 256, 1)
	fmt.Println(err)
	// Output:
	// variance 0.16 of the variance of iid
	// spectral: sampler antithetic does not fit spectral.Matern: its frequencies are not known to have independent coordinates (no Quantile); use iid, spectral.IID{}
}

// The norms have a stratum each, so that only the directions are left to chance.
func ExampleStratified() {
	k, x, z := spectral.Gaussian{Sigma: 1}, []float64{.3, .4}, []float64{0, 0}
	for _, s := range []spectral.Sampler{spectral.IID{}, spectral.Orthogonal{}, spectral.Stratified{}} {
		mse := 0.
		for seed := range uint64(400) {
			mse += math.Pow(estimate(k, s, x, z, 64, seed)-k.At(x, z), 2) / 400
		}
		fmt.Printf("%-10v error %.4f\n", s, math.Sqrt(mse))
	}
	// Output:
	// iid        error 0.0184
	// orthogonal error 0.0160
	// stratified error 0.0096
}

// In few dimensions a sequence comes closer than independent frequencies.
func ExampleHalton() {
	k, x, z := spectral.Laplacian{Sigma: 2}, []float64{1, 0}, []float64{0, .5}
	v, _ := spectral.PairVariance(k, x, z)
	fmt.Printf("exact %.3f, 4096 frequencies %.3f; standard error of independent ones %.3f\n",
		k.At(x, z), estimate(k, spectral.Halton{}, x, z, 4096, 1), math.Sqrt(v/4096))

	_, err := spectral.Frequencies(k, spectral.Halton{}, 1001, 4096, 1)
	fmt.Println(err)
	// Output:
	// exact 0.472, 4096 frequencies 0.470; standard error of independent ones 0.010
	// spectral: sampler halton does not fit spectral.Laplacian: 1001 input dimensions need points of 1001 coordinates, and the sequence has at most 1000; use iid, spectral.IID{}
}

// Each coordinate has its strata.
func ExampleLatinHypercube() {
	k, x, z := spectral.Laplacian{Sigma: 1}, []float64{.5, .5, .5}, []float64{0, .5, .5}
	v, _ := spectral.PairVariance(k, x, z)
	fmt.Printf("exact %.4f, 256 frequencies %.4f; standard error of independent ones %.3f\n",
		k.At(x, z), estimate(k, spectral.LatinHypercube{}, x, z, 256, 1), math.Sqrt(v/256))
	// Output: exact 0.6065, 256 frequencies 0.6007; standard error of independent ones 0.035
}

// A sequence also serves a law of which the direction and the norm are known.
func ExampleSobol() {
	k, x, z := spectral.Matern{Nu: 1.5, Ell: 1}, []float64{1, 0}, []float64{0, .5}
	v, _ := spectral.PairVariance(k, x, z)
	fmt.Printf("exact %.3f, 4096 frequencies %.3f; standard error of independent ones %.3f\n",
		k.At(x, z), estimate(k, spectral.Sobol{}, x, z, 4096, 1), math.Sqrt(v/4096))
	// Output: exact 0.423, 4096 frequencies 0.424; standard error of independent ones 0.010
}

// The polynomial kernel on the unit sphere of ℝ⁵: for a = 2 and a large degree the signed measure itself, else a signed
// combination of Gaussians, whose mass grows as its error falls.
func ExampleSpherePolynomial() {
	for _, k := range []spectral.SpherePolynomial{{A: 2, P: 10}, {A: 3, P: 1, Eps: 1e-2}, {A: 3, P: 1, Eps: 1e-3}} {
		p := must(k.Split(5, 1000, spectral.SharedCoupled))
		plus, minus := p.Masses()
		fmt.Printf("%+v: masses %.3f and %.3f, error %.4f\n", k, plus, minus, p.Error)
	}
	// Output:
	// {A:2 P:10 Eps:0 Flat:0}: masses 1.007 and 0.007, error 0.0000
	// {A:3 P:1 Eps:0.01 Flat:0}: masses 1.047 and 0.047, error 0.0100
	// {A:3 P:1 Eps:0.001 Flat:0}: masses 1.527 and 0.527, error 0.0010
}

// What each coupling of the two signs promises for 16 frequencies a sign, before anything is drawn.
func ExampleCoupling() {
	k := spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}
	x, z := []float64{.4, -.2, .3, 0, .5, .1, -.3, .2}, make([]float64, 8)
	p := must(k.Split(8, 16, spectral.SharedCoupled))
	for _, c := range spectral.Couplings() {
		v := must(c.Variance(p, x, z, 16))
		fmt.Printf("%-14v standard error %.4f\n", c, math.Sqrt(v))
	}
	// Output:
	// shared-coupled standard error 0.0223
	// joint          standard error 0.0857
	// iid            standard error 0.0915
}

// Independent frequencies fit every law. Here a kernel of histograms has frequencies that are never negative.
func ExampleIID() {
	w := must(spectral.Frequencies(spectral.ReciprocalSemigroup{Lambda: 2}, spectral.IID{}, 2, 10000, 1))
	mean, least := 0., 1.
	for _, v := range w.Float64s() {
		mean, least = mean+v/20000, min(least, v)
	}
	fmt.Printf("mean %.1f, not negative: %v\n", mean, least >= 0)
	// Output: mean 0.5, not negative: true
}

// The first samplers by the names that specs and flags have for them.
func ExampleSampler() {
	for _, s := range spectral.Samplers()[:4] {
		same, err := spectral.SamplerByName(s.String())
		fmt.Println(s, same == s, err)
	}
	// Output:
	// iid true <nil>
	// orthogonal true <nil>
	// coupled true <nil>
	// antithetic true <nil>
}

// The kernel that the features are to approximate, and what they do approximate: no density has the kernel itself.
func ExampleSRF() {
	k := spectral.SRF{A: 2, P: 10}
	split := must(k.Split(16, 1, spectral.Independent))
	x, z := make([]float64, 16), make([]float64, 16)
	x[0], z[1] = 1, 1
	fmt.Printf("exact %.3f, estimated %.3f, off by at most %.3f anywhere\n", k.At(x, z), split.At(x, z), split.Error)
	// Output: exact 0.001, estimated -0.001, off by at most 0.003 anywhere
}

// The law draws frequencies as others do, with any sampler for a uniform direction.
func ExampleSRF_Split() {
	split := must(spectral.SRF{A: 3, P: 1}.Split(4, 8, spectral.Independent))
	w := must(spectral.Frequencies(split.Parts[0].Of, spectral.Orthogonal{}, 4, 8, 1))
	fmt.Println(w.Shape())
	// Output: (4, 8)
}

// Features of (½ x·z + ½)³: products of up to three projections on random signs.
func ExampleDrawProducts() {
	w, degrees, scales, err := spectral.DrawProducts(spectral.SpherePolynomial{A: 2, P: 3}, 5, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("degrees %v, scales %.3f, signs %v\n", degrees, scales[:2], w.Shape())
	// Output: degrees [1 0 2 1 0 1 0 1], scales [1.186 0.484], signs (5, 24)
}

// Two grids in the plane.
func ExampleDrawGrids() {
	rates, offsets, hash, err := spectral.DrawGrids(spectral.Laplacian{Sigma: 1}, 2, 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rates.Shape(), offsets.Shape(), hash.Shape())
	// Output: (2, 2) (2, 2) (2, 3)
}

// Two sketches of vectors of three coordinates in eight buckets.
func ExampleDrawCountSketches() {
	buckets, signs, err := spectral.DrawCountSketches(2, 3, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("buckets\n%.0f\nsigns\n%.0f\n", buckets, signs)
	// Output:
	// buckets
	// ⎡4  7  7⎤
	// ⎣3  6  0⎦
	//
	// signs
	// ⎡ 1   1   1⎤
	// ⎣ 1   1  -1⎦
}
