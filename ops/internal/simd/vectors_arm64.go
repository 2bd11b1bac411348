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

var neonVectors32 = vectors[float32]{cos: cosNEONF32, sin: sinNEONF32, sinCos: sinCosNEONF32, exp: expNEONF32,
	log: logNEONF32}

var neonVectors64 = vectors[float64]{cos: cosNEONF64, sin: sinNEONF64, sinCos: sinCosNEONF64, exp: expNEONF64,
	log: logNEONF64}
