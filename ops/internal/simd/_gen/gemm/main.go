// Command gemm writes the product kernels of package simd, gemm_amd64.s, gemm_arm64.s and the Go declarations beside
// them, into a folder.
//
//	go run -C _gen ./gemm -dir ..
//
// The same source gives the same bytes: nothing of the machine, the folder or the command line enters the files.
package main

import (
	"github.com/bochner-go/bochner/ops/internal/simd/_gen/files"
	"github.com/mmcloughlin/avo/build"
)

// kernels are the register tiles: a full one, and lower ones of which a block of rows is composed without reading a row
// outside the matrix. Of these there are as many as it takes to keep the multipliers as busy with two tiles as with one of
// as many rows.
var kernels = []kernel{
	{isa: "AVX512", bytes: 64, elem: 4, heights: []int{12, 6, 5, 4, 3, 2, 1}, vecs: 2},
	{isa: "AVX512", bytes: 64, elem: 4, heights: []int{8, 4, 3, 2, 1}, vecs: 3},
	{isa: "AVX512", bytes: 64, elem: 8, heights: []int{8, 4, 3, 2, 1}, vecs: 3},
	{isa: "AVX2", bytes: 32, elem: 4, heights: []int{6, 5, 4, 3, 2, 1}, vecs: 2},
	{isa: "AVX2", bytes: 32, elem: 8, heights: []int{6, 5, 4, 3, 2, 1}, vecs: 2},
}

func main() {
	files.Main("gemm", func(c *build.Context) {
		for _, k := range kernels {
			for _, rows := range k.heights {
				k.tile(c, rows)
			}
			k.pack(c)
		}
		for _, k := range []kernel{kernels[0], kernels[3]} {
			k.addWide(c)
			k.peak(c)
		}
	}, neon)
}
