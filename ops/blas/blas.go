// Package blas implements gonum's BLAS interface with faster matrix products, for other parts of a program: Gorgonia's
// own layers, gonum's mat, and gonum's LAPACK, whose factorisations consist of products.
//
//	import "github.com/bochner-go/bochner/ops/blas"
//
//	func main() {
//		blas.Use()
//		...
//
// It replaces Dgemm, Sgemm, Dsyrk and Ssyrk; everything else is gonum's own. It needs no C. A program that uses
// OpenBLAS through gonum.org/v1/netlib does not call Use.
package blas

import (
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	G "gorgonia.org/gorgonia"
)

// Implementation is gonum's implementation of BLAS with faster products.
type Implementation struct{ gonum.Implementation }

var (
	_ blas.Float64 = Implementation{}
	_ blas.Float32 = Implementation{}
	_ G.BLAS       = Implementation{}
)

// Use installs Implementation for gonum (blas64, blas32) and for Gorgonia and its tensors. Call it once, before any
// computation; it is not safe while other goroutines compute products.
func Use() {
	blas64.Use(Implementation{})
	blas32.Use(Implementation{})
	G.Use(Implementation{})
}

// ISA returns the instruction set of the products on this machine: avx512, avx2, neon or generic. For tests, the
// environment variable BOCHNER_SIMD selects another one that the machine has.
func ISA() string { return simd.ISA() }

// small is the number of multiplications below which gonum's loops are faster than packing.
const small = 16 * 16 * 16

// Dgemm computes C = alpha·op(A)·op(B) + beta·C. It panics with gonum's messages for an invalid argument.
func (i Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	checkGemm(tA, tB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc)
	if !worth(tA, tB, m, n, k) {
		i.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	simd.Gemm(tA != blas.NoTrans, tB != blas.NoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm computes C = alpha·op(A)·op(B) + beta·C. It panics with gonum's messages for an invalid argument.
func (i Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	checkGemm(tA, tB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc)
	if !worth(tA, tB, m, n, k) {
		i.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	simd.Gemm(tA != blas.NoTrans, tB != blas.NoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// worth reports whether a product uses the fast kernels. Invalid arguments go to gonum, which reports the error.
func worth(tA, tB blas.Transpose, m, n, k int) bool {
	return valid(tA) && valid(tB) && m > 0 && n > 0 && k > 0 && m*n*k >= small
}

func valid(t blas.Transpose) bool { return t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans }

// checkLength panics with gonum's message unless op(X) [rows, cols] lies within a slice of this length. gonum's own
// check multiplies the sizes, which overflows for huge ones.
func checkLength(x string, t blas.Transpose, rows, cols, ld, length int) {
	if t != blas.NoTrans {
		rows, cols = cols, rows
	}
	if rows > 0 && cols > 0 && ld >= cols && (length < cols || (length-cols)/ld < rows-1) {
		panic("blas: insufficient length of " + x)
	}
}

// checkGemm is checkLength for the operands of a product that has a result.
func checkGemm(tA, tB blas.Transpose, m, n, k, a, lda, b, ldb, c, ldc int) {
	if valid(tA) && valid(tB) && m > 0 && n > 0 {
		checkLength("a", tA, m, k, lda, a)
		checkLength("b", tB, k, n, ldb, b)
		checkLength("c", blas.NoTrans, m, n, ldc, c)
	}
}

// checkSyrk is checkGemm for Dsyrk and Ssyrk.
func checkSyrk(tA blas.Transpose, n, k, a, lda, c, ldc int) {
	if valid(tA) && n > 0 {
		checkLength("a", tA, n, k, lda, a)
		checkLength("c", blas.NoTrans, n, n, ldc, c)
	}
}

// Dsyrk computes one triangle of C = alpha·A·Aᵀ + beta·C, or of alpha·Aᵀ·A + beta·C. It panics with gonum's messages
// for an invalid argument.
func (i Implementation) Dsyrk(uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	beta float64, c []float64, ldc int) {
	checkSyrk(tA, n, k, len(a), lda, len(c), ldc)
	if uplo != blas.Upper && uplo != blas.Lower || !worth(tA, tA, n, n, k) {
		i.Implementation.Dsyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	simd.Syrk(uplo == blas.Lower, tA != blas.NoTrans, n, k, alpha, a, lda, beta, c, ldc)
}

// Ssyrk computes one triangle of C = alpha·A·Aᵀ + beta·C, or of alpha·Aᵀ·A + beta·C. It panics with gonum's messages
// for an invalid argument.
func (i Implementation) Ssyrk(uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int,
	beta float32, c []float32, ldc int) {
	checkSyrk(tA, n, k, len(a), lda, len(c), ldc)
	if uplo != blas.Upper && uplo != blas.Lower || !worth(tA, tA, n, n, k) {
		i.Implementation.Ssyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	simd.Syrk(uplo == blas.Lower, tA != blas.NoTrans, n, k, alpha, a, lda, beta, c, ldc)
}

// FloatRows is the largest number of products that DsyrkFloat32 sums in float32.
const FloatRows = simd.WideDepth

// DsyrkFloat32 adds Σ aᵢ aᵢᵀ over the k float32 rows aᵢ of a [k, n] to the lower triangle of the float64 matrix c [n,
// n]; lda and ldc are the distances of rows. It sums at most FloatRows products in float32 and their sums in float64,
// which is nearly as fast as Ssyrk. For any k the error of cell i, j is at most
//
//	FloatRows u √(Sᵢᵢ Sⱼⱼ) (1 + 2⁻²⁰),   S = Σ aᵢ aᵢᵀ,   u = 2⁻²⁴,
//
// and about FloatRows u √(Sᵢᵢ Sⱼⱼ / 3k) for independent roundings (Higham and Mary 2019, A new approach to
// probabilistic rounding error analysis), plus 2⁻¹⁵⁰ a product where squares are below the normal float32 numbers. |a|
// must be at most 2⁶⁰; beyond, sums overflow. On machines without kernels the products are float64. BLAS has no such
// routine. It panics if a size is negative or an operand does not lie within its slice.
func DsyrkFloat32(n, k int, a []float32, lda int, c []float64, ldc int) {
	simd.SyrkWide(n, k, a, lda, c, ldc)
}
