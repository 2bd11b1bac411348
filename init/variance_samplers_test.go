package spectral

import (
	"math"
	"testing"
)

// skewed is a Fourier law that is not symmetric: exponential coordinates, k = E cos(w·δ).
type skewed struct{ Gaussian }

func (skewed) Law() Law {
	return Law{Transform: Fourier, Quantile: func(p float64) float64 { return -math.Log1p(-p) }}
}
func (skewed) At(x, z []float64) float64 { // the real part of Π 1/(1-iδ)
	v := complex(1, 0)
	for i := range x {
		v /= complex(1, z[i]-x[i])
	}
	return real(v)
}

// TestAntitheticAsymmetricLaw: it keeps its signs, gives its kernel, and has no formula.
func TestAntitheticAsymmetricLaw(t *testing.T) {
	x, z := []float64{.3, 1.2}, []float64{0, .1}
	k := skewed{Gaussian{1}}
	mean, se := meanStdErr(estimates(Antithetic{}, k, [][]float64{x}, z, 7, 3000, Stream(1, "skewed"))[0])
	if want := k.At(x, z); math.Abs(mean-want) > 4*se {
		t.Errorf("mean %v ± %v, kernel %v", mean, se, want)
	}
}

func TestPredictorsAtEqualRows(t *testing.T) {
	x := []float64{.1, .2}
	for _, s := range Samplers() {
		if v, ok := s.(Predictor); ok && must(v.Variance(Gaussian{1}, x, x, 3)) > 1e-15 {
			t.Errorf("%v has a variance at equal rows", s)
		}
	}
}

// TestPredictorsAtExtremes: near, far, and beyond the range of squares.
func TestPredictorsAtExtremes(t *testing.T) {
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, s := range Samplers() {
			v, ok := predictor(s, tk.kernel)
			if !ok || !fits(s, tk.kernel) {
				continue
			}
			most := 1.
			if tk.kernel.Law().Transform == Positive { // whose kernel has no bound
				most = math.Inf(1)
			}
			for _, scale := range []float64{1e-300, 1e-9, 1e9, 1e300} {
				x, z := []float64{scale, scale, tk.unit}, []float64{scale / 2, tk.unit, 1.5 * tk.unit}
				if got, err := v.Variance(tk.kernel, x, z, 5); err != nil || !(got >= 0 && got <= most) {
					t.Errorf("%v, rows at %v: %v, %v", s, scale, got, err)
				}
			}
		}
	})
}

// TestWorstErrors: the largest error relative to IID that the documentation of a sampler states is that between two
// and six bandwidths.
func TestWorstErrors(t *testing.T) {
	for _, c := range []struct {
		s     Predictor
		k     Random
		d     int
		at    float64 // distance
		ratio float64
	}{
		{Orthogonal{}, Gaussian{1}, 5, 3.4, 1.014},
		{Orthogonal{Coupled: true}, Gaussian{1}, 1, 4.2, 1.64},
		{Orthogonal{Coupled: true}, Gaussian{1}, 2, 3.8, 1.37},
		{Orthogonal{Coupled: true}, Gaussian{1}, 3, 3.2, 1.13},
		{Orthogonal{Coupled: true}, Gaussian{1}, 8, 3, 1.01},
		{Antithetic{}, Gaussian{1}, 1, 4.2, 1.64},
		{Antithetic{}, Gaussian{1}, 2, 2.8, 1.34},
		{Antithetic{}, Laplacian{1}, 1, 2.8, 1.33},
		{Antithetic{}, SkewedChi2{}, 1, 10, 1.52},
	} {
		for r := 2.; r <= 6; r += .8 {
			if ratio := relativeVariance(t, c.s, c.k, c.d, r); ratio > c.ratio+.006 {
				t.Errorf("%v of %T, d = %d: %.4f of IID at %v, at most %v is stated", c.s, c.k, c.d, ratio, r, c.ratio)
			}
		}
		if ratio := relativeVariance(t, c.s, c.k, c.d, c.at); math.Abs(ratio-c.ratio) > .0055 {
			t.Errorf("%v of %T, d = %d: %.4f of IID at %v, stated is %v", c.s, c.k, c.d, ratio, c.at, c.ratio)
		}
	}
}

// relativeVariance is the relative variance of two frequencies a dimension along the diagonal, of ln x for a LogFourier
// kernel.
func relativeVariance(t *testing.T, s Predictor, k Random, d int, r float64) float64 {
	t.Helper()
	x, z := make([]float64, d), make([]float64, d)
	for i := range x {
		if x[i] = r / math.Sqrt(float64(d)); k.Law().Transform == LogFourier {
			x[i], z[i] = math.Exp(x[i]), 1
		}
	}
	v := must(s.Variance(k, x, z, 2*d))
	iid := must(IID{}.Variance(k, x, z, 2*d))
	return v / iid
}
