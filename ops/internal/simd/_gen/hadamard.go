package main

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// A Walsh-Hadamard transform of n = 2^k numbers is k stages of butterflies (a, b) -> (a+b, a-b), in any order. The head
// does the stages of a block of R vectors that lie side by side while they are in registers: those inside a vector by a
// permutation and x' = ±x + permuted x, those across by additions. A pass then does 1 to 4 stages of a larger stride,
// on R = 2 to 16 vectors at that stride. So 4096 numbers of float32 take two trips through the cache. The head
// multiplies what it loads, by signs or scales, and need not write where it read.

func hadamard(f *asm.File) {
	for _, machine := range []asm.Machine{asm.AVX512, asm.AVX2} {
		for _, elem := range []int{4, 8} {
			m := machine.Of(elem)
			signs := signs(f, m)
			// Of R = 2^of vectors, of which the largest fits into the registers; fewer numbers are left to plain Go.
			cases := func(kind, params, doc string, least int, write func(f *asm.Func, r int)) {
				var logs []int
				for log := log2(m.Vecs / 2); log >= least; log-- {
					logs = append(logs, log)
				}
				f.Cases(m, kind+m.Name+m.Suffix(), fmt.Sprintf("func("+params+")", m.Type()), doc, logs,
					func(f *asm.Func, log int) { write(f, 1<<log) })
			}
			cases("hadamardHead", "dst, src, scale *%s, n int", "transforms blocks of 2^of vectors of src·scale.", 2,
				func(f *asm.Func, r int) { head(f, signs, r) })
			cases("hadamardPass", "x *%s, h, n int", "transforms 2^of rows that are h apart.", 1, pass)
		}
	}
}

// signs is the constant 1, -1, ... of the stages inside a vector: -1 where bit stage of the number is set.
func signs(f *asm.File, m asm.Machine) asm.Mem {
	var words []uint64
	for stage := range log2(m.Lanes()) {
		for i := range m.Lanes() {
			v := float64(1 - 2*(i>>stage&1))
			switch {
			case m.Elem == 8:
				words = append(words, math.Float64bits(v))
			case i%2 == 0:
				words = append(words, uint64(math.Float32bits(float32(v))))
			default:
				words[len(words)-1] |= uint64(math.Float32bits(float32(v))) << 32
			}
		}
	}
	return f.Data("hadamardSigns"+m.Name+m.Suffix(), words)
}

func log2(n int) (k int) {
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

// swap writes x with the elements exchanged whose numbers differ in bit stage.
func swap(f *asm.Func, stage int, x, to asm.Vec) {
	switch apart := f.Elem << stage; {
	case apart == 4:
		f.Op("VPERMILPS", asm.Imm(0xB1), x, to)
	case apart == 8 && f.Elem == 4:
		f.Op("VPERMILPS", asm.Imm(0x4E), x, to)
	case apart == 8:
		f.Op("VPERMILPD", asm.Imm(0x55), x, to)
	case !f.Wide(): // the two halves
		f.Op("VPERM2F128", asm.Imm(1), x, x, to)
	case apart == 16: // neighbouring quarters
		f.Op("VSHUFF64X2", asm.Imm(0xB1), x, x, to)
	default: // halves
		f.Op("VSHUFF64X2", asm.Imm(0x4E), x, x, to)
	}
}

// across does the butterflies between the vectors in v, a power of two of them, with one spare register.
func across(f *asm.Func, v []asm.Vec, spare asm.Vec) {
	for h := 1; h < len(v); h *= 2 {
		for i := range v {
			if i&h == 0 {
				a, b := v[i], v[i+h]
				f.Op(f.Float("VADDP"), b, a, spare)
				f.Op(f.Float("VSUBP"), b, a, b)
				v[i], spare = spare, a
			}
		}
	}
}

// head is the kernel for blocks of r vectors, n elements in all: dst = blockwise H(src·scale). A stage inside a vector
// rounds once, as the product with a sign is exact.
func head(f *asm.Func, signs asm.Mem, r int) {
	dst, src, scale, n := f.LoadArg("dst"), f.LoadArg("src"), f.LoadArg("scale"), f.LoadArg("n")
	v, consts := f.TakeVecs(r), f.TakeVecs(log2(f.Lanes()))
	spare := f.TakeVecs(f.VecsLeft())
	f.Load(signs, consts...)
	f.Label("loop")
	for i := range v {
		f.Load(asm.Mem{Base: src, Disp: i * f.Bytes}, v[i])
		f.Op(f.Float("VMULP"), asm.Mem{Base: scale, Disp: i * f.Bytes}, v[i], v[i])
	}
	for s, signs := range consts {
		for i := range v {
			swapped := spare[i%len(spare)]
			swap(f, s, v[i], swapped)
			f.Op(f.Float("VFMADD213P"), swapped, signs, v[i])
		}
	}
	across(f, v, spare[0])
	f.Store(asm.Mem{Base: dst}, v...)
	for _, p := range []asm.Reg{dst, src, scale} {
		f.Add(asm.Imm(r*f.Bytes), p)
	}
	f.Sub(asm.Imm(r*f.Lanes()), n)
	f.If("NE", "loop")
	f.Ret()
}

// pass is the kernel for log2(r) stages of the strides h, 2h, ..., in place on n elements; h is a multiple of a vector.
func pass(f *asm.Func, r int) {
	x, h, n := f.LoadArg("x"), f.LoadArg("h"), f.LoadArg("n")
	f.Shift(log2(f.Elem), h)
	f.Shift(log2(f.Elem), n)
	end, h3, count := f.Reg(), f.Reg(), f.Reg()
	f.Op("LEAQ", asm.Mem{Base: x, Index: n, Scale: 1}, end)
	f.Op("LEAQ", asm.Mem{Base: h, Index: h, Scale: 2}, h3)
	// A base for every four rows: h, 2h and 3h are addressing modes.
	bases := []asm.Reg{x}
	for i := 4; i < r; i += 4 {
		bases = append(bases, f.Reg())
	}
	row := func(i int) asm.Mem {
		base := bases[i/4]
		return [...]asm.Mem{{Base: base}, {Base: base, Index: h, Scale: 1}, {Base: base, Index: h, Scale: 2},
			{Base: base, Index: h3, Scale: 1}}[i%4]
	}
	v, spare := f.TakeVecs(r), f.Vec()
	f.Label("block")
	for i := 1; i < len(bases); i++ {
		f.Op("LEAQ", asm.Mem{Base: bases[i-1], Index: h, Scale: 4}, bases[i])
	}
	f.Move(h, count)
	f.Label("loop")
	for i := range v {
		f.Load(row(i), v[i])
	}
	across(f, v, spare)
	for i := range v {
		f.Store(row(i), v[i])
	}
	for _, b := range bases {
		f.Add(asm.Imm(f.Bytes), b)
	}
	f.Sub(asm.Imm(f.Bytes), count)
	f.If("NE", "loop")
	// x has gone on by h; the next block is r·h after the start of this one.
	switch r {
	case 2:
		f.Add(h, x)
	case 4:
		f.Add(h3, x)
	default: // the start of the last base is (r-4)·h after that of x, and it has gone on by h as well
		f.Op("LEAQ", asm.Mem{Base: bases[len(bases)-1], Index: h3, Scale: 1}, x)
	}
	f.Compare(x, end)
	f.If("LT", "block")
	f.Ret()
}
