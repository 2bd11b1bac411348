package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestVarianceFormulas: the variance of the terms, and of the phase form, for rows apart and close, within 4 standard
// errors from the fourth moment.
func TestVarianceFormulas(t *testing.T) {
	const n, d = 20000, 3
	eachKernel(t, func(t *testing.T, tk testKernel) {
		law, rng := tk.kernel.Law(), testRand("variance"+tk.name)
		x, z, near := tk.point(d, rng), tk.point(d, rng), make([]float64, d)
		for i, v := range x {
			near[i] = 1.1 * v
		}
		w := make([]float64, d)
		if law.Transform == Tangent {
			w = make([]float64, 2*d)
		}
		for _, z := range [][]float64{z, near} {
			var squares, ofPhase []float64
			k, pair := tk.kernel.At(x, z), must(PairVariance(tk.kernel, x, z))
			for range n {
				law.draw(w, rng)
				off := term(tk.kernel, w, x, z) - k
				squares = append(squares, off*off)
				if law.Transform != Fourier && law.Transform != LogFourier {
					continue
				}
				b, p, q := 2*math.Pi*rng.Float64(), 0.0, 0.0
				for i, v := range w {
					if law.Transform == LogFourier {
						p, q = p+v*math.Log(x[i]+law.Shift), q+v*math.Log(z[i]+law.Shift)
					} else {
						p, q = p+v*x[i], q+v*z[i]
					}
				}
				off = 2*math.Cos(p+b)*math.Cos(q+b) - k
				ofPhase = append(ofPhase, off*off)
			}
			wantMean(t, squares, pair, 0, "the squares of the pair form at %v and %v", x, z)
			if len(ofPhase) > 0 {
				wantMean(t, ofPhase, pair+.5, 0, "the squares of the phase form at %v and %v", x, z)
			}
		}
	})
}

// The variance of positive features is k² (exp(‖x+z‖²/σ²) - 1), 0 for opposite rows. Choromanski et al. (2021), lemma
// 2.
func TestSoftmaxVariance(t *testing.T) {
	k, x := Softmax{Sigma: 1.3}, []float64{.4, -1.1, .2}
	for _, z := range [][]float64{{2, .3, .5}, {.4, -1.1, .2}, {-.4, 1.1, -.2}, {-.4, 1.1, -.1}} {
		sum := floats.AddTo(make([]float64, 3), x, z)
		want := k.At(x, z) * k.At(x, z) * math.Expm1(floats.Dot(sum, sum)/1.3/1.3)
		if got := must(PairVariance(k, x, z)); math.Abs(got-want) > 1e-12*want+1e-15 {
			t.Errorf("z = %v: %v, want %v", z, got, want)
		}
	}
}

// (x+c)² - c loses all digits where (x+c)² is far below c.
func TestLogFourierVarianceIsStable(t *testing.T) {
	for _, c := range []float64{0, 1e-9, 0.03, 1, 1e9} {
		for _, a := range [][2]float64{{1e-9, 3e-9}, {1, 2}, {1e-9, 1}, {1e12, 2e12}, {5, 5 + 1e-9}} {
			x, z := []float64{c * (a[0] - 1)}, []float64{c * (a[1] - 1)}
			if c == 0 {
				x, z = []float64{a[0]}, []float64{a[1]}
			}
			ra, rb := x[0]+c, z[0]+c // as rounded
			r := max(ra/rb, rb/ra)
			for k, want := range map[Random][2]float64{
				SkewedIntersection{c}: {1 / math.Sqrt(r), 1 / r},
				SkewedChi2{c}:         {2 / (math.Sqrt(r) + 1/math.Sqrt(r)), 2 / (r + 1/r)},
			} {
				got, err := PairVariance(k, x, z)
				if w := (1+want[1])/2 - want[0]*want[0]; err != nil || math.Abs(got-w) > 2e-15 {
					t.Errorf("%+v, rows at %v: %v (%v), want %v", k, a, got, err, w)
				}
			}
		}
	}
	for _, k := range []Random{SkewedChi2{0}, SkewedIntersection{1}} { // far rows: (1 + 0)/2 - 0
		if v, err := PairVariance(k, []float64{1e300}, []float64{1e-300}); err != nil || math.Abs(v-0.5) > 1e-15 {
			t.Errorf("%T: %v, %v", k, v, err)
		}
	}
}

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
	got := estimates(Antithetic{}, k, [][]float64{x}, z, 7, 3000, Stream(1, "skewed"))[0]
	wantMean(t, got, k.At(x, z), 0, "the estimate")
}

// TestPredictorsAtExtremes: near, far, and beyond the range of squares; nothing at equal rows, whose cosines are 1.
func TestPredictorsAtExtremes(t *testing.T) {
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, s := range Samplers() {
			v, ok := predictor(s, tk.kernel)
			if !ok || !fits(s, tk.kernel) {
				continue
			}
			most := 1.
			if tk.unbounded() {
				most = math.Inf(1)
			}
			for _, scale := range []float64{1e-300, 1e-9, 1e9, 1e300} {
				x, z := []float64{scale, scale, tk.unit}, []float64{scale / 2, tk.unit, 1.5 * tk.unit}
				if got, err := v.Variance(tk.kernel, x, z, 5); err != nil || !(got >= 0 && got <= most) {
					t.Errorf("%v, rows at %v: %v, %v", s, scale, got, err)
				}
			}
			x := []float64{.3, .7}
			of := tk.kernel.Law().Transform
			if got := must(v.Variance(tk.kernel, x, x, 3)); (of == Fourier || of == LogFourier) && got > 1e-15 {
				t.Errorf("%v has the variance %v at equal rows", s, got)
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
