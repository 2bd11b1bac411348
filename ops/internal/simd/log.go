package simd

// LogShift writes ln(x + c) to dst [n,d]; c has length d, or 1 for all columns.
func LogShift[T Float](dst, x, c []T, n, d int) {
	forTiles(n, func(lo, hi int) {
		if len(c) == 1 {
			logRow(dst[lo*d:hi*d], x[lo*d:hi*d], c)
			return
		}
		for i := lo; i < hi; i++ {
			logRow(dst[i*d:i*d+d], x[i*d:i*d+d], c)
		}
	})
}

// LogShiftGrad writes dx = g/(x + c) to dst [n,d].
func LogShiftGrad[T Float](dst, x, c, g []T, n, d int) {
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j := range d {
				cj := c[0]
				if len(c) > 1 {
					cj = c[j]
				}
				dst[i*d+j] = T(float64(g[i*d+j]) / (float64(x[i*d+j]) + float64(cj)))
			}
		}
	})
}
