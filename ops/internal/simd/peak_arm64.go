//go:build !purego

package simd

func fmaPeak(isa) (loop func(rounds int), operations int) { return nil, 0 }
