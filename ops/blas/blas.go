// Package blas is the library's own fast matrix products as an implementation of gonum's BLAS interface, for the rest
// of a program: the stock layers of Gorgonia, gonum's mat, and through it gonum's LAPACK, whose factorisations are made
// of products.
//
//	import "github.com/bochner-go/bochner/ops/blas"
//
//	func main() {
//		blas.Use()
//		...
//
// It replaces Dgemm, Sgemm, Dsyrk and Ssyrk, and is gonum's own for everything else. There is no C in it. A program
// that wants OpenBLAS installs that in the usual way, by gonum.org/v1/netlib, and does not call Use.
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

// Use installs Implementation for gonum (blas64, blas32) and for Gorgonia and its tensors. Call it once, before
// anything is computed; it is not safe while other goroutines multiply.
func Use() {
	blas64.Use(Implementation{})
	blas32.Use(Implementation{})
	G.Use(Implementation{})
}

// ISA is the instruction set that the products use on this machine: avx512, avx2, neon or generic. The environment
// variable BOCHNER_SIMD chooses another one that the machine has, for tests.
func ISA() string { return simd.ISA() }

// small is the number of multiplications below which packing costs more than it saves, and gonum's own loops are left
// to it.
const small = 16 * 16 * 16

// Dgemm computes C = alpha·op(A)·op(B) + beta·C. It panics with the texts of gonum where an argument is not valid.
func (i Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	checkGemm(tA, tB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc)
	if !worth(tA, tB, m, n, k) {
		i.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	simd.Gemm(tA != blas.NoTrans, tB != blas.NoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm computes C = alpha·op(A)·op(B) + beta·C. It panics with the texts of gonum where an argument is not valid.
func (i Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	checkGemm(tA, tB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc)
	if !worth(tA, tB, m, n, k) {
		i.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	simd.Gemm(tA != blas.NoTrans, tB != blas.NoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// worth says whether a product goes to the fast kernels. Arguments that are not valid go to gonum, which says what is
// wrong with them.
func worth(tA, tB blas.Transpose, m, n, k int) bool {
	return valid(tA) && valid(tB) && m > 0 && n > 0 && k > 0 && m*n*k >= small
}

func valid(t blas.Transpose) bool { return t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans }

// checkLength panics with gonum's text where op(X) [rows, cols] does not lie within a slice of that length. gonum's own
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

// checkSyrk is checkGemm for a triangle.
func checkSyrk(tA blas.Transpose, n, k, a, lda, c, ldc int) {
	if valid(tA) && n > 0 {
		checkLength("a", tA, n, k, lda, a)
		checkLength("c", blas.NoTrans, n, n, ldc, c)
	}
}

// Dsyrk computes the triangle of C = alpha·A·Aᵀ + beta·C, or with Aᵀ·A. It panics with the texts of gonum where an
// argument is not valid.
func (i Implementation) Dsyrk(uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	beta float64, c []float64, ldc int) {
	checkSyrk(tA, n, k, len(a), lda, len(c), ldc)
	if uplo != blas.Upper && uplo != blas.Lower || !worth(tA, tA, n, n, k) {
		i.Implementation.Dsyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	simd.Syrk(uplo == blas.Lower, tA != blas.NoTrans, n, k, alpha, a, lda, beta, c, ldc)
}

// Ssyrk computes the triangle of C = alpha·A·Aᵀ + beta·C, or with Aᵀ·A. It panics with the texts of gonum where an
// argument is not valid.
func (i Implementation) Ssyrk(uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int,
	beta float32, c []float32, ldc int) {
	checkSyrk(tA, n, k, len(a), lda, len(c), ldc)
	if uplo != blas.Upper && uplo != blas.Lower || !worth(tA, tA, n, n, k) {
		i.Implementation.Ssyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	simd.Syrk(uplo == blas.Lower, tA != blas.NoTrans, n, k, alpha, a, lda, beta, c, ldc)
}

// DsyrkMoved adds Σ (aᵢ + by)(aᵢ + by)ᵀ over the k rows aᵢ of a [k, n] to the lower triangle of c [n, n], rows lda and
// ldc apart: with by = -ā the scatter matrix of the rows about their mean. BLAS has no such routine; it saves the pass
// that takes the mean away. It panics where a size is negative or an operand does not lie within its slice.
func DsyrkMoved(n, k int, a []float64, lda int, by, c []float64, ldc int) {
	simd.SyrkMoved(n, k, a, lda, by, c, ldc)
}

// FloatRows is how many products of float32 numbers DsyrkFloat32 sums in float32.
const FloatRows = simd.WideDepth

// DsyrkFloat32 adds Σ aᵢ aᵢᵀ over the k float32 rows aᵢ of a [k, n] to the lower triangle of the float64 matrix c [n,
// n], rows lda and ldc apart. At most FloatRows products are summed in float32, one after the other with one rounding a
// step, and their sums in float64: as fast as Ssyrk, nearly, and for any k the error of cell i, j is at most
//
//	FloatRows u √(Sᵢᵢ Sⱼⱼ) (1 + 2⁻²⁰),   S = Σ aᵢ aᵢᵀ,   u = 2⁻²⁴,
//
// and about FloatRows u √(Sᵢᵢ Sⱼⱼ / 3k) if roundings are independent (Higham and Mary 2019, A new approach to
// probabilistic rounding error analysis); plus 2⁻¹⁵⁰ a product where squares fall below the normal float32 numbers. The
// caller keeps |a| within 2⁶⁰, beyond which sums overflow. Where there are no kernels the products are float64. BLAS
// has no such routine. It panics where a size is negative or an operand does not lie within its slice.
func DsyrkFloat32(n, k int, a []float32, lda int, c []float64, ldc int) {
	simd.SyrkWide(n, k, a, lda, c, ldc)
}
