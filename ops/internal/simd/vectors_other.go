//go:build !amd64 || purego

package simd

// vectorsOf is nil: there are no functions but those of package math.
func vectorsOf[T Float]() *vectors[T] { return nil }
