// Command vec writes the vector functions of package simd, vec_amd64.s, vec_arm64.s and the Go declarations beside them, into a folder:
// cosine, sine, both, exponential, logarithm, square root, and pointwise products and sums, for float32 and float64, with AVX2 and
// FMA, with AVX-512, and with NEON.
//
//	go run -C _gen ./vec -dir ..
//
// The same source gives the same bytes. The coefficients (coef.go) come from coef.py.
package main

import (
	"github.com/bochner-go/bochner/ops/internal/simd/_gen/files"
	"github.com/mmcloughlin/avo/build"
)

func main() { files.Main("vec", functions, neonFunctions) }

func functions(c *build.Context) {
	masks(c)
	for _, f64 := range []bool{false, true} {
		circular := table(c, circularRows(f64), "circular", f64)
		exponential := table(c, expRows(f64), "exp", f64)
		logarithm := table(c, logRows(f64), "log", f64)
		for _, wide := range []bool{false, true} {
			of := func(t constants) *kernel { return &kernel{Context: c, f64: f64, wide: wide, rows: t} }
			of(circular).cos()
			of(circular).sin()
			of(circular).sinCos()
			of(exponential).exp()
			of(logarithm).log()
			of(nil).product()
			of(nil).sum()
			of(nil).pairGrad()
			of(nil).within()
			of(nil).sqrt()
			of(nil).multiple()
			if wide {
				of(nil).triples()
			}
		}
	}
}
