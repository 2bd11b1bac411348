package train

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// ridgeTile and ridgeDepth bound the operands of one product. In gonum's arithmetic a·bᵀ, dot products of rows, is
	// the fastest form by far (24 GFLOP/s on two cores where aᵀ·b and the symmetric update reach 6), and 64 x 64 tiles
	// of depth 512 were the fastest: two operands of 256 kB. Products of up to 128 x 64 run in the calling goroutine.
	ridgeTile  = 64
	ridgeDepth = 512
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

// addProduct adds alpha a bᵀ to c, with a [m, k], b [n, k] and c [m, n], in parallel over the tiles of c and in a fixed
// order within a tile. With lower, only the tiles that touch the lower triangle of c are computed.
func addProduct(alpha float64, a, b, c blas64.General, lower bool) {
	type corner struct{ i, j int }
	var tiles []corner
	for i := 0; i < c.Rows; i += ridgeTile {
		for j := 0; j < c.Cols && (!lower || j <= i); j += ridgeTile {
			tiles = append(tiles, corner{i, j})
		}
	}
	parts := max(1, (a.Cols+ridgeDepth/2)/ridgeDepth) // equal ones, near ridgeDepth: a short rest would cost as much as a full part
	step := (a.Cols + parts - 1) / parts
	inParallel(len(tiles), func(t int) {
		i, j := tiles[t].i, tiles[t].j
		rows, cols := min(ridgeTile, c.Rows-i), min(ridgeTile, c.Cols-j)
		for k := 0; k < a.Cols; k += step {
			depth := min(step, a.Cols-k)
			blas64.Gemm(blas.NoTrans, blas.Trans, alpha, part(a, i, k, rows, depth), part(b, j, k, cols, depth), 1, part(c, i, j, rows, cols))
		}
	})
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
	tiles := (n + ridgeTile - 1) / ridgeTile
	inParallel(tiles, func(t int) {
		for j0 := 0; j0 <= t*ridgeTile; j0 += ridgeTile {
			for i := t * ridgeTile; i < min(n, (t+1)*ridgeTile); i++ {
				for j := j0; j < min(i, j0+ridgeTile); j++ {
					g[j*n+i] = g[i*n+j]
				}
			}
		}
	})
}
