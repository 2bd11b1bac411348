package simd

import "runtime"

// Gradients is where a backward of a map of x·W + b writes: dx [n,d], dW [d,m] and db [m]. What is nil is not computed.
type Gradients[T Float] struct{ DX, DW, DB []T }

// dP is never stored: a tile of it, some rows by some columns, is written once, and then read by two products and by
// the sums while it is in the second-level cache, which is what gradientBytes leaves room in. The tiles are a choice of
// n and m alone, so results depend neither on GOMAXPROCS nor on the machine.
const (
	gradientBytes = 1 << 20
	gradientRows  = 504 // and no more, so that the products over columns are long too
	gradientStep  = 96  // columns: whole panels of every instruction set
)

// gradientTile is the size of a tile of dP [n,m].
func gradientTile[T Float](n, m int) (rows, cols int) {
	rows = max(1, min(n, gradientRows))
	return rows, min(m, max(1, gradientBytes/(sizeof[T]()*rows*gradientStep))*gradientStep)
}

// columns are columns from to to-1 of W, with what the products of a backward need of them.
type columns[T Float] struct {
	from, to int
	*Weights[T]
}

// rows calls f for all of n rows, from as many goroutines as the products use.
func (c *columns[T]) rows(n int, f func(lo, hi int)) {
	if c.workers == 1 {
		f(0, n)
		return
	}
	forTiles(n, f)
}

// backward computes the gradients of a map of x·W + b from the gradient dP [n,m] of its projections: dx = dP·Wᵀ, dW =
// xᵀ·dP and db, the column sums of dP. fill writes rows lo to hi of the columns c of dP.
//
// Goroutines take blocks of rows, where there are enough, and within them go from tile to tile. Every block adds to the
// same dW and db, so these wait for their turn at each tile: the sums are taken in one order. Where there are few
// blocks goroutines share each product.
func (w *Weights[T]) backward(to Gradients[T], x []T, n int, fill func(dp matrix[T], lo, hi int, c *columns[T])) {
	clear(to.DB)
	if n == 0 || w.m == 0 {
		clear(to.DX)
		clear(to.DW)
		return
	}
	d, m := w.d, w.m
	rows, cols := gradientTile[T](n, m)
	parts := w.columns(cols)
	passed := make([]chan struct{}, ceil(n, rows)) // of each block, a token for each tile that it has passed
	for i := range passed {
		passed[i] = make(chan struct{}, len(parts))
	}
	block := func(lo, hi int) {
		stride := gradientStride[T](cols)
		pool, buf := takeShared[T](rows * stride)
		defer pool.Put(buf)
		dp := matrix[T]{v: *buf, ld: stride}
		for k := range parts {
			c := &parts[k]
			fill(dp, lo, hi, c)
			if to.DX != nil {
				c.transposeOnce()
				c.gradX(to.DX[lo*d:hi*d], dp, hi-lo, c.from > 0)
			}
			if lo > 0 {
				<-passed[lo/rows-1]
			}
			if to.DW != nil {
				c.addGradW(matrix[T]{v: to.DW[c.from:], ld: m}, x[lo*d:hi*d], dp, hi-lo, lo > 0)
			}
			if to.DB != nil {
				for i := range hi - lo {
					vecAdd(to.DB[c.from:c.to], dp.row(i, c.m))
				}
			}
			passed[lo/rows] <- struct{}{}
		}
	}
	if w.isa != generic && len(passed) >= runtime.GOMAXPROCS(0) {
		for k := range parts {
			parts[k].workers = 1
		}
		shareInTurn(n, rows, block)
		return
	}
	for lo := 0; lo < n; lo += rows {
		block(lo, min(lo+rows, n))
	}
}

// columns cuts a copy of W into parts of so many columns.
func (w *Weights[T]) columns(size int) []columns[T] {
	raw := w.raw
	if raw == nil && w.packed != nil {
		raw = w.unpack()
	}
	var parts []columns[T]
	for from := 0; from < w.m; from += size {
		to := min(from+size, w.m)
		part := Wide[T](w.d, to-from)
		if raw != nil {
			values := make([]T, 0, w.d*(to-from))
			for i := range w.d {
				values = append(values, raw[i*w.m+from:i*w.m+to]...)
			}
			part = Borrow(values, w.d, to-from)
		}
		parts = append(parts, columns[T]{from, to, part})
	}
	return parts
}

// gradientStride keeps rows of dP from lying a multiple of 4 KB apart, where the rows of a tile compete for one set of
// the first-level cache.
func gradientStride[T Float](m int) int {
	line := cacheLine / sizeof[T]()
	return roundUp(m, line) + line
}

