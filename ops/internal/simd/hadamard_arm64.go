//go:build !purego

package simd

// hadamardOf are the kernels of an instruction set, nil for plain Go.
func hadamardOf[T Float](i isa) *hadamardKernels[T] {
	if i == generic {
		return nil
	}
	var k any = &neonHadamard64
	if _, single := any(T(0)).(float32); single {
		k = &neonHadamard32
	}
	return k.(*hadamardKernels[T])
}

var neonHadamard32 = hadamardKernels[float32]{
	lanes: 4,
	head: []hadamardHead[float32]{hadamardHead1_neon_f32, hadamardHead2_neon_f32, hadamardHead4_neon_f32,
		hadamardHead8_neon_f32, hadamardHead16_neon_f32},
	scaled: []hadamardScaled[float32]{hadamardScaledHead1_neon_f32, hadamardScaledHead2_neon_f32,
		hadamardScaledHead4_neon_f32, hadamardScaledHead8_neon_f32, hadamardScaledHead16_neon_f32},
	pass: []hadamardPass[float32]{nil, hadamardPass2_neon_f32, hadamardPass4_neon_f32, hadamardPass8_neon_f32,
		hadamardPass16_neon_f32},
	mul:    hadamardMul_neon_f32,
	mulAdd: hadamardMulAdd_neon_f32,
}

var neonHadamard64 = hadamardKernels[float64]{
	lanes: 2,
	head: []hadamardHead[float64]{hadamardHead1_neon_f64, hadamardHead2_neon_f64, hadamardHead4_neon_f64,
		hadamardHead8_neon_f64, hadamardHead16_neon_f64},
	scaled: []hadamardScaled[float64]{hadamardScaledHead1_neon_f64, hadamardScaledHead2_neon_f64,
		hadamardScaledHead4_neon_f64, hadamardScaledHead8_neon_f64, hadamardScaledHead16_neon_f64},
	pass: []hadamardPass[float64]{nil, hadamardPass2_neon_f64, hadamardPass4_neon_f64, hadamardPass8_neon_f64,
		hadamardPass16_neon_f64},
	mul:    hadamardMul_neon_f64,
	mulAdd: hadamardMulAdd_neon_f64,
}
