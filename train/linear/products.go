package linear

import (
	"context"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

const (
	// ridgeDepth is the number of rows or columns in a block of products.
	ridgeDepth = 512
	// ridgePiece is the number of values that one task changes in place.
	ridgePiece = 1 << 16
)

// inPieces calls f in parallel with the bounds of pieces of 0, ..., n-1.
func inPieces(n, piece int, f func(lo, hi int)) {
	given.InParallel((n+piece-1)/piece, func(task int) { f(task*piece, min((task+1)*piece, n)) })
}

// general is a row-major matrix over data.
func general(rows, cols, stride int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}
}

// addProduct adds alpha a bᵀ to c, with a [m, k], b [n, k] and c [m, n].
func addProduct(alpha float64, a, b, c blas64.General) {
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, c.Rows, c.Cols, a.Cols, alpha, a.Data, a.Stride, b.Data,
		b.Stride, 1, c.Data, c.Stride)
}

// addSquare adds a aᵀ, with a [n, k], to the lower triangle of c.
func addSquare(a, c blas64.General) {
	fast.Implementation{}.Dsyrk(blas.Lower, blas.NoTrans, a.Rows, a.Cols, 1, a.Data, a.Stride, 1, c.Data, c.Stride)
}

// addSquareUntil is addSquare in strips of rows, until ctx ends.
func addSquareUntil(ctx context.Context, a, c blas64.General) {
	const most = 1 << 32 // multiply-adds of a strip
	n, d := a.Rows, a.Cols
	height := max(int(min(most/float64(max(n*d, 1)), float64(n/ridgeDepth+1))), 1) * ridgeDepth
	for lo := 0; lo < n && ctx.Err() == nil; lo += height {
		rows := min(height, n-lo)
		strip := general(rows, d, a.Stride, a.Data[lo*a.Stride:])
		if lo > 0 {
			addProduct(1, strip, general(lo, d, a.Stride, a.Data), general(rows, lo, c.Stride, c.Data[lo*c.Stride:]))
		}
		addSquare(strip, general(rows, rows, c.Stride, c.Data[lo*c.Stride+lo:]))
	}
}

// columnMeans are the means of the columns of x by the weights w with the sum mass; nil: all are 1.
func columnMeans[T domain.Float](x []T, w []float64, mass float64, rows, cols, stride int) []float64 {
	mean := make([]float64, cols)
	inPieces(cols, ridgeDepth, func(lo, hi int) {
		m := mean[lo:hi]
		for r := range rows {
			part := 1 / mass
			if w != nil {
				part = w[r] / mass
			}
			switch row := any(x[r*stride+lo : r*stride+hi]).(type) {
			case []float64:
				floats.AddScaled(m, part, row) // divided first: finite numbers have a finite mean
			case []float32:
				for j, v := range row {
					m[j] += float64(v) * part
				}
			}
		}
	})
	return mean
}

// transposed returns the transpose of an m x n matrix whose rows are stride apart.
func transposed(a []float64, m, n, stride int) []float64 {
	t := make([]float64, n*m)
	for i := range m {
		for j, v := range a[i*stride : i*stride+n] {
			t[j*m+i] = v
		}
	}
	return t
}

// gemm adds alpha op(a) b to c [m, n], with op(a) [m, k], which is the transpose of a or a itself.
func gemm(transpose bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, c []float64,
	ldc int) {
	t := blas.NoTrans
	if transpose {
		t = blas.Trans
	}
	fast.Implementation{}.Dgemm(t, blas.NoTrans, m, n, k, alpha, a, lda, b, ldb, 1, c, ldc)
}
