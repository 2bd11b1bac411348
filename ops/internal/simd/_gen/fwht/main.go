// Command fwht writes the assembly of the Walsh-Hadamard transform: fwht_amd64.s and its stubs.
//
//	go generate github.com/bochner-go/bochner/ops/internal/simd
//
// A transform of n = 2^k numbers is k stages of butterflies (a, b) -> (a+b, a-b), in any order. The head does the
// stages of a block of R vectors that lie side by side while they are in registers: those inside a vector by a
// permutation and x' = ±x + permuted x, those across by additions. A pass then does 1 to 4 stages of a larger stride,
// on R = 2 to 16 vectors at that stride. So 4096 numbers of float32 take two trips through the cache. The head
// multiplies what it loads, by signs or scales, and need not write where it read.
package main

import (
	"flag"
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// target is an instruction set with an element type.
type target struct {
	isa    string
	elem   int // bytes
	vector int // bytes
}

var targets = []target{{"avx512", 4, 64}, {"avx512", 8, 64}, {"avx2", 4, 32}, {"avx2", 8, 32}}

func (t target) goType() string { return fmt.Sprintf("float%d", 8*t.elem) }
func (t target) name(kind string) string {
	return fmt.Sprintf("%s_%s_f%d", kind, t.isa, 8*t.elem)
}

// lanes is the number of elements in a vector, widest the largest R that fits into the registers.
func (t target) lanes() int { return t.vector / t.elem }
func (t target) widest() int {
	if t.vector == 64 {
		return 16
	}
	return 8
}

var (
	zmm = []reg.Register{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}
	ymm = []reg.Register{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}
)

func (t target) regs() []reg.Register {
	if t.vector == 64 {
		return zmm
	}
	return ymm
}

// single and double choose between the instructions of the two element types.
func (t target) pick(single, double func(...Op)) func(...Op) {
	if t.elem == 4 {
		return single
	}
	return double
}

func (t target) mov(from, to Op)   { t.pick(VMOVUPS, VMOVUPD)(from, to) }
func (t target) add(a, b, to Op)   { t.pick(VADDPS, VADDPD)(b, a, to) }
func (t target) sub(a, b, to Op)   { t.pick(VSUBPS, VSUBPD)(b, a, to) } // to = a - b
func (t target) mul(a, b, to Op)   { t.pick(VMULPS, VMULPD)(b, a, to) }
func (t target) fma(x, y, to Op)   { t.pick(VFMADD231PS, VFMADD231PD)(x, y, to) } // to += x·y
func (t target) fma213(s, x, y Op) { t.pick(VFMADD213PS, VFMADD213PD)(y, s, x) }  // x = x·s + y

// swap writes x with the elements exchanged whose numbers differ in bit stage.
func (t target) swap(stage int, x, to Op) {
	switch {
	case t.elem == 4 && stage == 0:
		VPERMILPS(Imm(0xB1), x, to)
	case t.elem == 4 && stage == 1:
		VPERMILPS(Imm(0x4E), x, to)
	case t.elem == 8 && stage == 0:
		VPERMILPD(Imm(0x55), x, to)
	case t.vector == 32: // the two halves
		VPERM2F128(Imm(1), x, x, to)
	case t.elem*(1<<stage) == 16: // neighbouring quarters
		VSHUFF64X2(Imm(0xB1), x, x, to)
	default: // halves
		VSHUFF64X2(Imm(0x4E), x, x, to)
	}
}

// signTable is the constant 1, -1, ... of the stages inside a vector: -1 where bit stage of the number is set.
func (t target) signTable() Mem {
	g := GLOBL(t.name("hadamardSigns"), RODATA|NOPTR)
	at := 0
	for stage := range log2(t.lanes()) {
		for i := range t.lanes() {
			v := 1.0
			if i>>stage&1 == 1 {
				v = -1
			}
			if t.elem == 4 {
				DATA(at, F32(v))
			} else {
				DATA(at, F64(v))
			}
			at += t.elem
		}
	}
	return g
}

func log2(n int) (k int) {
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

// across does the butterflies between the vectors in v, a power of two of them, with one spare register.
func (t target) across(v []reg.Register, spare reg.Register) {
	for h := 1; h < len(v); h *= 2 {
		for i := range v {
			if i&h != 0 {
				continue
			}
			a, b := v[i], v[i+h]
			t.add(a, b, spare)
			t.sub(a, b, b)
			v[i], spare = spare, a
		}
	}
}

// head is the kernel for blocks of r vectors, n elements in all: dst = blockwise H(src·scale).
func (t target) head(signs Mem, r int) {
	TEXT(t.name(fmt.Sprintf("hadamardHead%d", r)), NOSPLIT, fmt.Sprintf("func(dst, src, scale *%s, n int)", t.goType()))
	Pragma("noescape")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	scale := Load(Param("scale"), GP64())
	all := t.regs()
	v, spare := append([]reg.Register(nil), all[:r]...), all[r:]
	stages := log2(t.lanes())
	consts, spare := spare[:stages], spare[stages:]
	for s, c := range consts {
		t.mov(signs.Offset(s*t.vector), c)
	}
	Label("loop")
	for i := range v {
		t.mov(Mem{Base: src, Disp: i * t.vector}, v[i])
		t.mul(v[i], Mem{Base: scale, Disp: i * t.vector}, v[i])
	}
	for s := range stages {
		for i := range v {
			swapped := spare[i%len(spare)]
			t.swap(s, v[i], swapped)
			t.fma213(consts[s], v[i], swapped)
		}
	}
	t.across(v, spare[0])
	for i := range v {
		t.mov(v[i], Mem{Base: dst, Disp: i * t.vector})
	}
	step := U32(r * t.vector)
	ADDQ(step, dst)
	ADDQ(step, src)
	ADDQ(step, scale)
	SUBQ(U32(r*t.lanes()), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// pass is the kernel for log2(r) stages of the strides h, 2h, ..., in place on n elements; h is a multiple of a vector.
func (t target) pass(r int) {
	TEXT(t.name(fmt.Sprintf("hadamardPass%d", r)), NOSPLIT, fmt.Sprintf("func(x *%s, h, n int)", t.goType()))
	Pragma("noescape")
	x, h, n := Load(Param("x"), GP64()), Load(Param("h"), GP64()), Load(Param("n"), GP64())
	shift := Imm(uint64(log2(t.elem)))
	SHLQ(shift, h)
	SHLQ(shift, n)
	end, h3, count := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: x, Index: n, Scale: 1}, end)
	LEAQ(Mem{Base: h, Index: h, Scale: 2}, h3)
	// A base for every four rows: h, 2h and 3h are addressing modes.
	bases := []reg.Register{x}
	for i := 4; i < r; i += 4 {
		bases = append(bases, GP64())
	}
	row := func(i int) Mem {
		m := Mem{Base: bases[i/4]}
		switch i % 4 {
		case 1:
			m.Index, m.Scale = h, 1
		case 2:
			m.Index, m.Scale = h, 2
		case 3:
			m.Index, m.Scale = h3, 1
		}
		return m
	}
	Label("block")
	for i := 1; i < len(bases); i++ {
		LEAQ(Mem{Base: bases[i-1], Index: h, Scale: 4}, bases[i])
	}
	MOVQ(h, count)
	Label("loop")
	all := t.regs()
	v := append([]reg.Register(nil), all[:r]...)
	for i := range v {
		t.mov(row(i), v[i])
	}
	t.across(v, all[r])
	for i := range v {
		t.mov(v[i], row(i))
	}
	for _, b := range bases {
		ADDQ(U32(t.vector), b)
	}
	SUBQ(U32(t.vector), count)
	JNE(LabelRef("loop"))
	// x has gone on by h; the next block is r·h after the start of this one.
	switch r {
	case 2:
		ADDQ(h, x)
	case 4:
		ADDQ(h3, x)
	default:
		last := bases[len(bases)-1] // its start is (r-4)·h after the start of x, and it has gone on by h as well
		LEAQ(Mem{Base: last, Index: h3, Scale: 1}, x)
	}
	CMPQ(x, end)
	JLT(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// product is dst = a·b, or dst += a·b with add, on n elements, a multiple of a vector.
func (t target) product(add bool) {
	kind := "hadamardMul"
	if add {
		kind = "hadamardMulAdd"
	}
	TEXT(t.name(kind), NOSPLIT, fmt.Sprintf("func(dst, a, b *%s, n int)", t.goType()))
	Pragma("noescape")
	dst, a, b, n := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	v, sum := t.regs()[0], t.regs()[1]
	Label("loop")
	t.mov(Mem{Base: a}, v)
	if add {
		t.mov(Mem{Base: dst}, sum)
		t.fma(Mem{Base: b}, v, sum)
		v = sum
	} else {
		t.mul(v, Mem{Base: b}, v)
	}
	t.mov(v, Mem{Base: dst})
	for _, p := range []reg.Register{dst, a, b} {
		ADDQ(U32(t.vector), p)
	}
	SUBQ(U32(t.lanes()), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func main() {
	flag.Parse() // avo's
	ConstraintExpr("!purego")
	for _, t := range targets {
		signs := t.signTable()
		for r := 1; r <= t.widest(); r *= 2 {
			t.head(signs, r)
		}
		for r := 2; r <= t.widest(); r *= 2 {
			t.pass(r)
		}
		t.product(false)
		t.product(true)
	}
	Generate()
}
