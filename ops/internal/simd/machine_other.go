//go:build (!amd64 && !arm64) || purego

package simd

var names = [...]string{"generic"}

// best is generic: no other machine has kernels of its own yet.
func best() isa { return generic }

var (
	machines32 [1]machine[float32]
	machines64 [1]machine[float64]
	fmaPeaks   [1]fmaPeak
)

func prefetch(uintptr, int) {}
