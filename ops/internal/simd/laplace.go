package simd

// Exp writes scale·exp(-xW) to dst [n,m]; x is [n,d]. A projection that overflows to +Inf gives the 0 that it should.
func Exp[T Float](dst, x []T, n int, w *Weights[T], scale float64) {
	w.forward(output[T]{dst: dst, ld: w.m, m: w.m, epilogue: expMap, scale: scale}, x, nil, nil, n)
}

// ExpGrad writes dP = -g·z, all [n,m], where z is the output of Exp.
func ExpGrad[T Float](dp, z, g []T, n, m int) {
	expGrad(matrix[T]{v: dp, ld: m}, matrix[T]{v: z, ld: m}, matrix[T]{v: g, ld: m}, n, m)
}

func expGrad[T Float](dp, z, g matrix[T], n, m int) {
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			vecProduct(dp.row(i, m), g.row(i, m), z.row(i, m), -1)
		}
	})
}
