//go:build !purego

package simd

// The shares of the FMA peak are for full tiles with their operands in the first two caches, measured on a Xeon of
// 2024.
var (
	avx512x32 = &kernels[float32]{32, .83, packF32AVX512x32, []tileFunc[float32]{
		gemmF32AVX512x32Rows1, gemmF32AVX512x32Rows2, gemmF32AVX512x32Rows3, gemmF32AVX512x32Rows4,
		gemmF32AVX512x32Rows5, gemmF32AVX512x32Rows6, gemmF32AVX512x32Rows7, gemmF32AVX512x32Rows8,
		gemmF32AVX512x32Rows9, gemmF32AVX512x32Rows10, gemmF32AVX512x32Rows11, gemmF32AVX512x32Rows12,
	}, []rowFunc[float32]{
		csrF32AVX512x32Panels1, csrF32AVX512x32Panels2, csrF32AVX512x32Panels3, csrF32AVX512x32Panels4,
	}, []wideFunc[float32]{
		wideF32AVX512x32Rows1, wideF32AVX512x32Rows2, wideF32AVX512x32Rows3, wideF32AVX512x32Rows4,
		wideF32AVX512x32Rows5, wideF32AVX512x32Rows6, wideF32AVX512x32Rows7, wideF32AVX512x32Rows8,
		wideF32AVX512x32Rows9, wideF32AVX512x32Rows10, wideF32AVX512x32Rows11, wideF32AVX512x32Rows12,
	}}
	avx512x48 = &kernels[float32]{48, .86, packF32AVX512x48, []tileFunc[float32]{
		gemmF32AVX512x48Rows1, gemmF32AVX512x48Rows2, gemmF32AVX512x48Rows3, gemmF32AVX512x48Rows4,
		gemmF32AVX512x48Rows5, gemmF32AVX512x48Rows6, gemmF32AVX512x48Rows7, gemmF32AVX512x48Rows8,
	}, []rowFunc[float32]{
		csrF32AVX512x48Panels1, csrF32AVX512x48Panels2, csrF32AVX512x48Panels3, csrF32AVX512x48Panels4,
	}, []wideFunc[float32]{
		wideF32AVX512x48Rows1, wideF32AVX512x48Rows2, wideF32AVX512x48Rows3, wideF32AVX512x48Rows4,
		wideF32AVX512x48Rows5, wideF32AVX512x48Rows6, wideF32AVX512x48Rows7, wideF32AVX512x48Rows8,
	}}
	avx512x24 = &kernels[float64]{24, .87, packF64AVX512x24, []tileFunc[float64]{
		gemmF64AVX512x24Rows1, gemmF64AVX512x24Rows2, gemmF64AVX512x24Rows3, gemmF64AVX512x24Rows4,
		gemmF64AVX512x24Rows5, gemmF64AVX512x24Rows6, gemmF64AVX512x24Rows7, gemmF64AVX512x24Rows8,
	}, []rowFunc[float64]{
		csrF64AVX512x24Panels1, csrF64AVX512x24Panels2, csrF64AVX512x24Panels3, csrF64AVX512x24Panels4,
	}, nil}
	avx2x16 = &kernels[float32]{16, .9, packF32AVX2x16, []tileFunc[float32]{
		gemmF32AVX2x16Rows1, gemmF32AVX2x16Rows2, gemmF32AVX2x16Rows3, gemmF32AVX2x16Rows4,
		gemmF32AVX2x16Rows5, gemmF32AVX2x16Rows6,
	}, []rowFunc[float32]{
		csrF32AVX2x16Panels1, csrF32AVX2x16Panels2, csrF32AVX2x16Panels3, csrF32AVX2x16Panels4,
	}, []wideFunc[float32]{
		wideF32AVX2x16Rows1, wideF32AVX2x16Rows2, wideF32AVX2x16Rows3, wideF32AVX2x16Rows4,
		wideF32AVX2x16Rows5, wideF32AVX2x16Rows6,
	}}
	avx2x8 = &kernels[float64]{8, .9, packF64AVX2x8, []tileFunc[float64]{
		gemmF64AVX2x8Rows1, gemmF64AVX2x8Rows2, gemmF64AVX2x8Rows3, gemmF64AVX2x8Rows4,
		gemmF64AVX2x8Rows5, gemmF64AVX2x8Rows6,
	}, []rowFunc[float64]{
		csrF64AVX2x8Panels1, csrF64AVX2x8Panels2, csrF64AVX2x8Panels3, csrF64AVX2x8Panels4,
	}, nil}
)

var (
	all32 = [...][]*kernels[float32]{nil, {avx2x16}, {avx512x48, avx512x32}}
	all64 = [...][]*kernels[float64]{nil, {avx2x8}, {avx512x24}}
)

func kernels32(i isa) []*kernels[float32] { return all32[i] }
func kernels64(i isa) []*kernels[float64] { return all64[i] }
