//go:build !purego

package simd

import "unsafe"

// There is one kernel for each type: its share of the FMA peak decides nothing.
var (
	neonx16 = neonKernels(16, packF32NEONx16, []tileFunc[float32]{1: gemmF32NEONx16Rows1, 2: gemmF32NEONx16Rows2,
		3: gemmF32NEONx16Rows3, 4: gemmF32NEONx16Rows4, 5: gemmF32NEONx16Rows5, 6: gemmF32NEONx16Rows6})
	neonx8 = neonKernels(8, packF64NEONx8, []tileFunc[float64]{1: gemmF64NEONx8Rows1, 2: gemmF64NEONx8Rows2,
		3: gemmF64NEONx8Rows3, 4: gemmF64NEONx8Rows4, 5: gemmF64NEONx8Rows5, 6: gemmF64NEONx8Rows6})
)

// neonKernels are tiles, and for the rest functions in Go.
func neonKernels[T Float](width int, pack packFunc[T], tile []tileFunc[T]) []*kernels[T] {
	return []*kernels[T]{newKernels(kernels[T]{width: width, share: 1, pack: pack, tile: tile, wide: addWide,
		row: []rowFunc[T]{1: gatheredRow(width, tile[1])}})}
}

// addWide is a wideFunc.
func addWide(rows, width int, tile *float32, c *float64, ldc int) {
	from, to := unsafe.Slice(tile, rows*width), unsafe.Slice(c, (rows-1)*ldc+width)
	for r := range rows {
		row := to[r*ldc:][:width]
		for j, v := range from[r*width:][:width] {
			row[j] += float64(v)
		}
	}
}

// gatheredRow is a kernel for one sparse row and one panel: it copies the rows of B that have an entry, one after
// another, and multiplies them by the tile of one row.
func gatheredRow[T Float](width int, tile tileFunc[T]) rowFunc[T] {
	return func(k int, at *int32, x, b *T, rs, _ int, c, from *T) {
		pool := &poolsOf[T]().gathered
		buf := take[[]T](pool)
		*buf = grow(*buf, max(1, k*width))
		for t, row := range unsafe.Slice(at, k) {
			copy((*buf)[t*width:][:width], unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(b), int(row)*rs*sizeof[T]())), width))
		}
		tile(k, x, 0, 1, &(*buf)[0], 1, c, width, from, 0)
		pool.Put(buf)
	}
}

var (
	all32 = [...][]*kernels[float32]{nil, neon: neonx16}
	all64 = [...][]*kernels[float64]{nil, neon: neonx8}
)

func kernels32(i isa) []*kernels[float32] { return all32[i] }
func kernels64(i isa) []*kernels[float64] { return all64[i] }
