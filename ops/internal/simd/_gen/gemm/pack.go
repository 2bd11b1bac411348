package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ahead is how many rows before their use the rows of B are asked for: they lie on pages of their own, where no hardware
// prefetcher follows.
const ahead = 8

// pack writes the copy of rows of B into panels: row by row, so that memory is read in the order in which it lies.
func (k kernel) pack(c *build.Context) {
	e := &emitter{kernel: k, Context: c}
	name, f := fmt.Sprintf("packF%d%sx%d", 8*k.elem, k.isa, k.width()), k.float()
	e.Function(name)
	e.Attributes(attr.NOSPLIT)
	e.Pragma("noescape")
	e.Doc(fmt.Sprintf("%s copies k rows of B, ldb apart, into panels that are %d wide; see packFunc.", name, k.width()))
	e.SignatureExpr(fmt.Sprintf("func(k int, b *%s, ldb int, dst *%s, panels int)", f, f))
	load := func(name string) reg.GPVirtual { return e.Load(e.Param(name), e.GP64()).(reg.GPVirtual) }
	rows, b, ldb, dst := load("k"), load("b"), load("ldb"), load("dst")
	e.scale(ldb)
	apart := e.GP64() // from one panel to the next
	e.IMUL3Q(operand.U32(k.vecs*k.bytes), rows, apart)
	v := make([]reg.VecVirtual, k.vecs)
	for i := range v {
		v[i] = e.YMM()
		if k.bytes == 64 {
			v[i] = e.ZMM()
		}
	}
	from, far, to, left := e.GP64(), e.GP64(), e.GP64(), e.GP64()

	e.Label("row")
	e.MOVQ(b, from)
	e.MOVQ(dst, to)
	e.LEAQ(operand.Mem{Base: b, Index: ldb, Scale: ahead}, far)
	e.Load(e.Param("panels"), left)
	e.Label("panel")
	for o := 0; o < k.vecs*k.bytes; o += 64 {
		e.PREFETCHT0(operand.Mem{Base: far, Disp: o})
	}
	for i := range v {
		e.move(operand.Mem{Base: from, Disp: i * k.bytes}, v[i])
	}
	for i := range v {
		e.move(v[i], operand.Mem{Base: to, Disp: i * k.bytes})
	}
	e.ADDQ(operand.U32(k.vecs*k.bytes), from)
	e.ADDQ(operand.U32(k.vecs*k.bytes), far)
	e.ADDQ(apart, to)
	e.DECQ(left)
	e.JNE(operand.LabelRef("panel"))
	e.ADDQ(ldb, b)
	e.ADDQ(operand.U32(k.vecs*k.bytes), dst)
	e.DECQ(rows)
	e.JNE(operand.LabelRef("row"))
	e.VZEROUPPER()
	e.RET()
}
