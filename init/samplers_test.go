package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// estimates of k(x, z) for each x, one for each of a number of draws of m frequencies.
func estimates(s Sampler, k Random, x [][]float64, z []float64, m, draws int, src rand.Source) [][]float64 {
	d, out := len(z), make([][]float64, len(x))
	if k.Law().Transform == Tangent { // a w and its v are one frequency
		d *= 2
	}
	for range draws {
		w := sample(s, d, m, k, src)
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

// TestSamplersGiveTheKernel: for every law and every sampler that fits it, in several dimensions and along an axis and
// the diagonal, the mean over draws is the kernel, and the mean squared error is what the sampler predicts, where it
// does. The number of frequencies is odd and not one of whole blocks. Structured has a bias, and tests of its own.
func TestSamplersGiveTheKernel(t *testing.T) {
	const draws = 200
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, s := range Samplers() {
			if s == (Structured{}) || !fits(s, tk.kernel) {
				continue
			}
			for _, d := range []int{1, 2, 9} {
				m, src := d+d%2+3, Stream(5, fmt.Sprint(tk.name, s, d))
				z := slices.Repeat([]float64{.2 * tk.unit}, d)
				x := [][]float64{slices.Clone(z), slices.Clone(z)}
				x[0][0] += 1.5 * tk.unit
				floats.AddConst(1.5*tk.unit/math.Sqrt(float64(d)), x[1])
				for i, got := range estimates(s, tk.kernel, x, z, m, draws, src) {
					name, want := []string{"axis", "diagonal"}[i], tk.kernel.At(x[i], z)
					mean, se := meanStdErr(got)
					if v, ok := predictor(s, tk.kernel); ok {
						variance := must(v.Variance(tk.kernel, x[i], z, m))
						// Where k is small, a few frequencies in many carry it, and 200 draws do not show how much the
						// squares vary.
						if mse, band := squaredErrors(got, want); want > .05 && math.Abs(mse-variance) > 4*band {
							t.Errorf("%v, d = %d, %s: mean squared error %.3g ± %.3g, predicted %.3g",
								s, d, name, mse, band, variance)
						}
						se = math.Sqrt(variance / draws)
					}
					if math.Abs(mean-want) > 4*se {
						t.Errorf("%v, d = %d, %s: mean %.5f, kernel %.5f, standard error %.5f",
							s, d, name, mean, want, se)
					}
				}
			}
		}
	})
}

// predictor is a sampler that predicts the variance of its estimates of k. Of positive features and of units IID alone
// does.
func predictor(s Sampler, k Random) (Predictor, bool) {
	v, ok := s.(Predictor)
	return v, ok && (s == IID{} || k.Law().squares == nil)
}

// fits says whether a sampler takes a law at all.
func fits(s Sampler, k Random) bool {
	return s.Sample(make([]float64, 17), 17, 1, k, Stream(1, "fits")) == nil
}

// fittings are the laws that each sampler takes, and what it says of the others.
var fittings = []struct {
	s    Sampler
	fits func(k Random) bool
	says string
}{
	{IID{}, func(Random) bool { return true }, ""},
	{Orthogonal{}, isRadial, "no NormQuantile"},
	{Orthogonal{Coupled: true}, isRadial, "no NormQuantile"},
	{Structured{}, isRadial, "no NormQuantile"},
	{Antithetic{}, isProduct, "no Quantile"},
	{Halton{}, isEither, "neither Quantile nor NormQuantile"},
	{Sobol{}, isEither, "neither Quantile nor NormQuantile"},
	{LatinHypercube{}, isEither, "neither Quantile nor NormQuantile"},
	{Stratified{}, isRadial, "no NormQuantile"},
}

