package simd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Float is an element type.
type Float interface{ float32 | float64 }

// Gemm computes c = alpha·op(a)·op(b) + beta·c, where op transposes its operand if aT or bT is set: op(a) is [m,k],
// op(b) [k,n] and c [m,n], with rows lda, ldb and ldc apart. As in BLAS, c is not read where beta is 0, nor a and b
// where alpha is 0. It panics where an operand does not lie within its slice. c must not overlap a or b.
//
// The generic path is gonum's, which skips zeros of a where a is not transposed: there 0·Inf counts as 0, elsewhere as
// NaN.
func Gemm[T Float](aT, bT bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	gemmBy(0, aT, bT, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// gemmBy is Gemm on so many goroutines, or for 0 on GOMAXPROCS.
func gemmBy[T Float](workers int, aT, bT bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T,
	ldc int) {
	A, B, C := matrix[T]{a, lda, aT}, matrix[T]{b, ldb, bT}, matrix[T]{c, ldc, false}
	C.check("c", m, n)
	if m == 0 || n == 0 {
		return
	}
	if k == 0 || alpha == 0 {
		scaleRows(c, ldc, m, n, beta)
		return
	}
	A.check("a", m, k)
	B.check("b", k, n)
	ks := kernelsOf[T](active, n)
	if ks == nil {
		gemmGeneric(generic32, generic64, m, n, k, alpha, A, B, beta, c, ldc)
		return
	}
	p := newProduct(ks, m, n, k)
	p.workers, p.alpha, p.a, p.b, p.beta = workers, alpha, A, B, beta
	p.output = output[T]{dst: c, ld: ldc, m: n}
	p.run()
}

// generic32 and generic64 are the reference of the kernels.
var (
	generic32 blas.Float32Level3 = gonum.Implementation{}
	generic64 blas.Float64Level3 = gonum.Implementation{}
)

// scaleRow multiplies by beta; a beta of 0 clears, whatever was there.
func scaleRow[T Float](c []T, beta T) {
	if beta == 0 {
		clear(c)
		return
	}
	vecMultiple(c, c, beta)
}

// scaleRows is scaleRow for m rows of n numbers.
func scaleRows[T Float](c []T, ldc, m, n int, beta T) {
	for i := range m {
		scaleRow(c[i*ldc:i*ldc+n], beta)
	}
}

// gemmGeneric is Gemm by a BLAS.
func gemmGeneric[T Float](b32 blas.Float32Level3, b64 blas.Float64Level3, m, n, k int, alpha T, a, b matrix[T], beta T,
	c []T, ldc int) {
	ta, tb := transposition(a.t), transposition(b.t)
	switch av := any(a.v).(type) {
	case []float64:
		b64.Dgemm(ta, tb, m, n, k, float64(alpha), av, a.ld, any(b.v).([]float64), b.ld, float64(beta),
			any(c).([]float64), ldc)
	case []float32:
		b32.Sgemm(ta, tb, m, n, k, float32(alpha), av, a.ld, any(b.v).([]float32), b.ld, float32(beta),
			any(c).([]float32), ldc)
	}
}

func transposition(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

// gemm computes c = a·b, or a·bᵀ with bT, plus c itself with add, by the BLAS that is installed. a is [m,k]; c is
// [m,n].
func gemm[T Float](bT, add bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	var beta T
	if add {
		beta = 1
	}
	if m == 0 || n == 0 || k == 0 { // where a BLAS may refuse the strides
		scaleRows(c, ldc, m, n, beta)
		return
	}
	gemmGeneric(blas32.Implementation(), blas64.Implementation(), m, n, k, 1, matrix[T]{a, lda, false},
		matrix[T]{b, ldb, bT}, beta, c, ldc)
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
