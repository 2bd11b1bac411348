package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel is a register tile of some heights and vecs vectors of bytes; elem is the size of an element.
type kernel struct {
	isa               string
	bytes, elem, vecs int
	heights           []int
}

// unroll is how many steps of the inner product are in one turn of the loop of a full tile, and of a lower one.
func unroll(full bool) int {
	if full {
		return 4
	}
	return 2
}

func (k kernel) width() int { return k.vecs * k.bytes / k.elem }

func (k kernel) float() string { return fmt.Sprintf("float%d", 8*k.elem) }

func (k kernel) name(rows int) string {
	return fmt.Sprintf("gemmF%d%sx%dRows%d", 8*k.elem, k.isa, k.width(), rows)
}

// emitter is one kernel of a given number of rows on its way into a function.
type emitter struct {
	kernel
	*build.Context
	rows              int
	a, ks, b, c, ldc  reg.GPVirtual
	odd               map[int]reg.GPVirtual // odd multiples of the row stride of A, by factor
	acc               []reg.VecVirtual      // rows x vecs, row by row
	bv, av            []reg.VecVirtual      // a step's row of B; broadcast elements of A
	panels, left, cur reg.GPVirtual
}

// tile writes the kernel: C[r,j] = Σₖ A[r,k] B[k,j] (+ from[r,j]) for all panels of B, one after another.
func (k kernel) tile(c *build.Context, rows int) {
	e := &emitter{kernel: k, Context: c, rows: rows, odd: map[int]reg.GPVirtual{}}
	e.declare()
	e.arguments()
	e.vectors()

	e.Label("panel")
	e.Load(e.Param("a"), e.a)
	e.Load(e.Param("k"), e.left)
	e.prefetch()
	for _, v := range e.acc {
		e.VXORPS(v, v, v)
	}
	e.product()
	e.write()
	e.ADDQ(operand.U32(k.vecs*k.bytes), e.c)
	e.DECQ(e.panels)
	e.JNE(operand.LabelRef("panel"))
	e.VZEROUPPER()
	e.RET()
}

func (e *emitter) declare() {
	f := e.float()
	e.Function(e.name(e.rows))
	e.Attributes(attr.NOSPLIT)
	e.Pragma("noescape")
	e.Doc(fmt.Sprintf("%s multiplies %d rows of A with panels of B that are %d wide; see tileFunc.", e.name(e.rows), e.rows, e.width()))
	e.SignatureExpr(fmt.Sprintf("func(k int, a *%s, rs, ks int, b *%s, panels int, c *%s, ldc int, from *%s, ldfrom int)", f, f, f, f))
}

// arguments loads what lives as long as the call. Strides become bytes.
func (e *emitter) arguments() {
	e.a, e.left, e.cur = e.GP64(), e.GP64(), e.GP64()
	load := func(name string) reg.GPVirtual { return e.Load(e.Param(name), e.GP64()).(reg.GPVirtual) }
	rs := load("rs")
	e.ks, e.b, e.panels, e.c, e.ldc = load("ks"), load("b"), load("panels"), load("c"), load("ldc")
	for _, stride := range []reg.GPVirtual{rs, e.ks, e.ldc} {
		e.scale(stride)
	}
	e.odd[1] = rs
	for r := 3; r < e.rows; r += 2 {
		from, times := rs, r-1 // r = 1 + 2, 1 + 4, 1 + 8
		if r == 7 || r == 11 {
			from, times = e.odd[3], r-3 // 3 + 4, 3 + 8
		}
		e.odd[r] = e.GP64()
		e.LEAQ(operand.Mem{Base: from, Index: rs, Scale: uint8(times)}, e.odd[r])
	}
}

func (e *emitter) scale(r reg.GPVirtual) {
	shift := uint64(2)
	if e.elem == 8 {
		shift = 3
	}
	e.SHLQ(operand.Imm(shift), r)
}

