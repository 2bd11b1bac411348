package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// What the kernels and samplers of the package are.
var (
	_ = []Gradienter{Gaussian{}, Laplacian{}, Cauchy{}, Matern{}, RationalQuadratic{}, SpectralMixture{}, ExpSemigroup{},
		ReciprocalSemigroup{}, SkewedChi2{}, SkewedIntersection{}, Hellinger{}, Chi2{}, Intersection{},
		JensenShannon{}, HomogeneousGaussian{}, Levy{}, Linear{}, TruncatedL1{}, DeltaGaussian{}, Softmax{}}
	_ = []Validator{Gaussian{}, Laplacian{}, Cauchy{}, Matern{}, RationalQuadratic{}, SpectralMixture{}, ExpSemigroup{},
		ReciprocalSemigroup{}, SkewedChi2{}, SkewedIntersection{}, Hellinger{}, Chi2{}, Intersection{},
		JensenShannon{}, HomogeneousGaussian{}, Stationary{}, Exponentiated{}, DeltaGaussian{}, SpherePolynomial{}, SRF{}, ArcCosine{},
		NeuralTangent{}, TruncatedL1{}, Custom{}, DensityDistance{}, Softmax{}}
	_ = []Random{ArcCosine{}, NeuralTangent{}, SRF{}, Custom{}}
	_ = []Homogeneous{Hellinger{}, Chi2{}, Intersection{}, JensenShannon{}, HomogeneousGaussian{}, Levy{}}
	_ = []periodFitter{Chi2{}, Intersection{}, JensenShannon{}, HomogeneousGaussian{}, Levy{}}
	_ = []spectrumQuantiler{Chi2{}, Intersection{}, JensenShannon{}}
	_ = []Semigroup{ExpSemigroup{}, ReciprocalSemigroup{}}
	_ = []SignedLaw{DeltaGaussian{}, SpherePolynomial{}, SRF{}, ArcCosine{}, NeuralTangent{}}
	_ = []profile{SpherePolynomial{}, ArcCosine{}, NeuralTangent{}}
	_ = []Polynomial{SpherePolynomial{}}
	_ = []Predictor{IID{}, Orthogonal{}, Antithetic{}}
)

// eachKernel runs a battery over the list.
func eachKernel(t *testing.T, f func(t *testing.T, tk testKernel)) {
	t.Helper()
	for _, tk := range testKernels {
		t.Run(tk.name, func(t *testing.T) { f(t, tk) })
	}
}

// TestGradients: central differences of At, for every degree and extension of a homogeneous kernel on both signs; 0 at
// 0 there, and finite numbers from the smallest to the largest coordinate.
func TestGradients(t *testing.T) {
	check := func(t *testing.T, of Kernel, step, tol float64, point func(rng *rand.Rand) []float64) {
		t.Helper()
		k, ok := of.(Gradienter)
		if !ok {
			t.Logf("%T has no gradient", of)
			return
		}
		rng := testRand(fmt.Sprintf("gradient %T%+v", of, of))
		for range 50 {
			x, z, dst := point(rng), point(rng), []float64{7, 7, 7}
			want := fd.Gradient(nil, func(x []float64) float64 { return k.At(x, z) }, x,
				&fd.Settings{Formula: fd.Central, Step: step})
			got := k.Gradient(nil, x, z)
			if &k.Gradient(dst, x, z)[0] != &dst[0] {
				t.Fatal("Gradient does not write into dst")
			}
			for i := range want {
				kink := math.Abs(math.Abs(x[i])-math.Abs(z[i])) < 2*step
				if !(math.Abs(got[i]-want[i]) <= tol) && !kink || got[i] != dst[i] {
					t.Fatalf("%T%+v, x = %v, z = %v: gradient %v, dst %v, differences %v", k, k, x, z, got, dst, want)
				}
			}
		}
	}
	// third derivatives near a kink at distance 0.01 are about 1e4: 1e-10·1e4, and 1e-16/1e-5 of rounding
	eachKernel(t, func(t *testing.T, tk testKernel) {
		check(t, tk.kernel, 1e-5*tk.unit, 3e-6/tk.unit, func(rng *rand.Rand) []float64 { return tk.point(3, rng) })
	})
	point := func(n Negative) func(rng *rand.Rand) []float64 {
		return func(rng *rand.Rand) []float64 {
			x := make([]float64, 3)
			for i := range x {
				if x[i] = .2 + rng.Float64(); n != RejectNegative {
					x[i] *= randomSign(rng)
				}
			}
			return x
		}
	}
	for _, k := range []Kernel{Linear{}, AdditiveGaussian{.8}, TruncatedL1{2.1},
		DeltaGaussian{[]float64{1, .5}, []float64{1, -.3}}} {
		check(t, k, 1e-6, 1e-8, point(SignNegative))
	}
	kernels := []Homogeneous{Levy{}}
	for _, c := range homogeneousKernels {
		for _, gamma := range []float64{1, .5, 2.3} {
			for _, n := range []Negative{RejectNegative, SignNegative, SplitNegative} {
				kernels = append(kernels, c.of(gamma, n))
			}
		}
	}
	for _, k := range kernels {
		check(t, k, 1e-6, 1e-8, point(k.Extension()))
		of := k.(Gradienter)
		if g := of.Gradient([]float64{7, 7}, []float64{0, .5}, []float64{.5, 0}); g[0] != 0 || g[1] != 0 {
			t.Errorf("%T%+v: gradient %v at 0", k, k, g)
		}
		for _, a := range []float64{5e-324, 1e-300, 1, 1e300, 1e307} {
			for _, b := range []float64{5e-324, 1, 1e307} {
				if g := of.Gradient(nil, []float64{a}, []float64{b}); math.IsNaN(g[0]) ||
					(k.Degree() == 1 || k == Levy{}) && g[0] < 0 {
					t.Errorf("%T%+v: gradient %v at (%v, %v)", k, k, g, a, b)
				}
			}
		}
	}
	if g := (Intersection{}).Gradient(nil, []float64{.5}, []float64{.5}); g[0] != .5 {
		t.Errorf("the gradient of min at its kink is %v", g)
	}
}

