package simd

// SkewedPair is Pair of ln(x + c), which is taken of a block of x on its way into the product: there is no matrix of
// logarithms. c has length d, or 1 for all columns.
func SkewedPair[T Float](dst, x, c []T, n int, w *Weights[T], scale float64) (badRow int) {
	return w.forward(output[T]{dst: dst, ld: 2 * w.m, m: w.m, epilogue: pairMap, scale: scale}, x, c, nil, n)
}

// SkewedPhase is Phase of ln(x + c).
func SkewedPhase[T Float](dst, x, c, b []T, n int, w *Weights[T], scale float64) (badRow int) {
	return w.forward(output[T]{dst: dst, ld: w.m, m: w.m, epilogue: phaseMap, scale: scale}, x, c, b, n)
}
