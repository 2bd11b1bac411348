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

// kernels are the register tiles. Every height up to the full one is a kernel of its own, so that a block of rows splits into
// tiles of almost equal height and no row outside the matrix is read.
var kernels = []kernel{
	{isa: "AVX512", bytes: 64, elem: 4, height: 12, vecs: 2},
	{isa: "AVX512", bytes: 64, elem: 4, height: 8, vecs: 3},
	{isa: "AVX512", bytes: 64, elem: 8, height: 8, vecs: 3},
	{isa: "AVX2", bytes: 32, elem: 4, height: 6, vecs: 2},
	{isa: "AVX2", bytes: 32, elem: 8, height: 6, vecs: 2},
}

func main() {
	files.Main("gemm", func(c *build.Context) {
		for _, k := range kernels {
			for rows := 1; rows <= k.height; rows++ {
				k.tile(c, rows)
				if k.elem == 4 {
					k.wide(c, rows)
				}
			}
			k.pack(c)
		}
		for _, k := range []kernel{kernels[0], kernels[3]} {
			k.peak(c)
		}
	}, neon)
}
