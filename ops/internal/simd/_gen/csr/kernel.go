package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel is a panel of vecs vectors of bytes; elem is the size of an element.
type kernel struct {
	isa               string
	bytes, elem, vecs int
}

func (k kernel) width() int { return k.vecs * k.bytes / k.elem }

// row writes the kernel for so many panels: C[j] = Σₜ x[t] B[at[t], j] (+ from[j]), in one pass over the stored entries of a row.
func (k kernel) row(c *build.Context, panels int) {
	f, name := fmt.Sprintf("float%d", 8*k.elem), fmt.Sprintf("csrF%d%sx%dPanels%d", 8*k.elem, k.isa, k.width(), panels)
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("%s multiplies a sparse row with %d panels that are %d wide; see rowFunc.", name, panels, k.width()))
	c.SignatureExpr(fmt.Sprintf("func(k int, at *int32, x *%s, b *%s, rs, bs int, c *%s, from *%s)", f, f, f, f))
	load := func(name string) reg.GPVirtual { return c.Load(c.Param(name), c.GP64()).(reg.GPVirtual) }
	left, at, x := load("k"), load("at"), load("x")
	b := []reg.GPVirtual{load("b")}
	rs, bs := load("rs"), load("bs")
	for _, stride := range []reg.GPVirtual{rs, bs} { // in bytes
		c.SHLQ(operand.Imm(uint64(map[int]int{4: 2, 8: 3}[k.elem])), stride)
	}
	for len(b) < panels {
		next := c.GP64()
		c.LEAQ(operand.Mem{Base: b[len(b)-1], Index: bs, Scale: 1}, next)
		b = append(b, next)
	}
	vec := c.YMM
	if k.bytes == 64 {
		vec = c.ZMM
	}
	sums := make([]reg.VecVirtual, panels*k.vecs)
	for i := range sums {
		sums[i] = vec()
		c.VXORPS(sums[i], sums[i], sums[i])
	}
	v, row := vec(), c.GP64()

	c.TESTQ(left, left)
	c.JEQ(operand.LabelRef("add"))
	c.Label("entry")
	c.MOVLQSX(operand.Mem{Base: at}, row)
	c.IMULQ(rs, row)
	k.broadcast(c, operand.Mem{Base: x}, v)
	for i, s := range sums {
		k.fma(c, operand.Mem{Base: b[i/k.vecs], Index: row, Scale: 1, Disp: i % k.vecs * k.bytes}, v, s)
	}
	c.ADDQ(operand.Imm(4), at)
	c.ADDQ(operand.Imm(uint64(k.elem)), x)
	c.DECQ(left)
	c.JNE(operand.LabelRef("entry"))

	c.Label("add")
	from, dst := load("from"), load("c")
	c.TESTQ(from, from)
	c.JEQ(operand.LabelRef("store"))
	for i, s := range sums {
		k.add(c, operand.Mem{Base: from, Disp: i * k.bytes}, s)
	}
	c.Label("store")
	for i, s := range sums {
		k.store(c, s, operand.Mem{Base: dst, Disp: i * k.bytes})
	}
	c.VZEROUPPER()
	c.RET()
}

// prefetch asks for memory that the second-level cache should hold soon.
func prefetch(c *build.Context) {
	c.Function("prefetch")
	c.Attributes(attr.NOSPLIT)
	c.Pragma("noescape")
	c.Doc("prefetch asks for so many lines of cache from p on, into the second level.")
	c.SignatureExpr("func(p *byte, lines int)")
	p, lines := c.Load(c.Param("p"), c.GP64()), c.Load(c.Param("lines"), c.GP64())
	c.TESTQ(lines, lines)
	c.JEQ(operand.LabelRef("done"))
	c.Label("line")
	c.PREFETCHT1(operand.Mem{Base: p})
	c.ADDQ(operand.Imm(64), p)
	c.DECQ(lines)
	c.JNE(operand.LabelRef("line"))
	c.Label("done")
	c.RET()
}

func (k kernel) broadcast(c *build.Context, from, to operand.Op) {
	if k.elem == 8 {
		c.VBROADCASTSD(from, to)
	} else {
		c.VBROADCASTSS(from, to)
	}
}

func (k kernel) fma(c *build.Context, x, y, sum operand.Op) {
	if k.elem == 8 {
		c.VFMADD231PD(x, y, sum)
	} else {
		c.VFMADD231PS(x, y, sum)
	}
}

func (k kernel) add(c *build.Context, x, sum operand.Op) {
	if k.elem == 8 {
		c.VADDPD(x, sum, sum)
	} else {
		c.VADDPS(x, sum, sum)
	}
}

func (k kernel) store(c *build.Context, x, to operand.Op) {
	if k.elem == 8 {
		c.VMOVUPD(x, to)
	} else {
		c.VMOVUPS(x, to)
	}
}
