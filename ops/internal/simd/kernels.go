package simd

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// tileFunc is a kernel for a fixed panel width and some numbers of rows r:
//
//	C[i,j] = Σ_κ A[i,κ] B[κ,j]   (+ from[i,j], unless from is nil),   i < r, κ < k
//
// for `panels` panels of B that lie one after another, each [k, width] and contiguous, and as many columns of C.
// Element A[i,κ] is at a[i·rs + κ·ks], so A is read as it lies, transposed or not. Rows of C and from are ldc and
// ldfrom apart; from may be C itself, or one row for all with ldfrom 0. Strides are in elements. The sum over κ runs in
// order, one rounding a step.
type tileFunc[T Float] func(r, k int, a *T, rs, ks int, b *T, panels int, c *T, ldc int, from *T, ldfrom int)

// packFunc copies k rows of B, ldb apart, into panels that lie one after another, each [k, width] and contiguous.
type packFunc[T Float] func(k int, b *T, ldb int, dst *T, panels int)

// wideFunc adds a tile of float32 numbers, whose rows of width numbers lie one after another, to rows of C that are ldc
// apart.
type wideFunc func(rows, width int, tile *float32, c *float64, ldc int)

// kernels are the kernels of an instruction set for an element type.
type kernels[T Float] struct {
	width   int
	share   float64 // of the FMA peak; only the ratios between kernels matter
	heights []int   // the rows that a tile may have; the last is the full one
	most    int     // panels of a sparse row, a power of two
	pack    packFunc[T]
	tile    tileFunc[T]
	row     rowFunc[T]
	wide    wideFunc // nil for float64

	ends [][]int // of the tiles that n rows are composed of, for n less than two full tiles
	tall int     // the most tiles that rows make that are the columns of a panel
}

// newKernels composes the numbers of rows for which there is no tile. A tile of less than three rows takes as long as
// one of three or four, as the sums of a processor that begins two FMAs a cycle wait for each other.
func newKernels[T Float](k kernels[T]) *kernels[T] {
	const least, call = 3.5, .5
	cost := make([]float64, 2*k.height())
	k.ends = make([][]int, len(cost))
	for n := 1; n < len(cost); n++ {
		cost[n] = math.Inf(1)
		for _, rows := range slices.Backward(k.heights) {
			if rows > n {
				continue
			}
			c := cost[n-rows] + max(least, float64(rows)) + call
			if c >= cost[n] {
				continue
			}
			cost[n], k.ends[n] = c, []int{rows} // the highest comes first, as it hides best that it reads B from afar
			for _, end := range k.ends[n-rows] {
				k.ends[n] = append(k.ends[n], rows+end)
			}
		}
	}
	for n := range k.width + 1 {
		k.tall = max(k.tall, k.tiles(n))
	}
	return &k
}

// height is the number of rows of a full tile.
func (k *kernels[T]) height() int { return k.heights[len(k.heights)-1] }

// tiles is how many tiles n rows are composed of: full ones, and the ones for the rest.
func (k *kernels[T]) tiles(n int) int {
	full, rest := k.full(n)
	return full + len(k.ends[rest])
}

// full is how many full tiles begin n rows, and how many rows are left, less than two full tiles.
func (k *kernels[T]) full(n int) (full, rest int) {
	full = max(0, n/k.height()-1)
	return full, n - full*k.height()
}

// part is where the t-th tile of n rows begins, and its rows, 0 behind the last.
func (k *kernels[T]) part(n, t int) (lo, rows int) {
	full, rest := k.full(n)
	if lo = t * k.height(); t < full {
		return lo, k.height()
	}
	lo, ends := full*k.height(), k.ends[rest]
	if t -= full; t >= len(ends) {
		return n, 0
	} else if t > 0 {
		rest = ends[t-1]
		return lo + rest, ends[t] - rest
	}
	return lo, ends[0]
}

// kernelsOf are the kernels of an instruction set that need the least time for n columns, of which they compute whole
// panels; nil where the generic path is all there is.
func kernelsOf[T Float](i isa, n int) (best *kernels[T]) {
	least := math.Inf(1)
	for _, k := range machineOf[T](i).kernels {
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
		prefetch(uintptr(unsafe.Pointer(&slice[0])), lines)
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
