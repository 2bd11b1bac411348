package simd

import (
	"fmt"
	"math"
	"testing"
)

// TestWithin: one element outside is found wherever it stands, and none where there is none.
func TestWithin(t *testing.T) { eachType(t, testWithin[float32], testWithin[float64]) }

func testWithin[T Float](t *testing.T) {
	nan, inf, tiny := T(math.NaN()), T(math.Inf(1)), T(1e-45)
	if sizeof[T]() == 8 {
		v := math.SmallestNonzeroFloat64
		tiny = T(v)
	}
	for _, c := range []struct {
		low, v T
		want   bool
	}{
		{-inf, 0, true}, {-inf, Largest[T](), true}, {-inf, -Largest[T](), true}, {-inf, inf, false},
		{-inf, -inf, false}, {-inf, nan, false},
		{0, 0, true}, {0, T(math.Copysign(0, -1)), true}, {0, tiny, true}, {0, -tiny, false}, {0, nan, false},
		{0, inf, false},
		{-.5, -.5, true}, {-.5, -.50001, false},
	} {
		for _, n := range []int{1, 2, 7, 31, 64, 129} {
			for i := range n {
				x := random[T](n, 1)
				for j := range x {
					x[j] *= x[j]
				}
				x[i] = c.v
				if Within(x, c.low) != c.want {
					t.Fatalf("%v at %d of %d, from %v: want %v", c.v, i, n, c.low, c.want)
				}
			}
		}
	}
	if !Within[T](nil, 0) {
		t.Error("an empty slice is not within")
	}
	long := make([]T, 100_003) // over several goroutines
	if long[77_777] = nan; Within(long, 0) {
		t.Error(fmt.Sprint("NaN is missed in a long slice of ", sizeof[T](), " bytes"))
	}
}
