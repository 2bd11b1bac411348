//go:build !purego

package simd

// fmaPeak is a loop of FMAs on registers, and the float32 operations of a round of it.
func fmaPeak(i isa) (loop func(rounds int), operations int) {
	const chains = 24
	if i == neon {
		return fmaPeakNEON, 2 * 4 * chains
	}
	return nil, 0
}
