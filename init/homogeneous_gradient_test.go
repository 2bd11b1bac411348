package spectral

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// TestHomogeneousGradients: central differences of At, for every kernel, degree and extension, on both signs; 0 at 0,
// and finite numbers from the smallest to the largest coordinate.
func TestHomogeneousGradients(t *testing.T) {
	rng := testRand("homogeneous gradients")
	for _, c := range homogeneousKernels {
		for _, gamma := range []float64{1, .5, 2.3} {
			for _, n := range []Negative{RejectNegative, SignNegative, SplitNegative} {
				k := c.of(gamma, n).(Gradienter)
				where := fmt.Sprintf("%T %v %v", k, gamma, n)
				for range 50 {
					x, z := make([]float64, 3), make([]float64, 3)
					for i := range x {
						x[i], z[i] = .2+rng.Float64(), .2+rng.Float64()
						if n != RejectNegative && rng.IntN(2) == 0 {
							x[i] = -x[i]
						}
						if n != RejectNegative && rng.IntN(2) == 0 {
							z[i] = -z[i]
						}
					}
					want := fd.Gradient(nil, func(x []float64) float64 {
						return k.At(x, z)
					}, x, &fd.Settings{Formula: fd.Central, Step: 1e-6})
					for i, g := range k.Gradient(nil, x, z) {
						// the intersection has a kink there
						if math.Abs(g-want[i]) > 1e-8 && math.Abs(math.Abs(x[i])-math.Abs(z[i])) > 2e-6 {
							t.Fatalf("%s: gradient %v at (%v, %v), differences %v", where, g, x[i], z[i], want[i])
						}
					}
				}
				if g := k.Gradient([]float64{7, 7}, []float64{0, .5}, []float64{.5, 0}); g[0] != 0 || g[1] != 0 {
					t.Errorf("%s: gradient %v at 0", where, g)
				}
				for _, a := range []float64{5e-324, 1e-300, 1, 1e300, 1e307} {
					for _, b := range []float64{5e-324, 1, 1e307} {
						if g := k.Gradient(nil, []float64{a}, []float64{b}); math.IsNaN(g[0]) ||
							gamma == 1 && g[0] < 0 {
							t.Errorf("%s: gradient %v at (%v, %v)", where, g, a, b)
						}
					}
				}
			}
		}
	}
	if g := (Intersection{}).Gradient(nil, []float64{.5}, []float64{.5}); g[0] != .5 {
		t.Errorf("the gradient of min at its kink is %v", g)
	}
}
