package simd

import (
	"math"
	"sync/atomic"
)

// Within tells whether all elements are finite and at least low, which is at most 0 (-Inf for no bound).
func Within[T Float](x []T, low T) bool {
	pool := &poolsOf[T]().searches
	s := take[search[T]](pool)
	s.x, s.low = x, low
	s.outside.Store(false)
	share(len(x), 1<<15, s)
	s.x = nil
	inside := !s.outside.Load()
	pool.Put(s)
	return inside
}

// search looks for an element outside.
type search[T Float] struct {
	x       []T
	low     T
	outside atomic.Bool
}

func (s *search[T]) do(lo, hi int) {
	if !s.outside.Load() && !vecWithin(s.x[lo:hi], s.low) {
		s.outside.Store(true)
	}
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
