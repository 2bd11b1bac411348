package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
)

// neon is a function for arm64 under construction: an element type, the table of its constants, and the steps of the
// body at work. Every body is straight code, so its registers are found when it is complete.
type neon struct {
	*arm64.Func
	f64    bool
	arr    arm64.Arr
	rows   map[string]int // offsets of the constants
	table  arm64.Reg
	arrays map[string]arm64.Reg // what comes next of each
	n      arm64.Reg            // elements in all
	rest   arm64.Reg            // elements to do

	pinned map[string]value // constants and scalars that live in registers for the length of the call
	regs   map[value]arm64.Vec
	steps  []step
	last   value
}

// value is what a register holds: first the pinned ones, then the results of the steps. None is 0.
type value int

// step is an instruction on values. The result takes over the register of acc, which it changes.
type step struct {
	result, acc value
	in          []value
	emit        func(result arm64.Vec, in []arm64.Vec)
	load, store memory // a whole register from or to memory, instead of emit
}

// memory is where a whole register is loaded or stored. A constant stands there twice.
type memory struct {
	arm64.Mem
	used, constant bool
}

// part is a vector of the arrays: its offset in bytes, and the elements that it holds. At the end of an array they are
// fewer than the lanes, and fill all of these in turns: so no lane is out of range unless an element is.
type part struct{ offset, elements int }

func (k *neon) lanes() int { return 16 / size(k.f64) }

// neonConstants is a table and the offsets of its rows.
type neonConstants struct {
	symbol  arm64.Symbol
	offsets map[string]int
}

// neonTable writes rows as read-only data, each for two registers, so that one instruction loads it into both.
func neonTable(f *arm64.File, rows []row, name string, f64 bool) neonConstants {
	t := neonConstants{offsets: map[string]int{}}
	var words []uint64
	for _, r := range rows {
		t.offsets[r.name] = 8 * len(words)
		w := r.word(f64)
		if !f64 {
			w |= w << 32
		}
		words = append(words, w, w, w, w)
	}
	t.symbol = f.Doublewords(name+"Table"+suffix(f64), words)
	return t
}

// farthest is where a load of two registers still reaches.
const farthest = 1008

func newNeon(f *arm64.File, name string, f64 bool, t neonConstants) *neon {
	s := signatures[name]
	full := name + "NEON" + suffix(f64)
	k := &neon{Func: f.Func(full, s.list(f64), full+" "+s.doc), f64: f64, arr: arm64.Float(size(f64)),
		rows: map[string]int{}, arrays: map[string]arm64.Reg{}, pinned: map[string]value{}, regs: map[value]arm64.Vec{}}
	for _, a := range s.arrays {
		k.arrays[a] = k.LoadArg(a)
	}
	k.n, k.rest = k.LoadArg("n"), k.Reg()
	k.Op("MOVD", k.n, k.rest)
	for _, c := range s.scalars {
		v := k.pin(c)
		k.Op(pick(f64, "FMOVS", "FMOVD"), k.Arg(c), v)
		k.Dup(k.arr, v, v, 0)
	}
	if t.symbol == "" {
		return k
	}
	// The middle of the table, from which all of it is within reach.
	middle := 0
	for _, at := range t.offsets {
		middle = max(middle, at-farthest)
	}
	k.table = k.Reg()
	k.Op("MOVD", t.symbol, k.table)
	if middle = (middle + 15) &^ 15; middle > 0 {
		k.Op("ADD", arm64.Imm(middle), k.table)
	}
	for name, at := range t.offsets {
		k.rows[name] = at - middle
	}
	return k
}

func (k *neon) pin(name string) arm64.Vec {
	v := k.Vec()
	k.last++
	k.pinned[name], k.regs[k.last] = k.last, v
	return v
}

// hoist takes constants into registers for the length of the call.
func (k *neon) hoist(names ...string) {
	for _, n := range names {
		k.Load(k.row(n), k.pin(n))
	}
}

func (k *neon) row(name string) arm64.Mem {
	at, ok := k.rows[name]
	if !ok {
		panic("no constant " + name)
	}
	return arm64.Mem{Base: k.table, Disp: at}
}

