package simd

// Maps of blocks of columns: a Fourier map of each column of x, and an affine map of each block of its features.

// ColumnPairs writes, for each of d columns of the n rows x [n,d] and its k frequencies in W [d,k], side by side,
//
//	scale·[cos(p_j) | sin(p_j)],   p_jl = x_ij W_jl,
//
// to dst [n,2dk]. It returns the first row whose projections are not finite, or -1.
func ColumnPairs[T Float](dst, x, w []T, n, d, k int, scale float64) (badRow int) {
	return shareCopy(&poolsOf[T]().columns, n, tileRows, columnPairs[T]{dst, x, w, d, k, scale})
}

// columnPairs is a call of ColumnPairs.
type columnPairs[T Float] struct {
	dst, x, w []T
	d, k      int
	scale     float64
}

// do computes the waves of all columns of a row at once: a column alone has too few for vectors.
func (c *columnPairs[T]) do(lo, hi int) (badRow int) {
	pool, ws := takeSpace[T]()
	defer pool.Put(ws)
	k, m := c.k, c.d*c.k
	ws.line = grow(ws.line, 2*m)
	cos, sin := ws.line[:m], ws.line[m:]
	badRow = -1
	for i := lo; i < hi; i++ {
		scaleColumns(cos, c.w, c.x[i*c.d:(i+1)*c.d], k)
		if vecSinCos(sin, cos, cos, c.scale) && badRow < 0 {
			badRow = i
		}
		row := c.dst[i*2*m : (i+1)*2*m]
		for j := 0; j < m; j += k {
			copy(row[2*j:], cos[j:j+k])
			copy(row[2*j+k:], sin[j:j+k])
		}
	}
	return badRow
}

// scaleColumns writes x_j v_jl for each x_j, and k numbers v_jl, to dst.
func scaleColumns[T Float](dst, v, x []T, k int) {
	for j, c := range x {
		vecMultiple(dst[j*k:(j+1)*k], v[j*k:(j+1)*k], c)
	}
}

// ColumnPairsBackward writes the gradients of ColumnPairs that have memory, from its output z and the gradient g of
// that: dx_j = Σ_l W_jl dP_jl and dW_jl = Σ_i x_ij dP_jl of each row, where dP = g_sin·z_cos - g_cos·z_sin.
func ColumnPairsBackward[T Float](to Gradients[T], z, g, x, w []T, n, d, k int) {
	m, slopes := d*k, BlocksSlopes(z, g, nil, k, d, d*k)
	sumOfBlocks(to.DW, n, func(sum []T, lo, hi int) {
		pool, ws := takeSpace[T]()
		defer pool.Put(ws)
		ws.a = grow(ws.a, m)
		dp := ws.a
		for i := lo; i < hi; i++ {
			slopes(dp, i, 0, m)
			if to.DX != nil {
				for j := range d {
					to.DX[i*d+j] = dot(w[j*k:(j+1)*k], dp[j*k:(j+1)*k])
				}
			}
			if sum != nil {
				scaleColumns(dp, dp, x[i*d:(i+1)*d], k)
				vecAdd(sum, dp)
			}
		}
	})
}

// dot is the inner product, in four sums side by side.
func dot[T Float](a, b []T) T {
	var s [4]T
	b = b[:len(a)]
	for len(a) >= 4 {
		s[0] += T(a[0] * b[0])
		s[1] += T(a[1] * b[1])
		s[2] += T(a[2] * b[2])
		s[3] += T(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s[i] += T(v * b[i])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// Sums over rows are taken in blocks of rows, which depend on n alone, at most sumBlocksMost of them.
const (
	sumRowsLeast  = 256
	sumBlocksMost = 64
)

// sumOfBlocks has f add to sums over blocks of n rows, which goroutines share, and writes their sum to dst. For an
// empty dst the sums are nil.
func sumOfBlocks[T Float](dst []T, n int, f func(sum []T, lo, hi int)) {
	height := max(sumRowsLeast, ceil(n, sumBlocksMost))
	sums := make([]T, ceil(n, height)*len(dst))
	part := func(lo int) []T {
		if len(dst) == 0 {
			return nil
		}
		return sums[lo/height*len(dst):][:len(dst)]
	}
	Share(n, height, func(lo, hi int) { f(part(lo), lo, hi) })
	clear(dst)
	for lo := 0; lo < n && len(dst) > 0; lo += height {
		vecAdd(dst, part(lo))
	}
}

// BlockAffine writes x_j·A_j + b_j for each of d blocks of q columns of x [n,dq] to the e columns of its block of dst
// [n,de]. A is [dq,e], one block after another, and b [d,e].
func BlockAffine[T Float](dst, x, a, b []T, n, d, q, e int) {
	Share(n, affineRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(dst[i*d*e:(i+1)*d*e], b)
		}
		for j := range d {
			gemmBy(1, false, false, hi-lo, e, q, 1, x[(lo*d+j)*q:], d*q, a[j*q*e:], e, 1, dst[(lo*d+j)*e:], d*e)
		}
	})
}

// affineRows are the rows that all products of a BlockAffine work on before the next ones: a tile of them stays in the
// second-level cache.
const affineRows = 128

// BlockAffineBackward writes those of dx_j = g_j·A_jᵀ and dA_j = x_jᵀ·g_j that have memory, for each block j, from the
// gradient g [n,de] of the output.
func BlockAffineBackward[T Float](dx, da, x, a, g []T, n, d, q, e int) {
	across := make([]T, len(da)) // dA_jᵀ, whose rows are long where e is small
	sumOfBlocks(across, n, func(sum []T, first, last int) {
		for lo := first; lo < last; lo += affineRows {
			rows := min(affineRows, last-lo)
			for j := range d {
				gj := g[(lo*d+j)*e:]
				if dx != nil {
					gemmBy(1, false, true, rows, q, e, 1, gj, d*e, a[j*q*e:], e, 0, dx[(lo*d+j)*q:], d*q)
				}
				if sum != nil {
					gemmBy(1, true, false, e, q, rows, 1, gj, d*e, x[(lo*d+j)*q:], d*q, 1, sum[j*q*e:], q)
				}
			}
		}
	})
	for j := 0; j < len(da); j += q * e {
		transpose(da[j:], across[j:], e, q)
	}
}
