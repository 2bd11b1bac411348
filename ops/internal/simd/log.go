package simd

// LogShift writes ln(x + c) to dst [n,d]; c has length d, or 1 for all columns.
func LogShift[T Float](dst, x, c []T, n, d int) {
	forTiles(n, func(lo, hi int) { logRows(dst[lo*d:hi*d], x[lo*d:hi*d], c, d) })
}

// logRows is LogShift in this goroutine.
func logRows[T Float](dst, x, c []T, d int) {
	if len(c) == 1 {
		vecLog(dst, x, c)
		return
	}
	for i := 0; i < len(x); i += d {
		vecLog(dst[i:i+d], x[i:i+d], c)
	}
}

// LogShiftGrad writes dx = g/(x + c) to dst [n,d].
func LogShiftGrad[T Float](dst, x, c, g []T, n, d int) {
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j := range d {
				dst[i*d+j] = T(float64(g[i*d+j]) / (float64(x[i*d+j]) + float64(c[min(j, len(c)-1)])))
			}
		}
	})
}
