package main

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// panel is a panel of B, vecs vectors wide.
type panel struct {
	asm.Machine
	vecs int
}

// kernel is a panel with its register tiles: a full one, and lower ones of which a block of rows is composed without
// reading a row outside the matrix. A W of many columns is too large for the second-level cache, so that a second tile
// reads it from further away: only the kernel for few columns leaves out heights, those that keep the multipliers no
// busier than two tiles do.
type kernel struct {
	panel
	heights []int
}

var kernels = []kernel{
	{panel{asm.AVX512, 2}, []int{12, 6, 4, 3, 2, 1}},
	{panel{asm.AVX512, 3}, []int{8, 7, 6, 5, 4, 3, 2, 1}},
	{panel{asm.AVX512.Of(8), 3}, []int{8, 7, 6, 5, 4, 3, 2, 1}},
	{panel{asm.AVX2, 2}, []int{6, 5, 4, 3, 2, 1}},
	{panel{asm.AVX2.Of(8), 2}, []int{6, 5, 4, 3, 2, 1}},
}

// neonKernels have six rows of four vectors, 24 sums: four FMAs a cycle of four cycles each want 16 of them. They leave
// four registers for a row of B and four for numbers of A, which an FMA reads as an element, so that no instruction
// copies them.
var neonKernels = []kernel{
	{panel{asm.NEON, 4}, []int{6, 5, 4, 3, 2, 1}},
	{panel{asm.NEON.Of(8), 4}, []int{6, 5, 4, 3, 2, 1}},
}

const line = 64 // bytes of a line of cache

func tiles(f *asm.File) {
	for _, k := range kernels {
		k.all(f)
	}
	for _, m := range []asm.Machine{asm.AVX512, asm.AVX2} {
		addWide(f, m)
		peak(f, m, 12)
	}
	prefetch(f, asm.AVX2)
}

func neonTiles(f *asm.File) {
	for _, k := range neonKernels {
		k.all(f)
	}
	peak(f, asm.NEON, 24)
	prefetch(f, asm.NEON)
}

func (k kernel) all(f *asm.File) {
	f.Cases(k.Machine, k.name("gemm"), fmt.Sprintf("func(k int, a *%[1]s, rs, ks int, b *%[1]s, panels int, "+
		"c *%[1]s, ldc int, from *%[1]s, ldfrom int)", k.Type()),
		fmt.Sprintf("multiplies rows of A with panels of B that are %d wide; see tileFunc.", k.width()), k.heights, k.tile)
	k.pack(f)
}

func (k panel) row() int   { return k.vecs * k.Bytes }
func (k panel) width() int { return k.vecs * k.Lanes() }

func (k panel) name(kind string) string { return fmt.Sprint(kind, k.Suffix(), k.Name, "x", k.width()) }

// tile is one kernel of a given number of rows on its way into a function.
type tile struct {
	kernel
	*asm.Func
	rows             int
	a, at            asm.Reg   // where A is read, or how much of each row has been
	begin            []asm.Reg // of the rows of A, on arm64; on amd64
	odd              map[int]asm.Reg
	ks, b, c, ldc    asm.Reg
	panels, left, to asm.Reg
	sum, bv, av      []asm.Vec // rows x vecs, row by row; a step's row of B; numbers of A
}

// tile writes the kernel: C[r,j] = Σₖ A[r,k] B[k,j] (+ from[r,j]) for all panels of B, one after another.
func (k kernel) tile(f *asm.Func, rows int) {
	e := &tile{kernel: k, rows: rows, odd: map[int]asm.Reg{}, Func: f}
	e.arguments()
	e.sum, e.bv = e.TakeVecs(rows*k.vecs), e.TakeVecs(k.vecs)
	e.av = e.TakeVecs(min(rows, e.VecsLeft()))

	e.Label("panel")
	if k.Arm() {
		e.Move(asm.Place("ZR"), e.at)
	} else {
		e.Move(e.Arg("a"), e.a)
	}
	e.Move(e.Arg("k"), e.left)
	e.Move(e.c, e.to) // the lines of C, which are written after the product
	for r := range rows {
		for o := 0; o < k.row(); o += line {
			e.Prefetch(asm.Mem{Base: e.to, Disp: o}, 1)
		}
		e.next(r, e.ldc, e.to)
	}
	for _, v := range e.sum {
		e.Zero(v)
	}
	e.product()
	e.write()
	e.Add(asm.Imm(k.row()), e.c)
	e.Sub(asm.Imm(1), e.panels)
	e.If("NE", "panel")
	e.Ret()
}

// stride loads an argument that counts elements as bytes.
func (k panel) stride(f *asm.Func, name string) asm.Reg {
	r := f.LoadArg(name)
	f.Shift(log2(k.Elem), r) // from elements
	return r
}

