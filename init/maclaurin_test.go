package spectral

import (
	"math"
	"testing"

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
	const d, m = 3, 10000
	weights, degrees, scales, err := DrawProducts(k, d, m, 7)
	if err != nil {
		t.Fatal(err)
	}
	law := func(n int) float64 { return math.Exp2(-float64(n)) / (2 - math.Exp2(-float64(k.P))) }
	counts, signs, w := make([]float64, len(a)), []float64{}, weights.Float64s()
	for i, n := range degrees {
		counts[n]++
		wantNear(t, scales[i], math.Sqrt(a[n]/law(n)), 1e-12, "scale %d, of degree %d", i, n)
		for j := range k.P {
			for l := range d {
				v := w[l*k.P*m+j*m+i]
				if j < n {
					signs = append(signs, v)
				}
				if (j < n) != (math.Abs(v) == 1) || j >= n && v != 0 {
					t.Fatalf("W of factor %d of a product of %d is %v", j, n, v)
				}
			}
		}
	}
	for n, c := range counts {
		if p := law(n); math.Abs(c-m*p) > 4*math.Sqrt(m*p*(1-p))+1 {
			t.Errorf("%v of %d have the degree %d, want %v", c, m, n, m*p)
		}
	}
	wantMean(t, signs, 0, 0, "the signs")
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

// TestDrawnCells: the widths of the cells of grids have the density δ exp(-δ/σ)/σ², a Gamma law, and offsets, the
// numbers of the hash, buckets and signs are uniform.
func TestDrawnCells(t *testing.T) {
	const d, n, sigma, m = 3, 5000, .7, 1 << 12
	rates, offsets, hash, err := DrawGrids(Laplacian{sigma}, d, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	widths := apply(rates.Float64s(), func(r float64) float64 { return 1 / r })
	wantLaw(t, widths, func(p float64) float64 { return sigma * gammaQuantile(2, p) }, "widths")
	uniform := func(p float64) float64 { return p }
	wantLaw(t, offsets.Float64s(), uniform, "offsets")
	wantLaw(t, apply(hash.Float64s(), func(v float64) float64 { return v / (1 << 24) }), uniform, "hash")
	buckets, signs := must2(DrawCountSketches(d, n, m, 1))
	if want := (tensor.Shape{d, n}); !buckets.Shape().Eq(want) || !signs.Shape().Eq(want) {
		t.Fatalf("shapes %v and %v", buckets.Shape(), signs.Shape())
	}
	wantLaw(t, apply(buckets.Float64s(), func(v float64) float64 { return (v + .5) / m }), uniform, "buckets")
	wantMean(t, signs.Float64s(), 0, 0, "signs")
}