// TestSamplersFitTheirLaws: which laws a sampler takes, that its seed decides the draw, and that it says which laws it
// does not take.
func TestSamplersFitTheirLaws(t *testing.T) {
	if len(fittings) != len(Samplers()) {
		t.Errorf("%d samplers have fittings, want %d", len(fittings), len(Samplers()))
	}
	for _, c := range fittings {
		eachKernel(t, func(t *testing.T, tk testKernel) {
			w, err := Frequencies(tk.kernel, c.s, 17, 8, 1)
			if c.s == (Structured{}) && tk.kernel.Law().squares != nil {
				wantErr(t, err, ErrSampler, "for Fourier features", "spectral.Orthogonal{}")
				return
			}
			if c.fits(tk.kernel) {
				if err != nil || w.Shape()[0] != 17 || w.Shape()[1] != 8 {
					t.Fatalf("%v: %v, %v", c.s, w, err)
				}
				same, other := must(Frequencies(tk.kernel, c.s, 17, 8, 1)), must(Frequencies(tk.kernel, c.s, 17, 8, 2))
				if !slices.Equal(same.Float64s(), w.Float64s()) || slices.Equal(other.Float64s(), w.Float64s()) {
					t.Errorf("%v: the seed does not decide the draw", c.s)
				}
				return
			}
			wantErr(t, err, ErrSampler, c.s.String(), fmt.Sprintf("%T", tk.kernel), c.says, "spectral.IID{}")
		})
	}
}

func isRadial(k Random) bool  { return k.Law().NormQuantile != nil }
func isProduct(k Random) bool { return k.Law().Quantile != nil }
func isEither(k Random) bool  { return isRadial(k) || isProduct(k) }

// TestCoupledPairs: the norms of columns 2i and 2i+1 are quantiles at u and 1-u, also over the border of a block and
// for an odd last column; Orthogonal has the same directions.
func TestCoupledPairs(t *testing.T) {
	for _, c := range []struct{ d, m int }{{1, 1}, {1, 5}, {2, 7}, {3, 11}, {8, 13}} {
		k, zero := Gaussian{1.3}, make([]float64, c.d)
		w := sample(Orthogonal{Coupled: true}, c.d, c.m, k, Stream(2, "pairs"))
		o := sample(Orthogonal{}, c.d, c.m, k, Stream(2, "pairs"))
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
					t.Errorf("d = %d, columns %d and %d: norms %v and %v are at levels whose sum is %v",
						c.d, j, j+1, r, r2, u)
				}
			}
		}
	}
}

// TestAntitheticPairs: coordinates of columns 2i and 2i+1 are quantiles at u and 1-u, of the law for Laplace and
// positive features and units, and of the absolute value for cosines of a symmetric law, whose signs are independent.
func TestAntitheticPairs(t *testing.T) {
	const d, m = 3, 2001
	eachKernel(t, func(t *testing.T, tk testKernel) {
		law := tk.kernel.Law()
		if law.Quantile == nil {
			return
		}
		cosines := law.Transform == Fourier || law.Transform == LogFourier
		w := sample(Antithetic{}, d, m, tk.kernel, Stream(1, tk.name))
		same, negative := 0, 0
		for i := range w {
			if i%m == m-1 || i%m%2 == 1 {
				continue
			}
			a, b := w[i], w[i+1]
			if !cosines {
				u := level(law.Quantile, a) + level(law.Quantile, b)
				if law.Transform == Laplace && (a < 0 || b < 0) || math.Abs(u-1) > 1e-9 {
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
		if !cosines {
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

// TestAntitheticOfInexactQuantiles: a law that is symmetric but for rounding has no pairs w and -w, whose cosines are
// the same.
func TestAntitheticOfInexactQuantiles(t *testing.T) {
	const m = 16
	rounded := withLaw{Gaussian{1}, Law{Transform: Fourier, Quantile: func(p float64) float64 {
		return normalQuantile(p) * (1 + 1e-7*p)
	}}}
	w := sample(Antithetic{}, 1, m, rounded, Stream(1, "antithetic"))
	for j := 0; j < m; j += 2 {
		if near(w[j], -w[j+1], 1e-6) {
			t.Errorf("the frequencies %v and %v", w[j], w[j+1])
		}
	}
}

// level solves quantile(p) = v by bisection.
func level(quantile func(float64) float64, v float64) float64 {
	return bisect(func(p float64) bool { return quantile(p) < v }, 0, 1)
}

func gaussianNormCDF(d int, k Gaussian, r float64) float64 {
	return level(func(p float64) float64 { return k.Law().NormQuantile(d, p) }, r)
}
