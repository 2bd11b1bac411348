package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// homogeneousKernel is a line of the batteries below: a kernel is made of a degree and an extension.
type homogeneousKernel struct {
	name   string
	of     func(gamma float64, n Negative) Homogeneous
	scalar func(x, y float64) float64 // γ = 1, as printed
}

var homogeneousKernels = []homogeneousKernel{
	{"hellinger", func(g float64, n Negative) Homogeneous { return Hellinger{g, n} }, func(x, y float64) float64 {
		return math.Sqrt(x * y)
	}},
	{"chi2", func(g float64, n Negative) Homogeneous { return Chi2{g, n} }, func(x, y float64) float64 {
		return 2 * x * y / (x + y)
	}},
	{"intersection", func(g float64, n Negative) Homogeneous { return Intersection{g, n} }, math.Min},
	{"jensen-shannon", func(g float64, n Negative) Homogeneous {
		return JensenShannon{g, n}
	}, func(x, y float64) float64 {
		return (x*math.Log1p(y/x) + y*math.Log1p(x/y)) / (2 * math.Ln2) // log₂((x+y)/x) loses digits where y << x
	}},
	{"homogeneous-gaussian", func(g float64, n Negative) Homogeneous { return HomogeneousGaussian{1.3, g, n} },
		func(x, y float64) float64 {
			u := math.Log(y/x) / 1.3
			return math.Sqrt(x*y) * math.Exp(-u*u/2)
		}},
}

func eachHomogeneous(t *testing.T, f func(t *testing.T, c homogeneousKernel)) {
	t.Helper()
	for _, c := range homogeneousKernels {
		t.Run(c.name, func(t *testing.T) { f(t, c) })
	}
}

// TestHomogeneousKernels: the value is the printed sum, and it is (xy)^{γ/2} 𝒦(ln y/x).
func TestHomogeneousKernels(t *testing.T) {
	eachHomogeneous(t, func(t *testing.T, c homogeneousKernel) {
		rng := testRand("homogeneous")
		for _, gamma := range []float64{0, 1, .5, 2, 3.7} {
			k := c.of(gamma, RejectNegative)
			if err := validate(k); err != nil {
				t.Fatal(err)
			}
			g := k.Degree()
			for range 50 {
				x, y := math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64())
				want := c.scalar(x, y) * math.Pow(x*y, (g-1)/2)
				bySignature := math.Pow(x*y, g/2) * k.Signature(math.Log(y/x))
				got := k.At([]float64{x, 0, x, y}, []float64{y, x, 0, y})
				same := math.Pow(y, g) * k.Signature(0)
				if !near(got, want+same, 1e-13) || !near(want, bySignature, 1e-13) || !near(k.Signature(0), 1, 1e-15) {
					t.Fatalf("γ = %v: k(%v, %v) = %v, by the formula %v, by the signature %v",
						g, x, y, got-same, want, bySignature)
				}
			}
		}
	})
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
		Levy{}: 1e-12} {
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
// sign. Their Gram matrices have no negative eigenvalue.
func TestExtensions(t *testing.T) {
	eachHomogeneous(t, func(t *testing.T, c homogeneousKernel) {
		values := []float64{-3, -.7, -.7001, -1e-9, 0, 1e-9, .4, .7, 3, 40}
		for n, differ := range map[Negative]float64{SignNegative: -1, SplitNegative: 0} {
			k := c.of(1, n)
			if k.Extension() != n || !k.Domain().Contains(-1) {
				t.Errorf("%v: extension %v, domain %v", n, k.Extension(), k.Domain())
			}
			gram := mat.NewSymDense(len(values), nil)
			for i, a := range values {
				for j, b := range values[:i+1] {
					want := 0.0
					if a*b != 0 {
						if want = c.scalar(math.Abs(a), math.Abs(b)); a*b < 0 {
							want *= differ
						}
					}
					got := k.At([]float64{a}, []float64{b})
					if math.Abs(got-want) > 1e-14*math.Abs(want) {
						t.Errorf("%v: k(%v, %v) = %v, want %v", n, a, b, got, want)
					}
					gram.SetSym(i, j, got)
				}
			}
			var eigen mat.EigenSym
			if !eigen.Factorize(gram, false) || eigen.Values(nil)[0] < -1e-13 {
				t.Errorf("%v: the least eigenvalue is %v", n, eigen.Values(nil)[0])
			}
		}
		k := c.of(1, RejectNegative)
		if k.Domain().Contains(-1e-300) || !k.Domain().Contains(0) || !k.Domain().IsNonNegative() {
			t.Errorf("domain %v", k.Domain())
		}
		wantErr(t, k.Domain().Violation("here", 3, 5, -.2), ErrDomain, "here", "x[3,5] = -0.2",
			"negative=sign or negative=split")
	})
}

// TestStationary: the sum of the signatures of the differences, of any numbers.
func TestStationary(t *testing.T) {
	k := Stationary{Chi2{}}
	wantNear(t, k.At([]float64{1, -2}, []float64{3, -2}), 1/math.Cosh(1)+1, 1e-14, "stationary χ²")
	if !k.Domain().Contains(-1) {
		t.Errorf("domain %v", k.Domain())
	}
}
