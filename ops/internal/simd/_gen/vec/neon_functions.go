package main

import (
	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
)

// The functions for arm64 do the operations of those for AVX2 one by one, so that both give the same bits.

func neonFunctions(f *arm64.File) {
	for _, f64 := range []bool{false, true} {
		circular := neonTable(f, circularRows(f64), "circular", f64)
		exponential := neonTable(f, expRows(f64), "exp", f64)
		logarithm := neonTable(f, logRows(f64), "log", f64)
		of := func(name string, t neonConstants) *neon { return newNeon(f, name, f64, t) }
		of("cos", circular).cos()
		of("sin", circular).sin()
		of("sinCos", circular).sinCos()
		of("exp", exponential).exp()
		of("log", logarithm).log()
	}
}

func (k *neon) hoistCircular(step string) {
	k.hoist("magic", "inverse"+step, "stepA"+step, "stepB"+step, "lowest"+step, "beyond"+step)
}

// turns loads vectors and finds n of their lanes, and leaves the function if one is out of range.
func (k *neon) turns(x string, at []part, step string) (xs, ns []value) {
	xs, ns = make([]value, len(at)), make([]value, len(at))
	above := make([]value, len(at))
	k.each(len(at), func(j int) {
		xs[j] = k.load(x, at[j])
		ns[j] = k.change("fmla", k.fresh("magic"), xs[j], k.c("inverse"+step))
		above[j] = k.three("sub", ns[j], k.c("lowest"+step))
	})
	k.leaveIfAny(k.three("and", k.reduce("orr", above), k.c("beyond"+step)))
	return xs, ns
}

// reduce is all values joined by op.
func (k *neon) reduce(op string, vs []value) value {
	for len(vs) > 1 {
		vs = append(vs[2:len(vs):len(vs)], k.three(op, vs[0], vs[1]))
	}
	return vs[0]
}

// remainder is r and its square.
func (k *neon) remainder(x, n value, step string) (r, square value) {
	whole := k.three("fsub", n, k.c("magic"))
	r = k.change("fmls", x, whole, k.c("stepA"+step))
	r = k.change("fmls", r, whole, k.c("stepB"+step))
	return r, k.three("fmul", r, r)
}

func (k *neon) scaled(v value) value { return k.three("fmul", v, k.c("scale")) }

// lowBit moves a bit near the low end to the sign.
func (k *neon) lowBit(v value, bit int) value { return k.shift("shl", v, 8*size(k.f64)-1-bit) }

func (k *neon) cos() {
	n := len(cosHalf[pick(k.f64, 0, 1)])
	k.hoistCircular("Half")
	k.blocks(4, func(at []part) {
		xs, ns := k.turns("x", at, "Half")
		k.each(len(at), func(j int) {
			_, y := k.remainder(xs[j], ns[j], "Half")
			c := k.scaled(k.horner(y, "cosHalf", n, "square", "unit"))
			k.store(k.three("eor", k.lowBit(ns[j], 0), c), "dst", at[j])
		})
	})
}

func (k *neon) sin() {
	n := len(sinHalf[pick(k.f64, 0, 1)])
	k.hoistCircular("Half")
	k.blocks(4, func(at []part) {
		xs, ns := k.turns("x", at, "Half")
		k.each(len(at), func(j int) {
			r, y := k.remainder(xs[j], ns[j], "Half")
			s := k.scaled(k.three("fmul", r, k.horner(y, "sinHalf", n, "unit")))
			k.store(k.three("eor", k.lowBit(ns[j], 0), s), "dst", at[j])
		})
	})
}

func (k *neon) sinCos() {
	i := pick(k.f64, 0, 1)
	ns, nc := len(sinQuarter[i]), len(cosQuarter[i])
	k.hoistCircular("Quarter")
	k.hoist("one", "signBit")
	k.blocks(4, func(at []part) {
		xs, turn := k.turns("x", at, "Quarter")
		k.each(len(at), func(j int) {
			r, y := k.remainder(xs[j], turn[j], "Quarter")
			s := k.scaled(k.three("fmul", r, k.horner(y, "sinQuarter", ns, "unit")))
			c := k.scaled(k.horner(y, "cosQuarter", nc, "square", "unit"))
			odd := k.three("cmtst", turn[j], k.c("one"))
			s, c = k.change("bit", k.copyOf(s), c, odd), k.change("bit", c, s, odd)
			k.store(k.signOfTurn(turn[j], s), "sin", at[j])
			k.store(k.signOfTurn(k.three("add", turn[j], k.c("one")), c), "cos", at[j])
		})
	})
}

