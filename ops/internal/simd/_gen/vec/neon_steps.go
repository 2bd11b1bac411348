package main

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
)

// The steps of a body, from their record to instructions with registers.

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

func (k *neon) do(s step) value {
	k.last++
	s.result = k.last
	k.steps = append(k.steps, s)
	return k.last
}

// effect is a step without a result.
func (k *neon) effect(s step) { k.steps = append(k.steps, s) }

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