func (e *emitter) vectors() {
	regs, next := 16, e.YMM
	if e.bytes == 64 {
		regs, next = 32, e.ZMM
	}
	take := func(n int) []reg.VecVirtual {
		v := make([]reg.VecVirtual, n)
		for i := range v {
			v[i] = next()
		}
		return v
	}
	e.acc, e.bv = take(e.rows*e.vecs), take(e.vecs)
	e.av = take(min(e.rows, regs-len(e.acc)-len(e.bv)))
}

// at is the address of A[r, k] when the cursor stands at A[0, k]: r is an odd number times 1, 2, 4 or 8.
func (e *emitter) at(r int) operand.Mem {
	if r == 0 {
		return operand.Mem{Base: e.a}
	}
	times := r & -r
	return operand.Mem{Base: e.a, Index: e.odd[r/times], Scale: uint8(times)}
}

// prefetch asks for the lines of C, which are written after the inner product, before it.
func (e *emitter) prefetch() {
	e.MOVQ(e.c, e.cur)
	for r := range e.rows {
		for o := 0; o < e.vecs*e.bytes; o += 64 {
			e.PREFETCHT0(operand.Mem{Base: e.cur, Disp: o})
		}
		if r+1 < e.rows {
			e.ADDQ(e.ldc, e.cur)
		}
	}
}

func (e *emitter) product() {
	turn := unroll(e.rows == e.heights[0])
	e.SUBQ(operand.Imm(uint64(turn)), e.left)
	e.JLT(operand.LabelRef("tail"))
	e.Label("loop")
	for u := range turn {
		e.step(u)
	}
	e.ADDQ(operand.U32(turn*e.vecs*e.bytes), e.b)
	e.SUBQ(operand.Imm(uint64(turn)), e.left)
	e.JGE(operand.LabelRef("loop"))
	e.Label("tail")
	e.ADDQ(operand.Imm(uint64(turn)), e.left)
	e.JEQ(operand.LabelRef("done"))
	e.Label("one")
	e.step(0)
	e.ADDQ(operand.U32(e.vecs*e.bytes), e.b)
	e.DECQ(e.left)
	e.JNE(operand.LabelRef("one"))
	e.Label("done")
}

// step adds the products of column k of A with row k of B, and moves A's cursor to k+1.
func (e *emitter) step(u int) {
	for j, v := range e.bv {
		e.move(operand.Mem{Base: e.b, Disp: (u*e.vecs + j) * e.bytes}, v)
	}
	for r := range e.rows {
		v := e.av[r%len(e.av)]
		e.broadcast(e.at(r), v)
		for j := range e.bv {
			e.fma(e.bv[j], v, e.acc[r*e.vecs+j])
		}
	}
	e.ADDQ(e.ks, e.a)
}

// write stores the tile, after adding the same tile of from where there is one.
func (e *emitter) write() {
	from, ldfrom := e.left, e.a // both are free until the next panel
	e.Load(e.Param("from"), from)
	e.MOVQ(e.c, e.cur)
	e.TESTQ(from, from)
	e.JEQ(operand.LabelRef("store"))
	e.ADDQ(e.c, from) // as far into from as c is into C
	start, err := e.Param("c").Resolve()
	if err != nil {
		panic(err)
	}
	e.SUBQ(start.Addr, from)
	e.Load(e.Param("ldfrom"), ldfrom)
	e.scale(ldfrom)
	for r := range e.rows {
		for j := range e.vecs {
			e.add(operand.Mem{Base: from, Disp: j * e.bytes}, e.acc[r*e.vecs+j])
		}
		if r+1 < e.rows {
			e.ADDQ(ldfrom, from)
		}
	}
	e.Label("store")
	for r := range e.rows {
		for j := range e.vecs {
			e.move(e.acc[r*e.vecs+j], operand.Mem{Base: e.cur, Disp: j * e.bytes})
		}
		if r+1 < e.rows {
			e.ADDQ(e.ldc, e.cur)
		}
	}
}

