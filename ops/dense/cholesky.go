package dense

import (
	"context"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
)

// leaf is the size below which gonum factors and solves.
const leaf = 64

// Cholesky overwrites the lower triangle of a [n, n] by L with L Lᵀ = A + shift I, where A is the symmetric matrix with
// this lower triangle. It does not touch the other triangle. lapack64.Potrs solves with the factor. ok is false if the
// matrix is not positive definite to working precision, and if ctx has ended. It panics if a is too short.
//
// It halves the matrix recursively, so that nearly all operations are in products (Gustavson, 1997).
func Cholesky(ctx context.Context, a []float64, n int, shift float64) (l blas64.Triangular, ok bool) {
	checkContext("Cholesky", ctx)
	check("Cholesky", len(a), n, n)
	l = blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Data: a, Stride: max(1, n)}
	diagonal := make([]float64, n)
	for i := range n {
		a[i*n+i] += shift
		diagonal[i] = a[i*n+i]
	}
	if !factor(ctx, general(n, n, n, a)) {
		return l, false
	}
	for i, d := range diagonal {
		if p := a[i*n+i]; !(p*p > Rounding(n)*d) {
			return l, false
		}
	}
	return l, true
}

// factor overwrites the lower triangle of a by its factor.
func factor(ctx context.Context, a blas64.General) bool {
	n := a.Rows
	if ctx.Err() != nil {
		return false
	}
	if n <= leaf {
		return gonum.Implementation{}.Dpotf2(blas.Lower, n, a.Data, max(1, a.Stride))
	}
	h := half(n)
	l, below, rest := part(a, 0, 0, h, h), part(a, h, 0, n-h, h), part(a, h, h, n-h, n-h)
	if !factor(ctx, l) {
		return false
	}
	divide(ctx, below, l)
	eachStrip(ctx, n-h, (n-h)*h, func(lo, hi int) {
		strip := part(below, lo, 0, hi-lo, h)
		if lo > 0 {
			multiply(blas.NoTrans, blas.Trans, -1, strip, part(below, 0, 0, lo, h), 1, part(rest, lo, 0, hi-lo, lo))
		}
		addSquare(-1, strip, part(rest, lo, lo, hi-lo, hi-lo))
	})
	return factor(ctx, rest)
}

// divide overwrites b by b L⁻ᵀ.
func divide(ctx context.Context, b, l blas64.General) {
	n := l.Rows
	if n <= leaf {
		simd.Share(b.Rows, leaf, func(lo, hi int) {
			strip := part(b, lo, 0, hi-lo, n)
			fast.Implementation{}.Dtrsm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, strip.Rows, n, 1, l.Data, l.Stride,
				strip.Data, strip.Stride)
		})
		return
	}
	h := half(n)
	left, right := part(b, 0, 0, b.Rows, h), part(b, 0, h, b.Rows, n-h)
	divide(ctx, left, part(l, 0, 0, h, h))
	eachStrip(ctx, b.Rows, (n-h)*h, func(lo, hi int) {
		multiply(blas.NoTrans, blas.Trans, -1, part(left, lo, 0, hi-lo, h), part(l, h, 0, n-h, h), 1, part(right, lo, 0, hi-lo, n-h))
	})
	divide(ctx, right, part(l, h, h, n-h, n-h))
}

// half is n/2 rounded up to a multiple of leaf.
func half(n int) int { return (n/2 + leaf - 1) / leaf * leaf }

// part is the block of m that begins at (i, j).
func part(m blas64.General, i, j, rows, cols int) blas64.General {
	return general(rows, cols, m.Stride, m.Data[i*m.Stride+j:])
}
