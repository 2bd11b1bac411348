package simd

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

// ExpSlopes are those of Exp, from its output z and the gradient g of that, both [n,m]: dP = -g·z.
func ExpSlopes[T Float](z, g []T, m int) Slopes[T] {
	return func(dp []T, i, from, to int) { vecProduct(dp, g[i*m+from:i*m+to], z[i*m+from:i*m+to], -1) }
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
		ws := take[workspace[T]](&poolsOf[T]().spaces)
		defer poolsOf[T]().spaces.Put(ws)
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
