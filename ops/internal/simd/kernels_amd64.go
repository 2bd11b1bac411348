//go:build !purego

package simd

var (
	avx512x32 = &kernels[float32]{32, packF32AVX512, []tileFunc[float32]{
		gemmF32AVX512Rows1, gemmF32AVX512Rows2, gemmF32AVX512Rows3, gemmF32AVX512Rows4, gemmF32AVX512Rows5, gemmF32AVX512Rows6,
		gemmF32AVX512Rows7, gemmF32AVX512Rows8, gemmF32AVX512Rows9, gemmF32AVX512Rows10, gemmF32AVX512Rows11, gemmF32AVX512Rows12,
	}, []rowFunc[float32]{csrF32AVX512Panels1, csrF32AVX512Panels2, csrF32AVX512Panels3, csrF32AVX512Panels4}, prefetch}
	avx512x64 = &kernels[float64]{24, packF64AVX512, []tileFunc[float64]{
		gemmF64AVX512Rows1, gemmF64AVX512Rows2, gemmF64AVX512Rows3, gemmF64AVX512Rows4,
		gemmF64AVX512Rows5, gemmF64AVX512Rows6, gemmF64AVX512Rows7, gemmF64AVX512Rows8,
	}, []rowFunc[float64]{csrF64AVX512Panels1, csrF64AVX512Panels2, csrF64AVX512Panels3, csrF64AVX512Panels4}, prefetch}
	avx2x32 = &kernels[float32]{16, packF32AVX2, []tileFunc[float32]{
		gemmF32AVX2Rows1, gemmF32AVX2Rows2, gemmF32AVX2Rows3, gemmF32AVX2Rows4, gemmF32AVX2Rows5, gemmF32AVX2Rows6,
	}, []rowFunc[float32]{csrF32AVX2Panels1, csrF32AVX2Panels2, csrF32AVX2Panels3, csrF32AVX2Panels4}, prefetch}
	avx2x64 = &kernels[float64]{8, packF64AVX2, []tileFunc[float64]{
		gemmF64AVX2Rows1, gemmF64AVX2Rows2, gemmF64AVX2Rows3, gemmF64AVX2Rows4, gemmF64AVX2Rows5, gemmF64AVX2Rows6,
	}, []rowFunc[float64]{csrF64AVX2Panels1, csrF64AVX2Panels2, csrF64AVX2Panels3, csrF64AVX2Panels4}, prefetch}
)

func kernels32(i isa) *kernels[float32] { return [...]*kernels[float32]{nil, avx2x32, avx512x32}[i] }
func kernels64(i isa) *kernels[float64] { return [...]*kernels[float64]{nil, avx2x64, avx512x64}[i] }
