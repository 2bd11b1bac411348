//go:build !purego

package simd

// hadamardOf are the kernels of an instruction set, nil for plain Go.
func hadamardOf[T Float](i isa) *hadamardKernels[T] {
	if i == generic {
		return nil
	}
	var k any = &hadamard64[i-avx2]
	if _, single := any(T(0)).(float32); single {
		k = &hadamard32[i-avx2]
	}
	return k.(*hadamardKernels[T])
}

var hadamard32 = [...]hadamardKernels[float32]{{
	lanes: 8,
	head: []hadamardHead[float32]{leastHead: hadamardHead4AVX2F32,
		hadamardHead8AVX2F32},
	pass:   []hadamardPass[float32]{nil, hadamardPass2AVX2F32, hadamardPass4AVX2F32, hadamardPass8AVX2F32},
	mul:    hadamardMulAVX2F32,
	mulAdd: hadamardMulAddAVX2F32,
}, {
	lanes: 16,
	head: []hadamardHead[float32]{leastHead: hadamardHead4AVX512F32,
		hadamardHead8AVX512F32, hadamardHead16AVX512F32},
	pass: []hadamardPass[float32]{nil, hadamardPass2AVX512F32, hadamardPass4AVX512F32, hadamardPass8AVX512F32,
		hadamardPass16AVX512F32},
	mul:    hadamardMulAVX512F32,
	mulAdd: hadamardMulAddAVX512F32,
}}

var hadamard64 = [...]hadamardKernels[float64]{{
	lanes: 4,
	head: []hadamardHead[float64]{leastHead: hadamardHead4AVX2F64,
		hadamardHead8AVX2F64},
	pass:   []hadamardPass[float64]{nil, hadamardPass2AVX2F64, hadamardPass4AVX2F64, hadamardPass8AVX2F64},
	mul:    hadamardMulAVX2F64,
	mulAdd: hadamardMulAddAVX2F64,
}, {
	lanes: 8,
	head: []hadamardHead[float64]{leastHead: hadamardHead4AVX512F64,
		hadamardHead8AVX512F64, hadamardHead16AVX512F64},
	pass: []hadamardPass[float64]{nil, hadamardPass2AVX512F64, hadamardPass4AVX512F64, hadamardPass8AVX512F64,
		hadamardPass16AVX512F64},
	mul:    hadamardMulAVX512F64,
	mulAdd: hadamardMulAddAVX512F64,
}}
