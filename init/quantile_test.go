package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// TestQuantilesRoundTrip: the distribution function at the quantile is the probability, in the tails and where a
// quantile changes its form.
func TestQuantilesRoundTrip(t *testing.T) {
	ps := []float64{1e-300, 1e-30, 0x1p-53, 1e-10, 1e-6, .01, .1, .2, .25, .3, .5, .7, .75, .76, .9, .999999, 1 - 1e-9}
	roundTrip := func(name string, quantile, distribution func(float64) float64, ps []float64, tol float64) {
		for _, p := range ps {
			wantNear(t, distribution(quantile(p)), p, tol, "%s: F(Q(%v))", name, p)
		}
	}
	roundTrip("Lévy", ExpSemigroup{.7}.Law().Quantile,
		func(w float64) float64 { return math.Erfc(.7 / (2 * math.Sqrt(w))) }, ps, 2e-12)
	roundTrip("exponential", ReciprocalSemigroup{.7}.Law().Quantile,
		func(w float64) float64 { return -math.Expm1(-.7 * w) }, ps, 1e-14)
	roundTrip("Cauchy", SkewedIntersection{1}.Law().Quantile,
		func(w float64) float64 { return math.Atan2(1, -2*w) / math.Pi }, ps, 1e-14)
	roundTrip("sech", SkewedChi2{1}.Law().Quantile,
		func(w float64) float64 { return 2 / math.Pi * math.Atan(math.Exp(math.Pi*w)) }, ps, 1e-12)
	for _, a := range []float64{.5, 1, 1.5, 4, 8, 392} {
		quantile := func(p float64) float64 { return gammaQuantile(a, p) }
		roundTrip(fmt.Sprint("Gamma ", a), quantile, func(x float64) float64 { return mathext.GammaIncReg(a, x) }, ps[1:],
			1e-12)
		if a == .5 { // P(1/2, x) = erf(√x)
			roundTrip("half of χ²", quantile, func(x float64) float64 { return math.Erf(math.Sqrt(x)) }, ps[1:5], 1e-14)
		}
	}
	for _, c := range [][2]float64{{0.5, 0.5}, {4, 0.1}, {0.1, 4}, {392, 1.5}, {1.5, 392}, {4, 1000}} {
		quantile := func(p float64) float64 { return betaQuantile(c[0], c[1], p) }
		distribution := func(x float64) float64 { return mathext.RegIncBeta(c[0], c[1], x) }
		inner := slices.DeleteFunc(slices.Clone(ps), func(p float64) bool {
			return quantile(p) > .9 || quantile(p) < 1e-300
		})
		roundTrip(fmt.Sprint("Beta ", c), quantile, distribution, inner, 1e-9)
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

// TestDrawnAgain: a uniform number of 0, at which quantiles are infinite, and a normal one, which makes an infinite
// frequency.
func TestDrawnAgain(t *testing.T) {
	if u := openUniform(rand.New(&edges{})); u != 1-0x1p-53 {
		t.Errorf("a uniform number of %v", u)
	}
	w := make([]float64, 1)
	if (ExpSemigroup{1}).Law().Draw(w, rand.New(&edges{})); !(w[0] > 0) || math.IsInf(w[0], 1) {
		t.Errorf("a frequency of %v", w[0])
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
			wantMean(t, first, 0, 0, "the sign")
		case 3: // a coordinate of the sphere in three dimensions is uniform (Archimedes)
			wantLaw(t, first, func(p float64) float64 { return 2*p - 1 }, "coordinate")
		}
	}
}
