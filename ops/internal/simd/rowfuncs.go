package simd

// The epilogues of the maps on contiguous rows or parts of them: one pass over memory that a product has just written.

// cosRow writes scale·cos(p) to dst, which may be p, and tells whether an element of p was not finite.
func cosRow[T Float](dst, p []T, scale float64) (bad bool) { return vecCos(dst, p, scale) }

// pairRow takes projections in cos, writes scale·cos and scale·sin of them, and tells whether one was not finite.
func pairRow[T Float](cos, sin []T, scale float64) (bad bool) {
	return vecSinCos(sin[:len(cos)], cos, cos, scale)
}

// cosGradRow writes dP = -scale·sin(p)·g to dp, which may be p but not g.
func cosGradRow[T Float](dp, p, g []T, scale float64) {
	vecSin(dp, p, -scale)
	vecProduct(dp, dp, g, 1)
}

// expRow replaces projections p by scale·exp(-p).
func expRow[T Float](dst []T, scale float64) { vecExp(dst, dst, scale, -1) }

// logRow writes ln(x + c) to dst, which may be x; c has the length of x, or 1.
func logRow[T Float](dst, x, c []T) { vecLog(dst, x, c) }
