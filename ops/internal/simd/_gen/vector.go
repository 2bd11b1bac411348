package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// vector is a vector function under construction: an element type, the table of its constants, and the steps of the
// body at work. Every body is straight code, so its registers are found when it is complete.
type vector struct {
	*asm.Func
	table         map[string]asm.Mem
	base          asm.Reg            // of the table, on arm64
	arrays        map[string]asm.Reg // what comes next of each
	n, rest       asm.Reg            // elements in all, and to do
	apart, onward asm.Reg            // of a logarithm: 0 where c stays; a step of c
	mask          asm.Vec            // of the last elements

	pinned map[string]value // constants and scalars that live in registers for the length of the call
	regs   map[value]asm.Vec
	mem    map[value]asm.Mem // constants that an instruction reads itself
	steps  []step
	last   value
}

// part is a vector of the arrays: its offset in bytes, and how many elements it has. At the end of an array they are
// fewer than the lanes. With NEON they fill all of these in turns, so that no lane is out of range unless an element
// is; elsewhere a mask says how many.
type part struct{ offset, elements int }

const masked = 0

func (k *vector) signShift() int { return 8*k.Elem - 1 }

// newVector begins a function; params are its arrays, "n int" and scalars, without the element type.
func newVector(f *asm.File, m asm.Machine, name, params string, table map[string]asm.Mem, doc string) *vector {
	signature := "func(" + strings.NewReplacer("*T", "*"+m.Type(), " T", " "+m.Type()).Replace(params) + ") (done int)"
	k := &vector{Func: f.Func(m, name+m.Name+m.Suffix(), signature, doc), table: maps.Clone(table),
		arrays: map[string]asm.Reg{}, pinned: map[string]value{}, regs: map[value]asm.Vec{}, mem: map[value]asm.Mem{}}
	arrays, rest, _ := strings.Cut(params, " *T, ")
	for _, a := range strings.Split(arrays, ", ") {
		k.arrays[a] = k.LoadArg(a)
	}
	k.n, k.rest = k.LoadArg("n"), k.Reg()
	k.Move(k.n, k.rest)
	if _, scalars, ok := strings.Cut(rest, "n int, "); ok {
		for _, s := range strings.Split(strings.TrimSuffix(scalars, " T"), ", ") {
			k.scalar(s)
		}
	}
	if k.Arm() && table != nil {
		k.reach()
	}
	return k
}

// scalar is a parameter in every lane.
func (k *vector) scalar(name string) {
	v := k.pin(name)
	if !k.Arm() {
		k.Broadcast(k.Elem, k.Arg(name), v)
		return
	}
	k.Op(k.Float("FMOV"), k.Arg(name), v)
	k.Dup(v, v)
}

// farthest is where a load of two registers of NEON still reaches.
const farthest = 1008

// reach takes the middle of the table, from which all of it is within reach, into a register.
func (k *vector) reach() {
	middle := 0
	for _, m := range k.table {
		middle = max(middle, m.Disp-farthest)
	}
	middle = (middle + 15) &^ 15
	k.base = k.Reg()
	for name, m := range k.table {
		if m.Disp == 0 {
			k.Move(m.Address(), k.base)
		}
		k.table[name] = asm.Mem{Base: k.base, Disp: m.Disp - middle}
	}
	if middle > 0 {
		k.Add(asm.Imm(middle), k.base)
	}
}

// pin takes a register for the length of the call.
func (k *vector) pin(name string) asm.Vec {
	v := k.Vec()
	k.last++
	k.pinned[name], k.regs[k.last] = k.last, v
	return v
}

// hoist takes constants into registers for the length of the call, if the machine has at least so many.
func (k *vector) hoist(least int, names ...string) {
	if k.Vecs < least {
		return
	}
	for _, n := range names {
		if k.Arm() {
			k.Load(k.at(n), k.pin(n))
		} else {
			k.Broadcast(k.Elem, k.at(n), k.pin(n))
		}
	}
}

// hoist512 does so with AVX-512 only.
func (k *vector) hoist512(names ...string) {
	if k.Wide() {
		k.hoist(0, names...)
	}
}

// times multiplies constants in registers by another.
func (k *vector) times(by string, names ...string) {
	for _, n := range names {
		v := k.regs[k.pinned[n]]
		k.Op(k.Float("VMULP"), k.regs[k.pinned[by]], v, v)
	}
}