func TestDrawAgainstQuantile(t *testing.T) {
	const n = 8000
	eachKernel(t, func(t *testing.T, tk testKernel) {
		law := tk.kernel.Law()
		if law.Draw == nil {
			return
		}
		if law.Quantile != nil {
			rng, sample, w := testRand("product"), make([]float64, 0, n), make([]float64, 2)
			for len(sample) < n {
				law.Draw(w, rng)
				sample = append(sample, w...)
			}
			wantLaw(t, sample, law.Quantile, "coordinate")
		}
		if law.NormQuantile != nil {
			for _, d := range []int{1, 2, 3, 8, 53} {
				rng, sample, w, zero := testRand("radial"), make([]float64, n), make([]float64, d), make([]float64, d)
				for i := range sample {
					law.Draw(w, rng)
					sample[i] = distance(w, zero)
				}
				wantLaw(t, sample, func(p float64) float64 { return law.NormQuantile(d, p) }, "norm, d = %d", d)
			}
		}
	})
}

func TestQuantilesAreIncreasingAndFinite(t *testing.T) {
	ps := []float64{0x1p-53, 1e-13, 1e-10, 1e-6, 1e-3, 0.02, 0.1, 0.25, 0.26, 0.4, 0.5, 0.6, 0.75, 0.76, 0.9, 0.98,
		0.999, 1 - 1e-6, 1 - 1e-10, 1 - 0x1p-53}
	increasing := func(t *testing.T, what string, q func(p float64) float64) {
		last := math.Inf(-1)
		for _, p := range ps {
			v := q(p)
			if !(v > last) || math.IsInf(v, 0) {
				t.Errorf("%s: quantile %v at p = %v after %v", what, v, p, last)
			}
			last = v
		}
	}
	eachKernel(t, func(t *testing.T, tk testKernel) {
		law := tk.kernel.Law()
		if law.Quantile != nil {
			increasing(t, "coordinate", law.Quantile)
		}
		if law.NormQuantile != nil {
			for _, d := range []int{1, 2, 3, 8, 53, 784} {
				increasing(t, fmt.Sprint("norm, d = ", d), func(p float64) float64 { return law.NormQuantile(d, p) })
			}
		}
	})
}

// TestExtremes: from the smallest to the largest numbers the kernel is symmetric and between 0 and 1, or -1 and 1
// for a spectral mixture; it is 1 for a row and itself unless it is a Laplace transform, and no gradient is NaN. The
// softmax kernel and the kernels of rectified linear units have no largest value, and the neural tangent kernel has no
// smallest one either.
func TestExtremes(t *testing.T) {
	values := []float64{0, 5e-324, 1e-300, 1e-9, .1, .7, 1, 1e9, 1e300, math.MaxFloat64, -1e-300, -0.1, -1, -1e300,
		-math.MaxFloat64}
	eachKernel(t, func(t *testing.T, tk testKernel) {
		least, most, unbounded := 0., 1., tk.unbounded()
		if unbounded {
			most = math.Inf(1)
		}
		switch tk.kernel.(type) {
		case SpectralMixture:
			least = -1
		case NeuralTangent:
			least = math.Inf(-1)
		}
		for _, a := range values {
			for _, b := range values {
				if !tk.kernel.Domain().Contains(a) || !tk.kernel.Domain().Contains(b) {
					continue
				}
				x, z := []float64{a, tk.unit}, []float64{b, tk.unit / 2}
				if v, w := tk.kernel.At(x, z), tk.kernel.At(z, x); !(v >= least && v <= most) || !near(v, w, 1e-14) {
					t.Errorf("k(%v, %v) = %v, and the other way %v", a, b, v, w)
				}
				if v := tk.kernel.At(x, x); v != 1 && !unbounded && tk.kernel.Law().Transform != Laplace {
					t.Errorf("k(x, x) = %v at %v", v, a)
				}
				if k, ok := tk.kernel.(Gradienter); ok {
					for i, v := range k.Gradient(nil, x, z) {
						if math.IsNaN(v) {
							t.Errorf("gradient %d at (%v, %v) is %v", i, a, b, v)
						}
					}
				}
			}
		}
	})
}

// TestPanicsOnDifferentLengths: every kernel's At and Gradient, and a dst that is too short.
func TestPanicsOnDifferentLengths(t *testing.T) {
	kernels := []Kernel{Levy{}, Linear{}, AdditiveGaussian{1}, TruncatedL1{1}, DeltaGaussian{[]float64{1}, []float64{1}}, Stationary{Chi2{}},
		Exponentiated{JensenShannon{}, 1}, SpherePolynomial{A: 2, P: 2}, SRF{2, 2}}
	for _, tk := range testKernels {
		kernels = append(kernels, tk.kernel)
	}
	for _, c := range homogeneousKernels {
		kernels = append(kernels, c.of(1, RejectNegative))
	}
	panics := func(k Kernel, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%T: no panic", k)
			}
		}()
		f()
	}
	two, one := []float64{1, 2}, []float64{1}
	for _, k := range kernels {
		panics(k, func() { k.At(two, one) })
		if g, ok := k.(Gradienter); ok {
			panics(k, func() { g.Gradient(nil, two, one) })
			panics(k, func() { g.Gradient(one, two, two) })
		}
	}
}
