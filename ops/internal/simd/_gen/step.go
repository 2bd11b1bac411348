package main

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// The steps of a body, from their record to instructions with registers.

// value is what a register holds: first the pinned ones, then the results of the steps. None is 0.
type value int

// step is an instruction on values. The result takes over the register of acc, which it changes.
type step struct {
	result, acc value
	in          []value
	emit        func(d asm.Vec, in []fmt.Stringer)
	load, store *memory // a whole register from or to memory, instead of emit
}

// memory is where a whole register is loaded or stored. A constant stands there twice.
type memory struct {
	asm.Mem
	constant bool
}

func (k *vector) do(s step) value {
	k.last++
	s.result = k.last
	k.steps = append(k.steps, s)
	return k.last
}

// effect is a step without a result.
func (k *vector) effect(s step) { k.steps = append(k.steps, s) }

// each records what f does for every one of n vectors. With NEON it takes the steps of all of them in turns, so that a
// processor that looks less far ahead finds independent work next to each other.
func (k *vector) each(n int, f func(j int)) {
	all := k.steps
	lists := make([][]step, n)
	for j := range lists {
		k.steps = nil
		f(j)
		lists[j] = k.steps
	}
	if k.Arm() {
		for i := range lists[0] {
			for _, l := range lists {
				all = append(all, l[i])
			}
		}
		lists = nil
	}
	k.steps = append(all, slices.Concat(lists...)...)
}

// flush finds registers for the steps of a body and writes them.
func (k *vector) flush() {
	steps := k.steps
	k.steps = nil
	final := map[value]int{} // the last step that uses a value
	for i, s := range steps {
		for _, v := range append(slices.Clone(s.in), s.acc) {
			final[v] = i
		}
	}
	for _, v := range k.pinned {
		final[v] = len(steps)
	}
	regs := make([]asm.Vec, len(steps))
	inputs := make([][]fmt.Stringer, len(steps))
	for i, s := range steps {
		var over []value // whose registers are free from here on
		for _, v := range s.in {
			if m, ok := k.mem[v]; ok {
				inputs[i] = append(inputs[i], m)
				continue
			}
			r, ok := k.regs[v]
			if !ok {
				panic(fmt.Sprintf("step %d of %d has an operand without a register", i, len(steps)))
			}
			inputs[i] = append(inputs[i], r)
			if final[v] == i && v != s.acc && !slices.Contains(over, v) {
				over = append(over, v)
			}
		}
		if s.acc != 0 {
			if final[s.acc] != i || slices.Contains(s.in, s.acc) {
				panic("a value that is still in use would change")
			}
			regs[i], k.regs[s.result] = k.regs[s.acc], k.regs[s.acc]
		}
		for _, v := range over {
			k.FreeVec(k.regs[v])
			delete(k.regs, v)
		}
		if s.result != 0 && s.acc == 0 {
			regs[i] = k.Vec()
			k.regs[s.result] = regs[i]
		}
		if _, used := final[s.result]; s.result != 0 && !used {
			panic("a result that nothing uses")
		}
	}
	for i := 0; i < len(steps); i++ {
		i += k.write(steps[i:], regs[i:], inputs[i:])
	}
}

// write writes the first step, or with NEON the first two where they load or store two registers at once: two that lie
// next to each other, or one constant twice. It returns how many more than one.
func (k *vector) write(steps []step, regs []asm.Vec, in [][]fmt.Stringer) int {
	follows := func(a, b *memory) bool {
		if !k.Arm() || a == nil || b == nil || a.constant != b.constant || a.Disp > farthest {
			return false
		}
		if a.constant {
			return a.Mem == b.Mem
		}
		return a.At(k.Bytes) == b.Mem
	}
	two := len(steps) > 1
	switch s := steps[0]; {
	case two && follows(s.load, steps[1].load):
		k.Load(s.load.Mem, regs[0], regs[1])
		return 1
	case two && follows(s.store, steps[1].store):
		k.Store(s.store.Mem, in[0][0].(asm.Vec), in[1][0].(asm.Vec))
		return 1
	case s.load != nil:
		k.Load(s.load.Mem, regs[0])
	case s.store != nil:
		k.Store(s.store.Mem, in[0][0].(asm.Vec))
	default:
		s.emit(regs[0], in[0])
	}
	return 0
}

// The instructions of the functions, as steps. Of the operands only the last may be in memory.

// three is x op y; on arm64 by an instruction of its tables.
func (k *vector) three(amd64, arm64 string, x, y value) value { return k.change(amd64, arm64, 0, x, y) }

