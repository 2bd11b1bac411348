package spectral

import (
	"math"
	"slices"
	"testing"
)

// TestHarmonicsOfVLFeat: coefficients √κ̂_0 and √(2κ̂_j), which are the outputs of VLFeat 0.9.21 at x = 1, where every
// sine is 0. VLFeat interpolates a table and integrates by a sum, which together is within 5e-4.
func TestHarmonicsOfVLFeat(t *testing.T) {
	for _, c := range vlfeatAtOne {
		period := must(FittedPeriod(c.kernel, len(c.cos), c.window))
		h := must(NewHarmonics(c.kernel, len(c.cos), c.window, period))
		wantNear(t, math.Sqrt(h.Kappa[0]), c.constant, 5e-4,
			"%T, %v, order %d: constant", c.kernel, c.window, h.Order())
		for j, want := range c.cos {
			if got := math.Sqrt(2 * h.Kappa[j+1]); !near(got, want, 5e-4) || h.F[j+1] != j+1 {
				t.Errorf("%T, %v, order %d, harmonic %d: %v at frequency %d, VLFeat's %v",
					c.kernel, c.window, h.Order(), j+1, got, h.F[j+1], want)
			}
		}
	}
}

// TestHarmonicsBySum: the rectangular window's samples are the transform of the signature on one period, here by a fine
// midpoint sum, and the uniform window's are Lκ(jL).
func TestHarmonicsBySum(t *testing.T) {
	for _, k := range []Homogeneous{Chi2{}, Intersection{}, JensenShannon{}, HomogeneousGaussian{Sigma: .25}} {
		for _, period := range []float64{1, 9.5, 3000} {
			const n, points = 7, 100000
			uniform := must(NewHarmonics(k, n, Uniform, period))
			rectangular := must(NewHarmonics(k, n, Rectangular, period))
			for i := range n + 1 {
				l := uniform.Base()
				if want := l * k.Spectrum(float64(uniform.F[i])*l); uniform.Kappa[i] != want {
					t.Errorf("%T, Λ = %v: uniform κ̂_%d = %v, want %v", k, period, i, uniform.Kappa[i], want)
				}
				end, sum := math.Min(period/2, 100), 0.0
				for p := range points {
					at := (float64(p) + .5) * end / points
					sum += k.Signature(at) * math.Cos(float64(rectangular.F[i])*l*at)
				}
				if want := math.Max(0, 2/period*end/points*sum); math.Abs(rectangular.Kappa[i]-want) > 2e-8 {
					t.Errorf("%T, Λ = %v: rectangular κ̂ at %d is %v, the sum %v",
						k, period, rectangular.F[i], rectangular.Kappa[i], want)
				}
			}
		}
	}
}

// TestHarmonicsSkipNegativeSamples: VLFeat's rule, on signatures with negative samples.
func TestHarmonicsSkipNegativeSamples(t *testing.T) {
	for _, c := range []struct {
		negative []int // the harmonics with a negative sample
		want     []int
	}{
		{nil, []int{0, 1, 2, 3}},
		{[]int{2, 4}, []int{0, 1, 3, 5}},
		{[]int{1}, []int{0, 2, 3, 4}},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8}, []int{0, 2, 5, 8}}, // slot i is filled at 3i - 1 at the latest
	} {
		h := must(NewHarmonics(ripples{negative: c.negative}, 3, Rectangular, 8))
		for i, f := range h.F {
			clipped := slices.Contains(c.negative, f)
			if f != c.want[i] || clipped && h.Kappa[i] != 0 || !clipped && !near(h.Kappa[i], .5, 1e-12) && i > 0 {
				t.Errorf("negative %v: slot %d has harmonic %d with %v, want %d",
					c.negative, i, f, h.Kappa[i], c.want[i])
			}
		}
	}
}

// ripples has the samples 1/2 at the harmonics of a period of 8, up to the ninth, or -1/2 where they are said to be
// negative.
type ripples struct {
	Chi2
	negative []int
}

func (r ripples) Signature(l float64) float64 {
	sum := .5
	for j := 1; j < 10; j++ {
		sign := 1.0
		if slices.Contains(r.negative, j) {
			sign = -1
		}
		sum += sign * math.Cos(float64(j)*math.Pi/4*l)
	}
	return sum
}