func (e *emitter) move(from, to operand.Op) {
	if e.elem == 8 {
		e.VMOVUPD(from, to)
	} else {
		e.VMOVUPS(from, to)
	}
}

func (e *emitter) broadcast(from, to operand.Op) {
	if e.elem == 8 {
		e.VBROADCASTSD(from, to)
	} else {
		e.VBROADCASTSS(from, to)
	}
}

func (e *emitter) fma(x, y, sum operand.Op) {
	if e.elem == 8 {
		e.VFMADD231PD(x, y, sum)
	} else {
		e.VFMADD231PS(x, y, sum)
	}
}

func (e *emitter) add(x, sum operand.Op) {
	if e.elem == 8 {
		e.VADDPD(x, sum, sum)
	} else {
		e.VADDPS(x, sum, sum)
	}
}

// addWide writes the function that adds a float32 tile to a float64 C.
func (k kernel) addWide(c *build.Context) {
	c.Function("addWide" + k.isa)
	c.Attributes(attr.NOSPLIT)
	c.Pragma("noescape")
	c.Doc("addWide" + k.isa + " adds a tile of rows of width numbers to float64 ones; see wideFunc.")
	c.SignatureExpr("func(rows, width int, tile *float32, c *float64, ldc int)")
	rows, width, tile, to, ldc := c.Load(c.Param("rows"), c.GP64()), c.Load(c.Param("width"), c.GP64()),
		c.Load(c.Param("tile"), c.GP64()), c.Load(c.Param("c"), c.GP64()), c.Load(c.Param("ldc"), c.GP64())
	left, vec := c.GP64(), c.YMM
	if k.bytes == 64 {
		vec = c.ZMM
	}
	c.SUBQ(width, ldc)
	c.Label("row")
	c.MOVQ(width, left)
	c.Label("vectors")
	const some = 2
	for i := range some {
		v, at := vec(), operand.Mem{Base: to, Disp: i * k.bytes}
		c.VCVTPS2PD(operand.Mem{Base: tile, Disp: i * k.bytes / 2}, v)
		c.VADDPD(at, v, v)
		c.VMOVUPD(v, at)
	}
	for at := 0; at < some*k.bytes; at += 64 { // of the next panel
		c.PREFETCHT0(operand.Mem{Base: to, Index: width, Scale: 8, Disp: at})
	}
	c.ADDQ(operand.Imm(uint64(some*k.bytes/2)), tile)
	c.ADDQ(operand.U32(some*k.bytes), to)
	c.SUBQ(operand.Imm(uint64(some*k.bytes/8)), left)
	c.JNE(operand.LabelRef("vectors"))
	c.LEAQ(operand.Mem{Base: to, Index: ldc, Scale: 8}, to)
	c.DECQ(rows)
	c.JNE(operand.LabelRef("row"))
	c.VZEROUPPER()
	c.RET()
}

// peakChains are enough independent sums to hide the latency of an FMA.
const peakChains = 12

// peak writes a function that does nothing but FMAs on registers, against which benchmarks measure the kernels.
func (k kernel) peak(c *build.Context) {
	name := "fmaPeak" + k.isa
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.Doc(fmt.Sprintf("%s does n rounds of %d float32 FMAs of %d bytes on registers.", name, peakChains, k.bytes))
	c.SignatureExpr("func(n int)")
	n := c.Load(c.Param("n"), c.GP64())
	var sum [peakChains + 1]reg.VecVirtual
	for i := range sum {
		sum[i] = c.YMM()
		if k.bytes == 64 {
			sum[i] = c.ZMM()
		}
		c.VXORPS(sum[i], sum[i], sum[i])
	}
	c.Label("round")
	for _, s := range sum[:peakChains] {
		c.VFMADD231PS(sum[peakChains], sum[peakChains], s)
	}
	c.DECQ(n)
	c.JNE(operand.LabelRef("round"))
	c.VZEROUPPER()
	c.RET()
}