// arguments loads what lives as long as the call.
func (e *tile) arguments() {
	rs := e.stride(e.Func, "rs")
	if e.Arm() {
		e.begin, e.at = []asm.Reg{e.LoadArg("a")}, e.Reg()
		for r := 1; r < e.rows; r++ {
			next := e.Reg()
			e.Op("ADD", rs, e.begin[r-1], next)
			e.begin = append(e.begin, next)
		}
		e.FreeReg(rs)
	} else {
		e.a, e.odd[1] = e.Reg(), rs
		for r := 3; r < e.rows; r += 2 {
			from, times := rs, r-1 // r = 1 + 2, 1 + 4, 1 + 8
			if r == 7 || r == 11 {
				from, times = e.odd[3], r-3 // 3 + 4, 3 + 8
			}
			e.odd[r] = e.Reg()
			e.Op("LEAQ", asm.Mem{Base: from, Index: rs, Scale: times}, e.odd[r])
		}
	}
	e.ks, e.b, e.panels, e.c = e.stride(e.Func, "ks"), e.LoadArg("b"), e.LoadArg("panels"), e.LoadArg("c")
	e.ldc, e.left, e.to = e.stride(e.Func, "ldc"), e.Reg(), e.Reg()
}

// number is where A[r, k] lies when the cursor stands at k: on amd64 r is an odd number times 1, 2, 4 or 8.
func (e *tile) number(r int) asm.Mem {
	if e.Arm() {
		return asm.Mem{Base: e.begin[r], Index: e.at}
	}
	if r == 0 {
		return asm.Mem{Base: e.a}
	}
	times := r & -r
	return asm.Mem{Base: e.a, Index: e.odd[r/times], Scale: times}
}

// next moves a register from row r to the one after it, where there is one.
func (e *tile) next(r int, by, at asm.Reg) {
	if r+1 < e.rows {
		e.Add(by, at)
	}
}

func (e *tile) product() {
	turn := 2 // steps in one turn of the loop
	if e.rows == e.heights[0] {
		turn = 4
	}
	e.Sub(asm.Imm(turn), e.left)
	e.If("LT", "tail")
	e.Label("loop")
	for u := range turn {
		e.step(u * e.row())
	}
	e.Add(asm.Imm(turn*e.row()), e.b)
	e.Sub(asm.Imm(turn), e.left)
	e.If("GE", "loop")
	e.Label("tail")
	e.Add(asm.Imm(turn), e.left)
	e.If("EQ", "done")
	e.Label("one")
	e.step(0)
	e.Add(asm.Imm(e.row()), e.b)
	e.Sub(asm.Imm(1), e.left)
	e.If("NE", "one")
	e.Label("done")
}

// step adds the products of column k of A with row k of B, which lies so far from the cursor, and moves A's to k+1.
func (e *tile) step(disp int) {
	e.Load(asm.Mem{Base: e.b, Disp: disp}, e.bv...)
	for r := range e.rows {
		v := e.av[r%len(e.av)]
		if e.Arm() {
			e.Op(e.Float("FMOV"), e.number(r), v)
		} else {
			e.Broadcast(e.Elem, e.number(r), v)
		}
		for j, b := range e.bv {
			if sum := e.sum[r*e.vecs+j]; e.Arm() {
				e.MultiplyAdd(sum, b, v)
			} else {
				e.Op(e.Float("VFMADD231P"), b, v, sum)
			}
		}
	}
	if e.Arm() {
		e.Add(e.ks, e.at)
	} else {
		e.Add(e.ks, e.a)
	}
}

// write stores the tile, after adding the same tile of from where there is one.
func (e *tile) write() {
	from, ldfrom := e.left, e.a // both are free until the next panel
	if e.Arm() {
		ldfrom = e.at
	}
	e.Move(e.Arg("from"), from)
	e.Compare(from, asm.Imm(0))
	e.If("EQ", "store")
	e.Add(e.c, from) // as far into from as c is into C
	e.Move(e.Arg("c"), e.to)
	e.Sub(e.to, from)
	e.Move(e.Arg("ldfrom"), ldfrom)
	e.Shift(log2(e.Elem), ldfrom)
	for r := range e.rows {
		addTo(e.Func, asm.Mem{Base: from}, e.sum[r*e.vecs:][:e.vecs], e.bv)
		e.next(r, ldfrom, from)
	}
	e.Label("store")
	e.Move(e.c, e.to)
	for r := range e.rows {
		e.Store(asm.Mem{Base: e.to}, e.sum[r*e.vecs:][:e.vecs]...)
		e.next(r, e.ldc, e.to)
	}
}

// addTo adds consecutive memory to sums, by way of other registers where the machine needs them.
func addTo(f *asm.Func, m asm.Mem, sums, way []asm.Vec) {
	if f.Arm() {
		f.Load(m, way...)
	}
	for j, sum := range sums {
		if f.Arm() {
			f.Three("fadd", sum, sum, way[j])
		} else {
			f.Op(f.Float("VADDP"), m.At(j*f.Bytes), sum, sum)
		}
	}
}

