package simd

// Waves is the scalar part of a density embedding. It makes of a density p the M pairs of functions
//
//	r_j √p cos(λ_j ln p),   r_j √p sin(λ_j ln p),
//
// 0 where p is, one function a row, and of these their coefficients on a basis by one product. It differs from
// Homogeneous in that the frequencies are no multiples of one, and in the place of the numbers.
type Waves[T Float] struct {
	Lambda, Root []T
	Even         bool // the cosines only: for frequencies of 0
}

// Rows is the number of functions of a density.
func (w *Waves[T]) Rows() int {
	if w.Even {
		return len(w.Lambda)
	}
	return 2 * len(w.Lambda)
}

// waveCells is about how many values of functions are held at once: some megabytes. Results do not depend on it.
const waveCells = 1 << 19

// blocks calls f for blocks of the n densities at v points, with memory for all values of their functions.
func (w *Waves[T]) blocks(n, v int, f func(values []T, lo, hi int)) {
	size := w.Rows() * v
	rows := min(n, max(1, waveCells/max(1, size)))
	pool, buf := takeShared[T](max(1, rows*size))
	defer pool.Put(buf)
	for lo := 0; lo < n; lo += rows {
		f(*buf, lo, min(lo+rows, n))
	}
}

// Project writes the coefficients [n, Rows·b] of the densities p [n, v] on a basis [v, b] to dst, and returns the first
// row with a λ ln p that is not finite, or -1. Densities are finite and not negative.
func (w *Waves[T]) Project(dst, p, basis []T, n, v, b int) int {
	badRow, r := -1, w.Rows()
	w.blocks(n, v, func(values []T, lo, hi int) {
		bad := findBad(hi-lo, 1, func(i, _ int) (badRow int) {
			if w.values(values[i*r*v:(i+1)*r*v], p[(lo+i)*v:(lo+i+1)*v]) {
				return i
			}
			return -1
		})
		if bad >= 0 && badRow < 0 {
			badRow = lo + bad
		}
		Gemm(false, false, (hi-lo)*r, b, v, 1, values, v, basis, b, 0, dst[lo*r*b:], b)
	})
	return badRow
}

// Backward writes dp [n, v] and dλ from the gradient g [n, Rows·b] of the coefficients; dp is 0 where p is. What is nil
// is not computed.
func (w *Waves[T]) Backward(dp, dl, p, basis, g []T, n, v, b int) {
	r, m := w.Rows(), len(w.Lambda)
	sums := make([]float64, n*m)
	w.blocks(n, v, func(values []T, lo, hi int) {
		Gemm(false, true, (hi-lo)*r, v, b, 1, g[lo*r*b:], b, basis, b, 0, values, v)
		Share(hi-lo, 1, func(i, _ int) {
			var to []T
			if dp != nil {
				to = dp[(lo+i)*v : (lo+i+1)*v]
			}
			w.gradient(to, sums[(lo+i)*m:(lo+i+1)*m], p[(lo+i)*v:(lo+i+1)*v], values[i*r*v:(i+1)*r*v])
		})
	})
	totals(dl, sums)
}

// chunks calls f for chunks [lo, hi) of a density, of which ln p and √p are in the work space. Where p is 0 they are
// both 0.
func (w *Waves[T]) chunks(p []T, f func(ws *chunkSpace[T], lo, hi int)) {
	pool, ws := takeChunks[T]()
	defer pool.Put(ws)
	for lo := 0; lo < len(p); lo += chunk {
		hi := min(lo+chunk, len(p))
		part := p[lo:hi]
		x := ws.x[:len(part)]
		for i, u := range part {
			if u == 0 {
				u = 1
			}
			x[i] = u
		}
		vecLog(ws.phase[:len(x)], x, ws.zero[:])
		vecSqrt(ws.size[:len(x)], part)
		f(ws, lo, hi)
	}
}

// values writes the functions of a density to dst [Rows, v] and tells whether a phase is not finite.
func (w *Waves[T]) values(dst, p []T) (bad bool) {
	v := len(p)
	w.chunks(p, func(ws *chunkSpace[T], lo, hi int) {
		k := hi - lo
		angle, at := ws.angle[:k], dst[lo:]
		for j, l := range w.Lambda {
			vecMultiple(angle, ws.phase[:k], l)
			bad = ws.wave(angle, ws.size[:k], w.Root[j]) || bad
			if w.Even {
				copy(at[j*v:], ws.cos[:k])
				continue
			}
			copy(at[2*j*v:], ws.cos[:k])
			copy(at[(2*j+1)*v:], ws.sin[:k])
		}
	})
	return bad
}

// gradient writes dp of one density and adds to dλ, from the gradients g [Rows, v] of its functions: with c and s the
// cosine and sine of λ_j ln p,
//
//	dp = Σ_j r_j (½(g_c c + g_s s) + λ_j (g_s c - g_c s))/√p,   dλ_j = Σ r_j √p ln p (g_s c - g_c s).
func (w *Waves[T]) gradient(dp []T, dl []float64, p, g []T) {
	v := len(p)
	var sums [chunk]float64
	w.chunks(p, func(ws *chunkSpace[T], lo, hi int) {
		k := hi - lo
		sin, cos, phase, size := ws.sin[:k], ws.cos[:k], ws.phase[:k], ws.size[:k]
		clear(sums[:])
		for j, l := range w.Lambda {
			vecMultiple(cos, phase, l)
			vecSinCos(sin, cos, cos, 1)
			var gc, gs []T
			if w.Even {
				gc = g[j*v+lo:][:k]
			} else {
				gc, gs = g[2*j*v+lo:][:k], g[(2*j+1)*v+lo:][:k]
			}
			root, lambda, slope := float64(w.Root[j]), float64(l), 0.0
			for i, c := range gc {
				var d float64
				if gs != nil {
					d = float64(gs[i])
				}
				a, b := float64(cos[i]), float64(sin[i])
				cross := d*a - float64(c)*b
				sums[i] += root * ((float64(c)*a+d*b)/2 + lambda*cross)
				slope += cross * float64(size[i]) * float64(phase[i])
			}
			dl[j] += root * slope
		}
		if dp == nil {
			return
		}
		for i, s := range size {
			if dp[lo+i] = 0; s > 0 {
				dp[lo+i] = T(sums[i] / float64(s))
			}
		}
	})
}
