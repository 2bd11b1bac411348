//go:build !purego

package simd

// fmaPeak is a loop of FMAs on registers, and the float32 operations of a round of it.
func fmaPeak(i isa) (loop func(rounds int), operations int) {
	const chains = 12
	switch i {
	case avx512:
		return fmaPeakAVX512, 2 * 16 * chains
	case avx2:
		return fmaPeakAVX2, 2 * 8 * chains
	}
	return nil, 0
}
