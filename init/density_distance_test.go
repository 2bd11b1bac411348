package spectral

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
)

// densityDistances are the distances of the paper with their plain formulas and measures, written independently of the
// homogeneous kernels.
var densityDistances = map[string]struct {
	d       DensityDistance
	plain   func(x, y float64) float64
	measure func(l float64) float64
	mass    float64
}{
	"JS": {JensenShannonDivergence, func(x, y float64) float64 {
		return (xlog(x, 2*x/(x+y)) + xlog(y, 2*y/(x+y))) / 2
	},
		func(l float64) float64 { return 1 / math.Cosh(math.Pi*l) / (1 + 4*l*l) }, math.Ln2 / 2},
	"TV": {TotalVariation, func(x, y float64) float64 { return math.Abs(x - y) },
		func(l float64) float64 { return 4 / math.Pi / (1 + 4*l*l) }, 1},
	"Hellinger": {SquaredHellinger, func(x, y float64) float64 {
		return (math.Sqrt(x) - math.Sqrt(y)) * (math.Sqrt(x) - math.Sqrt(y)) / 2
	}, nil, .5},
	"triangular": {DensityDistance{Chi2{}, 1}, func(x, y float64) float64 { return (x - y) * (x - y) / (x + y) },
		func(l float64) float64 { return 2 / math.Cosh(math.Pi*l) }, 1},
}

// xlog is x ln r, 0 for x = 0.
func xlog(x, r float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(r)
}

// wave is |x^{½+iλ} - y^{½+iλ}|².
func wave(x, y, l float64) float64 {
	if x == 0 || y == 0 {
		return x + y
	}
	return x + y - 2*math.Sqrt(x*y)*math.Cos(l*math.Log(x/y))
}

// TestDensityDistances: ρ² is the mean of the plain formulas, to 1e-12 of the larger terms, the kernel is exp(-ρ²/2σ²),
// m is its measure and Z its mass. That m has the integral d² follows from the spectra, see TestSpectrumIsTheTransform.
func TestDensityDistances(t *testing.T) {
	for name, c := range densityDistances {
		for _, pq := range [][2][]float64{{{1}, {0}}, {{.3}, {.7}}, {{1e-6}, {2}}, {{2.5}, {2.6}}, {{7}, {1e-3}},
			{{0}, {.4}}, {{.5, 0, 2.5, 1}, {1.5, .25, 2, .25}}} {
			p, q, want := pq[0], pq[1], 0.
			for i := range p {
				want += c.plain(p[i], q[i]) / float64(len(p))
			}
			if got := c.d.At(p, q); !(math.Abs(got-want) <= 1e-12*(floats.Sum(p)+floats.Sum(q))) {
				t.Errorf("%s: ρ²(%v, %v) = %v, want %v", name, p, q, got, want)
			}
			kernel := c.d.Kernel(.7, len(p)).At(p, q)
			wantNear(t, kernel, math.Exp(-want/(2*.49)), 1e-11, "%s: kernel of %v and %v", name, p, q)
		}
		for _, l := range []float64{0, .1, 1, 5} {
			if c.measure != nil {
				wantNear(t, 2*c.d.Scale*c.d.Of.Spectrum(l), c.measure(l), 1e-14, "%s: m(%v)", name, l)
			}
		}
		wantNear(t, c.d.Mass(), c.mass, 1e-15, "%s: Z", name)
	}
}

