//go:build !purego

package simd

// vectorsOf are the functions of the instruction set in use, or nil.
func vectorsOf[T Float]() *vectors[T] { return nil }
