package main

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// rows writes the kernels of sparse rows for the panels of the dense kernels, whose packed matrices they read. The most
// panels that one call goes over are enough independent sums to hide the latency of an FMA, and few enough for 16
// registers.
func rows(f *asm.File) {
	for _, k := range kernels {
		f.Cases(k.Machine, k.name("csr"),
			fmt.Sprintf("func(k int, at *int32, x *%[1]s, b *%[1]s, rs, bs int, c *%[1]s, from *%[1]s)", k.Type()),
			fmt.Sprintf("multiplies a sparse row with panels that are %d wide; see rowFunc.", k.width()),
			[]int{4, 2, 1}, k.sparse)
	}
}

// sparse writes the kernel for so many panels: C[j] = Σₜ x[t] B[at[t], j] (+ from[j]), in one pass over the stored
// entries of a row.
func (k panel) sparse(f *asm.Func, panels int) {
	left, at, x, b := f.LoadArg("k"), f.LoadArg("at"), f.LoadArg("x"), []asm.Reg{f.LoadArg("b")}
	rs, bs := k.stride(f, "rs"), k.stride(f, "bs")
	for len(b) < panels {
		next := f.Reg()
		f.Op("LEAQ", asm.Mem{Base: b[len(b)-1], Index: bs, Scale: 1}, next)
		b = append(b, next)
	}
	f.FreeReg(bs)
	sums, v, row := f.TakeVecs(panels*k.vecs), f.Vec(), f.Reg()
	for _, s := range sums {
		f.Zero(s)
	}
	f.Compare(left, asm.Imm(0))
	f.If("EQ", "add")
	f.Label("entry")
	f.Op("MOVLQSX", asm.Mem{Base: at}, row)
	f.Op("IMULQ", rs, row)
	f.Broadcast(f.Elem, asm.Mem{Base: x}, v)
	for i, s := range sums {
		m := asm.Mem{Base: b[i/k.vecs], Index: row, Scale: 1, Disp: i % k.vecs * k.Bytes}
		f.Op(f.Float("VFMADD231P"), m, v, s)
	}
	f.Add(asm.Imm(4), at)
	f.Add(asm.Imm(f.Elem), x)
	f.Sub(asm.Imm(1), left)
	f.If("NE", "entry")

	f.Label("add")
	f.Move(f.Arg("from"), at)
	f.Move(f.Arg("c"), x)
	f.Compare(at, asm.Imm(0))
	f.If("EQ", "store")
	addTo(f, asm.Mem{Base: at}, sums, nil)
	f.Label("store")
	f.Store(asm.Mem{Base: x}, sums...)
	f.Ret()
}
