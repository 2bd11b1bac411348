package spectral

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gorgonia.org/tensor"
)

// signedKernels are the kernels of the tests, with the splits that differ in kind: single Gaussians, mixtures of both
// signs, a mixture of one sign, a Bessel measure (in up to 17 dimensions), and kernels of the angle.
var signedKernels = []SignedLaw{
	DeltaGaussian{Sigmas: []float64{1, 10}, Weights: []float64{1, -1}},
	DeltaGaussian{Sigmas: []float64{.5, 2, 1, .7}, Weights: []float64{.8, -1.1, .6, -.2}},
	DeltaGaussian{Sigmas: []float64{.5, 2}, Weights: []float64{.8, 1.1}},
	SpherePolynomial{A: 2, P: 10},
	SpherePolynomial{A: 3, P: 1, Eps: 1e-3},
	SpherePolynomial{A: 4, P: 10, Eps: 3e-2},
	ArcCosine{Order: 1, Eps: 1e-2},
	NeuralTangent{Eps: 3e-2},
}

// TestCouplings: the mean over the draws of every coupling is the split's own kernel within four standard errors of the
// predicted variance, and the variance over the draws is the predicted one within four standard errors of its own.
func TestCouplings(t *testing.T) {
	const m, draws = 7, 300
	check := func(t *testing.T, k SignedLaw, c Coupling, d int) {
		p := must(k.Split(d, m, c))
		x, z := make([]float64, d), make([]float64, d)
		x[0], z[0] = .45, -.35
		z[d-1] -= .4
		predicted := must(c.Variance(p, x, z, m))
		var drawn []float64
		for seed := range uint64(draws) {
			directions, norms := must2(c.Frequencies(p, d, m, 7919*uint64(d)+seed))
			drawn = append(drawn, estimate(p, directions, norms, x, z))
		}
		where := fmt.Sprintf("%T%+v, %v, %d dimensions", k, k, c, d)
		mean, _ := meanStdErr(drawn)
		if limit := 4*math.Sqrt(predicted/draws) + 1e-12; !(math.Abs(mean-p.At(x, z)) <= limit) {
			t.Errorf("%s: the mean is %v, want %v, limit %v", where, mean, p.At(x, z), limit)
		}
		mse, se := squaredErrors(drawn, p.At(x, z))
		if band := 4*se + 1e-5*predicted + 1e-9; !(math.Abs(mse-predicted) <= band) {
			t.Errorf("%s: variance %v, predicted %v, band %v", where, mse, predicted, band)
		}
	}
	for i, k := range signedKernels {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for _, c := range Couplings() {
				for _, d := range []int{1, 2, 9} {
					check(t, k, c, d)
				}
			}
		})
	}
}

// estimate is the estimate of the split's kernel from frequencies.
func estimate(p *Split, directions, norms *tensor.Dense, x, z []float64) float64 {
	u, q := directions.Float64s(), directions.Shape()[1]
	plus, minus := p.Masses()
	n := norms.Shape()[0]
	positive, _ := p.Counts(n / 2)
	sum := 0.
	for j, r := range norms.Float64s() {
		phase := 0.
		for i := range x {
			phase += u[i*q+j%q] * (x[i] - z[i])
		}
		if j < positive {
			sum += plus / float64(positive) * math.Cos(r*phase)
		} else {
			sum -= minus / float64(n-positive) * math.Cos(r*phase)
		}
	}
	return sum
}

// TestMixtures: the sup error of a mixture, on a grid 40 times as fine as the fit's, is at most eps, and its mass that
// of the table of linear programs solved elsewhere, within a tenth.
func TestMixtures(t *testing.T) {
	for _, c := range []struct {
		a      float64
		p      int
		masses [3]float64 // for eps 1e-2, 1e-3, 1e-4
	}{
		{4, 10, [3]float64{1.015, 1.120, 1.431}},
		{2, 20, [3]float64{1, 1.129, 1.507}},
		{2, 10, [3]float64{1.018, 1.463, 2.688}},
		{4, 20, [3]float64{1, 1.093, 1.238}},
		{3, 1, [3]float64{1.096, 2.070, 3.308}},
		{4, 3, [3]float64{1.022, 1.328, 1.482}},
	} {
		for i, eps := range []float64{1e-2, 1e-3, 1e-4} {
			k := SpherePolynomial{A: c.a, P: c.p, Eps: eps}
			p := must(k.Split(5, 1, SharedCoupled))
			if plus, minus := p.Masses(); math.Abs((plus+minus)/c.masses[i]-1) > .1 {
				t.Errorf("%+v: masses %v and %v, by the table %v", k, plus, minus, c.masses[i])
			}
			checkSup(t, k, p, eps)
		}
	}
	for k, most := range map[profile]float64{ArcCosine{Order: 0, Eps: .1}: .1,
		ArcCosine{Order: 0, Eps: .1, Flat: 2}: .1, ArcCosine{Order: 1, Eps: 1e-3}: 1e-3, NeuralTangent{Eps: 3e-2}: 6e-2,
		SpherePolynomial{A: 1, P: 3, Eps: 1e-2}: .27, SpherePolynomial{A: .5, P: 2, Eps: .1}: 22.5} {
		checkSup(t, k, must(k.Split(5, 1, SharedCoupled)), most)
	}
}

