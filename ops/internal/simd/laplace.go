package simd

// Exp writes scale·exp(-xW) to dst [n,m]; x is [n,d]. A projection that overflows to +Inf gives the 0 that it should.
func Exp[T Float](dst, x []T, n int, w *Weights[T], scale float64) {
	w.forward(output[T]{dst: dst, ld: w.m, m: w.m, epilogue: expMap, scale: scale}, x, nil, nil, n)
}

// ExpGrad writes dP = -g·z, all [n,m], where z is the output of Exp.
func ExpGrad[T Float](dp, z, g []T, n, m int) { expGrad(matrix[T]{v: dp, ld: m}, z, g, n, m) }

func expGrad[T Float](dp matrix[T], z, g []T, n, m int) {
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			vecProduct(dp.row(i, m), g[i*m:i*m+m], z[i*m:i*m+m], -1)
		}
	})
}
