//go:build !purego

package simd

// hadamardOf are the kernels of an instruction set, nil for plain Go.
func hadamardOf[T Float](isa) *hadamardKernels[T] { return nil }
