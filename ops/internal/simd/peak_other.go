//go:build (!amd64 && !arm64) || purego

package simd

func fmaPeak(isa) (loop func(rounds int), operations int) { return nil, 0 }
