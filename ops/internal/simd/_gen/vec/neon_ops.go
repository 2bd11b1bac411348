package main

import (
	"slices"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
)

// The instructions of the functions, as steps.

// three is n op m.
func (k *neon) three(op string, n, m value) value { return k.change(op, 0, n, m) }

// change is acc changed by an instruction of n and m.
func (k *neon) change(op string, acc, n, m value) value {
	return k.do(step{acc: acc, in: []value{n, m}, emit: func(d arm64.Vec, in []arm64.Vec) {
		k.Three(op, k.arrangement(op), d, in[0], in[1])
	}})
}

// arrangement is the element type, or bytes for logic.
func (k *neon) arrangement(op string) arm64.Arr {
	if arm64.Three[op].Sizing == arm64.Bytes {
		return arm64.B16
	}
	return k.arr
}

func (k *neon) shift(op string, v value, by int) value {
	return k.do(step{in: []value{v}, emit: func(d arm64.Vec, in []arm64.Vec) { k.Shift(op, k.arr, d, in[0], by) }})
}

func (k *neon) copyOf(v value) value {
	return k.do(step{in: []value{v}, emit: func(d arm64.Vec, in []arm64.Vec) { k.Move(d, in[0]) }})
}

func (k *neon) sqrtOf(v value) value {
	return k.do(step{in: []value{v}, emit: func(d arm64.Vec, in []arm64.Vec) { k.Two("fsqrt", k.arr, d, in[0]) }})
}

// horner is the polynomial in x with n coefficients named name0 to name(n-1), then continued by lower ones, highest
// first.
func (k *neon) horner(x value, name string, n int, lower ...string) value {
	names := coefNames(name, n)
	slices.Reverse(names)
	p := k.fresh(names[0])
	for _, c := range append(names[1:], lower...) {
		p = k.change("fmla", k.fresh(c), p, x)
	}
	return p
}

// load reads a part of an array.
func (k *neon) load(array string, at part) value {
	m := arm64.Mem{Base: k.arrays[array], Disp: at.offset}
	if at.elements == k.lanes() {
		return k.do(step{load: memory{m, true, false}})
	}
	as := arm64.Float(at.elements * size(k.f64)) // of so many bytes
	return k.do(step{emit: func(d arm64.Vec, _ []arm64.Vec) { k.Broadcast(as, m, d) }})
}

func (k *neon) store(v value, array string, at part) {
	m := arm64.Mem{Base: k.arrays[array], Disp: at.offset}
	if at.elements == k.lanes() {
		k.effect(step{in: []value{v}, store: memory{m, true, false}})
		return
	}
	k.effect(step{in: []value{v}, emit: func(_ arm64.Vec, in []arm64.Vec) {
		k.Op(pick(at.elements*size(k.f64) == 8, "FMOVS", "FMOVD"), in[0], m)
	}})
}

// leaveIfAny leaves the function if a lane is not 0, and leaveUnlessAll if one is 0.
func (k *neon) leaveIfAny(v value)     { k.leave("umaxv", 0x6EB0A800, "CBNZW", v) }
func (k *neon) leaveUnlessAll(v value) { k.leave("uminv", 0x6EB1A800, "CBZW", v) }

func (k *neon) leave(op string, code uint32, branch string, v value) {
	over := k.do(step{in: []value{v}, emit: func(d arm64.Vec, in []arm64.Vec) {
		k.Word(code, op+" s%d, v%d.4s", int(d), int(in[0]))
	}})
	k.effect(step{in: []value{over}, emit: func(_ arm64.Vec, in []arm64.Vec) {
		r := k.Reg()
		k.Op("FMOVS", in[0], r)
		k.Op(branch, r, arm64.Label("done"))
		k.FreeReg(r)
	}})
}
