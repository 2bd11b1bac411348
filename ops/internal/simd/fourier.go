package simd

// Pair writes scale·[cos(xW) | sin(xW)] to dst [n,2m] and returns the first row whose projection is not finite, or -1.
// x is [n,d].
func Pair[T Float](dst, x []T, n int, w *Weights[T], scale float64) (badRow int) {
	return w.forward(output[T]{dst: dst, ld: 2 * w.m, m: w.m, epilogue: pairMap, scale: scale}, x, nil, nil, n)
}

// PairGrad writes dP [n,m] from the output z = scale·[cos|sin] and its gradient g, both [n,2m]:
// dP = g_sin·z_cos - g_cos·z_sin.
func PairGrad[T Float](dp, z, g []T, n, m int) {
	to, zs, gs := matrix[T]{v: dp, ld: m}, matrix[T]{v: z, ld: 2 * m}, matrix[T]{v: g, ld: 2 * m}
	forTiles(n, func(lo, hi int) { pairGrad(to, zs, gs, lo, hi, m, m) })
}

// pairGrad is rows lo to hi of PairGrad for m columns, of which the sines lie so far to the right of the cosines.
func pairGrad[T Float](dp, z, g matrix[T], lo, hi, m, right int) {
	for i := lo; i < hi; i++ {
		zi, gi := z.row(i, right+m), g.row(i, right+m)
		vecPairGrad(dp.row(i, m), zi[:m], zi[right:], gi[:m], gi[right:])
	}
}

// Cos writes scale·cos(p) to dst, both [n,m], and returns the first row of p that is not finite, or -1.
func Cos[T Float](dst, p []T, n, m int, scale float64) (badRow int) {
	bad := newFirstBad()
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if vecCos(dst[i*m:i*m+m], p[i*m:i*m+m], scale) {
				bad.report(i)
			}
		}
	})
	return bad.get()
}

// Phase writes scale·cos(xW + b) to dst [n,m] and returns the first row whose projection is not finite, or -1.
func Phase[T Float](dst, x, b []T, n int, w *Weights[T], scale float64) (badRow int) {
	return w.forward(output[T]{dst: dst, ld: w.m, m: w.m, epilogue: phaseMap, scale: scale}, x, nil, b, n)
}

// CosGrad writes dP = -scale·sin(p)·g, all [n,m]; dp may be p, not g.
func CosGrad[T Float](dp, p, g []T, n, m int, scale float64) {
	to, ps, gs := matrix[T]{v: dp, ld: m}, matrix[T]{v: p, ld: m}, matrix[T]{v: g, ld: m}
	forTiles(n, func(lo, hi int) { cosGrad(to, ps, gs, lo, hi, m, scale) })
}

// cosGrad is rows lo to hi of CosGrad.
func cosGrad[T Float](dp, p, g matrix[T], lo, hi, m int, scale float64) {
	for i := lo; i < hi; i++ {
		cosGradRow(dp.row(i, m), p.row(i, m), g.row(i, m), scale)
	}
}

// cosGradRow is a row of CosGrad.
func cosGradRow[T Float](dp, p, g []T, scale float64) {
	vecSin(dp, p, -scale)
	vecProduct(dp, dp, g, 1)
}
