package main

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
)

// neonVecs is how many vectors a panel of the dense kernels for NEON is wide, in both element types.
const neonVecs = 4

// neonRow writes the kernel for so many panels of elements of so many bytes: C[j] = Σₜ x[t] B[at[t], j] (+ from[j]), in
// one pass over the stored entries of a row.
func neonRow(file *arm64.File, elem, panels int) {
	typ, a := fmt.Sprintf("float%d", 8*elem), arm64.Float(elem)
	width := neonVecs * 16 / elem
	name := fmt.Sprintf("csrF%dNEONx%dPanels%d", 8*elem, width, panels)
	f := file.Func(name, fmt.Sprintf("func(k int, at *int32, x, b *%[1]s, rs, bs int, c, from *%[1]s)", typ),
		fmt.Sprintf("%s multiplies a sparse row with %d panels that are %d wide; see rowFunc.", name, panels, width))
	load, shift := "FMOVS", 2
	if elem == 8 {
		load, shift = "FMOVD", 3
	}
	left, at, x := f.LoadArg("k"), f.LoadArg("at"), f.LoadArg("x")
	b := []arm64.Reg{f.LoadArg("b")}
	rs, bs := f.LoadArg("rs"), f.LoadArg("bs")
	from, c := f.LoadArg("from"), f.LoadArg("c")
	for _, stride := range []arm64.Reg{rs, bs} { // in bytes
		f.Op("LSL", arm64.Imm(shift), stride, stride)
	}
	for len(b) < panels {
		next := f.Reg()
		f.Op("ADD", bs, b[len(b)-1], next)
		b = append(b, next)
	}
	sums := f.Vecs(panels * neonVecs)
	for _, s := range sums {
		f.Zero(s)
	}
	v, row, place := f.Vec(), f.Reg(), f.Reg()
	cells := f.Vecs(min(2*neonVecs, f.VecsLeft()))

	f.Op("CBZ", left, arm64.Label("add"))
	f.Label("entry")
	f.Op("MOVW.P", arm64.Mem{Base: at, Disp: 4}, row)
	f.Op(load+".P", arm64.Mem{Base: x, Disp: elem}, v)
	f.Op("MUL", rs, row, row)
	f.Op("SUB", arm64.Imm(1), left, left)
	for p := range panels {
		f.Op("ADD", row, b[p], place)
		w := cells[p%(len(cells)/neonVecs)*neonVecs:][:neonVecs]
		f.LoadAll(arm64.Mem{Base: place}, w...)
		for i, cell := range w {
			f.Element("fmla", a, sums[p*neonVecs+i], cell, v, 0)
		}
	}
	f.Op("CBNZ", left, arm64.Label("entry"))

	f.Label("add")
	f.Op("CBZ", from, arm64.Label("store"))
	for p := range panels {
		w := cells[p%(len(cells)/neonVecs)*neonVecs:][:neonVecs]
		f.LoadAll(arm64.Mem{Base: from, Disp: p * neonVecs * 16}, w...)
		for i, more := range w {
			f.Three("fadd", a, sums[p*neonVecs+i], sums[p*neonVecs+i], more)
		}
	}
	f.Label("store")
	f.StoreAll(arm64.Mem{Base: c}, sums...)
	f.Ret()
}
