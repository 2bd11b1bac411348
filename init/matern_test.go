package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

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

// halfInteger are the closed forms of the Matérn kernel and -dk/dρ/ρ, t = √(2ν) ρ. Rasmussen and Williams (2006),
// equation 4.17.
var halfInteger = map[float64]struct{ shape, slope func(t float64) float64 }{
	0.5: {func(t float64) float64 { return math.Exp(-t) }, func(t float64) float64 { return math.Exp(-t) / t }},
	1.5: {func(t float64) float64 { return (1 + t) * math.Exp(-t) },
		func(t float64) float64 { return 3 * math.Exp(-t) }},
	2.5: {func(t float64) float64 { return (1 + t + t*t/3) * math.Exp(-t) },
		func(t float64) float64 { return 5. / 3 * (1 + t) * math.Exp(-t) }},
	3.5: {func(t float64) float64 { return (1 + t + t*t*2/5 + t*t*t/15) * math.Exp(-t) },
		func(t float64) float64 { return 7. / 5 * (1 + t + t*t/3) * math.Exp(-t) }},
}

func TestMaternHalfInteger(t *testing.T) {
	for nu, want := range halfInteger {
		for _, rho := range []float64{0, 5e-324, 1e-300, 1e-20, 1e-8, 1e-3, 0.1, 0.5, 1, 1.7, 3, 10, 30, 100, 200} {
			x := math.Sqrt(2*nu) * rho
			tol := 1e-13 + 4e-16*x // exp(-x) itself is only known to the rounding of x
			wantNear(t, maternShape(nu, rho), want.shape(x), tol, "nu = %v, rho = %v", nu, rho)
			if rho > 1e-300 {
				slope := (Matern{nu, 2}).Gradient(nil, []float64{-2 * rho}, []float64{0})[0]
				wantNear(t, slope, want.slope(x)*rho/2, tol, "nu = %v, rho = %v: gradient", nu, rho)
			}
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

func TestMaternShapeTendsToGaussian(t *testing.T) {
	for _, rho := range []float64{1e-8, 0.3, 1, 3} {
		want := math.Exp(-rho * rho / 2)
		for _, nu := range []float64{1e4, 1e8, 1e12, 1e300} {
			// the first correction is exp(-ρ²/2) (ρ⁴/4 - ρ²)/(2ν) or less than ρ⁴+ρ² over ν
			wantNear(t, maternShape(nu, rho), want, (rho*rho*rho*rho+rho*rho)/nu+1e-15, "nu = %v, rho = %v", nu, rho)
		}
	}
}

// TestMaternShapeDecreases: from 1, which it is next to 0 unless ν is tiny, to 0.
func TestMaternShapeDecreases(t *testing.T) {
	for _, nu := range []float64{1e-300, 1e-5, 0.01, 0.3, 1, 9.999, 10, 47, 1000, 1e9} {
		if nu >= 0.3 {
			wantNear(t, maternShape(nu, 1e-100), 1, 2e-14, "nu = %v, next to 0", nu)
		}
		last := 1.0
		for e := -330.0; e < 308; e++ {
			v := maternShape(nu, math.Pow(10, e))
			if !(v >= 0 && v <= last*(1+1e-14)) {
				t.Fatalf("nu = %v, rho = 1e%v: %v after %v", nu, e, v, last)
			}
			last = v
		}
		if last != 0 {
			t.Errorf("nu = %v: %v at 1e307", nu, last)
		}
	}
}
