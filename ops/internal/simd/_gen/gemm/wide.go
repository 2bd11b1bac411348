package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wide writes the kernel that adds float32 products to a float64 C. It sums them in the registers of a float32 tile, a
// slice of the steps at a time.
func (k kernel) wide(c *build.Context, rows int) {
	e := &emitter{kernel: k, Context: c, rows: rows, odd: map[int]reg.GPVirtual{}}
	name := fmt.Sprintf("wideF32%sx%dRows%d", k.isa, k.width(), rows)
	e.Function(name)
	e.Attributes(attr.NOSPLIT)
	e.Pragma("noescape")
	e.Doc(fmt.Sprintf("%s adds products of %d rows of A with panels of B that are %d wide to float64 numbers; see wideFunc.", name, rows, k.width()))
	e.SignatureExpr("func(k, slice int, a *float32, rs, ks int, b *float32, panels int, c *float64, ldc int)")
	rest := e.AllocLocal(8) // steps after the slice
	e.arguments()
	e.ADDQ(e.ldc, e.ldc) // of twice as many bytes
	e.vectors()

	e.Label("panel")
	e.Load(e.Param("a"), e.a)
	e.prefetch(2)
	e.Load(e.Param("k"), e.cur)
	e.Label("slice")
	e.Load(e.Param("slice"), e.left)
	e.CMPQ(e.cur, e.left)
	e.CMOVQLT(e.cur, e.left)
	e.SUBQ(e.left, e.cur)
	e.MOVQ(e.cur, rest)
	for _, v := range e.acc {
		e.VXORPS(v, v, v)
	}
	e.product()
	e.addWide()
	e.MOVQ(rest, e.cur)
	e.TESTQ(e.cur, e.cur)
	e.JNE(operand.LabelRef("slice"))
	e.ADDQ(operand.U32(2*k.vecs*k.bytes), e.c)
	e.DECQ(e.panels)
	e.JNE(operand.LabelRef("panel"))
	e.VZEROUPPER()
	e.RET()
}

// addWide adds the tile to C.
func (e *emitter) addWide() {
	free := append(append([]reg.VecVirtual{}, e.bv...), e.av...)
	e.MOVQ(e.c, e.cur)
	for r := range e.rows {
		for j := range 2 * e.vecs {
			sum, v := e.acc[r*e.vecs+j/2], free[j%len(free)]
			half, to := e.half(sum), operand.Mem{Base: e.cur, Disp: j * e.bytes}
			if j%2 == 1 {
				half = e.half(v)
				if e.bytes == 64 {
					e.VEXTRACTF64X4(operand.Imm(1), sum, half)
				} else {
					e.VEXTRACTF128(operand.Imm(1), sum, half)
				}
			}
			e.VCVTPS2PD(half, v)
			e.VADDPD(to, v, v)
			e.VMOVUPD(v, to)
		}
		if r+1 < e.rows {
			e.ADDQ(e.ldc, e.cur)
		}
	}
}

// half is the lower half of a register.
func (e *emitter) half(v reg.VecVirtual) reg.Register {
	if e.bytes == 64 {
		return v.AsY()
	}
	return v.AsX()
}