// checkSup looks at 80000 distances, and at the ends more closely.
func checkSup(t *testing.T, k profile, p *Split, eps float64) {
	t.Helper()
	worst := 0.
	look := func(r float64) {
		worst = max(worst, math.Abs(p.At([]float64{r}, []float64{0})-k.at(r)))
	}
	for i := range 80001 {
		look(float64(i) / 40000)
	}
	for r := 1.01e-9; r < .1; r *= 1.01 {
		look(r)
		look(2 - r)
	}
	if worst > eps || p.Error > eps || worst > 1.001*p.Error {
		t.Errorf("%T%+v: sup error %v, stated %v, wanted %v", k, k, worst, p.Error, eps)
	}
}

// TestChoiceOfEps: without Eps the mean over the sphere of bias² and variance, as Variance predicts it, is at most the
// mean for the mixtures of least mass, whatever their error. The test covers 2 and 20 dimensions, few frequencies and
// many, and two couplings.
func TestChoiceOfEps(t *testing.T) {
	for _, k := range []profile{SpherePolynomial{A: 3, P: 1}, ArcCosine{Order: 0}, ArcCosine{Order: 1},
		NeuralTangent{}} {
		for _, d := range []int{2, 20} {
			for _, c := range []Coupling{SharedCoupled, Independent} {
				for _, m := range []int{d / 2, 8 * d} {
					p := must(k.Split(d, m, c))
					if p.Eps == 0 || p.Flat == 0 {
						t.Errorf("%T%+v: the split does not say what was chosen: %+v", k, k, p)
					}
					q := newQuickVariance(c, d, m)
					risk := func(eps, flat float64) float64 {
						p, err := fitMixture(k, eps, flat)
						if err != nil {
							return math.Inf(1)
						}
						return p.bias(k) + q.mean(p)
					}
					got := risk(p.Eps, p.Flat)
					for _, eps := range []float64{1e-1, 3e-2, 1e-2, 3e-3, 1e-3} {
						if other := risk(eps, 0); got > 1.01*other {
							t.Errorf("%T%+v, d = %d, m = %d, %v: chosen %v has the risk %v, %v of least mass %v",
								k, k, d, m, c, p, got, eps, other)
						}
					}
				}
			}
		}
	}
}

// TestQuickVariance: it is Variance to a hundredth, and to a tenth in one dimension, where cosines of sharp Gaussians
// do not fade.
func TestQuickVariance(t *testing.T) {
	const m, r = 7, 1.
	for _, k := range []profile{SpherePolynomial{A: 3, P: 1, Eps: 3e-3}, ArcCosine{Order: 1, Eps: 1e-2, Flat: 2}} {
		for d, limit := range map[int]float64{1: .1, 3: .01, 100: .01} {
			for _, c := range Couplings() {
				p := must(k.Split(d, m, c))
				want := must(c.Variance(p, axis(d, 0, r), make([]float64, d), m))
				q := newQuickVariance(c, d, m)
				if got := q.of(p, r); math.Abs(got-want) > limit*want {
					t.Errorf("%T%+v, d = %d, %v: %v, want %v", k, k, d, c, got, want)
				}
			}
		}
	}
}

