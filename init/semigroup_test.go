package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestSemigroupIdentity: k(x, z) = √(k(x, x) k(z, z)) exp(-D²/2), with the metric of every size and no cancellation
// next to 0.
func TestSemigroupIdentity(t *testing.T) {
	rng := testRand("semigroup")
	for _, k := range []Semigroup{ExpSemigroup{Beta: .4}, ReciprocalSemigroup{Lambda: 1.7}} {
		for range 200 {
			x, z := make([]float64, 4), make([]float64, 4)
			for i := range x {
				x[i], z[i] = math.Exp(4*rng.NormFloat64()), math.Exp(4*rng.NormFloat64())
				if rng.IntN(3) == 0 {
					x[i] = 0
				}
			}
			want := 2*k.Exponent(x, z) - k.Exponent(x, x) - k.Exponent(z, z)
			got := k.Metric(x, z)
			if math.Abs(got-want) > 1e-13*k.Exponent(x, z) || !near(got, k.Metric(z, x), 1e-14) || k.Metric(x, x) != 0 {
				t.Fatalf("%T: D²(%v, %v) = %v, by the exponents %v", k, x, z, got, want)
			}
			if v := math.Exp(-k.Exponent(x, x)/2 - k.Exponent(z, z)/2 - got/2); !near(v, k.At(x, z), 1e-12) {
				t.Fatalf("%T: k(%v, %v) = %v, by the Gaussian %v", k, x, z, k.At(x, z), v)
			}
		}
	}
	close := ReciprocalSemigroup{Lambda: 1.7}.Metric([]float64{1}, []float64{1 + 1e-9})
	wantNear(t, close, 1e-18/4/1.85/1.85, 1e-6, "D² of two close numbers, by its series")
	x, z := []float64{.2, 0, 3}, []float64{1, .7, .1}
	wantNear(t, math.Exp(-ReciprocalSemigroup{Lambda: .6}.Metric(x, z)/2), SkewedChi2{C: .3}.At(x, z), 1e-13,
		"exp(-D²/2), the skewed χ² kernel")
}

// TestLogWaves: the frequencies have 2n terms of the series of 2 ln cosh(t/2) = t²/4 - t⁴/96 + t⁶/1440 - 17t⁸/322560 +
// ..., and the errors that the documentation states.
func TestLogWaves(t *testing.T) {
	series := []float64{1. / 4, -1. / 96, 1. / 1440, -17. / 322560} // of t², t⁴, ...
	for order := 1; order <= 5; order++ {
		omega, a, err := LogWaves(order)
		if err != nil || len(omega) != order || len(a) != order {
			t.Fatalf("order %d: %v, %v, %v", order, omega, a, err)
		}
		factorial := 1.0
		for p := 1; p <= min(2*order, 4); p++ {
			factorial *= float64(2*p) * float64(2*p-1)
			got := 0.0
			for j, w := range omega {
				got -= 2 * a[j] * a[j] * math.Pow(-1, float64(p)) * math.Pow(w, float64(2*p)) / factorial
			}
			if math.Abs(got-series[p-1]) > 1e-12 {
				t.Errorf("order %d: the coefficient of t^%d is %v, want %v", order, 2*p, got, series[p-1])
			}
		}
	}
	for _, c := range []struct {
		order    int
		t, share float64
	}{{1, 1, .002}, {1, 2, .027}, {2, 2, .001}, {2, 3, .014}, {3, 3, .002}} {
		off, err := LogWavesError(c.order, c.t)
		if got := off / (2 * math.Log(math.Cosh(c.t/2))); err != nil || math.Abs(got-c.share) > .0006 {
			t.Errorf("order %d at t = %v: off by %.4f of the metric, want %v, %v", c.order, c.t, got, c.share, err)
		}
	}
}

// TestNormalisedVariance: against draws; the variance to 4 standard errors, the bias to 4 and what the next order may
// be. Of equal rows there is neither.
func TestNormalisedVariance(t *testing.T) {
	const m, draws = 400, 2000
	x, z := []float64{.3, .9, .1}, []float64{.8, .2, .5}
	for _, k := range []Semigroup{ExpSemigroup{Beta: .2}, ReciprocalSemigroup{Lambda: 2}} {
		variance, bias := must2(NormalisedVariance(k, x, z, m))
		var off []float64
		for seed := range uint64(draws) {
			w := must(Frequencies(k, IID{}, 3, m, seed))
			var a, b, c float64
			for j := range m {
				px, pz := 0.0, 0.0
				for i := range x {
					v := w.Float64s()[i*m+j]
					px, pz = px+x[i]*v, pz+z[i]*v
				}
				a, b, c = a+math.Exp(-px-pz), b+math.Exp(-2*px), c+math.Exp(-2*pz)
			}
			off = append(off, math.Exp(-k.Exponent(x, x)/2-k.Exponent(z, z)/2)*a/math.Sqrt(b*c)-k.At(x, z))
		}
		mean, got := stat.PopMeanVariance(off, nil)
		if se := math.Sqrt(variance / draws); math.Abs(mean-bias) > 4*se+math.Abs(bias)/10 {
			t.Errorf("%T: bias %v, predicted %v, standard error %v", k, mean, bias, se)
		}
		if math.Abs(got-variance) > variance*(4*math.Sqrt(2./draws)+.03) {
			t.Errorf("%T: variance %v, predicted %v", k, got, variance)
		}
		if v, b, err := NormalisedVariance(k, x, x, m); err != nil || math.Abs(v) > 1e-17 || math.Abs(b) > 1e-17 {
			t.Errorf("%T: of equal rows %v, %v, %v", k, v, b, err)
		}
	}
}

// TestLevyVariance: of independent frequencies the formula, of the others what they say of the Gaussian; the samplers
// along axes are an error.
func TestLevyVariance(t *testing.T) {
	x, z := []float64{.3, .9, .1}, []float64{.8, .2, .5}
	k := ExpSemigroup{Beta: .5}
	rho := math.Exp(-k.Metric(x, z) / 2)
	want := k.At(x, x) * k.At(z, z) * (1 - rho*rho) * (1 - rho*rho) / 2 / 100
	iid := must(LevyVariance(IID{}, k, x, z, 9, 100))
	wantNear(t, iid, want, 1e-9, "iid")
	if coupled := must(LevyVariance(Orthogonal{Coupled: true}, k, x, z, 9, 900)); !(coupled < .3*iid/9) {
		t.Errorf("coupled: %v, iid %v", coupled, iid/9)
	}
}

// TestLevyPeriods: the fitted period makes the metric of a number and 0 exact. The batteries of the harmonics have its
// errors.
func TestLevyPeriods(t *testing.T) {
	k := Levy{}
	for _, w := range []Window{Uniform, Rectangular} {
		for _, n := range []int{1, 2, 3, 5, 12, 40} {
			fitted := must(FittedPeriod(k, n, w))
			tol := 1e-6
			if w == Rectangular && n%2 == 0 { // where a sample becomes negative and is passed over, 𝒦̂(0) jumps
				tol = .005
			}
			if got := must(NewHarmonics(k, n, w, fitted)).Signature(0); math.Abs(got-k.Signature(0)) > tol {
				t.Errorf("%v, order %d: 𝒦̂(0) = %v for the period %v, want %v", w, n, got, fitted, k.Signature(0))
			}
		}
	}
	if h, err := NewHarmonics(k, 1, Rectangular, 11.992); err != nil || math.Abs(h.SupError()-.0346) > 1e-3 {
		t.Errorf("SupError of the fitted period: %v, %v", h.SupError(), err)
	}
}
