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
	apart  arm64.Reg            // of a logarithm: -1 where c goes on
	step   arm64.Reg

	pinned map[string]value // constants and scalars that live in registers for the length of the call
	regs   map[value]arm64.Vec
	steps  []step
	last   value
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
	if s.counts != "" {
		k.apart, k.step = k.LoadArg("apart"), k.Reg()
	}
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
	for _, a := range slices.Sorted(maps.Keys(k.arrays)) {
		if a == "c" { // which may stay where it is
			k.Op("AND", arm64.Imm(n*size(k.f64)), k.apart, k.step)
			k.Op("ADD", k.step, k.arrays[a])
			continue
		}
		k.Op("ADD", arm64.Imm(n*size(k.f64)), k.arrays[a])
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