// c is a constant: its register, or a load of it.
func (k *neon) c(name string) value {
	if v, ok := k.pinned[name]; ok {
		return v
	}
	return k.fresh(name)
}

// fresh is a constant in a register of its own, for a step that changes it.
func (k *neon) fresh(name string) value {
	return k.do(step{load: memory{k.row(name), true, true}})
}

func (k *neon) do(s step) value {
	k.last++
	s.result = k.last
	k.steps = append(k.steps, s)
	return k.last
}

// effect is a step without a result.
func (k *neon) effect(s step) { k.steps = append(k.steps, s) }

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

// each records what f does for every one of n vectors, and takes the steps of all of them in turns, so that a
// processor finds independent work next to each other.
func (k *neon) each(n int, f func(j int)) {
	before := k.steps
	lists := make([][]step, n)
	for j := range lists {
		k.steps = nil
		f(j)
		lists[j] = k.steps
	}
	for i := range lists[0] {
		for _, l := range lists {
			if len(l) != len(lists[0]) {
				panic("vectors of a block differ in their steps")
			}
			before = append(before, l[i])
		}
	}
	k.steps = before
}

// flush finds registers for the steps of a body and writes them.
func (k *neon) flush() {
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
	regs := make([]arm64.Vec, len(steps))
	inputs := make([][]arm64.Vec, len(steps))
	for i, s := range steps {
		var over []value // whose registers are free from here on
		for _, v := range s.in {
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

// write writes the first step, or the first two where they load or store two registers at once: two that lie next to
// each other, or one constant twice. It returns how many more than one.
func (k *neon) write(steps []step, regs []arm64.Vec, in [][]arm64.Vec) int {
	follows := func(a, b memory) bool {
		c := a
		if !a.constant {
			c.Disp += 16
		}
		return a.used && b == c && a.Disp <= farthest
	}
	two := len(steps) > 1
	switch s := steps[0]; {
	case two && follows(s.load, steps[1].load):
		k.LoadAll(s.load.Mem, regs[0], regs[1])
		return 1
	case two && follows(s.store, steps[1].store):
		k.StoreAll(s.store.Mem, in[0][0], in[1][0])
		return 1
	case s.load.used:
		k.Load(s.load, regs[0])
	case s.store.used:
		k.Store(in[0][0], s.store)
	default:
		s.emit(regs[0], in[0])
	}
	return 0
}

// blocks writes the loops: body for several whole vectors at a time, then for one, then for what is left of one, halves
// first. body leaves for the label "done" of the function before it stores anything if an element is outside its range.
func (k *neon) blocks(vectors int, body func(at []part)) {
	lanes := k.lanes()
	var block []part
	for v := range vectors {
		block = append(block, part{16 * v, lanes})
	}
	next := func(n int) string { return fmt.Sprint("below", n) }
	for _, at := range [][]part{block, {{0, lanes}}} {
		n := len(at) * lanes
		k.Op("CMP", arm64.Imm(n), k.rest)
		k.Op("BLT", arm64.Label(next(n)))
		k.Label(fmt.Sprint("by", n))
		k.advance(at, body)
		k.Op("CMP", arm64.Imm(n), k.rest)
		k.Op("BGE", arm64.Label(fmt.Sprint("by", n)))
		k.Label(next(n))
	}
	for n := lanes / 2; n > 0; n /= 2 {
		k.Op("TBZ", arm64.Imm(pick(n == 2, 0, 1)), k.rest, arm64.Label(next(n)))
		k.advance([]part{{0, n}}, body)
		k.Label(next(n))
	}
	k.end()
}

// advance is body, and the step of the arrays to what comes next.
func (k *neon) advance(at []part, body func(at []part)) {
	body(at)
	k.flush()
	n := 0
	for _, a := range at {
		n += a.elements
	}
	for _, p := range slices.Sorted(maps.Values(k.arrays)) {
		k.Op("ADD", arm64.Imm(n*size(k.f64)), p)
	}
	k.Op("SUB", arm64.Imm(n), k.rest)
}

// end writes what every function does last.
func (k *neon) end() {
	k.Label("done")
	k.Op("SUB", k.rest, k.n)
	k.Op("MOVD", k.n, k.Arg("done"))
	k.Ret()
}
