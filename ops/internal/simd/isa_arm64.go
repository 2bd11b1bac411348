//go:build !purego

package simd

const neon = generic + 1 // with FMA, as every arm64 has it

var names = [...]string{"generic", "neon"}

// best is NEON: no arm64 that Go runs on lacks it.
func best() isa { return neon }
