//go:build !purego

package simd

import "unsafe"

const neon = generic + 1 // with FMA, as every arm64 has it

var names = [...]string{"generic", "neon"}

// best is NEON: no arm64 that Go runs on lacks it.
func best() isa { return neon }

var machines32 = [...]machine[float32]{neon: {kernels: neonx16, vectors: &vectors[float32]{
	cos: cosNEONF32, sin: sinNEONF32, sinCos: sinCosNEONF32, exp: expNEONF32, log: logNEONF32}}}

var machines64 = [...]machine[float64]{neon: {kernels: neonx8, vectors: &vectors[float64]{
	cos: cosNEONF64, sin: sinNEONF64, sinCos: sinCosNEONF64, exp: expNEONF64, log: logNEONF64}}}

// There is one kernel for each type: its share of the FMA peak decides nothing.
var (
	neonx16 = neonKernels(16, packF32NEONx16, gemmF32NEONx16)
	neonx8  = neonKernels(8, packF64NEONx8, gemmF64NEONx8)
)

// neonKernels are tiles, and for the rest functions in Go.
func neonKernels[T Float](width int, pack packFunc[T], tile tileFunc[T]) []*kernels[T] {
	return []*kernels[T]{newKernels(kernels[T]{width: width, share: 1, heights: []int{1, 2, 3, 4, 5, 6}, most: 1,
		pack: pack, tile: tile, row: gatheredRow(width, tile), wide: addWide})}
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
	return func(_, k int, at *int32, x, b *T, rs, _ int, c, from *T) {
		pool, buf := takeShared[T](max(1, k*width))
		for t, row := range unsafe.Slice(at, k) {
			copy((*buf)[t*width:][:width], unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(b), int(row)*rs*sizeof[T]())), width))
		}
		tile(1, k, x, 0, 1, &(*buf)[0], 1, c, width, from, 0)
		pool.Put(buf)
	}
}

// fmaPeaks is a loop of FMAs on registers, and the float32 operations of a round of it.
var fmaPeaks = [...]fmaPeak{neon: {fmaPeakNEON, 2 * 4 * 24}}
