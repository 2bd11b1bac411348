// Command csr writes the kernels of sparse rows of package simd, csr_amd64.s and the Go declarations beside it, into a folder.
//
//	go run -C _gen ./csr -dir ..
package main

import (
	"github.com/bochner-go/bochner/ops/internal/simd/_gen/files"
	"github.com/mmcloughlin/avo/build"
)

// kernels have the panels of the dense kernels (_gen/gemm), because they read the same packed matrices.
var kernels = []kernel{
	{isa: "AVX512", bytes: 64, elem: 4, vecs: 2},
	{isa: "AVX512", bytes: 64, elem: 4, vecs: 3},
	{isa: "AVX512", bytes: 64, elem: 8, vecs: 3},
	{isa: "AVX2", bytes: 32, elem: 4, vecs: 2},
	{isa: "AVX2", bytes: 32, elem: 8, vecs: 2},
}

func main() {
	files.Main("csr", func(c *build.Context) {
		for _, k := range kernels {
			for _, panels := range []int{4, 2, 1} {
				k.row(c, panels)
			}
		}
		prefetch(c)
	}, nil)
}