func (k *vector) add(x, y value) value { return k.three(k.Float("VADDP"), "fadd", x, y) }
func (k *vector) sub(x, y value) value { return k.three(k.Float("VSUBP"), "fsub", x, y) }
func (k *vector) mul(x, y value) value { return k.three(k.Float("VMULP"), "fmul", x, y) }
func (k *vector) div(x, y value) value { return k.three(k.Float("VDIVP"), "fdiv", x, y) }

// addInt and subInt are on integers of the size of the element.
func (k *vector) addInt(x, y value) value { return k.three(k.Integer("VPADD"), "add", x, y) }
func (k *vector) subInt(x, y value) value { return k.three(k.Integer("VPSUB"), "sub", x, y) }

func (k *vector) and(x, y value) value { return k.logic("AND", "and", x, y) }
func (k *vector) or(x, y value) value  { return k.logic("OR", "orr", x, y) }
func (k *vector) xor(x, y value) value { return k.logic("XOR", "eor", x, y) }

func (k *vector) logic(amd64, arm64 string, x, y value) value {
	if k.Wide() {
		return k.three(k.Integer("VP"+amd64), arm64, x, y)
	}
	return k.three(k.Float("V"+amd64+"P"), arm64, x, y)
}

// least and most are the smaller and the larger of x and y, or x where it is a NaN: of two, amd64 takes the second
// operand.
func (k *vector) least(x, y value) value { return k.extreme("VMINP", "fmin", x, y) }
func (k *vector) most(x, y value) value  { return k.extreme("VMAXP", "fmax", x, y) }

func (k *vector) extreme(amd64, arm64 string, x, y value) value {
	if !k.Arm() {
		x, y = y, x
	}
	return k.three(k.Float(amd64), arm64, x, y)
}

// shift is to the left or to the right.
func (k *vector) shift(left bool, x value, by int) value {
	return k.do(step{in: []value{x}, emit: func(d asm.Vec, in []fmt.Stringer) {
		if k.Arm() {
			k.ShiftVec(left, d, in[0].(asm.Vec), by)
		} else {
			k.Op(k.Integer(map[bool]string{true: "VPSLL", false: "VPSRL"}[left]), asm.Imm(by), in[0], d)
		}
	}})
}

func (k *vector) copyOf(x value) value {
	return k.do(step{in: []value{x}, emit: func(d asm.Vec, in []fmt.Stringer) {
		if k.Arm() {
			k.Copy(d, in[0].(asm.Vec))
		} else {
			k.Op("VMOVUPS", in[0], d)
		}
	}})
}

// change is acc changed by an instruction of x and y, or its result for no acc.
func (k *vector) change(amd64, arm64 string, acc, x, y value) value {
	return k.do(step{acc: acc, in: []value{x, y}, emit: func(d asm.Vec, in []fmt.Stringer) {
		if k.Arm() {
			k.Three(arm64, d, in[0].(asm.Vec), in[1].(asm.Vec))
		} else {
			k.Op(amd64, in[1], in[0], d)
		}
	}})
}

// addMul is acc + x·y, and subMul acc - x·y, in the register of acc.
func (k *vector) addMul(acc, x, y value) value {
	return k.change(k.Float("VFMADD231P"), "fmla", acc, x, y)
}
func (k *vector) subMul(acc, x, y value) value {
	return k.change(k.Float("VFNMADD231P"), "fmls", acc, x, y)
}

// horner is the polynomial in x with n coefficients named name0 to name(n-1), then continued by lower ones, highest
// first.
func (k *vector) horner(x value, name string, n int, lower ...string) value {
	names := coefNames(name, n)
	slices.Reverse(names)
	p := k.fresh(names[0])
	for _, c := range append(names[1:], lower...) {
		if k.Arm() {
			p = k.addMul(k.fresh(c), p, x)
		} else {
			p = k.change(k.Float("VFMADD213P"), "", p, x, k.c(c))
		}
	}
	return p
}

func coefNames(name string, n int) (names []string) {
	for j := range n {
		names = append(names, fmt.Sprint(name, j))
	}
	return names
}

// load reads a part of an array; lanes beyond a mask are 0.
func (k *vector) load(array string, at part) value {
	m := asm.Mem{Base: k.arrays[array], Disp: at.offset}
	if at.elements == k.Lanes() {
		return k.do(step{load: &memory{Mem: m}})
	}
	return k.do(step{emit: func(d asm.Vec, _ []fmt.Stringer) {
		switch {
		case k.Arm():
			k.Broadcast(at.elements*k.Elem, m, d) // the size in bytes
		case k.Wide():
			k.Op(k.Float("VMOVUP")+".Z", m, k.mask, d)
		default:
			k.Op(k.Float("VMASKMOVP"), m, k.mask, d)
		}
	}})
}

