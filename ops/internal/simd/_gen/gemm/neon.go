package main

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
)

// neonKernel is a register tile of height x vecs vectors of 16 bytes; elem is the size of an element.
//
// Six rows of four vectors are 24 sums: four FMAs a cycle of four cycles each want 16 of them. They leave four registers
// for a row of B and four for numbers of A, which an FMA reads as an element, so that no instruction copies them.
type neonKernel struct{ elem, vecs int }

var neonKernels = []neonKernel{{elem: 4, vecs: 4}, {elem: 8, vecs: 4}}

const (
	neonHeight = 6

	vector = 16 // bytes of a register
	line   = 64 // the least cache line of the machines that run this
)

func neon(f *arm64.File) {
	for _, k := range neonKernels {
		for _, rows := range []int{neonHeight, 5, 4, 3, 2, 1} {
			k.tile(f, rows)
		}
		k.pack(f)
	}
	neonPeak(f)
	prefetch(f)
}

func (k neonKernel) width() int { return k.row() / k.elem }

// row is the bytes of a row of a panel.
func (k neonKernel) row() int { return k.vecs * vector }

func (k neonKernel) name(kind string) string {
	return fmt.Sprintf("%sF%dNEONx%d", kind, 8*k.elem, k.width())
}

func (k neonKernel) float() string { return fmt.Sprintf("float%d", 8*k.elem) }

// shift is the logarithm of the size of an element.
func (k neonKernel) shift() arm64.Imm { return arm64.Imm(2 + k.elem/8) }

// neonTile is one kernel of a given number of rows on its way into a function.
type neonTile struct {
	neonKernel
	*arm64.Func
	rows                     int
	a                        []arm64.Reg // where the rows of A begin
	at, ks                   arm64.Reg   // what has been read of each; a step
	b, c, ldc                arm64.Reg
	panels, left, cur, extra arm64.Reg
	sum                      []arm64.Vec // rows x vecs, row by row
	bv, av                   []arm64.Vec // a step's row of B; numbers of A
}

// tile writes the kernel: C[r,j] = Σₖ A[r,k] B[k,j] (+ from[r,j]) for all panels of B, one after another.
func (k neonKernel) tile(f *arm64.File, rows int) {
	name, t := fmt.Sprintf("%sRows%d", k.name("gemm"), rows), k.float()
	fn := f.Func(name, fmt.Sprintf("func(k int, a *%s, rs, ks int, b *%s, panels int, c *%s, ldc int, from *%s, ldfrom int)", t, t, t, t),
		fmt.Sprintf("%s multiplies %d rows of A with panels of B that are %d wide; see tileFunc.", name, rows, k.width()))
	e := &neonTile{neonKernel: k, Func: fn, rows: rows}
	e.arguments()
	e.vectors()

	e.Label("panel")
	e.Op("MOVD", e.Arg("k"), e.left)
	e.Op("MOVD", arm64.Place("ZR"), e.at)
	e.prefetch()
	for _, v := range e.sum {
		e.Zero(v)
	}
	e.product()
	e.write()
	e.Op("ADD", arm64.Imm(k.row()), e.c)
	e.Op("SUBS", arm64.Imm(1), e.panels)
	e.Op("BNE", arm64.Label("panel"))
	e.Ret()
}

// arguments loads what lives as long as the call. Strides become bytes.
func (e *neonTile) arguments() {
	rs := e.stride("rs")
	e.a = []arm64.Reg{e.LoadArg("a")}
	for r := 1; r < e.rows; r++ {
		next := e.Reg()
		e.Op("ADD", rs, e.a[r-1], next)
		e.a = append(e.a, next)
	}
	e.FreeReg(rs)
	e.ks, e.b, e.panels = e.stride("ks"), e.LoadArg("b"), e.LoadArg("panels")
	e.c, e.ldc = e.LoadArg("c"), e.stride("ldc")
	e.at, e.left, e.cur, e.extra = e.Reg(), e.Reg(), e.Reg(), e.Reg()
}

// vectors takes the registers of sums, and of a step's operands as many as are left.
func (e *neonTile) vectors() {
	e.sum, e.bv = e.Vecs(e.rows*e.vecs), e.Vecs(e.vecs)
	e.av = e.Vecs(min(e.rows, e.VecsLeft()))
}

// stride loads an argument that counts elements as bytes.
func (e *neonTile) stride(name string) arm64.Reg {
	r := e.LoadArg(name)
	e.Op("LSL", e.shift(), r)
	return r
}

// prefetch asks for the lines of C, which are written after the inner product, before it.
func (e *neonTile) prefetch() {
	e.Op("MOVD", e.c, e.cur)
	for r := range e.rows {
		for o := 0; o < e.row(); o += line {
			e.Op("PRFM", arm64.Mem{Base: e.cur, Disp: o}, arm64.Place("PSTL1KEEP"))
		}
		if r+1 < e.rows {
			e.Op("ADD", e.ldc, e.cur)
		}
	}
}

func (e *neonTile) product() {
	turn := unroll(e.rows == neonHeight)
	e.Op("SUBS", arm64.Imm(turn), e.left)
	e.Op("BLT", arm64.Label("tail"))
	e.Label("loop")
	for u := range turn {
		e.step(u * e.row())
	}
	e.Op("ADD", arm64.Imm(turn*e.row()), e.b)
	e.Op("SUBS", arm64.Imm(turn), e.left)
	e.Op("BGE", arm64.Label("loop"))
	e.Label("tail")
	e.Op("ADDS", arm64.Imm(turn), e.left)
	e.Op("BEQ", arm64.Label("done"))
	e.Label("one")
	e.step(0)
	e.Op("ADD", arm64.Imm(e.row()), e.b)
	e.Op("SUBS", arm64.Imm(1), e.left)
	e.Op("BNE", arm64.Label("one"))
	e.Label("done")
}

