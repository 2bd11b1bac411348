// Package dense is dense linear algebra that is faster than gonum's: the Cholesky factor, the reduction to a
// band matrix, the inverse of a triangle and the symmetric eigenproblem, all by the products of ops/blas; and the
// step of Adam. It serves this library and may change with it.
//
// Matrices are [n, n] in row-major slices without gaps. Functions panic if a slice is shorter than its matrix. The
// results do not depend on GOMAXPROCS. Functions of some n³ operations that take a context look at it block by block;
// once it has ended they return early, and what they return and have written is of no use. They panic if it is nil.
package dense

import (
	"context"
	"fmt"
	"math"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Rounding returns the relative size, 10 √n ε, of a pivot of an n x n matrix that may be a rounding error alone. It is
// relative to the diagonal element from which elimination leaves the pivot. √n ε is the error of a sum of n products,
// and 10 a margin.
func Rounding(n int) float64 { return 10 * math.Sqrt(float64(n)) * 0x1p-52 }

// tile is the side of the blocks of Mirror, and depth the number of rows that Rotate processes at a time.
const tile, depth = 128, 512

// Mirror copies the triangle from of a [n, n] to the other one. It panics if a is too short.
func Mirror(a []float64, n int, from blas.Uplo) {
	check("Mirror", len(a), n, n)
	simd.Share(n, tile, func(lo, hi int) {
		for j0 := 0; j0 < hi; j0 += tile {
			for i := lo; i < hi; i++ {
				for j := j0; j < min(i, j0+tile); j++ {
					if from == blas.Lower {
						a[j*n+i] = a[i*n+j]
					} else {
						a[i*n+j] = a[j*n+i]
					}
				}
			}
		}
	})
}

// check panics unless a slice can hold rows x cols numbers.
func check(who string, length, rows, cols int) {
	if rows < 0 || cols < 0 || cols > 0 && rows > length/cols {
		panic(fmt.Sprintf("dense: %s: %d numbers for a matrix [%d, %d]", who, length, rows, cols))
	}
}

// checkContext panics if ctx is nil.
func checkContext(who string, ctx context.Context) {
	if domain.IsNil(ctx) {
		panic(fmt.Sprintf("dense: %s: the context is nil; give context.Background()", who))
	}
}

// general is a row-major matrix over data.
func general(rows, cols, stride int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}
}

// mostAtOnce is about the number of multiply-adds between two looks at a context, some tenths of a second.
const mostAtOnce = 1 << 32

// eachStrip calls f for strips of rows [lo, hi) of so many multiply-adds a row, until ctx ends.
func eachStrip(ctx context.Context, rows, each int, f func(lo, hi int)) {
	height := max(int(min(mostAtOnce/float64(max(each, 1)), float64(rows+leaf)))/leaf, 1) * leaf
	for lo := 0; lo < rows && ctx.Err() == nil; lo += height {
		f(lo, min(lo+height, rows))
	}
}

// multiply is blas64.Gemm by the products of ops/blas: c becomes alpha op(a) op(b) + beta c.
func multiply(tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	depth := a.Cols
	if tA == blas.Trans {
		depth = a.Rows
	}
	fast.Implementation{}.Dgemm(tA, tB, c.Rows, c.Cols, depth, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data,
		c.Stride)
}

// addSquare adds alpha a aᵀ to the lower triangle of c.
func addSquare(alpha float64, a, c blas64.General) {
	fast.Implementation{}.Dsyrk(blas.Lower, blas.NoTrans, a.Rows, a.Cols, alpha, a.Data, a.Stride, 1, c.Data, c.Stride)
}
