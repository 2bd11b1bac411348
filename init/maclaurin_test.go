package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// TestSpherePolynomialCoefficients: the coefficients add up to the kernel, and have the signs that they should.
func TestSpherePolynomialCoefficients(t *testing.T) {
	for _, k := range []SpherePolynomial{{A: 2, P: 10}, {A: 3, P: 1}, {A: 1.2, P: 5}, {A: math.Sqrt2, P: 3},
		{A: 4, P: 64}, {A: 1, P: 7}} {
		a := k.Maclaurin()
		if len(a) != k.P+1 {
			t.Fatalf("%+v: %d coefficients", k, len(a))
		}
		for _, cos := range []float64{-1, -.3, 0, .7, 1} {
			sum := 0.
			for n := k.P; n >= 0; n-- {
				sum = sum*cos + a[n]
			}
			want := k.at(math.Sqrt(2 - 2*cos))
			if math.Abs(sum-want) > 1e-12*largest(k) {
				t.Errorf("%+v at x·z = %v: the coefficients give %v, the kernel is %v", k, cos, sum, want)
			}
		}
		for n, v := range a {
			if k.A >= 1.5 && v <= 0 || k.A < 1.4 && (v < 0) != ((k.P-n)%2 == 1) {
				t.Errorf("%+v: a[%d] = %v", k, n, v)
			}
		}
	}
}

// TestDrawProducts: the degrees follow their law, the scales follow the formula, and the signs are fair and end where a
// product does.
func TestDrawProducts(t *testing.T) {
	k := SpherePolynomial{A: 3, P: 4}
	a := k.Maclaurin()
	const d, m = 3, 40000
	weights, degrees, scales, err := DrawProducts(k, d, m, 7)
	if err != nil {
		t.Fatal(err)
	}
	counts, law, sum, w := make([]float64, len(a)), make([]float64, len(a)), 0., weights.Float64s()
	for n := range a {
		law[n] = math.Exp2(-float64(n))
		sum += law[n]
	}
	signs, total := 0., 0.
	for i, n := range degrees {
		counts[n]++
		if want := math.Sqrt(a[n] / (law[n] / sum)); math.Abs(scales[i]-want) > 1e-12 {
			t.Fatalf("scale %d of degree %d is %v, want %v", i, n, scales[i], want)
		}
		for j := range k.P {
			for l := range d {
				v := w[l*k.P*m+j*m+i]
				if (j < n) != (math.Abs(v) == 1) || j >= n && v != 0 {
					t.Fatalf("W of factor %d of a product of %d is %v", j, n, v)
				}
				signs, total = signs+v, total+math.Abs(v)
			}
		}
	}
	for n, c := range counts {
		p := law[n] / sum
		if math.Abs(c-m*p) > 4*math.Sqrt(m*p*(1-p))+1 {
			t.Errorf("%v of %d have the degree %d, want %v", c, m, n, m*p)
		}
	}
	if math.Abs(signs) > 4*math.Sqrt(total) {
		t.Errorf("%v signs sum to %v", total, signs)
	}
}

// nothing is a polynomial without coefficients.
type nothing struct{ SpherePolynomial }

func (nothing) Maclaurin() []float64 { return []float64{0, 0} }
func (nothing) Validate() error      { return nil }

// TestPick: no index of probability 0, whatever the rounding.
func TestPick(t *testing.T) {
	p := []float64{0, .25, 0, .75, 0}
	for u, want := range map[float64]int{0: 1, .2499: 1, .25: 3, .9: 3, 1 - 1e-17: 3, math.Nextafter(1, 0): 3} {
		if got := pick(p, u); got != want {
			t.Errorf("u = %v picks %d", u, got)
		}
	}
}

// TestGrids: the widths of cells have the density δ exp(-δ/σ)/σ², of mean 2σ and variance 2σ², in every column, and
// offsets and hash are uniform.
func TestGrids(t *testing.T) {
	const d, n, sigma = 3, 20000, .7
	rates, offsets, hash, err := DrawGrids(Laplacian{sigma}, d, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	var widths, uniform, words []float64
	for i, r := range rates.Float64s() {
		widths, uniform = append(widths, 1/r), append(uniform, offsets.Float64s()[i])
	}
	for _, v := range hash.Float64s() {
		words = append(words, v/(1<<24))
	}
	for name, c := range map[string]struct {
		v              []float64
		mean, variance float64
	}{"widths": {widths, 2 * sigma, 2 * sigma * sigma}, "offsets": {uniform, .5, 1. / 12}, "hash": {words, .5, 1. / 12}} {
		mean, variance := stat.MeanVariance(c.v, nil)
		m := float64(len(c.v))
		if math.Abs(mean-c.mean) > 4*math.Sqrt(c.variance/m) || math.Abs(variance-c.variance) > 4*c.variance*math.Sqrt(5/m) {
			t.Errorf("%s have the mean %v and the variance %v, want %v and %v", name, mean, variance, c.mean, c.variance)
		}
	}
}

// TestCountSketches: buckets and signs are uniform.
func TestCountSketches(t *testing.T) {
	const p, d, m = 3, 20000, 7
	buckets, signs := must2(DrawCountSketches(p, d, m, 1))
	if want := (tensor.Shape{p, d}); !buckets.Shape().Eq(want) || !signs.Shape().Eq(want) {
		t.Fatalf("shapes %v and %v", buckets.Shape(), signs.Shape())
	}
	var counts [m]float64
	sum := 0.
	for i, b := range buckets.Float64s() {
		counts[int(b)]++
		sum += signs.Float64s()[i]
	}
	for b, c := range counts {
		if q := 1. / m; math.Abs(c-p*d*q) > 4*math.Sqrt(p*d*q*(1-q)) {
			t.Errorf("bucket %d has %v of %d", b, c, p*d)
		}
	}
	if math.Abs(sum) > 4*math.Sqrt(p*d) {
		t.Errorf("%d signs sum to %v", p*d, sum)
	}
	if v := randomSign(rand.New(rand.NewPCG(1, 1))); v != 1 && v != -1 {
		t.Errorf("a sign of %v", v)
	}
}
