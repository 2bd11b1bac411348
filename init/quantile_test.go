package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

func TestCauchyAndSechQuantiles(t *testing.T) {
	for _, p := range []float64{0.01, 0.2, 0.25, 0.3, 0.5, 0.7, 0.75, 0.9, 0.999} {
		if got, want := cauchyQuantile(p), math.Tan(math.Pi*(p-0.5)); !near(got, want, 1e-12) &&
			math.Abs(got-want) > 1e-15 {
			t.Errorf("Cauchy %v: %v, want %v", p, got, want)
		}
		if got, want := sechQuantile(p), math.Log(math.Tan(math.Pi*p/2))/math.Pi; math.Abs(got-want) > 1e-13 {
			t.Errorf("sech %v: %v, want %v", p, got, want)
		}
	}
	// far in the tail the laws are p = 1/(π|w|) and p = (2/π) e^(-π|w|)
	wantNear(t, cauchyQuantile(1e-30), -1e30/math.Pi, 1e-14, "Cauchy 1e-30")
	wantNear(t, sechQuantile(1e-30), math.Log(math.Pi/2*1e-30)/math.Pi, 1e-14, "sech 1e-30")
}

func TestGammaQuantileRoundTrip(t *testing.T) {
	for _, a := range []float64{0.5, 1, 1.5, 4, 8, 392} {
		for _, p := range []float64{1e-30, 0x1p-53, 1e-10, 1e-5, 0.01, 0.2, 0.5, 0.9, 1 - 1e-9} {
			q := gammaQuantile(a, p)
			if a == 0.5 && p < 1e-4 { // P(1/2, x) = erf(√x)
				if got := math.Erf(math.Sqrt(q)); !near(got, p, 1e-14) {
					t.Errorf("a = %v: P(Q(%v)) = %v", a, p, got)
				}
			}
			if got := mathext.GammaIncReg(a, q); !near(got, p, 1e-12) {
				t.Errorf("a = %v: P(Q(%v)) = %v", a, p, got)
			}
		}
	}
}

func TestBetaQuantileRoundTrip(t *testing.T) {
	for _, c := range [][2]float64{{0.5, 0.5}, {4, 0.1}, {0.1, 4}, {392, 1.5}, {1.5, 392}, {4, 1000}} {
		for _, p := range []float64{0x1p-53, 1e-9, 0.1, 0.5, 0.9} {
			x := betaQuantile(c[0], c[1], p)
			if x > 0.9 || x < 1e-300 {
				continue
			}
			if got := mathext.RegIncBeta(c[0], c[1], x); !near(got, p, 1e-9) {
				t.Errorf("Beta(%v, %v): F(Q(%v)) = %v", c[0], c[1], p, got)
			}
		}
	}
	if x := betaQuantile(0.01, 3, 1e-10); x != 0 {
		t.Errorf("the quantile 1e-1000 is %v", x)
	}
}

// edges is a source that returns the smallest and the largest number before others.
type edges struct{ n int }

func (e *edges) Uint64() uint64 {
	e.n++
	switch e.n {
	case 1:
		return 0
	case 2:
		return math.MaxUint64
	default:
		return 1 << 63
	}
}

func TestOpenUniform(t *testing.T) {
	rng := rand.New(&edges{})
	if u := openUniform(rng); u != 1-0x1p-53 {
		t.Errorf("after a 0 that must be drawn again: %v", u)
	}
	rng = testRand("uniform")
	u := make([]float64, 20000)
	for i := range u {
		u[i] = openUniform(rng)
	}
	if ks := ksAgainstQuantile(u, func(p float64) float64 { return p }); ks > 2.2 {
		t.Errorf("Kolmogorov-Smirnov %.2f", ks)
	}
}

func TestDirection(t *testing.T) {
	rng := testRand("direction")
	for _, d := range []int{1, 3, 11} {
		zero, x := make([]float64, d), make([]float64, d)
		first := make([]float64, 5000)
		for i := range first {
			direction(x, rng)
			first[i] = x[0]
			if r := distance(x, zero); math.Abs(r-1) > 1e-15*float64(d+1) {
				t.Fatalf("norm %v", r)
			}
		}
		switch d {
		case 1:
			if mean, se := meanStdErr(first); math.Abs(mean) > 4*se {
				t.Errorf("mean sign %v", mean)
			}
		case 3: // a coordinate of the sphere in three dimensions is uniform (Archimedes)
			if ks := ksAgainstQuantile(first, func(p float64) float64 { return 2*p - 1 }); ks > 2.2 {
				t.Errorf("Kolmogorov-Smirnov %.2f", ks)
			}
		}
	}
}
