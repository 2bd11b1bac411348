package train

import (
	"runtime"
	"sync"
	"sync/atomic"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

const (
	// ridgeTile and ridgeDepth are the sides of the pieces in which memory is gone through: 256 kB.
	ridgeTile  = 64
	ridgeDepth = 512
	// ridgePiece is how many numbers one task changes in place.
	ridgePiece = 1 << 16
)

// inParallel runs f(0..tasks-1) on GOMAXPROCS goroutines. What a task computes depends on its number only.
func inParallel(tasks int, f func(task int)) {
	workers := min(runtime.GOMAXPROCS(0), tasks)
	if workers <= 1 {
		for i := range tasks {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < tasks; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// general is a row-major matrix over data.
func general(rows, cols, stride int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}
}

// part is the block of m that begins at (i, j).
func part(m blas64.General, i, j, rows, cols int) blas64.General {
	return general(rows, cols, m.Stride, m.Data[i*m.Stride+j:])
}

// addProduct adds alpha a bᵀ to c, with a [m, k], b [n, k] and c [m, n].
func addProduct(alpha float64, a, b, c blas64.General) {
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, c.Rows, c.Cols, a.Cols, alpha, a.Data, a.Stride, b.Data, b.Stride, 1, c.Data, c.Stride)
}

// addSquare adds a aᵀ, with a [n, k], to the lower triangle of c.
func addSquare(a, c blas64.General) {
	fast.Implementation{}.Dsyrk(blas.Lower, blas.NoTrans, a.Rows, a.Cols, 1, a.Data, a.Stride, 1, c.Data, c.Stride)
}

// columnMeans are the means of the columns of x, row by row, in wide pieces of them, by weights with the sum mass; nil: all are 1.
func columnMeans[T domain.Float](x []T, w []float64, mass float64, rows, cols, stride int) []float64 {
	mean := make([]float64, cols)
	inParallel((cols+ridgeDepth-1)/ridgeDepth, func(task int) {
		lo, hi := task*ridgeDepth, min((task+1)*ridgeDepth, cols)
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

// mirror copies the lower triangle of an n x n matrix to the upper one, tile by tile.
func mirror(g []float64, n int) {
	tiles(n, func(i, j int) { g[j*n+i] = g[i*n+j] })
}

// unmirror copies the upper triangle to the lower one.
func unmirror(g []float64, n int) {
	tiles(n, func(i, j int) { g[i*n+j] = g[j*n+i] })
}

// tiles calls f below the diagonal, i > j, tile by tile.
func tiles(n int, f func(i, j int)) {
	inParallel((n+ridgeTile-1)/ridgeTile, func(t int) {
		for j0 := 0; j0 <= t*ridgeTile; j0 += ridgeTile {
			for i := t * ridgeTile; i < min(n, (t+1)*ridgeTile); i++ {
				for j := j0; j < min(i, j0+ridgeTile); j++ {
					f(i, j)
				}
			}
		}
	})
}
