//go:build !purego

package simd

import "unsafe"

// vectorsOf are the functions of the instruction set in use, or nil.
func vectorsOf[T Float]() *vectors[T] {
	if active == generic {
		return nil
	}
	var p unsafe.Pointer
	if unsafe.Sizeof(T(0)) == 4 {
		p = unsafe.Pointer(vectors32[active])
	} else {
		p = unsafe.Pointer(vectors64[active])
	}
	return (*vectors[T])(p)
}

var vectors32 = [...]*vectors[float32]{
	avx2: {cosAVX2F32, sinAVX2F32, sinCosAVX2F32, expAVX2F32, logAVX2F32,
		pointwise[float32]{productAVX2F32, sumAVX2F32, pairGradAVX2F32,
			withinAVX2F32, sqrtAVX2F32, multipleAVX2F32, nil}},
	avx512: {cosAVX512F32, sinAVX512F32, sinCosAVX512F32, expAVX512F32, logAVX512F32,
		pointwise[float32]{productAVX512F32, sumAVX512F32, pairGradAVX512F32,
			withinAVX512F32, sqrtAVX512F32, multipleAVX512F32, triplesAVX512F32}},
}

var vectors64 = [...]*vectors[float64]{
	avx2: {cosAVX2F64, sinAVX2F64, sinCosAVX2F64, expAVX2F64, logAVX2F64,
		pointwise[float64]{productAVX2F64, sumAVX2F64, pairGradAVX2F64,
			withinAVX2F64, sqrtAVX2F64, multipleAVX2F64, nil}},
	avx512: {cosAVX512F64, sinAVX512F64, sinCosAVX512F64, expAVX512F64, logAVX512F64,
		pointwise[float64]{productAVX512F64, sumAVX512F64, pairGradAVX512F64,
			withinAVX512F64, sqrtAVX512F64, multipleAVX512F64, triplesAVX512F64}},
}
