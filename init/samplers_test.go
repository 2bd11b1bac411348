package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// estimates of k(x, z) for each x, one for each of a number of draws of m frequencies.
func estimates(t *testing.T, s Sampler, k Random, x [][]float64, z []float64, m, draws int, src rand.Source) [][]float64 {
	t.Helper()
	d := len(z)
	w, out := make([]float64, d*m), make([][]float64, len(x))
	for range draws {
		if err := s.Sample(w, d, m, k, src); err != nil {
			t.Fatal(err)
		}
		sums := make([]float64, len(x))
		for j := range m {
			col := column(w, d, m, j)
			for i := range x {
				sums[i] += term(k, col, x[i], z)
			}
		}
		for i, sum := range sums {
			out[i] = append(out[i], sum/float64(m))
		}
	}
	return out
}

// squaredErrors is the mean squared error of estimates and its standard error.
func squaredErrors(estimates []float64, want float64) (mse, se float64) {
	squares := make([]float64, len(estimates))
	for i, v := range estimates {
		squares[i] = (v - want) * (v - want)
	}
	return meanStdErr(squares)
}

// TestSamplersGiveTheKernel: for every law and every sampler that fits it, in several dimensions and along an axis and the diagonal,
// the mean over draws is the kernel, and the mean squared error is what the sampler predicts, where it does. The number of
// frequencies is odd and not one of whole blocks. Structured has a bias, and tests of its own.
func TestSamplersGiveTheKernel(t *testing.T) {
	const draws = 300
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, s := range Samplers() {
			if s == (Structured{}) || !fits(s, tk.kernel) {
				continue
			}
			for _, d := range []int{1, 2, 3, 8, 17} {
				m, src := d+d%2+3, Stream(5, fmt.Sprint(tk.name, s, d))
				pairs := biasPairs(tk, d)
				names, z := []string{"axis", "diagonal"}, pairs["axis"][1]
				x := [][]float64{pairs["axis"][0], pairs["diagonal"][0]}
				for i, got := range estimates(t, s, tk.kernel, x, z, m, draws, src) {
					name, want := names[i], tk.kernel.At(x[i], z)
					mean, se := meanStdErr(got)
					if v, ok := s.(Predictor); ok {
						variance, err := v.Variance(tk.kernel, x[i], z, m)
						if err != nil {
							t.Fatal(err)
						}
						// Where k is small, a few frequencies in many carry it, and 300 draws do not show how much the squares vary.
						if mse, band := squaredErrors(got, want); want > .05 && math.Abs(mse-variance) > 4*band {
							t.Errorf("%v, d = %d, %s: mean squared error %.3g ± %.3g, predicted %.3g", s, d, name, mse, band, variance)
						}
						se = math.Sqrt(variance / draws)
					}
					if math.Abs(mean-want) > 4*se {
						t.Errorf("%v, d = %d, %s: mean %.5f, kernel %.5f, standard error %.5f", s, d, name, mean, want, se)
					}
				}
			}
		}
	})
}

// fits says whether a sampler takes a law at all.
func fits(s Sampler, k Random) bool {
	return s.Sample(make([]float64, 17), 17, 1, k, Stream(1, "fits")) == nil
}

// TestSamplersFitTheirLaws: which laws a sampler takes, and that it says which it does not.
func TestSamplersFitTheirLaws(t *testing.T) {
	for _, c := range []struct {
		s    Sampler
		fits func(k Random) bool
		says string
	}{
		{IID{}, func(Random) bool { return true }, ""},
		{Orthogonal{}, isRadial, "no NormQuantile"},
		{Coupled{}, isRadial, "no NormQuantile"},
		{Structured{}, isRadial, "no NormQuantile"},
		{Antithetic{}, isProduct, "no Quantile"},
		{Halton{}, func(k Random) bool { return isRadial(k) || isProduct(k) }, "neither Quantile nor NormQuantile"},
		{Sobol{}, func(k Random) bool { return isRadial(k) || isProduct(k) }, "neither Quantile nor NormQuantile"},
	} {
		eachKernel(t, func(t *testing.T, tk testKernel) {
			w, err := Frequencies(tk.kernel, c.s, 17, 7, 1)
			if c.fits(tk.kernel) {
				if err != nil || w.Shape()[0] != 17 || w.Shape()[1] != 7 {
					t.Errorf("%v: %v, %v", c.s, w, err)
				}
				return
			}
			wantErr(t, err, ErrSampler, c.s.String(), fmt.Sprintf("%T", tk.kernel), c.says, "spectral.IID{}")
			if e, ok := err.(*SamplerError); !ok || e.Kernel == nil || e.Sampler != c.s {
				t.Errorf("%v: error %#v", c.s, err)
			}
		})
	}
}

