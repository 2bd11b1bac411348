package simd

import (
	"math"
	"math/bits"
	"unsafe"
)

// tileFunc is a kernel for a fixed number of rows r and a fixed panel width:
//
//	C[i,j] = Σ_κ A[i,κ] B[κ,j]   (+ from[i,j], unless from is nil),   i < r, κ < k
//
// for `panels` panels of B that lie one after another, each [k, width] and contiguous, and as many columns of C.
// Element A[i,κ] is at a[i·rs + κ·ks], so A is read as it lies, transposed or not. Rows of C and from are ldc and
// ldfrom apart; from may be C itself, or one row for all with ldfrom 0. Strides are in elements. The sum over κ runs in
// order, one rounding a step.
type tileFunc[T Float] func(k int, a *T, rs, ks int, b *T, panels int, c *T, ldc int, from *T, ldfrom int)

// packFunc copies k rows of B, ldb apart, into panels that lie one after another, each [k, width] and contiguous.
type packFunc[T Float] func(k int, b *T, ldb int, dst *T, panels int)

// wideFunc is tileFunc for float32 products that are added to a float64 C: the products of at most slice steps are
// summed in float32, and the sums of one slice after the other are added to C in float64.
type wideFunc[T Float] func(k, slice int, a *T, rs, ks int, b *T, panels int, c *float64, ldc int)

// kernels are the kernels of an instruction set for an element type: tile[r-1] and wide[r-1] for r rows, up to the height
// of a full tile, and row[q-1] for one sparse row and q panels.
type kernels[T Float] struct {
	width int
	share float64 // of the FMA peak; only the ratios between kernels matter
	pack  packFunc[T]
	tile  []tileFunc[T]
	row   []rowFunc[T]
	wide  []wideFunc[T] // nil for float64
}

func (k *kernels[T]) height() int { return len(k.tile) }

// kernelsOf are the kernels of an instruction set that need the least time for n columns, of which they compute whole
// panels; nil where the generic path is all there is.
func kernelsOf[T Float](i isa, n int) (best *kernels[T]) {
	var all any
	if sizeof[T]() == 4 {
		all = kernels32(i)
	} else {
		all = kernels64(i)
	}
	least := math.Inf(1)
	for _, k := range all.([]*kernels[T]) {
		if cost := float64(panelsOf(k, n)*k.width) / k.share; cost < least {
			best, least = k, cost
		}
	}
	return best
}

func sizeof[T Float]() int { return int(unsafe.Sizeof(T(0))) }

const cacheLine = 64

// prefetchSlice prefetches what lies in slice into the second-level cache.
func prefetchSlice[T Float](slice []T) {
	if lines := len(slice) * sizeof[T]() / cacheLine; lines > 0 {
		prefetch((*byte)(unsafe.Pointer(&slice[0])), lines)
	}
}

// prefetchPart prefetches the i-th of n parts of slice, of whole lines of cache.
func prefetchPart[T Float](slice []T, i, n int) {
	line := cacheLine / sizeof[T]()
	share := (len(slice)/line + n - 1) / n * line
	prefetchSlice(slice[min(i*share, len(slice)):min((i+1)*share, len(slice))])
}

// aligned allocates n elements that begin at a cache line, as the rows of panels should.
func aligned[T Float](n int) []T {
	size := sizeof[T]()
	v := make([]T, n+cacheLine/size)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(v))) % cacheLine / uintptr(size)
	return v[skip:][:n:n]
}

// grow is v with room for n elements, or a new slice, of a power of two so that a pooled buffer soon fits every call.
func grow[T Float](v []T, n int) []T {
	if n <= cap(v) {
		return v[:n]
	}
	return aligned[T](1 << bits.Len(uint(n-1)))[:n]
}
