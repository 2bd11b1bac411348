//go:build !purego

package simd

// The shares of the FMA peak are for full tiles with their operands in the first two caches, measured on a Xeon of
// 2024.
var (
	avx512x32 = newKernels(kernels[float32]{width: 32, share: .83, pack: packF32AVX512x32, tile: []tileFunc[float32]{
		1: gemmF32AVX512x32Rows1, 2: gemmF32AVX512x32Rows2, 3: gemmF32AVX512x32Rows3,
		4: gemmF32AVX512x32Rows4, 6: gemmF32AVX512x32Rows6, 12: gemmF32AVX512x32Rows12,
	}, row: []rowFunc[float32]{1: csrF32AVX512x32Panels1, 2: csrF32AVX512x32Panels2,
		4: csrF32AVX512x32Panels4}, wide: addWideAVX512})
	avx512x48 = newKernels(kernels[float32]{width: 48, share: .86, pack: packF32AVX512x48, tile: []tileFunc[float32]{
		1: gemmF32AVX512x48Rows1, 2: gemmF32AVX512x48Rows2, 3: gemmF32AVX512x48Rows3,
		4: gemmF32AVX512x48Rows4, 5: gemmF32AVX512x48Rows5, 6: gemmF32AVX512x48Rows6,
		7: gemmF32AVX512x48Rows7, 8: gemmF32AVX512x48Rows8,
	}, row: []rowFunc[float32]{1: csrF32AVX512x48Panels1, 2: csrF32AVX512x48Panels2,
		4: csrF32AVX512x48Panels4}, wide: addWideAVX512})
	avx512x24 = newKernels(kernels[float64]{width: 24, share: .87, pack: packF64AVX512x24, tile: []tileFunc[float64]{
		1: gemmF64AVX512x24Rows1, 2: gemmF64AVX512x24Rows2, 3: gemmF64AVX512x24Rows3,
		4: gemmF64AVX512x24Rows4, 5: gemmF64AVX512x24Rows5, 6: gemmF64AVX512x24Rows6,
		7: gemmF64AVX512x24Rows7, 8: gemmF64AVX512x24Rows8,
	}, row: []rowFunc[float64]{1: csrF64AVX512x24Panels1, 2: csrF64AVX512x24Panels2, 4: csrF64AVX512x24Panels4}})
	avx2x16 = newKernels(kernels[float32]{width: 16, share: .9, pack: packF32AVX2x16, tile: []tileFunc[float32]{
		1: gemmF32AVX2x16Rows1, 2: gemmF32AVX2x16Rows2, 3: gemmF32AVX2x16Rows3, 4: gemmF32AVX2x16Rows4,
		5: gemmF32AVX2x16Rows5, 6: gemmF32AVX2x16Rows6,
	}, row: []rowFunc[float32]{1: csrF32AVX2x16Panels1, 2: csrF32AVX2x16Panels2, 4: csrF32AVX2x16Panels4},
		wide: addWideAVX2})
	avx2x8 = newKernels(kernels[float64]{width: 8, share: .9, pack: packF64AVX2x8, tile: []tileFunc[float64]{
		1: gemmF64AVX2x8Rows1, 2: gemmF64AVX2x8Rows2, 3: gemmF64AVX2x8Rows3, 4: gemmF64AVX2x8Rows4,
		5: gemmF64AVX2x8Rows5, 6: gemmF64AVX2x8Rows6,
	}, row: []rowFunc[float64]{1: csrF64AVX2x8Panels1, 2: csrF64AVX2x8Panels2, 4: csrF64AVX2x8Panels4}})
)

var (
	all32 = [...][]*kernels[float32]{nil, {avx2x16}, {avx512x48, avx512x32}}
	all64 = [...][]*kernels[float64]{nil, {avx2x8}, {avx512x24}}
)

func kernels32(i isa) []*kernels[float32] { return all32[i] }
func kernels64(i isa) []*kernels[float64] { return all64[i] }
