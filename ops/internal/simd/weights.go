package simd

// Weights is a matrix W [d,m], packed for products with it from either side. It is immutable and safe for concurrent use.
//
// The packing of this implementation is a row-major copy: the caller may change W afterwards and pack again.
type Weights[T Float] struct {
	d, m int
	w    []T
}

// Pack copies the row-major w [d,m].
func Pack[T Float](w []T, d, m int) *Weights[T] {
	return &Weights[T]{d, m, append([]T(nil), w[:d*m]...)}
}

// Borrow packs without a copy, for a single call during which w does not change.
func Borrow[T Float](w []T, d, m int) *Weights[T] { return &Weights[T]{d, m, w[:d*m]} }

// Dims returns d and m.
func (w *Weights[T]) Dims() (d, m int) { return w.d, w.m }

// project writes rows lo to hi of x·W, plus bias where there is one, to dst, whose rows are ld apart.
func (w *Weights[T]) project(dst []T, ld int, x, bias []T, lo, hi int) {
	if bias != nil {
		for i := lo; i < hi; i++ {
			copy(dst[i*ld:i*ld+w.m], bias)
		}
	}
	gemm(false, bias != nil, hi-lo, w.m, w.d, x[lo*w.d:], w.d, w.w, w.m, dst[lo*ld:], ld)
}

// Affine writes x·W + bias to dst [n,m]; a nil bias is none. x is [n,d].
func (w *Weights[T]) Affine(dst, x, bias []T, n int) {
	forTiles(n, func(lo, hi int) { w.project(dst, w.m, x, bias, lo, hi) })
}

// GradX writes dP·Wᵀ, the gradient of an affine map for its input, to dst [n,d]. dp is [n,m].
func (w *Weights[T]) GradX(dst, dp []T, n int) {
	forTiles(n, func(lo, hi int) {
		gemm(true, false, hi-lo, w.d, w.m, dp[lo*w.m:], w.m, w.w, w.m, dst[lo*w.d:], w.d)
	})
}

// GradW writes xᵀ·dP, the gradient of an affine map for W, to dst [d,m]. x is [n,d] and dp [n,m].
func GradW[T Float](dst, x, dp []T, n, d, m int) {
	if n == 0 {
		clear(dst[:d*m])
		return
	}
	// gonum multiplies twice as fast with the transpose written out.
	xt := make([]T, n*d)
	transpose(xt, x, n, d)
	gemm(false, false, d, m, n, xt, n, dp, m, dst, m)
}

// ColSum writes the sum of the n rows of dp [n,m] to dst [m].
func ColSum[T Float](dst, dp []T, n int) {
	m := len(dst)
	clear(dst)
	for i := range n {
		for j, v := range dp[i*m : i*m+m] {
			dst[j] += v
		}
	}
}
