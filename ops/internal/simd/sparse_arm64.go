//go:build !purego

package simd

// The kernels of sparse rows, for the panels of the dense kernels.
var (
	csrF32NEONx16 = []rowFunc[float32]{csrF32NEONx16Panels1, csrF32NEONx16Panels2, csrF32NEONx16Panels3,
		csrF32NEONx16Panels4}
	csrF64NEONx8 = []rowFunc[float64]{csrF64NEONx8Panels1, csrF64NEONx8Panels2, csrF64NEONx8Panels3,
		csrF64NEONx8Panels4}
)
