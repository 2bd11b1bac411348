package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

func TestMaternGradientClosedForm(t *testing.T) {
	for _, c := range []struct {
		nu    float64
		slope func(rho float64) float64 // dk/dρ
	}{
		{0.5, func(r float64) float64 { return -math.Exp(-r) }},
		{1.5, func(r float64) float64 { return -3 * r * math.Exp(-math.Sqrt(3)*r) }},
		{2.5, func(r float64) float64 { return -5.0 / 3 * r * (1 + math.Sqrt(5)*r) * math.Exp(-math.Sqrt(5)*r) }},
	} {
		for _, r := range []float64{1e-200, 1e-9, 0.1, 1, 4, 50} {
			got := (Matern{c.nu, 2}).Gradient(nil, []float64{2 * r}, []float64{0})[0]
			wantNear(t, got, c.slope(r)/2, 1e-13, "nu = %v, rho = %v", c.nu, r)
		}
	}
}

// The distribution function at the quantile, in the tail where that is small.
func TestMaternNormQuantileRoundTrip(t *testing.T) {
	for _, nu := range []float64{0.05, 0.5, 1.5, 4, 300} {
		for _, d := range []int{1, 2, 8, 97, 784} {
			h := float64(d) / 2
			for _, p := range []float64{0x1p-53, 1e-9, 1e-3, 0.2, 0.5, 0.8, 0.999, 1 - 1e-9} {
				q := (Matern{nu, 1}).Law().NormQuantile(d, p)
				odds := q * q / (2 * nu)
				got, want := mathext.RegIncBeta(h, nu, odds/(1+odds)), p
				if p > 0.5 {
					got, want = mathext.RegIncBeta(nu, h, 1/(1+odds)), 1-p
				}
				wantNear(t, got, want, 1e-6, "nu = %v, d = %d: F(Q(%v))", nu, d, p)
			}
		}
	}
}

func TestMaternHeavyTailsStayFinite(t *testing.T) {
	k := Matern{Nu: 1e-3, Ell: 1}
	if q := k.Law().NormQuantile(3, 1-1e-9); q != maxMaternNorm {
		t.Errorf("norm quantile %v", q)
	}
	if _, err := Frequencies(k, IID{}, 7, 101, 5); err != nil {
		t.Error(err)
	}
	if _, err := Frequencies(k, Orthogonal{}, 7, 101, 5); err != nil {
		t.Error(err)
	}
}

// halfInteger are the closed forms of the Matérn kernel, t = √(2ν) ρ. Rasmussen and Williams (2006), equation 4.17.
var halfInteger = map[float64]func(t float64) float64{
	0.5: func(t float64) float64 { return math.Exp(-t) },
	1.5: func(t float64) float64 { return (1 + t) * math.Exp(-t) },
	2.5: func(t float64) float64 { return (1 + t + t*t/3) * math.Exp(-t) },
	3.5: func(t float64) float64 { return (1 + t + t*t*2/5 + t*t*t/15) * math.Exp(-t) },
}

func TestMaternShapeHalfInteger(t *testing.T) {
	for nu, want := range halfInteger {
		for _, rho := range []float64{0, 5e-324, 1e-300, 1e-20, 1e-8, 1e-3, 0.1, 0.5, 1, 1.7, 3, 10, 30, 100, 200} {
			x := math.Sqrt(2*nu) * rho
			// exp(-x) itself is only known to the rounding of x
			wantNear(t, maternShape(nu, rho), want(x), 1e-13+4e-16*x, "nu = %v, rho = %v", nu, rho)
		}
	}
}

// The values were computed with mpmath at 40 digits.
func TestMaternShapeTable(t *testing.T) {
	for _, c := range []struct{ nu, rho, want float64 }{
		{0.01, 1e-300, 0.99999904059123971749},
		{0.01, 1, 0.040892634172759770773},
		{0.25, 0.3, 0.57077345541210185156},
		{0.7, 2, 0.13828069713920702199},
		{1.3, 0.1, 0.98356869204462350497},
		{2.2, 3, 0.029258040981251131545},
		{50, 1.7, 0.23392911536710634319},
		{1000, 1, 0.60630320300520860115},
		{1000, 5, 3.9755134992399542769e-6},
		{1e6, 1, 0.60653043226362813402},
	} {
		wantNear(t, maternShape(c.nu, c.rho), c.want, 2e-14, "nu = %v, rho = %v", c.nu, c.rho)
	}
}

