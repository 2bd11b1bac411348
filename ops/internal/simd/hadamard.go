package simd

import "math/bits"

// hadamardKernels are the kernels of an instruction set for an element type. A nil pointer is plain Go.
type hadamardKernels[T Float] struct {
	lanes, most int                                    // elements in a vector, and the largest i
	head        func(i int, dst, src, scale *T, n int) // all stages of blocks of 2^i vectors of src·scale, i >= leastHead
	pass        func(i int, x *T, h, n int)            // i stages of the strides h, 2h, ...
}

// leastHead is the logarithm of the fewest vectors for which there is a head. Fewer numbers are too few for a transform
// that is faster than a product.
const leastHead = 2

// transform writes the Walsh-Hadamard transform H·(src∘scale) to dst, of the same power of two elements, where H[i,j] =
// (-1)^popcount(i & j); H·H is the identity times that power. dst may be src.
func (k *hadamardKernels[T]) transform(dst, src, scale []T) {
	n := len(dst)
	if k == nil || n < k.lanes<<leastHead {
		vecProduct(dst, src, scale, 1)
		hadamardGo(dst)
		return
	}
	at := min(k.most, bits.Len(uint(n/k.lanes))-1)
	k.head(at, &dst[0], &src[0], &scale[0], n)
	h := k.lanes << at
	left := bits.Len(uint(n/h)) - 1 // stages
	for left > 0 {
		stages := ceil(left, ceil(left, k.most)) // of near-equal passes
		k.pass(stages, &dst[0], h, n)
		h <<= stages
		left -= stages
	}
}

// hadamardGo transforms x, of a power of two elements, two stages at a time.
func hadamardGo[T Float](x []T) {
	n, h := len(x), 1
	if bits.Len(uint(n))%2 == 0 { // an odd number of stages
		for i := 0; i < n; i += 2 {
			x[i], x[i+1] = x[i]+x[i+1], x[i]-x[i+1]
		}
		h = 2
	}
	for ; h < n; h *= 4 {
		for i := 0; i < n; i += 4 * h {
			a, b, c, d := x[i:i+h], x[i+h:i+2*h], x[i+2*h:i+3*h], x[i+3*h:i+4*h]
			b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
			for j, u := range a {
				p, q, r, s := u+b[j], u-b[j], c[j]+d[j], c[j]-d[j]
				a[j], b[j], c[j], d[j] = p+r, q+s, p-r, q-s
			}
		}
	}
}
