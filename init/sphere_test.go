package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

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