func TestLogBesselKTable(t *testing.T) {
	for _, c := range []struct{ nu, x, want float64 }{
		{0.01, 1e-300, 10.821018450584460162},
		{0.01, 1e-5, 2.455821291335825892},
		{0.01, 1, -0.86502784398414434879},
		{0.3, 2, -2.1538463942836319554},
		{0.7, 1e-3, 4.8882739014386683186},
		{1, 0.5, 0.50467139730465117731},
		{2, 10, -10.747001122069369434},
		{3.3, 700, -703.04215424940346038},
		{100, 5, 266.74887400534791057},
		{1000, 3, 5499.0599156707460275},
		{1000, 1000, -536.24136319035368649},
		{0, 1e-10, 3.1416397475629636922},
		{0, 3, -3.3598777846417196298},
		{-0.7, 1e-3, 4.8882739014386683186},
	} {
		wantNear(t, logBesselK(c.nu, c.x), c.want, 4e-15, "ln K_%v(%v)", c.nu, c.x)
	}
}

// The other route: with g ~ Gamma(ν, rate ν), a Gaussian of precision g/ℓ² has the multivariate t law as its mixture,
// so the kernel is E exp(-ρ²/(2g)) = ν^ν/Γ(ν) ∫ g^(ν-1) exp(-νg - ρ²/(2g)) dg. Gauss-Legendre on panels of width 1 in
// ln g.
func TestMaternShapeIsGaussianScaleMixture(t *testing.T) {
	for _, nu := range []float64{0.05, 0.3, 0.5, 1, 1.7, 4, 23, 150} {
		for _, rho := range []float64{0.01, 0.3, 1, 2.5, 7} {
			lg, _ := math.Lgamma(nu)
			front := nu*math.Log(nu) - lg
			sum := 0.0
			for lo := -30.0; lo < 12; lo++ {
				sum += quad.Fixed(func(s float64) float64 {
					return math.Exp(front + nu*s - nu*math.Exp(s) - rho*rho/2*math.Exp(-s))
				}, lo, lo+1, 60, quad.Legendre{}, 0)
			}
			wantNear(t, maternShape(nu, rho), sum, 1e-12, "nu = %v, rho = %v", nu, rho)
		}
	}
}

func TestMaternShapeTendsToGaussian(t *testing.T) {
	for _, rho := range []float64{1e-8, 0.3, 1, 3} {
		want := math.Exp(-rho * rho / 2)
		for _, nu := range []float64{1e4, 1e8, 1e12, 1e300} {
			// the first correction is exp(-ρ²/2) (ρ⁴/4 - ρ²)/(2ν) or less than ρ⁴+ρ² over ν
			wantNear(t, maternShape(nu, rho), want, (rho*rho*rho*rho+rho*rho)/nu+1e-15, "nu = %v, rho = %v", nu, rho)
		}
	}
}

func TestMaternShapeDecreases(t *testing.T) {
	for _, nu := range []float64{1e-300, 1e-5, 0.01, 0.3, 1, 10, 10.5, 1000, 1e9} {
		last := 1.0
		for e := -330.0; e < 308; e += 0.5 {
			v := maternShape(nu, math.Pow(10, e))
			if !(v >= 0 && v <= last*(1+1e-14)) {
				t.Fatalf("nu = %v, rho = 1e%v: %v after %v", nu, e, v, last)
			}
			last = v
		}
		if last != 0 {
			t.Errorf("nu = %v: %v at 1e308", nu, last)
		}
	}
}

func TestGammaBump(t *testing.T) {
	for _, nu := range []float64{0.05, 0.5, 3, 9.999, 10, 47, 1e3, 1e5} {
		want := besselBump(nu, 0, math.Inf(-1))
		wantNear(t, gammaBump(nu), want, 2e-14, "nu = %v", nu)
	}
}
