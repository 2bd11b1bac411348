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

// AdamStep are the numbers of a step of Adam, see package dense.
type AdamStep struct{ Scale, Rate, Correction, Beta1, Beta2, Eps float64 }

// Adam is the step that package dense documents. All slices are of the length of w at least.
func Adam[T Float](w, g, m, v, s []T, o AdamStep) {
	n := len(w)
	g, m, v, s = g[:n], m[:n], v[:n], s[:n]
	scale, rate, c, eps := T(o.Scale), T(o.Rate), T(o.Correction), T(o.Eps)
	beta1, rest1, beta2, rest2 := T(o.Beta1), T(1-o.Beta1), T(o.Beta2), T(1-o.Beta2)
	done := 0
	if k := pointwiseOf[T](); k != nil && k.adam != nil && n > 0 {
		done = k.adam(&w[0], &g[0], &m[0], &v[0], &s[0], n, scale, rate, c, beta1, rest1, beta2, rest2, eps)
	}
	for i := done; i < n; i++ {
		grad := T(g[i] * scale)
		m[i] = T(m[i]*beta1) + T(grad*rest1)
		v[i] = T(v[i]*beta2) + T(T(grad*grad)*rest2)
		w[i] -= T(T(m[i]*s[i])*rate) / (T(math.Sqrt(float64(T(v[i]*c)))) + eps)
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
