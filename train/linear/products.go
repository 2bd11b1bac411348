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

// addSquare adds a aᵀ, with a [n, d], to the lower triangle of c [n, n], in strips of rows until ctx ends.
func addSquare(ctx context.Context, n, d int, a, c []float64) {
	const most = 1 << 32 // multiply-adds of a strip
	height := max(int(min(most/float64(max(n*d, 1)), float64(n/ridgeDepth+1))), 1) * ridgeDepth
	for lo := 0; lo < n && ctx.Err() == nil; lo += height {
		rows, strip, to := min(height, n-lo), a[lo*d:], c[lo*n:]
		if lo > 0 {
			fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, lo, d, 1, strip, d, a, d, 1, to, n)
		}
		fast.Implementation{}.Dsyrk(blas.Lower, blas.NoTrans, rows, d, 1, strip, d, 1, to[lo:], n)
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
