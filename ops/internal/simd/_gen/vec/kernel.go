package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel is a function under construction: an element type, an instruction set and the constants in use.
type kernel struct {
	*build.Context
	f64, wide bool
	rows      constants
	name      string
	regs      map[string]reg.VecVirtual // constants that live in registers
	i, end    reg.GPVirtual             // bytes done, bytes in all
}

// lanes is a vector of the arrays: its offset from the index, and the mask of its elements where it is partial.
type lanes struct {
	offset int
	mask   reg.Register
}

func (k *kernel) bytes() int { return pick(k.wide, 32, 64) }

// begin opens a function and returns its arrays.
func (k *kernel) begin(name string) (ptrs []reg.Register) {
	s := signatures[name]
	k.name = name + pick(k.wide, "AVX2", "AVX512") + suffix(k.f64)
	k.regs = map[string]reg.VecVirtual{}
	k.Function(k.name)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr(s.list(k.f64))
	k.Pragma("noescape")
	k.Doc(k.name + " " + s.doc)
	for _, a := range s.arrays {
		ptrs = append(ptrs, k.Load(k.Param(a), k.GP64()))
	}
	k.i, k.end = k.GP64(), k.GP64()
	k.XORQ(k.i, k.i)
	k.Load(k.Param("n"), k.end)
	k.SHLQ(operand.Imm(uint64(pick(k.f64, 2, 3))), k.end)
	for _, c := range s.scalars {
		k.regs[c] = k.param(c)
	}
	return ptrs
}

// param is a scalar parameter in every lane.
func (k *kernel) param(name string) reg.VecVirtual {
	p, err := k.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := k.vec()
	k.op(k.VBROADCASTSS, k.VBROADCASTSD)(p.Addr, v)
	return v
}

// hoist takes constants into registers for the length of the call.
func (k *kernel) hoist(names ...string) {
	for _, n := range names {
		v := k.vec()
		k.op(k.VBROADCASTSS, k.VBROADCASTSD)(k.row(n), v)
		k.regs[n] = v
	}
}

// hoistWide does so with AVX-512 only; AVX2 has too few registers and reads the constants from memory.
func (k *kernel) hoistWide(names ...string) {
	if k.wide {
		k.hoist(names...)
	}
}

// times multiplies constants in registers by another.
func (k *kernel) times(by string, names ...string) {
	for _, n := range names {
		k.op(k.VMULPS, k.VMULPD)(k.regs[by], k.regs[n], k.regs[n])
	}
}

func (k *kernel) row(name string) operand.Mem {
	m, ok := k.rows[name]
	if !ok {
		panic(fmt.Sprintf("%s: no constant %s", k.name, name))
	}
	return m
}

// c is a constant as an operand.
func (k *kernel) c(name string) operand.Op {
	if v, ok := k.regs[name]; ok {
		return v
	}
	if k.wide {
		panic(fmt.Sprintf("%s: constant %s is not in a register", k.name, name))
	}
	return k.row(name)
}

// blocks emits the loops: body for several whole vectors at a time, then for one vector, whole or partial. body jumps to the label
// "done" of the function before it stores anything if an element is outside its range.
func (k *kernel) blocks(vectors int, body func(at []lanes)) {
	w := k.bytes()
	step := vectors * w
	next := k.GP64()
	k.Label("blocks")
	k.LEAQ(operand.Mem{Base: k.i, Disp: step}, next)
	k.CMPQ(next, k.end)
	k.JGT(operand.LabelRef("single"))
	var at []lanes
	for v := range vectors {
		at = append(at, lanes{offset: v * w})
	}
	body(at)
	k.ADDQ(operand.U32(step), k.i)
	k.JMP(operand.LabelRef("blocks"))

	k.Label("single")
	rest := k.GP64()
	k.MOVQ(k.end, rest)
	k.SUBQ(k.i, rest)
	k.JLE(operand.LabelRef("done"))
	body([]lanes{{mask: k.mask(rest)}})
	k.ADDQ(operand.Imm(uint64(w)), k.i)
	k.JMP(operand.LabelRef("single"))

	k.Label("done")
	k.CMPQ(k.i, k.end)
	k.CMOVQGT(k.end, k.i)
	k.SHRQ(operand.Imm(uint64(pick(k.f64, 2, 3))), k.i)
	k.Store(k.i, k.Return("done"))
	k.VZEROUPPER()
	k.RET()
}

// mask is the mask of the first rest bytes of a vector; rest is less than a block.
func (k *kernel) mask(rest reg.GPVirtual) reg.Register {
	if k.wide {
		k.SHRQ(operand.Imm(uint64(pick(k.f64, 2, 3))), rest)
		ones, m := k.GP64(), k.K()
		k.MOVQ(operand.I32(-1), ones)
		k.BZHIQ(rest, ones, ones)
		k.KMOVW(ones.As32(), m)
		return m
	}
	full, base, m := k.GP64(), k.GP64(), k.YMM()
	k.MOVQ(operand.U32(32), full)
	k.CMPQ(rest, full)
	k.CMOVQGT(full, rest)
	k.SUBQ(rest, full)
	k.LEAQ(maskTable, base)
	k.VMOVDQU(operand.Mem{Base: base, Index: full, Scale: 1}, m)
	return m
}

// load reads a vector; the lanes beyond a mask are zero.
func (k *kernel) load(p reg.Register, at lanes) reg.VecVirtual { return k.loadAt(p, k.i, at) }

// loadAt is load so many bytes into an array.
func (k *kernel) loadAt(p, i reg.Register, at lanes) reg.VecVirtual {
	v, m := k.vec(), operand.Mem{Base: p, Index: i, Scale: 1, Disp: at.offset}
	switch {
	case at.mask == nil:
		k.op(k.VMOVUPS, k.VMOVUPD)(m, v)
	case k.wide && k.f64:
		k.VMOVUPD_Z(m, at.mask, v)
	case k.wide:
		k.VMOVUPS_Z(m, at.mask, v)
	case k.f64:
		k.VMASKMOVPD(m, at.mask, v)
	default:
		k.VMASKMOVPS(m, at.mask, v)
	}
	return v
}

func (k *kernel) store(v reg.Register, p reg.Register, at lanes) {
	m := k.at(p, at)
	switch {
	case at.mask == nil:
		k.op(k.VMOVUPS, k.VMOVUPD)(v, m)
	case k.wide:
		k.op(k.VMOVUPS, k.VMOVUPD)(v, at.mask, m)
	case k.f64:
		k.VMASKMOVPD(v, at.mask, m)
	default:
		k.VMASKMOVPS(v, at.mask, m)
	}
}

func (k *kernel) at(p reg.Register, at lanes) operand.Mem {
	return operand.Mem{Base: p, Index: k.i, Scale: 1, Disp: at.offset}
}
