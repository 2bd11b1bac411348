package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wide writes the addition of a float32 tile to a float64 matrix.
func (k kernel) wide(c *build.Context) {
	e := &emitter{kernel: k, Context: c}
	name := fmt.Sprintf("wideF32%sx%d", k.isa, k.width())
	e.Function(name)
	e.Attributes(attr.NOSPLIT)
	e.Pragma("noescape")
	e.Doc(fmt.Sprintf("%s adds a tile that is %d wide to float64 numbers; see wideFunc.", name, k.width()))
	e.SignatureExpr("func(rows int, tile *float32, c *float64, ldc int)")
	load := func(name string) reg.GPVirtual { return e.Load(e.Param(name), e.GP64()).(reg.GPVirtual) }
	rows, tile, to, ldc := load("rows"), load("tile"), load("c"), load("ldc")
	e.SHLQ(operand.U8(3), ldc)

	e.Label("row")
	for i := range 2 * k.vecs {
		v := e.YMM()
		if k.bytes == 64 {
			v = e.ZMM()
		}
		e.VCVTPS2PD(operand.Mem{Base: tile, Disp: i * k.bytes / 2}, v)
		e.VADDPD(operand.Mem{Base: to, Disp: i * k.bytes}, v, v)
		e.VMOVUPD(v, operand.Mem{Base: to, Disp: i * k.bytes})
	}
	e.ADDQ(operand.U32(k.vecs*k.bytes), tile)
	e.ADDQ(ldc, to)
	e.DECQ(rows)
	e.JNE(operand.LabelRef("row"))
	e.VZEROUPPER()
	e.RET()
}
