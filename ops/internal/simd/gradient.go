package simd

// Gradients is where a backward of a map of x·W + b writes: dx [n,d], dW [d,m] and db [m]. What is nil is not computed.
type Gradients[T Float] struct{ DX, DW, DB []T }

// gradientBytes bounds the block of dP rows that a backward holds: it is written once and read by two products, from cache. The blocks
// are a choice of m alone, so results depend neither on GOMAXPROCS nor on the machine.
const gradientBytes = 8 << 20

// gradientRows is the number of rows of a block: enough for the product over them to be long, and a whole number of tiles.
func gradientRows[T Float](m int) int {
	return min(max(gradientBytes/(sizeof[T]()*max(m, 1)), 96), 1024) / 24 * 24
}

// backward computes the gradients of a map of x·W + b from those of its projections, dP [n,m]: dx = dP·Wᵀ, dW = xᵀ·dP and db, the
// column sums of dP. fill writes rows lo to hi of dP; nothing of the size of dP is stored.
func (w *Weights[T]) backward(to Gradients[T], x []T, n int, fill func(dp matrix[T], lo, hi int)) {
	clear(to.DB)
	if n == 0 {
		clear(to.DW)
		return
	}
	d, m := w.d, w.m
	rows := min(n, gradientRows[T](m))
	pool := &poolsOf[T]().shared
	buf := take[[]T](pool)
	defer pool.Put(buf)
	dp := matrix[T]{ld: gradientStride[T](m)}
	dp.v = grow(*buf, rows*dp.ld)
	*buf = dp.v
	for lo := 0; lo < n; lo += rows {
		hi := min(lo+rows, n)
		fill(dp, lo, hi)
		if to.DX != nil {
			w.gradX(to.DX[lo*d:hi*d], dp, hi-lo)
		}
		if to.DW != nil {
			addGradW(to.DW, x[lo*d:hi*d], dp, hi-lo, d, m, lo > 0)
		}
		if to.DB != nil {
			for i := range hi - lo {
				vecAdd(to.DB, dp.row(i, m))
			}
		}
	}
}

// gradientStride keeps rows of dP from lying a multiple of 4 KB apart, where those of a tile compete for one set of the first-level cache.
func gradientStride[T Float](m int) int {
	line := cacheLine / sizeof[T]()
	return roundUp(m, line) + line
}

// PairBackward is the backward of Pair, from its output z and the gradient g of that, both [n,2m]: dP = g_sin·z_cos - g_cos·z_sin.
func (w *Weights[T]) PairBackward(to Gradients[T], x, z, g []T, n int) {
	m := w.m
	w.backward(to, x, n, func(dp matrix[T], lo, hi int) { pairGrad(dp, z[lo*2*m:hi*2*m], g[lo*2*m:hi*2*m], hi-lo, m) })
}

// ExpBackward is the backward of Exp, from its output z and the gradient g of that, both [n,m]: dP = -g·z.
func (w *Weights[T]) ExpBackward(to Gradients[T], x, z, g []T, n int) {
	m := w.m
	w.backward(to, x, n, func(dp matrix[T], lo, hi int) { expGrad(dp, z[lo*m:hi*m], g[lo*m:hi*m], hi-lo, m) })
}

// CosBackward is the backward of scale·cos(p) from p = x·W + b and the gradient g, both [n,m]: dP = -scale·sin(p)·g.
func (w *Weights[T]) CosBackward(to Gradients[T], x, p, g []T, n int, scale float64) {
	m := w.m
	w.backward(to, x, n, func(dp matrix[T], lo, hi int) { cosGrad(dp, p[lo*m:hi*m], g[lo*m:hi*m], hi-lo, m, scale) })
}

// PhaseBackward is the backward of Phase from the gradient g [n,m] of its output. It is CosBackward with a projection that is
// computed again, block by block, which for few columns of x costs less than to write and read one.
func (w *Weights[T]) PhaseBackward(to Gradients[T], x, b, g []T, n int, scale float64) {
	d, m := w.d, w.m
	if n > gradientRows[T](m) && w.kernels != nil && w.packed == nil { // borrowed, and used block after block
		w = &Weights[T]{d: d, m: m, isa: w.isa, kernels: w.kernels, raw: w.raw, packed: packB(w.kernels, matrix[T]{v: w.raw, ld: m}, d, m)}
	}
	w.backward(to, x, n, func(dp matrix[T], lo, hi int) {
		w.forward(output[T]{dst: dp.v, ld: dp.ld, m: m, epilogue: phaseGradMap, scale: scale, grad: g[lo*m : hi*m]}, x[lo*d:hi*d], nil, b, hi-lo)
	})
}
