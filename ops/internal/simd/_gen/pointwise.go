package main

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// pointwise writes the functions that round every product and every sum, as plain Go does, so that both give the same
// bits.
func pointwise(f *asm.File, m asm.Machine) {
	of := func(name, params, doc string) *vector { return newVector(f, m, name, params, nil, doc) }

	k := of("product", "dst, a, b *T, n int, scale T", "writes scale·a·b, rounding a·b first, and returns n.")
	k.map4(func(at part) value { return k.mul(k.mul(k.load("a", at), k.load("b", at)), k.c("scale")) })

	k = of("sum", "dst, a *T, n int", "adds a to dst, and returns n.")
	k.map4(func(at part) value { return k.add(k.load("dst", at), k.load("a", at)) })

	k = of("pairGrad", "dst, cos, sin, gCos, gSin *T, n int", "writes gSin·cos - gCos·sin, and returns n.")
	k.map4(func(at part) value {
		minus := k.mul(k.load("sin", at), k.load("gCos", at))
		return k.sub(k.mul(k.load("cos", at), k.load("gSin", at)), minus)
	})

	k = of("sqrt", "dst, x *T, n int", "writes √x and returns n.")
	k.map4(func(at part) value {
		root := func(d asm.Vec, in []fmt.Stringer) { k.Op(k.Float("VSQRTP"), in[0], d) }
		return k.do(step{in: []value{k.load("x", at)}, emit: root})
	})

	k = of("multiple", "dst, x *T, n int, c T", "writes c·x and returns n.")
	k.map4(func(at part) value { return k.mul(k.load("x", at), k.c("c")) })

	k = of("within", "x *T, n int, low, high T",
		"returns how many elements at the start, in whole blocks, lie from low to high; low <= 0 <= high.")
	k.blocks(4, func(at []part) {
		var xs []value
		for _, v := range at {
			xs = append(xs, k.load("x", v))
		}
		k.leaveUnless(xs, "low", "high", notLessEqual)
	})
	if m.Elem == 4 {
		k = of("adam", "w, grad, m, v, s *T, n int, scale, rate, c, beta1, rest1, beta2, rest2, eps T",
			"is Adam for whole vectors, and returns how many elements it did.")
		k.loop([]part{{0, k.Lanes()}}, func(at []part) {
			g := k.mul(k.load("grad", at[0]), k.c("scale"))
			m := k.add(k.mul(k.load("m", at[0]), k.c("beta1")), k.mul(g, k.c("rest1")))
			k.store(m, "m", at[0])
			v := k.add(k.mul(k.load("v", at[0]), k.c("beta2")), k.mul(k.mul(g, g), k.c("rest2")))
			k.store(v, "v", at[0])
			root := func(d asm.Vec, in []fmt.Stringer) { k.Op(k.Float("VSQRTP"), in[0], d) }
			size := k.do(step{in: []value{k.mul(v, k.c("c"))}, emit: root})
			by := k.div(k.mul(k.mul(m, k.load("s", at[0])), k.c("rate")), k.add(size, k.c("eps")))
			k.store(k.sub(k.load("w", at[0]), by), "w", at[0])
		})
		k.Sub(k.rest, k.n)
		k.Return(k.n, "done")
	}
	if m.Wide() {
		of("triples", "dst, a, b, c *T, n int",
			"writes a₀, b₀, c₀, a₁, b₁, ... of whole vectors and returns how many elements of each.").triples(f)
	}
}

// map4 writes the loops of a function of one result.
func (k *vector) map4(f func(at part) value) {
	k.blocks(4, func(at []part) {
		for _, v := range at {
			k.store(f(v), "dst", v)
		}
	})
}

// triples is for AVX-512 alone. A vector of a, of b and of c make three vectors of a₀b₀c₀a₁b₁c₁... Each is put together
// by two permutations of two tables: a with b, and then what came of it, in its place, with c.
func (k *vector) triples(f *asm.File) {
	// The indices of the first permutation for each of the three, then of the second, of the size of an element.
	words, lanes := make([]uint64, 6*k.Bytes/8), k.Lanes()
	for at := range 6 * lanes {
		i := at % (3 * lanes)
		index := i / 3
		switch stream, second := i%3, at >= 3*lanes; {
		case second && stream < 2: // as the first permutation left it
			index = i % lanes
		case second || stream == 1: // of the second table
			index += lanes
		}
		bit := 8 * k.Elem * at
		words[bit/64] |= uint64(index) << (bit % 64)
	}
	index, v, t := k.TakeVecs(6), k.TakeVecs(3), k.Vec()
	k.Load(f.Data("triples"+k.Suffix(), words), index...)
	k.Label("next")
	k.Compare(k.rest, asm.Imm(k.Lanes()))
	k.If("LT", "over")
	for i, array := range []string{"a", "b", "c"} {
		k.Load(asm.Mem{Base: k.arrays[array]}, v[i])
		k.Add(asm.Imm(k.Bytes), k.arrays[array])
	}
	for q := range 3 {
		k.Op("VMOVUPS", v[0], t)
		k.Op(k.Float("VPERMT2P"), v[1], index[q], t)
		k.Op(k.Float("VPERMT2P"), v[2], index[3+q], t)
		k.Store(asm.Mem{Base: k.arrays["dst"], Disp: q * k.Bytes}, t)
	}
	k.Add(asm.Imm(3*k.Bytes), k.arrays["dst"])
	k.Sub(asm.Imm(k.Lanes()), k.rest)
	k.Op("JMP", asm.Label("next"))
	k.Label("over")
	k.Sub(k.rest, k.n)
	k.Return(k.n, "done")
}
