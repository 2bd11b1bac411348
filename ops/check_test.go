package ops_test

import (
	"errors"
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// TestCheckRowsEdges: the fast look at all cells agrees with Domain.Contains at the ends of every domain, in both
// types, wherever the cell stands.
func TestCheckRowsEdges(t *testing.T) {
	for _, d := range []domain.Domain{domain.Reals(), domain.NonNegative(), domain.Above(.03), domain.Above(0),
		domain.Above(-.5), domain.Above(1e300)} {
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			for _, low := range []float64{0, -.03, .5, -math.MaxFloat32, -math.MaxFloat64, math.MaxFloat32,
				math.MaxFloat64, -1e300} {
				for _, v := range []float64{low, math.Nextafter(low, 1), math.Nextafter(low, -1),
					float64(math.Nextafter32(float32(low), 1)),
					float64(math.Nextafter32(float32(low), -1)), math.Copysign(0, -1), math.NaN(), math.Inf(1),
					math.Inf(-1)} {
					x := matrix(dt, 5, 7, 1)
					for j := range 35 {
						setAt(x, j, 1)
					}
					for _, j := range []int{0, 17, 34} {
						setAt(x, j, v)
						got := ops.CheckRows(d, "test", x)
						if want := d.Contains(at(x, j)); (got == nil) != want ||
							got != nil && !errors.Is(got, ops.ErrDomain) {
							t.Errorf("%v, %v: x = %v at %d: %v, contained: %v", d, dt, at(x, j), j, got, want)
						}
						setAt(x, j, 1)
					}
				}
			}
		}
	}
}