// TestSphereMeasure: the two parts have the masses of the published density: the difference is k(0) = 1, the sum is
// known from direct integration; their kernels, by quadrature, make (1 - r²/4)^p; quantiles invert their distributions.
func TestSphereMeasure(t *testing.T) {
	for _, c := range []struct {
		d, p int
		mass float64
	}{{6, 10, 1.024}, {16, 20, 1.023}, {3, 10, 1.004}, {1, 2, 0}, {2, 4, 0}, {17, 10, 0}} {
		plus, minus := sphereMeasure(c.d, c.p)
		if plus == nil {
			t.Fatalf("no measure for %+v", c)
		}
		if off := plus.mass - minus.mass - 1; math.Abs(off) > 1e-8 {
			t.Errorf("%+v: masses %v and %v differ from 1 by %v", c, plus.mass, minus.mass, off)
		}
		if mass := plus.mass + minus.mass; c.mass != 0 && math.Abs(mass-c.mass) > 6e-4 {
			t.Errorf("%+v: mass %v", c, mass)
		}
		for r := 0.; r <= 2; r += .5 {
			got := plus.mass*plus.At([]float64{r}, []float64{0}) - minus.mass*minus.At([]float64{r}, []float64{0})
			if want := math.Pow(1-r*r/4, float64(c.p)); math.Abs(got-want) > 1e-5 {
				t.Errorf("%+v: the kernel at %v is %v, want %v", c, r, got, want)
			}
		}
		checkQuantile(t, plus, "%+v, plus", c)
		if minus.mass > 0 {
			checkQuantile(t, minus, "%+v, minus", c)
		}
	}
	for _, c := range [][2]int{{6, 2}, {64, 20}, {2, 1}} {
		if plus, _ := sphereMeasure(c[0], c[1]); plus != nil {
			t.Errorf("a measure for d = %d, p = %d", c[0], c[1])
		}
	}
}

// checkQuantile: the quantile inverts the distribution that the masses of the cells make.
func checkQuantile(t *testing.T, a *radialDensity, text string, args ...any) {
	t.Helper()
	distribution := func(r float64) float64 {
		for i, c := range a.cells {
			if r <= c.r+c.width {
				at := (r - c.r) / c.width
				return (c.below + a.massOf(i)*(2*c.low*at+(c.high-c.low)*at*at)/(c.low+c.high)) / a.mass
			}
		}
		return 1
	}
	for _, p := range []float64{1e-9, .01, .3, .5, .9, 1 - 1e-9} {
		if got := distribution(a.quantile(p)); math.Abs(got-p) > 1e-12 {
			t.Errorf("%s: F(F⁻¹(%v)) = %v", fmt.Sprintf(text, args...), p, got)
		}
	}
}

// TestWorstCouplings: where a coupling is worse than independent frequencies, by as much as its documentation states.
func TestWorstCouplings(t *testing.T) {
	for _, c := range []struct {
		c         Coupling
		sigma     float64 // the second; the first is 1
		d, m      int
		at, ratio float64
	}{
		{SharedCoupled, 10, 1, 2, 4, 1.75}, {SharedCoupled, 10, 2, 4, 4, 1.44},
		{SharedCoupled, 10, 3, 6, 3.5, 1.17}, {SharedCoupled, 10, 8, 16, 3, 1.03},
		{Joint, 2, 2, 1, 2, 1.3}, {Joint, 2, 2, 2, 2.2, 1.07}, {Joint, 2, 2, 4, 2.6, 1.03},
	} {
		k := DeltaGaussian{Sigmas: []float64{1, c.sigma}, Weights: []float64{1, -1}}
		split := must(k.Split(c.d, c.m, c.c))
		x, z, m := axis(c.d, 0, c.at), make([]float64, c.d), c.m
		v := must(c.c.Variance(split, x, z, m))
		free, err := Independent.Variance(split, x, z, m)
		if err != nil || math.Abs(v/free-c.ratio) > .006 {
			t.Errorf("%v, d = %d, m = %d at %v: %.4f of independent frequencies (%v), stated is %v",
				c.c, c.d, m, c.at, v/free, err, c.ratio)
		}
	}
}

// TestSphereMean: against the integral over a coordinate of the sphere, whose density is (1-u²)^((d-3)/2).
func TestSphereMean(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4, 5, 8, 17, 64, 101, 784, 785, 4096} {
		for _, x := range []float64{0, 1e-9, .1, 1, 3, 7.5, 20, 28, 29, 45, 60, 120, 200, 300, 380, 400, 410} {
			var want float64
			switch d {
			case 1:
				want = math.Cos(x)
			case 2:
				want = math.J0(x)
			default: // u = sin v
				weight := func(v float64) float64 { return math.Pow(math.Cos(v), float64(d-2)) }
				total := quad.Fixed(weight, -math.Pi/2, math.Pi/2, 800, nil, 0)
				want = quad.Fixed(func(v float64) float64 {
					return weight(v) * math.Cos(x*math.Sin(v))
				}, -math.Pi/2, math.Pi/2, 800, nil, 0) / total
			}
			if got := sphereMean(d, x); math.Abs(got-want) > 2e-12 {
				t.Errorf("d = %d, t = %v: %v, integral %v", d, x, got, want)
			}
		}
		if v := sphereMean(d, 1e12); !(math.Abs(v) <= 1) {
			t.Errorf("d = %d, far out: %v", d, v)
		}
	}
}
