//go:build !amd64 || purego

package simd

// hadamardOf is nil, for plain Go.
func hadamardOf[T Float](isa) *hadamardKernels[T] { return nil }