// Backward is the backward of a map of x·W from its slopes.
func (w *Weights[T]) Backward(to Gradients[T], x []T, n int, slopes Slopes[T]) {
	w.backward(to, x, n, func(dp matrix[T], lo, hi int, c *columns[T]) {
		c.rows(hi-lo, func(r0, r1 int) {
			for i := r0; i < r1; i++ {
				slopes(dp.row(i, c.m), lo+i, c.from, c.to)
			}
		})
	})
}

// PhaseBackward is the backward of Phase from the gradient g [n,m] of its output. It is the one with CosSlopes, of a
// projection that is computed again, tile by tile, which for few columns of x costs less than to write and read one.
func (w *Weights[T]) PhaseBackward(to Gradients[T], x, b, g []T, n int, scale float64) {
	d, m := w.d, w.m
	w.backward(to, x, n, func(dp matrix[T], lo, hi int, c *columns[T]) {
		c.packOnce()
		out := output[T]{dst: dp.v, ld: dp.ld, m: c.m, epilogue: phaseGradMap, scale: scale,
			grad: matrix[T]{v: g[lo*m+c.from:], ld: m}}
		c.Project(out, Rows[T]{Dense: x[lo*d : hi*d]}, b[c.from:c.to], hi-lo)
	})
}

// Wide returns a W that has only a size, for a Backward without dx.
func Wide[T Float](d, m int) *Weights[T] { return &Weights[T]{d: d, m: m, isa: active} }

// Slopes writes columns from to to-1 of row i of dP, the gradient of the projections of a map, to dp.
type Slopes[T Float] func(dp []T, i, from, to int)

// Write writes the n rows of dP [n,m].
func (s Slopes[T]) Write(dp []T, n, m int) {
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s(dp[i*m:(i+1)*m], i, 0, m)
		}
	})
}

// PairSlopes are those of Pair, from its output z and the gradient g of that, both [n,2m]: dP = g_sin·z_cos -
// g_cos·z_sin.
func PairSlopes[T Float](z, g []T, m int) Slopes[T] { return BlocksSlopes(z, g, nil, m, 1, m) }

// ExpSlopes are those of Exp for the sign -1 and of ExpLess for 1, from the output z and the gradient g of that, both
// [n,m]: dP = sign·g·z.
func ExpSlopes[T Float](z, g []T, m int, sign T) Slopes[T] {
	return func(dp []T, i, from, to int) { vecProduct(dp, g[i*m+from:i*m+to], z[i*m+from:i*m+to], sign) }
}

// CosSlopes are those of scale·cos(p), from p and the gradient g, both [n,m]: dP = -scale·sin(p)·g. They may be written
// to p.
func CosSlopes[T Float](p, g []T, m int, scale float64) Slopes[T] {
	return func(dp []T, i, from, to int) { cosSlopes(dp, p[i*m+from:i*m+to], g[i*m+from:i*m+to], scale) }
}

func cosSlopes[T Float](dp, p, g []T, scale float64) {
	vecSin(dp, p, -scale)
	vecProduct(dp, dp, g, 1)
}

// BlocksSlopes are those of a map of blocks, for the projections x·U [n,q], from its output z and the gradient g of
// that, or with nil norms for the p_b side by side, [n,blocks·m].
func BlocksSlopes[T Float](z, g, norms []T, m, blocks, q int) Slopes[T] {
	ld, apart := blocks*2*m, q == blocks*m
	return func(dp []T, i, from, to int) {
		pool, ws := takeSpace[T]()
		defer pool.Put(ws)
		zi, gi := z[i*ld:(i+1)*ld], g[i*ld:(i+1)*ld]
		for b := range blocks {
			first := 0 // column of dP of the block
			if apart {
				first = b * m
			}
			j0, j1 := max(from-first, 0), min(to-first, m)
			if j0 >= j1 {
				continue
			}
			row := dp[first+j0-from : first+j1-from]
			p, more := row, !apart && b > 0
			if more {
				ws.line = grow(ws.line, j1-j0)
				p = ws.line
			}
			zb, gb := zi[b*2*m:], gi[b*2*m:]
			vecPairGrad(p, zb[j0:j1], zb[m+j0:m+j1], gb[j0:j1], gb[m+j0:m+j1])
			if norms != nil {
				vecProduct(p, p, norms[b*m+j0:b*m+j1], 1)
			}
			if more {
				vecAdd(row, p)
			}
		}
	}
}