// step adds the products of column k of A with row k of B, which lies so far from the cursor, and moves A's to k+1.
func (e *neonTile) step(disp int) {
	e.LoadAll(arm64.Mem{Base: e.b, Disp: disp}, e.bv...)
	load := map[int]string{4: "FMOVS", 8: "FMOVD"}[e.elem]
	for r, a := range e.a {
		v := e.av[r%len(e.av)]
		e.Op(load, arm64.Indexed{Base: a, Index: e.at}, v)
		for j, b := range e.bv {
			e.Element("fmla", arm64.Float(e.elem), e.sum[r*e.vecs+j], b, v, 0)
		}
	}
	e.Op("ADD", e.ks, e.at)
}

// write stores the tile, after adding the same tile of from where there is one.
func (e *neonTile) write() {
	from, ldfrom := e.left, e.at // both are free until the next panel
	e.Op("MOVD", e.Arg("from"), from)
	e.Op("MOVD", e.c, e.cur)
	e.Op("CBZ", from, arm64.Label("store"))
	e.Op("ADD", e.c, from) // as far into from as c is into C
	e.Op("MOVD", e.Arg("c"), e.extra)
	e.Op("SUB", e.extra, from)
	e.Op("MOVD", e.Arg("ldfrom"), ldfrom)
	e.Op("LSL", e.shift(), ldfrom)
	for r := range e.rows {
		e.LoadAll(arm64.Mem{Base: from}, e.bv...)
		for j, sum := range e.sum[r*e.vecs:][:e.vecs] {
			e.Three("fadd", arm64.Float(e.elem), sum, sum, e.bv[j])
		}
		if r+1 < e.rows {
			e.Op("ADD", ldfrom, from)
		}
	}
	e.Label("store")
	for r := range e.rows {
		e.StoreAll(arm64.Mem{Base: e.cur}, e.sum[r*e.vecs:][:e.vecs]...)
		if r+1 < e.rows {
			e.Op("ADD", e.ldc, e.cur)
		}
	}
}

// pack writes the copy of rows of B into panels: row by row, so that memory is read in the order in which it lies.
func (k neonKernel) pack(f *arm64.File) {
	t := k.float()
	e := &neonTile{neonKernel: k, Func: f.Func(k.name("pack"), fmt.Sprintf("func(k int, b *%s, ldb int, dst *%s, panels int)", t, t),
		fmt.Sprintf("%s copies k rows of B, ldb apart, into panels that are %d wide; see packFunc.", k.name("pack"), k.width()))}
	rows, b, ldb, dst, panels := e.LoadArg("k"), e.LoadArg("b"), e.stride("ldb"), e.LoadArg("dst"), e.LoadArg("panels")
	apart, from, far, to, left, size := e.Reg(), e.Reg(), e.Reg(), e.Reg(), e.Reg(), e.Reg()
	e.Op("MOVD", arm64.Imm(k.row()), size)
	e.Op("MUL", size, rows, apart) // from one panel to the next
	v := e.Vecs(k.vecs)

	e.Label("row")
	e.Op("MOVD", b, from)
	e.Op("MOVD", dst, to)
	e.Op("ADD", arm64.Shifted{Reg: ldb, By: 3}, b, far) // as many rows as ahead says
	e.Op("MOVD", panels, left)
	e.Label("panel")
	for o := 0; o < k.row(); o += line {
		e.Op("PRFM", arm64.Mem{Base: far, Disp: o}, arm64.Place("PLDL1KEEP"))
	}
	e.LoadAll(arm64.Mem{Base: from}, v...)
	e.StoreAll(arm64.Mem{Base: to}, v...)
	e.Op("ADD", arm64.Imm(k.row()), from)
	e.Op("ADD", arm64.Imm(k.row()), far)
	e.Op("ADD", apart, to)
	e.Op("SUBS", arm64.Imm(1), left)
	e.Op("BNE", arm64.Label("panel"))
	e.Op("ADD", ldb, b)
	e.Op("ADD", arm64.Imm(k.row()), dst)
	e.Op("SUBS", arm64.Imm(1), rows)
	e.Op("BNE", arm64.Label("row"))
	e.Ret()
}

// neonChains are enough independent sums to hide the latency of an FMA where a cycle begins four.
const neonChains = 24

// neonPeak writes a function that does nothing but FMAs on registers, against which benchmarks measure the kernels.
func neonPeak(f *arm64.File) {
	fn := f.Func("fmaPeakNEON", "func(n int)",
		fmt.Sprintf("fmaPeakNEON does n rounds of %d float32 FMAs of %d bytes on registers.", neonChains, vector))
	n, sum, one := fn.LoadArg("n"), fn.Vecs(neonChains), fn.Vec()
	for _, v := range append(sum, one) {
		fn.Zero(v)
	}
	fn.Label("round")
	for _, v := range sum {
		fn.Three("fmla", arm64.S4, v, one, one)
	}
	fn.Op("SUBS", arm64.Imm(1), n)
	fn.Op("BNE", arm64.Label("round"))
	fn.Ret()
}

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