// signOfTurn is v, or -v where the second lowest bit of n is set.
func (k *neon) signOfTurn(n, v value) value {
	return k.three("eor", k.three("and", k.lowBit(n, 1), k.c("signBit")), v)
}

func (k *neon) exp() {
	n := len(expRest[pick(k.f64, 0, 1)])
	mantissa := pick(k.f64, 23, 52)
	k.hoist("most", "least", "magic", "inverse", "stepA", "stepB", "twoBiases")
	k.blocks(4, func(at []part) {
		k.each(len(at), func(j int) {
			x := k.three("fmul", k.load("x", at[j]), k.c("sign"))
			x = k.three("fmax", k.three("fmin", x, k.c("most")), k.c("least")) // which keep a NaN
			turn := k.change("fmla", k.fresh("magic"), x, k.c("inverse"))
			whole := k.three("fsub", turn, k.c("magic"))
			x = k.change("fmls", x, whole, k.c("stepA"))
			x = k.change("fmls", x, whole, k.c("stepB"))
			e := k.scaled(k.horner(x, "expRest", n, "unit", "unit"))
			// 2^n as the product of two powers, each of which is a normal number: the bits are n + 2·bias.
			both := k.three("sub", turn, k.c("twoBiases"))
			first := k.shift("ushr", both, 1)
			second := k.three("sub", both, first)
			e = k.three("fmul", e, k.shift("shl", first, mantissa))
			k.store(k.three("fmul", e, k.shift("shl", second, mantissa)), "dst", at[j])
		})
	})
}

func (k *neon) log() {
	// One c for all becomes a block of them.
	c := k.arrays["c"]
	k.Op("CBNZ", k.apart, arm64.Label("apart"))
	one := k.Vec()
	k.Broadcast(k.arr, arm64.Mem{Base: c}, one)
	k.Op("MOVD", arm64.Place("RSP"), c)
	k.Op("ADD", arm64.Imm(k.Frame(64)), c)
	k.StoreAll(arm64.Mem{Base: c}, one, one, one, one)
	k.FreeVec(one)
	k.Label("apart")
	k.hoist("fromRoot", "integer", "mantissa", "root")
	k.blocks(4, func(at []part) {
		ts, normal := make([]value, len(at)), make([]value, len(at))
		k.each(len(at), func(j int) {
			t := k.load("x", at[j])
			t = k.three("fadd", t, k.load("c", at[j]))
			ts[j] = t
			normal[j] = k.three("and", k.three("fcmge", t, k.c("normal")), k.three("fcmgt", k.c("infinity"), t))
		})
		k.leaveUnlessAll(k.reduce("and", normal))
		k.each(len(at), func(j int) { k.store(k.logOf(ts[j]), "dst", at[j]) })
	})
}

func (k *neon) logOf(t value) value {
	shifted := k.three("add", t, k.c("fromRoot"))
	m := k.three("add", k.three("and", shifted, k.c("mantissa")), k.c("root"))
	f := k.three("fsub", m, k.c("one"))
	s := k.three("fdiv", f, k.three("fadd", f, k.c("two")))
	z := k.three("fmul", s, s)
	rest := k.three("fmul", z, k.horner(z, "logRest", len(logRest[pick(k.f64, 0, 1)])))
	h := k.three("fmul", k.c("half"), k.three("fmul", f, f))
	// The exponent, put into the last bits of 2^mantissa, is a number.
	e := k.three("orr", k.shift("ushr", shifted, pick(k.f64, 23, 52)), k.c("integer"))
	e = k.three("fsub", e, k.c("integerBias"))
	low := k.three("fmul", e, k.c("stepB"))
	low = k.change("fmla", low, s, k.three("fadd", h, rest))
	sum := k.three("fsub", f, k.three("fsub", h, low))
	return k.change("fmla", sum, e, k.c("stepA"))
}