func (k *vector) store(v value, array string, at part) {
	m := asm.Mem{Base: k.arrays[array], Disp: at.offset}
	if at.elements == k.Lanes() {
		k.effect(step{in: []value{v}, store: &memory{Mem: m}})
		return
	}
	k.effect(step{in: []value{v}, emit: func(_ asm.Vec, in []fmt.Stringer) {
		switch {
		case k.Arm():
			k.Op(k.Of(at.elements*k.Elem).Float("FMOV"), in[0], m)
		case k.Wide():
			k.Op(k.Float("VMOVUP"), in[0], k.mask, m)
		default:
			k.Op(k.Float("VMASKMOVP"), in[0], k.mask, m)
		}
	}})
}

// leaveIf leaves the function if a has a bit of the constant named in any lane.
func (k *vector) leaveIf(a value, name string) {
	if k.Arm() {
		k.leave(true, k.and(a, k.c(name)))
		return
	}
	k.effect(step{in: []value{a, k.c(name)}, emit: func(_ asm.Vec, in []fmt.Stringer) {
		if k.Wide() {
			k.Op(k.Integer("VPTESTM"), in[1], in[0], spareMasks[0])
			k.Op("KORTESTW", spareMasks[0], spareMasks[0])
		} else {
			k.Op("VPTEST", in[1], in[0])
		}
		k.If("NE", "done")
	}})
}

// leave leaves the function, with NEON, if a lane is not 0, or else if one is 0.
func (k *vector) leave(any bool, v value) {
	over := k.do(step{in: []value{v}, emit: func(d asm.Vec, in []fmt.Stringer) { k.Across(any, d, in[0].(asm.Vec)) }})
	k.effect(step{in: []value{over}, emit: func(_ asm.Vec, in []fmt.Stringer) {
		r := k.Reg()
		k.Op("FMOVS", in[0], r)
		k.Op(map[bool]string{true: "CBNZW", false: "CBZW"}[any], r, asm.Label("done"))
		k.FreeReg(r)
	}})
}

// spareMasks are the mask registers of a few instructions of AVX-512.
var spareMasks = []asm.Vec{{Kind: 'K', Number: 2}, {Kind: 'K', Number: 3}}

// Predicates of VCMPPS that hold for NaN too.
const notGreaterEqual, notLessEqual, notLess = 0x19, 0x16, 0x15

// leaveUnless leaves the function if a lane of one of the values is not from low up, or is beyond high as a predicate
// of VCMPPS says; the two are constants or scalars.
func (k *vector) leaveUnless(xs []value, low, high string, beyond int) {
	inside := make([]value, len(xs))
	if k.Arm() {
		k.each(len(xs), func(j int) {
			inside[j] = k.and(k.three("", "fcmge", xs[j], k.c(low)), k.three("", "fcmgt", k.c(high), xs[j]))
		})
		k.leave(false, k.reduce(k.and, inside))
		return
	}
	var outside []value
	for j, x := range xs {
		for i, bound := range []string{low, high} {
			predicate := asm.Imm([]int{notGreaterEqual, beyond}[i])
			if !k.Wide() {
				compare := func(d asm.Vec, in []fmt.Stringer) { k.Op(k.Float("VCMPP"), predicate, in[1], in[0], d) }
				outside = append(outside, k.do(step{in: []value{x, k.c(bound)}, emit: compare}))
				continue
			}
			mask := spareMasks[min(1, i+j)]
			k.effect(step{in: []value{x, k.c(bound)}, emit: func(_ asm.Vec, in []fmt.Stringer) {
				k.Op(k.Float("VCMPP"), predicate, in[1], in[0], mask)
				k.Op("KORW", mask, spareMasks[0], spareMasks[0])
			}})
		}
	}
	if !k.Wide() {
		outside = []value{k.reduce(k.or, outside)}
	}
	k.effect(step{in: outside, emit: func(_ asm.Vec, in []fmt.Stringer) {
		if k.Wide() {
			k.Op("KORTESTW", spareMasks[0], spareMasks[0])
		} else {
			k.Op("VPTEST", in[0], in[0])
		}
		k.If("NE", "done")
	}})
}

// reduce is all values joined by an operation.
func (k *vector) reduce(op func(x, y value) value, vs []value) value {
	for len(vs) > 1 {
		vs = append(vs[2:len(vs):len(vs)], op(vs[0], vs[1]))
	}
	return vs[0]
}
