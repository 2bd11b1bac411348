package simd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Float is an element type.
type Float interface{ float32 | float64 }

// gemm computes c = a·b, or a·bᵀ with bT, plus c itself with add. a is [m,k]; c is [m,n].
func gemm[T Float](bT, add bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	tb := blas.NoTrans
	if bT {
		tb = blas.Trans
	}
	var beta T
	if add {
		beta = 1
	}
	switch a := any(a).(type) {
	case []float64:
		blas64.Implementation().Dgemm(blas.NoTrans, tb, m, n, k, 1, a, lda, any(b).([]float64), ldb, float64(beta), any(c).([]float64), ldc)
	case []float32:
		blas32.Implementation().Sgemm(blas.NoTrans, tb, m, n, k, 1, a, lda, any(b).([]float32), ldb, float32(beta), any(c).([]float32), ldc)
	}
}

// transpose writes the transpose of x [n,d] into dst [d,n], in square tiles so that both sides stay in cache.
func transpose[T Float](dst, x []T, n, d int) {
	const tile = 32
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 < d; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := j0; j < min(j0+tile, d); j++ {
					dst[j*n+i] = x[i*d+j]
				}
			}
		}
	}
}