// TestLambdas: each frequency has the share of the measure to its left that the rule says, weights sum to Z, and draws
// are of the law.
func TestLambdas(t *testing.T) {
	for name, c := range densityDistances {
		if c.measure == nil {
			l, w, err := c.d.Lambdas(7, QuantileLambdas, 0)
			if err != nil || len(l) != 1 || l[0] != 0 || w[0] != .5 {
				t.Errorf("%s: %v, %v, %v", name, l, w, err)
			}
			continue
		}
		share := func(l float64) float64 {
			if name == "TV" {
				return 2 / math.Pi * math.Atan(2*l)
			}
			sum, panels := 0.0, math.Ceil(4*l)
			for i := range int(panels) {
				sum += quad.Fixed(c.measure, l*float64(i)/panels, l*float64(i+1)/panels, 40, quad.Legendre{}, 0)
			}
			return sum / c.mass
		}
		for _, m := range []int{1, 5, 200} {
			l, w := must2(c.d.Lambdas(m, QuantileLambdas, 0))
			for j, v := range l {
				if want := (float64(j) + .5) / float64(m); !(math.Abs(share(v)-want) <= 1e-13) ||
					w[j] != c.d.Mass()/float64(m) {
					t.Errorf("%s: λ %d of %d is %v with the share %v and weight %v", name, j, m, v, share(v), w[j])
				}
			}
		}
		_, w := must2(c.d.Lambdas(9, GaussLambdas, 0))
		wantNear(t, floats.Sum(w), c.mass, 1e-14, "%s: the sum of the weights", name)
		const n = 4000
		l, _ := must2(c.d.Lambdas(n, DrawnLambdas, 3))
		shares := make([]float64, n)
		for j, v := range l {
			shares[j] = share(v)
		}
		wantLaw(t, shares, func(p float64) float64 { return p }, "%s", name)
		if again, _, _ := c.d.Lambdas(n, DrawnLambdas, 3); again[7] != l[7] {
			t.Errorf("%s: the same seed draws %v and %v", name, l[7], again[7])
		}
	}
	for _, p := range []float64{1e-300, 1e-16, 1 - 0x1p-53} {
		for _, k := range []spectrumQuantiler{Chi2{}, Intersection{}, JensenShannon{}} {
			if l := k.SpectrumQuantile(p); !(l > 0) || l-l != 0 ||
				p < .5 && !(math.Abs(2*l*k.Spectrum(0)/k.Signature(0)/p-1) < 1e-12) {
				t.Errorf("%T: the quantile at %v is %v", k, p, l)
			}
		}
	}
}

// TestGaussLambdasAreNearer: the error of d²(x, y) for numbers up to e^12 apart, root mean square over their
// logarithms, is less for GaussLambdas, the default of the layers, than for QuantileLambdas.
func TestGaussLambdasAreNearer(t *testing.T) {
	for name, c := range densityDistances {
		if c.measure == nil {
			continue
		}
		for _, m := range []int{5, 50} {
			var squares [2]float64
			for i, rule := range []LambdaRule{GaussLambdas, QuantileLambdas} {
				l, w := must2(c.d.Lambdas(m, rule, 0))
				for r := 0.; r <= 12; r += .02 {
					x := 1 / (1 + math.Exp(-r))
					sum := 0.
					for j, v := range l {
						sum += w[j] * wave(x, 1-x, v)
					}
					off := sum - c.d.At([]float64{x}, []float64{1 - x})
					squares[i] += off * off
				}
			}
			if !(squares[0] < squares[1]) {
				t.Errorf("%s by %d: %v of gauss, %v of quantile", name, m, squares[0], squares[1])
			}
		}
	}
}

// The Jensen-Shannon divergence of two densities on eight points, and what five frequencies make of it.
func ExampleDensityDistance() {
	js := JensenShannonDivergence
	p := []float64{.2, .4, 1, 1.8, 2, 1.4, .8, .4}
	q := []float64{.9, 1.3, 1.5, 1.3, 1, .8, .7, .5}
	lambda, weight := must2(js.Lambdas(5, QuantileLambdas, 0))
	sum := 0.0
	for j, l := range lambda {
		for i := range p {
			sum += weight[j] * wave(p[i], q[i], l) / 8
		}
	}
	fmt.Printf("exact %.4f, by 5 frequencies %.4f\n", js.At(p, q), sum)
	// Output: exact 0.0528, by 5 frequencies 0.0497
}
