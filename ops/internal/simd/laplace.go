package simd

// Exp writes scale·exp(-xW) to dst [n,m]; x is [n,d]. A projection that overflows to +Inf gives the 0 that it should.
func Exp[T Float](dst, x []T, n int, w *Weights[T], scale float64) {
	w.forward(output[T]{dst: dst, ld: w.m, m: w.m, epilogue: expMap, scale: scale}, x, nil, nil, n)
}

// ExpGrad writes dP = -g·z, all [n,m], where z is the output of Exp.
func ExpGrad[T Float](dp, z, g []T, n, m int) {
	forTiles(n, func(lo, hi int) {
		vecProduct(dp[lo*m:hi*m], g[lo*m:hi*m], z[lo*m:hi*m], -1)
	})
}
