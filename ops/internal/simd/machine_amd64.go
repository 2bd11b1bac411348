//go:build !purego

package simd

import "golang.org/x/sys/cpu"

const (
	avx2   = generic + 1 + iota // AVX2 and FMA
	avx512                      // AVX-512 F, DQ, BW and VL
)

var names = [...]string{"generic", "avx2", "avx512"}

// best is the best instruction set of this machine, the operating system's support included.
func best() isa {
	switch x := cpu.X86; {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX2 && x.HasFMA:
		return avx512
	case x.HasAVX2 && x.HasFMA:
		return avx2
	}
	return generic
}

var machines32 = [...]machine[float32]{
	avx2: {[]*kernels[float32]{avx2x16},
		&vectors[float32]{cosAVX2F32, sinAVX2F32, sinCosAVX2F32, expAVX2F32, logAVX2F32,
			pointwise[float32]{productAVX2F32, sumAVX2F32, pairGradAVX2F32, withinAVX2F32,
				sqrtAVX2F32, multipleAVX2F32, adamAVX2F32, nil}},
		&hadamardKernels[float32]{8, 3, hadamardHeadAVX2F32, hadamardPassAVX2F32}},
	avx512: {[]*kernels[float32]{avx512x48, avx512x32},
		&vectors[float32]{cosAVX512F32, sinAVX512F32, sinCosAVX512F32, expAVX512F32, logAVX512F32,
			pointwise[float32]{productAVX512F32, sumAVX512F32, pairGradAVX512F32, withinAVX512F32,
				sqrtAVX512F32, multipleAVX512F32, adamAVX512F32, triplesAVX512F32}},
		&hadamardKernels[float32]{16, 4, hadamardHeadAVX512F32, hadamardPassAVX512F32}},
}

var machines64 = [...]machine[float64]{
	avx2: {[]*kernels[float64]{avx2x8},
		&vectors[float64]{cosAVX2F64, sinAVX2F64, sinCosAVX2F64, expAVX2F64, logAVX2F64,
			pointwise[float64]{productAVX2F64, sumAVX2F64, pairGradAVX2F64, withinAVX2F64,
				sqrtAVX2F64, multipleAVX2F64, nil, nil}},
		&hadamardKernels[float64]{4, 3, hadamardHeadAVX2F64, hadamardPassAVX2F64}},
	avx512: {[]*kernels[float64]{avx512x24},
		&vectors[float64]{cosAVX512F64, sinAVX512F64, sinCosAVX512F64, expAVX512F64, logAVX512F64,
			pointwise[float64]{productAVX512F64, sumAVX512F64, pairGradAVX512F64, withinAVX512F64,
				sqrtAVX512F64, multipleAVX512F64, nil, triplesAVX512F64}},
		&hadamardKernels[float64]{8, 4, hadamardHeadAVX512F64, hadamardPassAVX512F64}},
}

// The shares of the FMA peak are for full tiles with their operands in the first two caches, measured on a Xeon of
// 2024.
var (
	avx512x32 = newKernels(kernels[float32]{width: 32, share: .83, heights: []int{1, 2, 3, 4, 6, 12}, most: 4,
		pack: packF32AVX512x32, tile: gemmF32AVX512x32, row: csrF32AVX512x32, wide: addWideAVX512})
	avx512x48 = newKernels(kernels[float32]{width: 48, share: .86, heights: []int{1, 2, 3, 4, 5, 6, 7, 8}, most: 4,
		pack: packF32AVX512x48, tile: gemmF32AVX512x48, row: csrF32AVX512x48, wide: addWideAVX512})
	avx512x24 = newKernels(kernels[float64]{width: 24, share: .87, heights: []int{1, 2, 3, 4, 5, 6, 7, 8}, most: 4,
		pack: packF64AVX512x24, tile: gemmF64AVX512x24, row: csrF64AVX512x24})
	avx2x16 = newKernels(kernels[float32]{width: 16, share: .9, heights: []int{1, 2, 3, 4, 5, 6}, most: 4,
		pack: packF32AVX2x16, tile: gemmF32AVX2x16, row: csrF32AVX2x16, wide: addWideAVX2})
	avx2x8 = newKernels(kernels[float64]{width: 8, share: .9, heights: []int{1, 2, 3, 4, 5, 6}, most: 4,
		pack: packF64AVX2x8, tile: gemmF64AVX2x8, row: csrF64AVX2x8})
)

// fmaPeaks are loops of FMAs on registers, and the float32 operations of a round of them.
var fmaPeaks = [...]fmaPeak{avx2: {fmaPeakAVX2, 2 * 8 * 12}, avx512: {fmaPeakAVX512, 2 * 16 * 12}}
