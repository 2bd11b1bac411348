package main

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
)

// neonMost is the largest R for NEON: as many vectors again are left for what is on its way.
const neonMost = 16

// neon writes the kernels for arm64.
func neon(file *arm64.File) {
	for _, elem := range []int{4, 8} {
		n := &neonKernels{File: file, elem: elem, arr: arm64.Float(elem)}
		n.signs = n.signTable()
		for r := 1; r <= neonMost; r *= 2 {
			n.head(r, false)
			n.head(r, true)
		}
		for r := 2; r <= neonMost; r *= 2 {
			n.pass(r)
		}
		n.product(false)
		n.product(true)
	}
}

// neonKernels are the kernels for elements of so many bytes.
type neonKernels struct {
	*arm64.File
	elem int
	arr  arm64.Arr

	signs arm64.Symbol
}

const neonVector = 16 // bytes

func (n *neonKernels) lanes() int { return neonVector / n.elem }

// function begins a kernel whose doc comment says what it does.
func (n *neonKernels) function(kind, params, doc string) *arm64.Func {
	name := fmt.Sprintf("%s_neon_f%d", kind, 8*n.elem)
	return n.Func(name, fmt.Sprintf("func(%s)", fmt.Sprintf(params, fmt.Sprintf("float%d", 8*n.elem))), name+" "+doc)
}

// signTable is the constant 1, -1, ... of the stages inside a vector: -1 where bit stage of the number is set.
func (n *neonKernels) signTable() arm64.Symbol {
	name := fmt.Sprintf("hadamardSigns_neon_f%d", 8*n.elem)
	var all []float64
	for stage := range log2(n.lanes()) {
		for i := range n.lanes() {
			all = append(all, float64(1-2*(i>>stage&1)))
		}
	}
	if n.elem == 8 {
		return n.Floats64(name, all)
	}
	single := make([]float32, len(all))
	for i, v := range all {
		single[i] = float32(v)
	}
	return n.Floats32(name, single)
}

// swap writes x with the elements exchanged whose numbers differ in bit stage.
func (n *neonKernels) swap(f *arm64.Func, stage int, x, to arm64.Vec) {
	if n.elem<<stage == 4 {
		f.Two("rev64", arm64.S4, to, x)
		return
	}
	bytes := arm64.Place(fmt.Sprintf("V%d.B16", int(x)))
	f.Op("VEXT", arm64.Imm(neonVector/2), bytes, bytes, arm64.Place(fmt.Sprintf("V%d.B16", int(to))))
}

// across does the butterflies between the vectors in v, a power of two of them.
func (n *neonKernels) across(f *arm64.Func, v []arm64.Vec) {
	spare := f.Vec()
	for h := 1; h < len(v); h *= 2 {
		for i := range v {
			if i&h == 0 {
				a, b := v[i], v[i+h]
				f.Three("fadd", n.arr, spare, a, b)
				f.Three("fsub", n.arr, b, a, b)
				v[i], spare = spare, a
			}
		}
	}
	f.FreeVec(spare)
}

// head is the kernel for blocks of r vectors, n elements in all: dst = blockwise H(src·scale), scale being absent
// without scaled. A stage inside a vector is two instructions: the swapped vector, and x·signs added to it, which rounds
// once, as the product is exact.
func (n *neonKernels) head(r int, scaled bool) {
	kind, params, doc := "hadamardHead", "dst, src *%s, n int", "transforms blocks of %d vectors."
	if scaled {
		kind, params, doc = "hadamardScaledHead", "dst, src, scale *%s, n int", "transforms blocks of %d vectors of src·scale."
	}
	f := n.function(fmt.Sprint(kind, r), params, fmt.Sprintf(doc, r))
	dst, src, left := f.LoadArg("dst"), f.LoadArg("src"), f.LoadArg("n")
	var scale arm64.Reg
	if scaled {
		scale = f.LoadArg("scale")
	}
	signs := f.Vecs(log2(n.lanes()))
	table := f.Reg()
	f.Op("MOVD", n.signs, table)
	f.LoadAll(arm64.Mem{Base: table}, signs...)
	f.FreeReg(table)
	v := f.Vecs(r)
	f.Label("loop")
	f.LoadAll(arm64.Mem{Base: src}, v...)
	if scaled {
		const some = 8
		for i := 0; i < r; i += some {
			part := v[i:min(i+some, r)]
			by := f.Vecs(len(part))
			f.LoadAll(arm64.Mem{Base: scale, Disp: i * neonVector}, by...)
			for j, x := range part {
				f.Three("fmul", n.arr, x, x, by[j])
			}
			f.FreeVec(by...)
		}
	}
	for s, sign := range signs {
		for i, x := range v {
			swapped := f.Vec()
			n.swap(f, s, x, swapped)
			f.Three("fmla", n.arr, swapped, x, sign)
			v[i] = swapped
			f.FreeVec(x)
		}
	}
	n.across(f, v)
	f.StoreAll(arm64.Mem{Base: dst}, v...)
	step := arm64.Imm(r * neonVector)
	f.Op("ADD", step, dst)
	f.Op("ADD", step, src)
	if scaled {
		f.Op("ADD", step, scale)
	}
	f.Op("SUBS", arm64.Imm(r*n.lanes()), left)
	f.Op("BNE", arm64.Label("loop"))
	f.Ret()
}