// TestPeriods: the figures of the fits, and the best periods that another, coarser search found to two digits.
func TestPeriods(t *testing.T) {
	for _, c := range []struct {
		k            Homogeneous
		w            Window
		n            int
		fit, fitErr  float64
		best, minErr float64
	}{
		{Chi2{}, Uniform, 1, 9.51, .0345, 10.00, .0317},
		{Chi2{}, Uniform, 3, 13.80, .0058, 14.12, .0058},
		{Chi2{}, Rectangular, 1, 7.92, .0285, 8.71, .0207},
		{Chi2{}, Rectangular, 3, 11.40, .0059, 12.70, .0032},
		{JensenShannon{}, Rectangular, 1, 10.69, .0107, 12.06, .0064},
		{JensenShannon{}, Rectangular, 4, 0, .0023, 0, .00062},
		{Intersection{}, Uniform, 1, 7.00, .158, 6.22, .1038},
		{Intersection{}, Uniform, 3, 8.78, .0995, 7.55, .0639},
	} {
		check := func(name string, period, want, wantErr float64) {
			t.Helper()
			h := must(NewHarmonics(c.k, c.n, c.w, period))
			if e := h.SupError(); math.Abs(e-wantErr) > .02*wantErr+6e-5 ||
				want != 0 && math.Abs(period-want) > .02*want {
				t.Errorf("%T, %v, order %d: %s period %.3f with error %.5f, want %v with %v",
					c.k, c.w, c.n, name, period, e, want, wantErr)
			}
		}
		check("fitted", must(FittedPeriod(c.k, c.n, c.w)), c.fit, c.fitErr)
		check("optimal", must(OptimalPeriod(c.k, c.n, c.w)), c.best, c.minErr)
	}
}

// TestOptimalPeriodIsBest: no period of a finer grid has a smaller error, and the fit never has.
func TestOptimalPeriodIsBest(t *testing.T) {
	eachMap(t, func(t *testing.T, k Homogeneous, n int, w Window) {
		best := must(OptimalPeriod(k, n, w))
		least := newHarmonics(k, n, w, best).SupError()
		for p := best / 2; p < 2*best; p *= 1.017 {
			if e := newHarmonics(k, n, w, p).supError(1000); e < least*(1-1e-3) {
				t.Errorf("the period %v has the error %v, the best, %v, has %v", p, e, best, least)
			}
		}
	})
}

// eachMap is a few kernels, degrees, orders and windows.
func eachMap(t *testing.T, f func(t *testing.T, k Homogeneous, n int, w Window)) {
	t.Helper()
	for _, k := range []Homogeneous{Chi2{}, Chi2{Gamma: .5}, Intersection{Gamma: 2}, Intersection{}, JensenShannon{},
		HomogeneousGaussian{Sigma: 1.7}, Levy{}} {
		for _, n := range []int{0, 1, 4} {
			f(t, k, n, Uniform)
			f(t, k, n, Rectangular)
		}
	}
}

