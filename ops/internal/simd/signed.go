package simd

// A map of several blocks of pairs is, for directions U [d,q] and norms [blocks,m],
//
//	z = [scale_b·cos(p_b) | scale_b·sin(p_b)] for each block b,   p_b = norms_b ∘ (x·U_b),
//
// where each block has m columns U_b of its own, q = blocks·m, or all have the same, q = m < blocks·m. Rows of z are
// blocks·2m long.

// blocks is the epilogue of shared directions. The first block comes last, over the projections.
func (o *output[T]) blocks(row []T, lo, hi int) (bad bool) {
	p := row[lo:hi]
	for b := len(o.scales) - 1; b >= 0; b-- {
		at := 2 * b * o.m
		cos, sin := row[at+lo:at+hi], row[at+o.m+lo:at+o.m+hi]
		vecProduct(cos, p, o.norms[b*o.m+lo:b*o.m+hi], 1)
		bad = vecSinCos(sin, cos, cos, o.scales[b]) || bad
	}
	return bad
}

// SharedPairs writes the map of blocks with shared directions w [d,m], of dense rows x [n,d] or, where x is nil, sparse
// ones plus a bias [m] that may be nil, to dst, and returns the first row whose projections are not finite, or -1.
func SharedPairs[T Float](dst, x []T, n int, sparse *CSR[T], bias []T, w *Weights[T], norms []T,
	scales []float64) (badRow int) {
	out := output[T]{dst: dst, ld: 2 * len(scales) * w.m, m: w.m, epilogue: blocksMap, norms: norms, scales: scales}
	if sparse != nil {
		return w.forwardCSR(out, *sparse, bias)
	}
	return w.forward(out, x, nil, nil, n)
}

// PairBlock writes one block of a map whose blocks have directions of their own: scale·[cos(xW) | sin(xW)] to dst, in
// rows that are ld apart. The input is as for SharedPairs.
func PairBlock[T Float](dst []T, ld int, x []T, n int, sparse *CSR[T], bias []T, w *Weights[T],
	scale float64) (badRow int) {
	out := output[T]{dst: dst, ld: ld, m: w.m, epilogue: pairMap, scale: scale}
	if sparse != nil {
		return w.forwardCSR(out, *sparse, bias)
	}
	return w.forward(out, x, nil, nil, n)
}

// BlocksGrad writes dP [n,q], the gradient of the projections x·U, from the output z of such a map and its gradient g,
// or with nil norms the gradients of the p_b side by side, [n,blocks·m].
func BlocksGrad[T Float](dp, z, g, norms []T, n, m, blocks, q int) {
	ld := blocks * 2 * m
	to, zs, gs := matrix[T]{v: dp, ld: q}, matrix[T]{v: z, ld: ld}, matrix[T]{v: g, ld: ld}
	forTiles(n, func(lo, hi int) { blocksGrad(to, zs, gs, norms, lo, hi, m, blocks, q == blocks*m, 0, q) })
}

// blocksGrad is rows lo to hi of BlocksGrad for columns from to to-1 of dP; apart, each block has columns of its own.
func blocksGrad[T Float](dp, z, g matrix[T], norms []T, lo, hi, m, blocks int, apart bool, from, to int) {
	one := make([]T, m)
	for i := lo; i < hi; i++ {
		for b := range blocks {
			first := 0 // column of dP of the block
			if apart {
				first = b * m
			}
			j0, j1 := max(from-first, 0), min(to-first, m)
			if j0 >= j1 {
				continue
			}
			row := dp.row(i, to-from)[first+j0-from : first+j1-from]
			p := row
			if !apart && b > 0 {
				p = one[:j1-j0]
			}
			zb, gb := z.row(i, z.ld)[b*2*m:], g.row(i, g.ld)[b*2*m:]
			vecPairGrad(p, zb[j0:j1], zb[m+j0:m+j1], gb[j0:j1], gb[m+j0:m+j1])
			if norms != nil {
				vecProduct(p, p, norms[b*m+j0:b*m+j1], 1)
			}
			if !apart && b > 0 {
				vecAdd(row, p)
			}
		}
	}
}

// BlocksBackward is the backward of such a map for x and U, w, or for the products xᵀ·dp of the blocks side by side
// where norms is nil: then to.DX must be nil and w only says how wide they are.
func (w *Weights[T]) BlocksBackward(to Gradients[T], x, z, g, norms []T, n, m, blocks int) {
	ld := blocks * 2 * m
	w.backward(to, x, n, func(dp matrix[T], lo, hi int, c *columns[T]) {
		z, g := matrix[T]{v: z[lo*ld:], ld: ld}, matrix[T]{v: g[lo*ld:], ld: ld}
		c.rows(hi-lo, func(lo, hi int) {
			blocksGrad(dp, z, g, norms, lo, hi, m, blocks, w.m == blocks*m, c.from, c.to)
		})
	})
}

// Wide is a W of which nothing is known but its size, for BlocksBackward.
func Wide[T Float](d, m int) *Weights[T] { return &Weights[T]{d: d, m: m, isa: active} }
