package simd

import "math"

// Pointwise products and sums, the same bits on every instruction set: they do all elements, since none is out of
// range. dst may be any of the operands.

// vecProduct writes scale·a·b to dst, for a scale of 1 or -1.
func vecProduct[T Float](dst, a, b []T, scale T) {
	a, b = a[:len(dst)], b[:len(dst)]
	if k := pointwiseOf[T](); k != nil && len(dst) > 0 {
		k.product(&dst[0], &a[0], &b[0], len(dst), scale)
		return
	}
	for i := range dst {
		dst[i] = scale * (a[i] * b[i])
	}
}

// vecAdd adds a to dst.
func vecAdd[T Float](dst, a []T) {
	a = a[:len(dst)]
	if k := pointwiseOf[T](); k != nil && len(dst) > 0 {
		k.sum(&dst[0], &a[0], len(dst))
		return
	}
	for i := range dst {
		dst[i] += a[i]
	}
}

// vecPairGrad writes gSin·cos - gCos·sin to dst.
func vecPairGrad[T Float](dst, cos, sin, gCos, gSin []T) {
	n := len(dst)
	cos, sin, gCos, gSin = cos[:n], sin[:n], gCos[:n], gSin[:n]
	if k := pointwiseOf[T](); k != nil && n > 0 {
		k.pairGrad(&dst[0], &cos[0], &sin[0], &gCos[0], &gSin[0], n)
		return
	}
	for i := range dst {
		dst[i] = T(gSin[i]*cos[i]) - T(gCos[i]*sin[i]) // the conversions keep the compiler from an FMA
	}
}

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
