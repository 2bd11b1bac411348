package simd

// Exp writes scale·exp(-xW) to dst [n,m]; x is [n,d]. A projection that overflows to +Inf gives the 0 that it should.
func Exp[T Float](dst, x []T, n int, w *Weights[T], scale float64) {
	w.forward(output[T]{dst: dst, ld: w.m, m: w.m, epilogue: expMap, scale: scale}, x, nil, nil, n)
}

// ExpGrad writes dP = -g·z, all [n,m], where z is the output of Exp.
func ExpGrad[T Float](dp, z, g []T, n, m int) {
	to, zs, gs := matrix[T]{v: dp, ld: m}, matrix[T]{v: z, ld: m}, matrix[T]{v: g, ld: m}
	forTiles(n, func(lo, hi int) { expGrad(to, zs, gs, lo, hi, m) })
}

// expGrad is rows lo to hi of ExpGrad.
func expGrad[T Float](dp, z, g matrix[T], lo, hi, m int) {
	for i := lo; i < hi; i++ {
		vecProduct(dp.row(i, m), g.row(i, m), z.row(i, m), -1)
	}
}
