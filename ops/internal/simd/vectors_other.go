//go:build (!amd64 && !arm64) || purego

package simd

// vectorsOf is nil: only package math has the functions.
func vectorsOf[T Float]() *vectors[T] { return nil }
