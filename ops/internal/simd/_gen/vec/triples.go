package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A vector of a, of b and of c make three vectors of a₀b₀c₀a₁b₁c₁... Each is put together by two permutations of two
// tables: a with b, and then what came of it, in its place, with c.

// tripleTable holds the indices of the first permutation for each of the three, then the indices of the second.
func tripleTable(c *build.Context, f64 bool) operand.Mem {
	base := c.StaticGlobal("tripleTable" + suffix(f64))
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	lanes := 64 / size(f64)
	for p := range 2 {
		for i := range 3 * lanes {
			element, stream, index := i/3, i%3, i/3
			switch {
			case p == 1 && stream < 2: // as the first permutation left it
				index = i % lanes
			case p == 1 || stream == 1: // of the second table
				index = lanes + element
			}
			var datum operand.Constant = operand.U32(index)
			if f64 {
				datum = operand.U64(index)
			}
			c.AddDatum((3*p*lanes+i)*size(f64), datum)
		}
	}
	return base
}

// triples is for AVX-512 alone.
func (k *kernel) triples(table operand.Mem) {
	p := k.begin("triples")
	var index [6]reg.VecVirtual
	for i := range index {
		index[i] = k.copyOf(table.Offset(64 * i))
	}
	const w = 64
	next, dst := k.GP64(), k.GP64()
	k.MOVQ(p[0], dst)
	k.Label("blocks")
	k.LEAQ(operand.Mem{Base: k.i, Disp: w}, next)
	k.CMPQ(next, k.end)
	k.JGT(operand.LabelRef("done"))
	a, b, c := k.load(p[1], lanes{}), k.load(p[2], lanes{}), k.load(p[3], lanes{})
	for q := range 3 {
		t := k.copyOf(a)
		k.op(k.VPERMT2PS, k.VPERMT2PD)(b, index[q], t)
		k.op(k.VPERMT2PS, k.VPERMT2PD)(c, index[3+q], t)
		k.op(k.VMOVUPS, k.VMOVUPD)(t, operand.Mem{Base: dst, Disp: q * w})
	}
	k.ADDQ(operand.U32(3*w), dst)
	k.MOVQ(next, k.i)
	k.JMP(operand.LabelRef("blocks"))

	k.Label("done")
	k.SHRQ(operand.Imm(uint64(pick(k.f64, 2, 3))), k.i)
	k.Store(k.i, k.Return("done"))
	k.VZEROUPPER()
	k.RET()
}
