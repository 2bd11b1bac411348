package simd

import "math"

// vectors are the vector functions of an instruction set. Each does the first elements of its arrays and returns how
// many: all n, or fewer because the next ones include an argument outside the range for which it is written. With n = 1
// the result, 0 or 1, says whether that one argument is outside, and the value of an element never depends on its
// neighbours or its place.
//
// dst and x may be the same array.
type vectors[T Float] struct {
	cos, sin func(dst, x *T, n int, scale T) (done int)
	sinCos   func(sin, cos, x *T, n int, scale T) (done int)
	exp      func(dst, x *T, n int, scale, sign T) (done int)
	log      func(dst, x, c *T, n, apart int) (done int) // apart is -1, or 0 for one c for all
	pointwise[T]
}

// pointwise are the functions that are the same bits in plain Go; nil with NEON.
type pointwise[T Float] struct {
	product  func(dst, a, b *T, n int, scale T) (done int)
	sum      func(dst, a *T, n int) (done int)
	pairGrad func(dst, cos, sin, gCos, gSin *T, n int) (done int)
	within   func(x *T, n int, low, high T) (done int)
	sqrt     func(dst, x *T, n int) (done int)
	multiple func(dst, x *T, n int, c T) (done int)
	// adam does whole vectors of float32, and triples whole vectors only; triples is nil with AVX2.
	adam    func(w, grad, m, v, s *T, n int, scale, rate, c, beta1, rest1, beta2, rest2, eps T) (done int)
	triples func(dst, a, b, c *T, n int) (done int)
}

// pointwiseOf returns the pointwise functions of the instruction set in use, or nil.
func pointwiseOf[T Float]() *pointwise[T] {
	if k := machineOf[T](active).vectors; k != nil && k.product != nil {
		return &k.pointwise
	}
	return nil
}

// each calls vector for the elements 0 to n-1, and scalar for those that it leaves out; for all where it is not fast.
// Loops of sines are functions: in a closure, the conversion of a float32 waits for the sine before.
func each(fast bool, n int, vector func(i, n int) (done int), scalar func(lo, hi int)) {
	if !fast {
		scalar(0, n)
		return
	}
	const block = 64
	for i := 0; i < n; {
		i += vector(i, n-i)
		for end := min(i+block, n); i < end; i++ {
			if vector(i, 1) == 0 {
				scalar(i, i+1)
			}
		}
	}
}

// vectorsOf returns the vector functions of the instruction set in use, or nil, as where coefficients times scale do
// not stay far from the ends of float32. No map has such a scale, but a caller may.
func vectorsOf[T Float](scale float64) *vectors[T] {
	if a := math.Abs(scale); !(a >= 0x1p-60 && a <= 0x1p60) {
		return nil
	}
	return machineOf[T](active).vectors
}

// vecCos writes scale·cos(x) to dst, which may be x, and tells whether an argument was not finite; its cosine is NaN.
//
// Largest error for scale 1: 1.5e-7 for float32 up to |x| = 2^16·π, 3e-16 for float64 up to 2^29·π, and the error of
// package math beyond, where it takes over argument by argument. |cos x| <= 1 and cos 0 = 1 exactly. A scale that is no
// power of two adds two roundings.
func vecCos[T Float](dst, x []T, scale float64) (bad bool) {
	k := vectorsOf[T](scale)
	each(k != nil, len(x), func(i, n int) int { return k.cos(&dst[i], &x[i], n, T(scale)) }, func(lo, hi int) {
		bad = plainCos(dst[lo:hi], x[lo:hi], scale) || bad
	})
	return bad
}

func plainCos[T Float](dst, x []T, scale float64) (bad bool) {
	for i, v := range x {
		bad = bad || v-v != 0
		dst[i] = T(scale * math.Cos(float64(v)))
	}
	return bad
}

// vecSin writes scale·sin(x) to dst, which may be x. The errors are as for vecCos; near 1 the result may exceed it by
// one rounding.
func vecSin[T Float](dst, x []T, scale float64) {
	k := vectorsOf[T](scale)
	each(k != nil, len(x), func(i, n int) int { return k.sin(&dst[i], &x[i], n, T(scale)) }, func(lo, hi int) {
		plainSin(dst[lo:hi], x[lo:hi], scale)
	})
}

