package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A vector of a, of b and of c make three vectors of a₀b₀c₀a₁b₁c₁... Each is put together by two permutations of two
// tables: a with b, and then what came of it, in its place, with c. The indices
// of the first permutation for each of the three, then those of the second, are an array.

// triples is for AVX-512 alone.
func (k *kernel) triples() {
	p := k.begin("triples")
	var index [6]reg.VecVirtual
	for i := range index {
		index[i] = k.copyOf(operand.Mem{Base: p[4], Disp: 64 * i})
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
