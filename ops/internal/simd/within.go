package simd

import "math"

// Within tells whether all elements are finite and at least low, which is at most 0 (-Inf for no bound).
func Within[T Float](x []T, low T) bool {
	return shareCopy(&poolsOf[T]().searches, len(x), 1<<15, search[T]{x, low}) < 0
}

// search looks for an element outside.
type search[T Float] struct {
	x   []T
	low T
}

func (s *search[T]) do(lo, hi int) (badRow int) {
	if vecWithin(s.x[lo:hi], s.low) {
		return -1
	}
	return lo
}

// vecWithin is Within in this goroutine.
func vecWithin[T Float](x []T, low T) bool {
	high := Largest[T]()
	low = max(low, -high)
	if k := pointwiseOf[T](); k != nil && len(x) > 0 {
		return k.within(&x[0], len(x), low, high) == len(x)
	}
	for _, v := range x {
		if !(v >= low && v <= high) {
			return false
		}
	}
	return true
}

// Largest is the largest finite number.
func Largest[T Float]() T {
	v := math.MaxFloat64
	if sizeof[T]() == 4 {
		v = math.MaxFloat32
	}
	return T(v)
}
