package spectral

import (
	"math"
	"testing"
)

// TestLevy: the value is the printed sum, (xy)^{¼} 𝒦(ln y/x), homogeneous of degree ½; its metric is the metric of the
// exponential-semigroup kernel; nothing overflows or cancels from the smallest to the largest numbers.
func TestLevy(t *testing.T) {
	rng := testRand("levy")
	k := Levy{}
	for range 200 {
		x, y := []float64{math.Exp(3 * rng.NormFloat64()), 0, rng.Float64()},
			[]float64{math.Exp(3 * rng.NormFloat64()), rng.Float64(), 0}
		want := math.Sqrt(x[0]) + math.Sqrt(y[0]) - math.Sqrt(x[0]+y[0])
		bySignature := math.Pow(x[0]*y[0], .25) * k.Signature(math.Log(y[0]/x[0]))
		if got := k.At(x, y); !near(got, want, 1e-12) || !near(got, bySignature, 1e-12) {
			t.Fatalf("k(%v, %v) = %v, by the formula %v, by the signature %v", x, y, got, want, bySignature)
		}
		if got, want := (ExpSemigroup{Beta: .7}).Metric(x, y), .7*SquaredMetric(k, x, y); !near(got, want, 1e-12) {
			t.Fatalf("the metric of the semigroup kernel is %v, the metric of the additive kernel %v", got, want)
		}
	}
	for _, v := range []float64{5e-324, 1e-300, 1e300, math.MaxFloat64} {
		if got, want := k.At([]float64{v}, []float64{v}), (2-math.Sqrt2)*math.Sqrt(v); !near(got, want, 1e-14) {
			t.Errorf("k(v, v) = %v for v = %v, want %v", got, v, want)
		}
	}
	wantNear(t, k.Signature(0), 2-math.Sqrt2, 1e-15, "𝒦(0)")
}

// TestLevyPeriods: the fitted period makes the metric of a number and 0 exact, the optimal one has the least error, and
// ErrorBound holds for pairs of rows.
func TestLevyPeriods(t *testing.T) {
	k := Levy{}
	for _, w := range []Window{Uniform, Rectangular} {
		for _, n := range []int{1, 2, 3, 5, 12, 40} {
			fitted := must(FittedPeriod(k, n, w))
			h := must(NewHarmonics(k, n, w, fitted))
			tol := 1e-6
			if w == Rectangular && n%2 == 0 { // where a sample becomes negative and is passed over, 𝒦̂(0) jumps
				tol = .005
			}
			if got := h.Signature(0); math.Abs(got-k.Signature(0)) > tol {
				t.Errorf("%v, order %d: 𝒦̂(0) = %v for the period %v, want %v", w, n, got, fitted, k.Signature(0))
			}
			if n > 1 {
				continue
			}
			optimal := must(OptimalPeriod(k, n, w))
			best := must(NewHarmonics(k, n, w, optimal))
			if best.SupError() > h.SupError() {
				t.Errorf("%v, order %d: the optimal period %v has the error %v, the fitted one %v",
					w, n, optimal, best.SupError(), h.SupError())
			}
			bound := best.ErrorBound()
			for v := 1e-6; v < 1; v *= 1.3 { // rows with Σ√x = 1 have no larger an error than their coordinates
				off := math.Abs(k.At([]float64{1}, []float64{v}) - math.Pow(v, .25)*best.Signature(math.Log(v)))
				if off > bound || off > best.SupError()+1e-12 {
					t.Errorf("%v, order %d: off by %v at (1, %v), bound %v, SupError %v",
						w, n, off, v, bound, best.SupError())
				}
			}
		}
	}
	if h, err := NewHarmonics(k, 1, Rectangular, 11.992); err != nil || math.Abs(h.SupError()-.0346) > 1e-3 {
		t.Errorf("SupError of the fitted period: %v, %v", h.SupError(), err)
	}
}
