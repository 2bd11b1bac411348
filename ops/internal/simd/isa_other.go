//go:build (!amd64 && !arm64) || purego

package simd

var names = [...]string{"generic"}

// best is generic: no other machine has kernels of its own yet.
func best() isa { return generic }
