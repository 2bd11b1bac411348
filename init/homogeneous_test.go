package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// homogeneousKernels is the list of the batteries below: a kernel is made of a degree and an extension. Their formulas
// stand in bigPair.
var homogeneousKernels = []struct {
	name string
	of   func(gamma float64, n Negative) Homogeneous
}{
	{"hellinger", func(g float64, n Negative) Homogeneous { return Hellinger{g, n} }},
	{"chi2", func(g float64, n Negative) Homogeneous { return Chi2{g, n} }},
	{"intersection", func(g float64, n Negative) Homogeneous { return Intersection{g, n} }},
	{"jensen-shannon", func(g float64, n Negative) Homogeneous { return JensenShannon{g, n} }},
	{"homogeneous-gaussian", func(g float64, n Negative) Homogeneous { return HomogeneousGaussian{1.3, g, n} }},
}

// TestSignatures: the value is the sum of (xy)^{γ/2} 𝒦(ln y/x), to which a coordinate of 0 adds nothing, also beside
// one whose power overflows.
func TestSignatures(t *testing.T) {
	degrees := map[Homogeneous]float64{Levy{}: .5}
	for _, c := range homogeneousKernels {
		degrees[c.of(0, RejectNegative)] = 1
		for _, gamma := range []float64{.1, .5, 1, 2, 3.7} {
			degrees[c.of(gamma, RejectNegative)] = gamma
		}
	}
	for k, g := range degrees {
		if err := validate(k); err != nil || k.Degree() != g {
			t.Errorf("%T: degree %v, want %v, %v", k, k.Degree(), g, err)
		}
		rng := testRand("homogeneous")
		for range 50 {
			x, y := math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64())
			want := math.Pow(x*y, g/2)*k.Signature(math.Log(y/x)) + math.Pow(y, g)*k.Signature(0)
			got := k.At([]float64{x, 0, x, y}, []float64{y, x, 0, y})
			wantNear(t, got, want, 1e-13, "%T of degree %v at (%v, %v)", k, g, x, y)
		}
		beside := k.At([]float64{0, 1}, []float64{1e300, 1})
		wantNear(t, beside, k.Signature(0), 1e-15, "%T of degree %v beside (0, 1e300)", k, g)
	}
}

// TestSpectrumIsTheTransform: (1/2π) ∫ 𝒦(λ) cos(ωλ) dλ, by panels of Gauss and Legendre, is κ(ω), and κ integrates to
// 𝒦(0).
func TestSpectrumIsTheTransform(t *testing.T) {
	integral := func(f func(float64) float64, end float64) (sum float64) {
		for lo := 0.0; lo < end; lo += 2 {
			sum += quad.Fixed(f, lo, lo+2, 40, quad.Legendre{}, 0)
		}
		return sum
	}
	for k, tol := range map[Homogeneous]float64{Chi2{}: 1e-15, Intersection{}: 1e-15, JensenShannon{}: 1e-15,
		HomogeneousGaussian{Sigma: 1.3}: 1e-15, Levy{}: 1e-12} {
		for _, w := range []float64{0, .1, .7, 2, 5} {
			want := integral(func(l float64) float64 { return k.Signature(l) * math.Cos(w*l) }, 200) / math.Pi
			if got := k.Spectrum(w); math.Abs(got-want) > tol || got != k.Spectrum(-w) {
				t.Errorf("%T: κ(%v) = %v, the transform of the signature %v", k, w, got, want)
			}
		}
		mass := 2 * integral(k.Spectrum, 1e4) // the tail of intersection is 1/(2π·1e4)
		if math.Abs(mass-k.Signature(0)) > 1e-4 {
			t.Errorf("%T: the mass of κ is %v", k, mass)
		}
	}
	if k := (Hellinger{}); k.Spectrum(0) != math.Inf(1) || k.Spectrum(.1) != 0 || k.Signature(3) != 1 {
		t.Error("no point mass at 0")
	}
}

// TestExtensions: Lemma 2. The extended kernels take the absolute values, with the sign or without pairs of different
// sign, and so do their metrics. Their Gram matrices have no negative eigenvalue.
func TestExtensions(t *testing.T) {
	values := []float64{-3, -.7, -.7001, -1e-9, 0, 1e-9, .4, .7, 3, 40}
	for _, c := range homogeneousKernels {
		for _, gamma := range []float64{1, .5, 2} {
			plain := c.of(gamma, RejectNegative)
			for n, differ := range map[Negative]float64{SignNegative: -1, SplitNegative: 0} {
				k := c.of(gamma, n)
				if k.Extension() != n || !k.Domain().Contains(-1) {
					t.Errorf("%T%+v: extension %v, domain %v", k, k, k.Extension(), k.Domain())
				}
				gram := mat.NewSymDense(len(values), nil)
				for i, a := range values {
					for j, b := range values[:i+1] {
						x, z := []float64{math.Abs(a)}, []float64{math.Abs(b)}
						want, d2 := plain.At(x, z), SquaredMetric(plain, x, z)
						if a*b <= 0 {
							want *= differ
							d2 = math.Pow(x[0], gamma) + math.Pow(z[0], gamma) - 2*want
						}
						x[0], z[0] = a, b
						wantNear(t, k.At(x, z), want, 1e-14, "%T%+v at (%v, %v)", k, k, a, b)
						wantNear(t, SquaredMetric(k, x, z), d2, 1e-14, "D² of %T%+v at (%v, %v)", k, k, a, b)
						gram.SetSym(i, j, want)
					}
				}
				var eigen mat.EigenSym
				if !eigen.Factorize(gram, false) || eigen.Values(nil)[0] < -2e-15*mat.Max(gram) {
					t.Errorf("%T%+v: the least eigenvalue is %v", k, k, eigen.Values(nil)[0])
				}
			}
			if plain.Domain().Contains(-1e-300) || !plain.Domain().Contains(0) || !plain.Domain().IsNonNegative() {
				t.Errorf("%T: domain %v", plain, plain.Domain())
			}
			wantErr(t, plain.Domain().Violation("here", 3, 5, -.2), ErrDomain, "here", "x[3,5] = -0.2",
				"negative=sign or negative=split")
		}
	}
}
