//go:build !purego

package simd

//go:generate go -C _gen run ./fwht -out ../fwht_amd64.s -stubs ../fwht_stubs_amd64.go -pkg simd

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
	head: []hadamardHead[float32]{hadamardHead1_avx2_f32, hadamardHead2_avx2_f32, hadamardHead4_avx2_f32,
		hadamardHead8_avx2_f32},
	pass:   []hadamardPass[float32]{nil, hadamardPass2_avx2_f32, hadamardPass4_avx2_f32, hadamardPass8_avx2_f32},
	mul:    hadamardMul_avx2_f32,
	mulAdd: hadamardMulAdd_avx2_f32,
}, {
	lanes: 16,
	head: []hadamardHead[float32]{hadamardHead1_avx512_f32, hadamardHead2_avx512_f32, hadamardHead4_avx512_f32,
		hadamardHead8_avx512_f32, hadamardHead16_avx512_f32},
	pass: []hadamardPass[float32]{nil, hadamardPass2_avx512_f32, hadamardPass4_avx512_f32, hadamardPass8_avx512_f32,
		hadamardPass16_avx512_f32},
	mul:    hadamardMul_avx512_f32,
	mulAdd: hadamardMulAdd_avx512_f32,
}}

var hadamard64 = [...]hadamardKernels[float64]{{
	lanes: 4,
	head: []hadamardHead[float64]{hadamardHead1_avx2_f64, hadamardHead2_avx2_f64, hadamardHead4_avx2_f64,
		hadamardHead8_avx2_f64},
	pass:   []hadamardPass[float64]{nil, hadamardPass2_avx2_f64, hadamardPass4_avx2_f64, hadamardPass8_avx2_f64},
	mul:    hadamardMul_avx2_f64,
	mulAdd: hadamardMulAdd_avx2_f64,
}, {
	lanes: 8,
	head: []hadamardHead[float64]{hadamardHead1_avx512_f64, hadamardHead2_avx512_f64, hadamardHead4_avx512_f64,
		hadamardHead8_avx512_f64, hadamardHead16_avx512_f64},
	pass: []hadamardPass[float64]{nil, hadamardPass2_avx512_f64, hadamardPass4_avx512_f64, hadamardPass8_avx512_f64,
		hadamardPass16_avx512_f64},
	mul:    hadamardMul_avx512_f64,
	mulAdd: hadamardMulAdd_avx512_f64,
}}