//go:noinline
func plainSin[T Float](dst, x []T, scale float64) {
	for i, v := range x {
		dst[i] = T(scale * math.Sin(float64(v)))
	}
}

// vecSinCos writes scale·sin(x) to sin and scale·cos(x) to cos, of which one may be x, and tells whether an argument
// was not finite. Largest error for scale 1: 1e-7 for float32 and 2e-16 for float64, over the ranges of vecCos; sin x =
// x for small x.
func vecSinCos[T Float](sin, cos, x []T, scale float64) (bad bool) {
	k := vectorsOf[T](scale)
	vector := func(i, n int) int { return k.sinCos(&sin[i], &cos[i], &x[i], n, T(scale)) }
	each(k != nil, len(x), vector, func(lo, hi int) {
		bad = plainSinCos(sin[lo:hi], cos[lo:hi], x[lo:hi], scale) || bad
	})
	return bad
}

func plainSinCos[T Float](sin, cos, x []T, scale float64) (bad bool) {
	for i, v := range x {
		bad = bad || v-v != 0
		s, c := math.Sincos(float64(v))
		sin[i], cos[i] = T(scale*s), T(scale*c)
	}
	return bad
}

// vecExp writes scale·exp(sign·x) to dst, which may be x; sign is 1 or -1. It overflows to +Inf and underflows through
// the denormal numbers to 0 as the exact value does; exp 0 = 1 exactly and exp NaN = NaN.
//
// Largest error for scale 1: 1 unit in the last place, for float32 and float64. A scale that is no power of two adds
// two roundings. (The assembly of package math for amd64, which is the plain path there, gives +Inf from 709.44 on,
// float64 only from 709.78.)
func vecExp[T Float](dst, x []T, scale, sign float64) {
	k := vectorsOf[T](scale)
	vector := func(i, n int) int { return k.exp(&dst[i], &x[i], n, T(scale), T(sign)) }
	each(k != nil, len(x), vector, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = T(scale * math.Exp(sign*float64(x[i])))
		}
	})
}

// vecLog writes ln(x + c) to dst, which may be x; c has the length of x, or 1. It is -Inf for a sum of 0 and NaN for a
// negative one.
//
// Largest error: 1 unit in the last place of the logarithm of the sum as a T.
func vecLog[T Float](dst, x, c []T) {
	apart := -1 // all bits, of places in c
	if len(c) == 1 {
		apart = 0
	}
	k := vectorsOf[T](1)
	vector := func(i, n int) int { return k.log(&dst[i], &x[i], &c[i&apart], n, apart) }
	each(k != nil, len(x), vector, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = T(Ln(float64(x[i]) + float64(c[i&apart])))
		}
	})
}

// vecSqrt writes √x to dst, which may be x, correctly rounded.
func vecSqrt[T Float](dst, x []T) {
	k := pointwiseOf[T]()
	if k == nil {
		for i, v := range x {
			dst[i] = T(math.Sqrt(float64(v)))
		}
		return
	}
	if len(x) > 0 {
		k.sqrt(&dst[0], &x[0], len(x))
	}
}

// vecMultiple writes c·x to dst, which may be x.
func vecMultiple[T Float](dst, x []T, c T) {
	k := pointwiseOf[T]()
	if k == nil {
		for i, v := range x {
			dst[i] = c * v
		}
		return
	}
	if len(x) > 0 {
		k.multiple(&dst[0], &x[0], len(x), c)
	}
}

// vecTriples writes a₀, b₀, c₀, a₁, b₁, c₁, ... to dst.
func vecTriples[T Float](dst, a, b, c []T) {
	n, i := len(a), 0
	dst, b, c = dst[:3*n], b[:n], c[:n]
	if k := pointwiseOf[T](); k != nil && k.triples != nil && n > 0 {
		i = k.triples(&dst[0], &a[0], &b[0], &c[0], n)
	}
	for ; i < n; i++ {
		out := dst[3*i:][:3]
		out[0], out[1], out[2] = a[i], b[i], c[i]
	}
}

// Ln is the natural logarithm. Where package math has it in assembly (amd64), it returns the logarithm of a normal
// number for a denormal one.
func Ln(v float64) float64 {
	if v > 0 && v < 0x1p-1022 {
		return math.Log(v*0x1p60) - 60*math.Ln2
	}
	return math.Log(v)
}
