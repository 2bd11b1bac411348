package main

import "github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"

// line is the least cache line of the machines that run this.
const line = 64

// prefetch asks for memory that the second-level cache should hold soon.
func prefetch(f *arm64.File) {
	fn := f.Func("prefetch", "func(p *byte, lines int)",
		"prefetch asks for so many lines of cache from p on, into the second level.")
	p, lines := fn.LoadArg("p"), fn.LoadArg("lines")
	fn.Label("next")
	fn.Op("PRFM", arm64.Mem{Base: p}, arm64.Place("PLDL2KEEP"))
	fn.Op("ADD", arm64.Imm(line), p)
	fn.Op("SUBS", arm64.Imm(1), lines)
	fn.Op("BNE", arm64.Label("next"))
	fn.Ret()
}