// pack writes the copy of rows of B into panels: row by row, so that memory is read in the order in which it lies. Rows
// are asked for some rows before their use: they lie on pages of their own, where no hardware prefetcher follows.
func (k panel) pack(file *asm.File) {
	f := file.Func(k.Machine, k.name("pack"),
		fmt.Sprintf("func(k int, b *%[1]s, ldb int, dst *%[1]s, panels int)", k.Type()),
		fmt.Sprintf("copies k rows of B, ldb apart, into panels that are %d wide; see packFunc.", k.width()))
	const ahead = 3 // the logarithm of how many rows
	rows, b, ldb, dst := f.LoadArg("k"), f.LoadArg("b"), k.stride(f, "ldb"), f.LoadArg("dst")
	apart, from, far, to, left := f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg()
	f.Move(asm.Imm(k.row()), apart) // from one panel to the next
	if k.Arm() {
		f.Op("MUL", rows, apart)
	} else {
		f.Op("IMULQ", rows, apart)
	}
	v := f.TakeVecs(k.vecs)
	f.Label("row")
	f.Move(b, from)
	f.Move(dst, to)
	f.Move(ldb, far)
	f.Shift(ahead, far)
	f.Add(b, far)
	f.Move(f.Arg("panels"), left)
	f.Label("panel")
	for o := 0; o < k.row(); o += line {
		f.Prefetch(asm.Mem{Base: far, Disp: o}, 1)
	}
	f.Load(asm.Mem{Base: from}, v...)
	f.Store(asm.Mem{Base: to}, v...)
	f.Add(asm.Imm(k.row()), from)
	f.Add(asm.Imm(k.row()), far)
	f.Add(apart, to)
	f.Sub(asm.Imm(1), left)
	f.If("NE", "panel")
	f.Add(ldb, b)
	f.Add(asm.Imm(k.row()), dst)
	f.Sub(asm.Imm(1), rows)
	f.If("NE", "row")
	f.Ret()
}

// addWide writes the function that adds a float32 tile to a float64 C. It asks for the same tile of the next panel.
func addWide(file *asm.File, m asm.Machine) {
	f := file.Func(m, "addWide"+m.Name, "func(rows, width int, tile *float32, c *float64, ldc int)",
		"adds a tile of rows of width numbers to float64 ones; see wideFunc.")
	rows, width, tile := f.LoadArg("rows"), f.LoadArg("width"), f.LoadArg("tile")
	to, ldc, left := f.LoadArg("c"), f.LoadArg("ldc"), f.Reg()
	const some = 2 // vectors of C
	f.Sub(width, ldc)
	f.Shift(3, ldc)
	f.Label("row")
	f.Move(width, left)
	f.Label("vectors")
	for i, v := range f.TakeVecs(some) {
		at := asm.Mem{Base: to, Disp: i * m.Bytes}
		f.Op("VCVTPS2PD", asm.Mem{Base: tile, Disp: i * m.Bytes / 2}, v)
		f.Op("VADDPD", at, v, v)
		f.Store(at, v)
	}
	for o := 0; o < some*m.Bytes; o += line {
		f.Prefetch(asm.Mem{Base: to, Index: width, Scale: 8, Disp: o}, 1)
	}
	f.Add(asm.Imm(some*m.Bytes/2), tile)
	f.Add(asm.Imm(some*m.Bytes), to)
	f.Sub(asm.Imm(some*m.Bytes/8), left)
	f.If("NE", "vectors")
	f.Add(ldc, to)
	f.Sub(asm.Imm(1), rows)
	f.If("NE", "row")
	f.Ret()
}

// peak writes a function that does nothing but FMAs on registers, against which benchmarks measure the kernels: so many
// independent sums, enough to hide the latency of an FMA.
func peak(file *asm.File, m asm.Machine, chains int) {
	f := file.Func(m, "fmaPeak"+m.Name, "func(n int)",
		fmt.Sprintf("does n rounds of %d float32 FMAs of %d bytes on registers.", chains, m.Bytes))
	n, sums, one := f.LoadArg("n"), f.TakeVecs(chains), f.Vec()
	for _, v := range append(sums, one) {
		f.Zero(v)
	}
	f.Label("round")
	for _, v := range sums {
		if m.Arm() {
			f.Three("fmla", v, one, one)
		} else {
			f.Op("VFMADD231PS", one, one, v)
		}
	}
	f.Sub(asm.Imm(1), n)
	f.If("NE", "round")
	f.Ret()
}

// prefetch writes the function that asks for memory that the second-level cache should hold soon.
func prefetch(file *asm.File, m asm.Machine) {
	f := file.Func(m, "prefetch", "func(p uintptr, lines int)",
		"asks for so many lines of cache from p on, into the second level.")
	p, lines := f.LoadArg("p"), f.LoadArg("lines")
	f.Label("next")
	f.Prefetch(asm.Mem{Base: p}, 2)
	f.Add(asm.Imm(line), p)
	f.Sub(asm.Imm(1), lines)
	f.If("NE", "next")
	f.Ret()
}
