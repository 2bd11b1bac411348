//go:build !purego

package simd

// There is one kernel for each type: its share of the FMA peak decides nothing.
var (
	neonx16 = []*kernels[float32]{{16, 1, packF32NEONx16, []tileFunc[float32]{
		gemmF32NEONx16Rows1, gemmF32NEONx16Rows2, gemmF32NEONx16Rows3, gemmF32NEONx16Rows4,
		gemmF32NEONx16Rows5, gemmF32NEONx16Rows6,
	}, csrF32NEONx16, []wideFunc[float32]{
		wideF32NEONx16Rows1, wideF32NEONx16Rows2, wideF32NEONx16Rows3, wideF32NEONx16Rows4,
		wideF32NEONx16Rows5, wideF32NEONx16Rows6,
	}}}
	neonx8 = []*kernels[float64]{{8, 1, packF64NEONx8, []tileFunc[float64]{
		gemmF64NEONx8Rows1, gemmF64NEONx8Rows2, gemmF64NEONx8Rows3, gemmF64NEONx8Rows4,
		gemmF64NEONx8Rows5, gemmF64NEONx8Rows6,
	}, csrF64NEONx8, nil}}
)

var (
	all32 = [...][]*kernels[float32]{nil, neon: neonx16}
	all64 = [...][]*kernels[float64]{nil, neon: neonx8}
)

func kernels32(i isa) []*kernels[float32] { return all32[i] }
func kernels64(i isa) []*kernels[float64] { return all64[i] }
