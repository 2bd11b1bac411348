//go:build !amd64 || purego

package simd

// best is generic: no other machine has kernels of its own yet.
func best() isa { return generic }
