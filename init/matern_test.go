package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

func TestMaternGradientAtZero(t *testing.T) {
	x := []float64{1, 2}
	for _, nu := range []float64{0.01, 0.3, 0.5, 0.7, 1, 1.5, 1000} {
		for _, v := range (Matern{nu, 2}).Gradient(nil, x, x) {
			if v != 0 {
				t.Errorf("nu = %v: %v", nu, v)
			}
		}
	}
}

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
			if want := c.slope(r) / 2; !near(got, want, 1e-13) {
				t.Errorf("nu = %v, rho = %v: %v, want %v", c.nu, r, got, want)
			}
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
				if !near(got, want, 1e-6) {
					t.Errorf("nu = %v, d = %d: F(Q(%v)) = %v", nu, d, p, got)
				}
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