func (k *vector) at(name string) asm.Mem {
	m, ok := k.table[name]
	if !ok {
		panic("no constant " + name)
	}
	return m
}

// c is a constant: its register, the memory, or a load of it.
func (k *vector) c(name string) value {
	if v, ok := k.pinned[name]; ok {
		return v
	}
	if k.Arm() {
		return k.fresh(name)
	}
	if k.Wide() {
		panic("constant " + name + " is not in a register")
	}
	k.last++
	k.mem[k.last] = k.at(name)
	return k.last
}

// fresh is a constant in a register of its own, for a step that changes it.
func (k *vector) fresh(name string) value {
	if k.Arm() {
		return k.do(step{load: &memory{k.at(name), true}})
	}
	return k.copyOf(k.c(name))
}

// blocks writes the loops: body for several whole vectors at a time, and then for what is left. body leaves for the
// label "done" of the function before it stores anything if an element is outside its range.
func (k *vector) blocks(vectors int, body func(at []part)) {
	lanes := k.Lanes()
	var block []part
	for v := range vectors {
		block = append(block, part{k.Bytes * v, lanes})
	}
	k.loop(block, body)
	if k.Arm() { // one, then halves
		k.loop(block[:1], body)
		for n := lanes / 2; n > 0; n /= 2 {
			below := fmt.Sprint("below", n)
			k.Op("TBZ", asm.Imm(n/2), k.rest, asm.Label(below))
			k.advance([]part{{0, n}}, n, body)
			k.Label(below)
		}
	} else {
		k.Compare(k.rest, asm.Imm(0))
		k.If("LE", "done")
		k.Label("part")
		k.masks()
		k.advance([]part{{0, masked}}, lanes, body)
		k.If("GT", "part")
		if !k.Wide() {
			k.FreeVec(k.mask)
		}
	}
	k.Label("done")
	if !k.Arm() {
		k.Compare(k.rest, asm.Imm(0))
		k.If("GE", "left")
		k.Move(asm.Imm(0), k.rest)
		k.Label("left")
	}
	k.Sub(k.rest, k.n)
	k.Return(k.n, "done")
}

// loop is body as long as there are enough elements.
func (k *vector) loop(at []part, body func(at []part)) {
	n := len(at) * k.Lanes()
	by, below := fmt.Sprint("by", n), fmt.Sprint("below", n)
	k.Compare(k.rest, asm.Imm(n))
	k.If("LT", below)
	k.Label(by)
	k.advance(at, n, body)
	k.Compare(k.rest, asm.Imm(n))
	k.If("GE", by)
	k.Label(below)
}

// advance is body, and the step of the arrays to what comes next, n elements on.
func (k *vector) advance(at []part, n int, body func(at []part)) {
	body(at)
	k.flush()
	bytes := asm.Imm(n * k.Elem)
	for _, a := range slices.Sorted(maps.Keys(k.arrays)) {
		if k.apart != "" && a == "c" {
			k.Move(bytes, k.onward)
			k.And(k.apart, k.onward)
			k.Add(k.onward, k.arrays[a])
			continue
		}
		k.Add(bytes, k.arrays[a])
	}
	k.Sub(asm.Imm(n), k.rest)
}

// maskWords is where the AVX2 masks of partial vectors are cut from: 32 bytes of ones, then 32 of zeros.
var maskWords asm.Mem

func maskTable(f *asm.File) {
	ones := uint64(math.MaxUint64)
	maskWords = f.Data("maskTable", []uint64{ones, ones, ones, ones, 0, 0, 0, 0})
}

// masks makes the mask of the elements that are left, less than a block.
func (k *vector) masks() {
	from, to := k.Reg(), k.Reg()
	defer k.FreeReg(from, to)
	if k.Wide() {
		k.mask = asm.Vec{Kind: 'K', Number: 1}
		k.Move(asm.Imm(-1), to)
		k.Op("BZHIQ", k.rest, to, to)
		k.Op("KMOVW", to, k.mask)
		return
	}
	k.mask = k.Vec()
	k.Move(k.rest, from)
	k.Shift(log2(k.Elem), from)
	k.Move(asm.Imm(k.Bytes), to)
	k.Compare(from, to)
	k.Op("CMOVQGT", to, from)
	k.Sub(from, to)
	k.Op("LEAQ", maskWords, from)
	k.Op("VMOVDQU", asm.Mem{Base: from, Index: to, Scale: 1}, k.mask)
}
