package simd

import (
	"fmt"
	"slices"
	"testing"
)

// TestSkewed: the logarithm on the way into the product gives the bits of the logarithm beforehand, for one c and for
// one a column, in products of several K blocks and of few rows.
func TestSkewed(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range append(shapes, [3]int{3, 2000, 37}) {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				testSkewed[float64](t, s[0], s[1], s[2])
				testSkewed[float32](t, s[0], s[1], s[2])
			})
		}
	})
}

func testSkewed[T Float](t *testing.T, n, d, m int) {
	x, b, w, c, u := random[T](n*d, 1), random[T](m, 3), Pack(scaled(random[T](d*m, 2), .1), d, m), random[T](d, 5),
		make([]T, n*d)
	for i := range x {
		x[i] *= x[i]
	}
	for j := range c {
		c[j] = c[j]*c[j] + .01
	}
	for _, shift := range [][]T{c, c[:1]} {
		LogShift(u, x, shift, n, d)
		got, want := make([]T, n*2*m), make([]T, n*2*m)
		Pair(want, u, n, w, .5)
		if SkewedPair(got, x, shift, n, w, .5); !slices.Equal(got, want) {
			t.Errorf("the pair form differs with %d shifts", len(shift))
		}
		Phase(want, u, b, n, w, .5)
		if SkewedPhase(got, x, shift, b, n, w, .5); !slices.Equal(got, want) {
			t.Errorf("the phase form differs with %d shifts", len(shift))
		}
	}
}
