//go:build (!amd64 && !arm64) || purego

package simd

func kernels32(isa) []*kernels[float32] { return nil }
func kernels64(isa) []*kernels[float64] { return nil }

func prefetch(*byte, int) {}