// TestSupErrorAndLemma3 hold on pairs of all ratios, and the bound of Lemma 3 on pairs of normalised sparse rows;
// neither is slack by more than it has to be: SupError is attained, and the Lemma's bound is at most twice the error of
// a pair that it speaks of.
func TestSupErrorAndLemma3(t *testing.T) {
	eachMap(t, func(t *testing.T, k Homogeneous, n int, w Window) {
		gamma := k.Degree()
		period := must(FittedPeriod(k, n, w))
		h := newHarmonics(k, n, w, period)
		sup, bound := h.SupError(), h.ErrorBound()
		approx := func(x, z []float64) float64 {
			sum := 0.0
			for i := range x {
				if x[i] > 0 && z[i] > 0 {
					sum += math.Pow(x[i]*z[i], gamma/2) * h.Signature(math.Log(z[i]/x[i]))
				}
			}
			return sum
		}
		worst := 0.0
		for t := 0.0; t < 60; t += .003 {
			x, z := []float64{1}, []float64{math.Exp(-t)}
			worst = math.Max(worst, math.Abs(k.At(x, z)-approx(x, z)))
		}
		if worst > sup*(1+1e-9) || worst < .999*sup {
			t.Errorf("%+v, %v, order %d: the largest error of a scalar is %v, SupError %v", k, w, n, worst, sup)
		}
		if bound < 2*sup*(1-1e-9) {
			t.Errorf("%+v, %v, order %d: the bound of Lemma 3, %v, is below 2·SupError, %v", k, w, n, bound, 2*sup)
		}
		rng := testRand("lemma 3")
		row := func(d int) []float64 {
			x, sum := make([]float64, d), 0.0
			for i := range x {
				if rng.Float64() < .3 || i == 0 {
					x[i] = math.Exp(4 * rng.NormFloat64())
					sum += math.Pow(x[i], gamma)
				}
			}
			for i := range x {
				x[i] /= math.Pow(sum, 1/gamma)
			}
			return x
		}
		for _, d := range []int{1, 2, 64} {
			for range 200 {
				x, z := row(d), row(d)
				if e := math.Abs(k.At(x, z) - approx(x, z)); e > bound {
					t.Errorf("%+v, %v, order %d, %d dimensions: error %v above the bound %v", k, w, n, d, e, bound)
				}
			}
		}
	})
}

func TestHarmonicsOfPointMass(t *testing.T) {
	for _, f := range []func(Homogeneous, int, Window) (float64, error){FittedPeriod, OptimalPeriod} {
		if p, err := f(Hellinger{}, 0, Uniform); p != 1 || err != nil {
			t.Errorf("the period of Hellinger is %v, %v", p, err)
		}
	}
	h, err := NewHarmonics(Hellinger{}, 0, Uniform, 1)
	if err != nil || h.Kappa[0] != 1 || h.SupError() != 0 || h.ErrorBound() != 0 {
		t.Errorf("the harmonics of Hellinger are %+v, %v", h, err)
	}
	if p, err := FittedPeriod(Intersection{}, 0, Uniform); err != nil || p < 1 {
		t.Errorf("a fitted period is %v, %v", p, err)
	}
}

// vlfeatAtOne are outputs of VLFeat 0.9.21 with its automatic period, at x = 1: the constant and the cosines.
var vlfeatAtOne = []struct {
	kernel   Homogeneous
	window   Window
	constant float64
	cos      []float64
}{
	{Chi2{}, Uniform, 0.8128299, []float64{0.5713744}},
	{Chi2{}, Uniform, 0.7254994, []float64{0.6234303, 0.2774837}},
	{Chi2{}, Uniform, 0.6747661, []float64{0.6419383, 0.3222999, 0.1578784}},
	{Chi2{}, Rectangular, 0.8090142, []float64{0.5820673}},
	{Chi2{}, Rectangular, 0.7574019, []float64{0.6227066, 0.1614908}},
	{Chi2{}, Rectangular, 0.7144917, []float64{0.6442118, 0.2351077, 0.1378404}},
	{Intersection{}, Uniform, 0.7559866, []float64{0.5202139}},
	{Intersection{}, Uniform, 0.7048857, []float64{0.5377404, 0.3040931}},
	{Intersection{}, Uniform, 0.675071, []float64{0.5466803, 0.3147717, 0.2164868}},
	{Intersection{}, Rectangular, 0.7594334, []float64{0.5278957}},
	{Intersection{}, Rectangular, 0.7296814, []float64{0.5452514, 0.2286383}},
	{Intersection{}, Rectangular, 0.7099798, []float64{0.554665, 0.2436781, 0.2039199}},
	{JensenShannon{}, Uniform, 0.8081323, []float64{0.5720372}},
	{JensenShannon{}, Uniform, 0.7382886, []float64{0.6224406, 0.247575}},
	{JensenShannon{}, Uniform, 0.6954773, []float64{0.6442297, 0.2878933, 0.127432}},
	{JensenShannon{}, Rectangular, 0.8321, []float64{0.5599542}},
	{JensenShannon{}, Rectangular, 0.7698375, []float64{0.6187252, 0.1147398}},
	{JensenShannon{}, Rectangular, 0.7223744, []float64{0.646927, 0.2086007, 0.1291179}},
}