// pass is the kernel for log2(r) stages of the strides h, 2h, ..., in place on n elements; h is a multiple of two
// vectors. Each row has a pointer, which its load moves on: that does not wait for the sums, as a store would.
func (n *neonKernels) pass(r int) {
	f := n.function(fmt.Sprint("hadamardPass", r), "x *%s, h, n int", fmt.Sprintf("transforms %d rows that are h apart.", r))
	x, h, count := f.LoadArg("x"), f.LoadArg("h"), f.LoadArg("n")
	end := f.Reg()
	shift := log2(n.elem)
	f.Op("LSL", arm64.Imm(shift), h, h)
	f.Op("ADD", arm64.Shifted{Reg: count, By: shift}, x, end)
	rows := []arm64.Reg{x}
	for len(rows) < r {
		rows = append(rows, f.Reg())
	}
	wide := 2 // vectors of a row at a time
	if r == neonMost {
		wide = 1
	}
	f.Label("block")
	for i := 1; i < r; i++ {
		f.Op("ADD", h, rows[i-1], rows[i])
	}
	f.Op("MOVD", h, count)
	f.Label("loop")
	v := make([][]arm64.Vec, wide)
	for i := range v {
		v[i] = f.Vecs(r)
	}
	for i, row := range rows {
		from := arm64.Mem{Base: row, Disp: wide * neonVector}
		if wide == 2 {
			f.Op("FLDPQ.P", from, arm64.Pair{v[0][i], v[1][i]})
		} else {
			f.Op("FMOVQ.P", from, v[0][i])
		}
	}
	for _, one := range v {
		n.across(f, one)
	}
	for i, row := range rows {
		to := arm64.Mem{Base: row, Disp: -wide * neonVector}
		if wide == 2 {
			f.StoreAll(to, v[0][i], v[1][i])
		} else {
			f.Store(v[0][i], to)
		}
	}
	f.Op("SUBS", arm64.Imm(wide*neonVector), count)
	f.Op("BNE", arm64.Label("loop"))
	f.Op("MOVD", rows[r-1], x) // the last row ends where the next block begins
	f.Op("CMP", end, x)
	f.Op("BLT", arm64.Label("block"))
	f.Ret()
}

// product is dst = a·b, or dst += a·b with add, on n elements, a multiple of a vector.
func (n *neonKernels) product(add bool) {
	kind, doc := "hadamardMul", "writes a·b to dst."
	if add {
		kind, doc = "hadamardMulAdd", "adds a·b to dst."
	}
	f := n.function(kind, "dst, a, b *%s, n int", doc)
	dst, a, b, left := f.LoadArg("dst"), f.LoadArg("a"), f.LoadArg("b"), f.LoadArg("n")
	const most = 4
	f.Op("SUBS", arm64.Imm(most*n.lanes()), left)
	f.Op("BLT", arm64.Label("rest"))
	for _, r := range []int{most, 1} {
		name := map[int]string{most: "loop", 1: "one"}[r]
		f.Label(name)
		x, y, sum := f.Vecs(r), f.Vecs(r), f.Vecs(r)
		f.LoadAll(arm64.Mem{Base: a}, x...)
		f.LoadAll(arm64.Mem{Base: b}, y...)
		if add {
			f.LoadAll(arm64.Mem{Base: dst}, sum...)
		}
		for i, s := range sum {
			op := "fmul"
			if add {
				op = "fmla"
			}
			f.Three(op, n.arr, s, x[i], y[i])
		}
		f.StoreAll(arm64.Mem{Base: dst}, sum...)
		for _, p := range []arm64.Reg{dst, a, b} {
			f.Op("ADD", arm64.Imm(r*neonVector), p)
		}
		f.Op("SUBS", arm64.Imm(r*n.lanes()), left)
		if r == most {
			f.Op("BGE", arm64.Label(name))
			f.Label("rest")
			f.Op("ADDS", arm64.Imm(most*n.lanes()), left)
			f.Op("BEQ", arm64.Label("done"))
		} else {
			f.Op("BNE", arm64.Label(name))
		}
		f.FreeVec(append(append(x, y...), sum...)...)
	}
	f.Label("done")
	f.Ret()
}
