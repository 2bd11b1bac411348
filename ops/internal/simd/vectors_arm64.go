//go:build !purego

package simd

import "unsafe"

// vectorsOf are the functions of the instruction set in use, or nil.
func vectorsOf[T Float]() *vectors[T] {
	if active == generic {
		return nil
	}
	p := unsafe.Pointer(&neonVectors64)
	if unsafe.Sizeof(T(0)) == 4 {
		p = unsafe.Pointer(&neonVectors32)
	}
	return (*vectors[T])(p)
}

var neonVectors32 = vectors[float32]{cosNEONF32, sinNEONF32, sinCosNEONF32, expNEONF32, logScalarNEONF32,
	logVectorNEONF32, productNEONF32, sumNEONF32, pairGradNEONF32, withinNEONF32, sqrtNEONF32, multipleNEONF32,
	triplesNEONF32}

var neonVectors64 = vectors[float64]{cosNEONF64, sinNEONF64, sinCosNEONF64, expNEONF64, logScalarNEONF64,
	logVectorNEONF64, productNEONF64, sumNEONF64, pairGradNEONF64, withinNEONF64, sqrtNEONF64, multipleNEONF64,
	triplesNEONF64}