func isRadial(k Random) bool  { _, ok := k.(RadialLaw); return ok }
func isProduct(k Random) bool { _, ok := k.(ProductLaw); return ok }

// goldenSamplers are the frequencies [2, 2] of Gaussian{1} under the seed 2014, as golden in iid_test.go.
var goldenSamplers = map[string][4]float64{
	"orthogonal": {0.15535104172477873, 0.50793146041458959, -0.43364226670831707, 0.18196492260582792},
	"coupled":    {0.15535104172477873, 2.0173677672717027, -0.43364226670831707, 0.72271595332853911},
	"antithetic": {0.57523892794975318, 0.78088475152239711, 0.05140686199383309, 2.0435433253735185},
	"halton":     {-1.6416811536873293, 1.6450382655550091, -0.30946148397864737, 0.45759896300742287},
	"sobol":      {0.71276268035309753, -0.44282481765989451, -0.88487436867468972, 0.12135351896663384},
}

func TestGoldenSamplers(t *testing.T) {
	for name, want := range goldenSamplers {
		s, err := SamplerByName(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Frequencies(Gaussian{1}, s, 2, 2, 2014)
		if err != nil {
			t.Fatal(err)
		}
		checkGolden(t, w.Float64s(), want, false) // to rounding: QR, and quantiles by libraries
	}
}

// promises are the mean squared errors of the Gaussian in 8 dimensions relative to IID with as many frequencies, at .5, 1 and 2
// bandwidths: the table in the documentation of the package. The third is the ratio that must not be exceeded.
var promises = []struct {
	s        Sampler
	m        int
	diagonal bool
	ratio    [3]float64
	most     [3]float64
}{
	{Orthogonal{}, 8, true, [3]float64{.27, .24, .64}, [3]float64{.30, .27, .68}},
	{Coupled{}, 8, true, [3]float64{.18, .14, .60}, [3]float64{.21, .17, .64}},
	{Antithetic{}, 8, true, [3]float64{.94, .95, .98}, [3]float64{1, 1, 1.05}},
	{Antithetic{}, 8, false, [3]float64{.51, .36, .10}, [3]float64{.55, .4, .12}},
	{Halton{}, 8, true, [3]float64{.93, .93, .97}, [3]float64{1, 1, 1.05}},
	{Sobol{}, 8, true, [3]float64{1.11, 1.12, 1.12}, [3]float64{1.2, 1.2, 1.2}},
	{Halton{}, 64, true, [3]float64{.36, .39, .79}, [3]float64{.45, .5, .9}},
	{Sobol{}, 64, true, [3]float64{.28, .32, .79}, [3]float64{.35, .4, .9}},
	{Halton{}, 1024, true, [3]float64{.032, .075, .52}, [3]float64{.05, .1, .65}},
	{Sobol{}, 1024, true, [3]float64{.010, .044, .41}, [3]float64{.02, .06, .55}},
	{Orthogonal{}, 8, false, [3]float64{.27, .24, .64}, [3]float64{.30, .27, .68}},
	{Coupled{}, 8, false, [3]float64{.18, .14, .60}, [3]float64{.21, .17, .64}},
	{Halton{}, 8, false, [3]float64{.31, .18, .14}, [3]float64{.37, .22, .17}},
	{Sobol{}, 8, false, [3]float64{.31, .19, .14}, [3]float64{.37, .22, .17}},
	{Halton{}, 64, false, [3]float64{.034, .005, .014}, [3]float64{.05, .008, .02}},
	{Sobol{}, 64, false, [3]float64{.034, .005, .014}, [3]float64{.05, .008, .02}},
	{Halton{}, 1024, false, [3]float64{.0015, .0002, .0005}, [3]float64{.003, .001, .001}},
	{Sobol{}, 1024, false, [3]float64{.0013, .0001, .0005}, [3]float64{.003, .001, .001}},
}

func TestSamplerPromises(t *testing.T) {
	const d = 8
	k, z := Gaussian{1}, make([]float64, d)
	for _, c := range promises {
		draws := map[int]int{8: 20000, 64: 3000, 1024: 400}[c.m]
		distances := []float64{.5, 1, 2}
		var x [][]float64
		for _, r := range distances {
			if c.diagonal {
				x = append(x, slices.Repeat([]float64{r / math.Sqrt(d)}, d))
			} else {
				x = append(x, axis(d, 0, r))
			}
		}
		for i, got := range estimates(t, c.s, k, x, z, c.m, draws, Stream(6, fmt.Sprint(c.s, c.m))) {
			where := fmt.Sprintf("%v, m = %d, diagonal %v, distance %v", c.s, c.m, c.diagonal, distances[i])
			iid, err := IID{}.Variance(k, x[i], z, c.m)
			if err != nil {
				t.Fatal(err)
			}
			mse, se := squaredErrors(got, k.At(x[i], z))
			ratio, se := mse/iid, se/iid
			if math.Abs(ratio-c.ratio[i]) > 4*se+.005*math.Sqrt(c.ratio[i]) { // what the table is rounded to
				t.Errorf("%s: ratio %.4f ± %.4f, stated is %v", where, ratio, se, c.ratio[i])
			}
			if ratio > c.most[i] {
				t.Errorf("%s: ratio %.4f ± %.4f, at most %v wanted", where, ratio, se, c.most[i])
			}
			if v, ok := c.s.(Predictor); ok {
				exact, err := v.Variance(k, x[i], z, c.m)
				if err != nil || exact/iid > c.most[i] || math.Abs(exact/iid-c.ratio[i]) > .0051 {
					t.Errorf("%s: predicted ratio %.4f (%v), stated is %v", where, exact/iid, err, c.ratio[i])
				}
			}
		}
	}
}

// TestCoupledPairs: the norms of columns 2i and 2i+1 are quantiles at u and 1-u, also over the border of a block and for an odd last
// column; the directions are those of Orthogonal.
func TestCoupledPairs(t *testing.T) {
	for _, c := range []struct{ d, m int }{{1, 1}, {1, 5}, {2, 7}, {3, 11}, {8, 13}} {
		k, zero := Gaussian{1.3}, make([]float64, c.d)
		w, o := make([]float64, c.d*c.m), make([]float64, c.d*c.m)
		for s, to := range map[Sampler][]float64{Coupled{}: w, Orthogonal{}: o} {
			if err := s.Sample(to, c.d, c.m, k, Stream(2, "pairs")); err != nil {
				t.Fatal(err)
			}
		}
		for j := range c.m {
			col, same := column(w, c.d, c.m, j), column(o, c.d, c.m, j)
			r, q := distance(col, zero), distance(same, zero)
			for i := range col {
				if math.Abs(col[i]/r-same[i]/q) > 1e-15 {
					t.Errorf("d = %d: column %d has the direction %v, not %v", c.d, j, col, same)
				}
			}
			if j%2 == 0 && j+1 < c.m {
				r2 := distance(column(w, c.d, c.m, j+1), zero)
				if u := gaussianNormCDF(c.d, k, r) + gaussianNormCDF(c.d, k, r2); math.Abs(u-1) > 1e-9 {
					t.Errorf("d = %d, columns %d and %d: norms %v and %v are at levels whose sum is %v", c.d, j, j+1, r, r2, u)
				}
			}
		}
	}
}

// TestAntitheticPairs: coordinates of columns 2i and 2i+1 are quantiles at u and 1-u, of the law for a Laplace kernel and of the absolute
// value for a symmetric law, whose signs are independent.
func TestAntitheticPairs(t *testing.T) {
	const d, m = 3, 2001
	eachKernel(t, func(t *testing.T, tk testKernel) {
		law, ok := tk.kernel.(ProductLaw)
		if !ok {
			return
		}
		w := make([]float64, d*m)
		if err := (Antithetic{}).Sample(w, d, m, law, Stream(1, tk.name)); err != nil {
			t.Fatal(err)
		}
		same, negative := 0, 0
		for i := range w {
			if i%m == m-1 || i%m%2 == 1 {
				continue
			}
			a, b := w[i], w[i+1]
			if law.Transform() == Laplace {
				if u := level(law.Quantile, a) + level(law.Quantile, b); a < 0 || b < 0 || math.Abs(u-1) > 1e-9 {
					t.Fatalf("%v and %v are at levels whose sum is %v", a, b, u)
				}
				continue
			}
			if u := level(law.Quantile, math.Abs(a)) + level(law.Quantile, math.Abs(b)); math.Abs(u-1.5) > 1e-9 {
				t.Fatalf("|%v| and |%v| are at levels whose sum is %v", a, b, u)
			}
			if a < 0 == (b < 0) {
				same++
			}
			if a < 0 {
				negative++
			}
		}
		if law.Transform() == Laplace {
			return
		}
		for what, n := range map[string]int{"equal signs": same, "negative": negative} {
			const pairs = d * (m / 2)
			if math.Abs(float64(n)-pairs/2) > 4*math.Sqrt(pairs)/2 {
				t.Errorf("%s: %d of %d", what, n, pairs)
			}
		}
	})
}

// level solves quantile(p) = v by bisection.
func level(quantile func(float64) float64, v float64) float64 {
	lo, hi := 0., 1.
	for range 60 {
		if mid := (lo + hi) / 2; quantile(mid) < v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

func gaussianNormCDF(d int, k Gaussian, r float64) float64 {
	return level(func(p float64) float64 { return k.NormQuantile(d, p) }, r)
}

// skewed is a Fourier law that is not symmetric: exponential coordinates, k = E cos(w·δ).
type skewed struct{ Gaussian }

func (skewed) Draw()                      {}
func (skewed) NormQuantile()              {}
func (skewed) Quantile(p float64) float64 { return -math.Log1p(-p) }
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
	mean, se := meanStdErr(estimates(t, Antithetic{}, k, [][]float64{x}, z, 7, 3000, Stream(1, "skewed"))[0])
	if want := k.At(x, z); math.Abs(mean-want) > 4*se {
		t.Errorf("mean %v ± %v, kernel %v", mean, se, want)
	}
	_, err := Antithetic{}.Variance(k, x, z, 7)
	wantErr(t, err, ErrParam, "antithetic", "not symmetric")
}

// laplaceRadial claims what no law can be.
type laplaceRadial struct{ Gaussian }

func (laplaceRadial) Transform() Transform { return Laplace }

func TestPredictorErrors(t *testing.T) {
	x := []float64{.1, .2}
	for _, s := range Samplers() {
		v, ok := s.(Predictor)
		if !ok {
			continue
		}
		_, err := v.Variance(Gaussian{}, x, x, 3)
		wantErr(t, err, ErrParam, "Sigma = 0")
		_, err = v.Variance(Gaussian{1}, x, x, 0)
		wantErr(t, err, ErrParam, "0 frequencies")
		_, err = v.Variance(Gaussian{1}, nil, nil, 3)
		wantErr(t, err, ErrParam, "0 dimensions")
		if got, err := v.Variance(Gaussian{1}, x, x, 3); got > 1e-15 || err != nil {
			t.Errorf("%v at equal rows: %v, %v", s, got, err)
		}
	}
	for _, s := range []Predictor{Orthogonal{}, Coupled{}} {
		_, err := s.Variance(Laplacian{1}, x, x, 3)
		wantErr(t, err, ErrSampler, s.String(), "Laplacian")
		_, err = s.Variance(laplaceRadial{Gaussian{1}}, x, x, 3)
		wantErr(t, err, ErrParam, s.String(), "Laplace transform")
	}
	_, err := Antithetic{}.Variance(Matern{1, 1}, x, x, 3)
	wantErr(t, err, ErrSampler, "antithetic", "Matern")
}

// TestPredictorsAtExtremes: near, far, and beyond the range of squares.
func TestPredictorsAtExtremes(t *testing.T) {
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, s := range Samplers() {
			v, ok := s.(Predictor)
			if !ok || !fits(s, tk.kernel) {
				continue
			}
			for _, scale := range []float64{1e-300, 1e-9, 1e9, 1e300} {
				x, z := []float64{scale, scale, tk.unit}, []float64{scale / 2, tk.unit, 1.5 * tk.unit}
				if got, err := v.Variance(tk.kernel, x, z, 5); err != nil || !(got >= 0 && got < 1) {
					t.Errorf("%v, rows at %v: %v, %v", s, scale, got, err)
				}
			}
		}
	})
	v, err := Antithetic{}.Variance(Laplacian{1}, axis(3, 0, 3), make([]float64, 3), 2) // stated with Antithetic
	if iid, _ := (IID{}).Variance(Laplacian{1}, axis(3, 0, 3), make([]float64, 3), 2); err != nil || math.Abs(v/iid-1.29) > .005 {
		t.Errorf("Laplacian at three bandwidths: %v of IID, %v", v/iid, err)
	}
}
