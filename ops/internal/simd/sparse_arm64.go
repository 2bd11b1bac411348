//go:build !purego

package simd

// The kernels of sparse rows, for the panels of the dense kernels.
var (
	csrF32NEONx16 []rowFunc[float32]
	csrF64NEONx8  []rowFunc[float64]
)
