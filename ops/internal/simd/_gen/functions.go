package main

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// AVX2 and NEON do the same operations one by one, so that both give the same bits. AVX-512 has the scale in the
// coefficients.

const (
	circularDoc = " and returns how many elements it has done: n, or fewer before one that is out of range."
	logDoc      = "writes ln(x + c) and returns how many elements it has done: n, or fewer before a sum that is not a " +
		"positive normal number; apart is -1, or 0 for one c for all."
)

// functions writes the functions for amd64.
func functions(f *asm.File) {
	maskTable(f)
	for _, elem := range []int{4, 8} {
		t := tables(f, elem)
		for _, m := range []asm.Machine{asm.AVX2.Of(elem), asm.AVX512.Of(elem)} {
			transcendental(f, m, t)
			pointwise(f, m)
		}
	}
}

func neonFunctions(f *asm.File) {
	for _, elem := range []int{4, 8} {
		transcendental(f, asm.NEON.Of(elem), tables(f, elem))
	}
}

func tables(f *asm.File, elem int) (t [3]map[string]asm.Mem) {
	return [3]map[string]asm.Mem{table(f, circularRows(elem), "circular", elem), table(f, expRows(elem), "exp", elem),
		table(f, logRows(elem), "log", elem)}
}

func transcendental(f *asm.File, m asm.Machine, t [3]map[string]asm.Mem) {
	of := func(name, params string, table int, doc string) *vector {
		return newVector(f, m, name, params, t[table], doc)
	}
	of("cos", "dst, x *T, n int, scale T", 0, "writes scale·cos(x)"+circularDoc).cos()
	of("sin", "dst, x *T, n int, scale T", 0, "writes scale·sin(x)"+circularDoc).sin()
	of("sinCos", "sin, cos, x *T, n int, scale T", 0, "writes scale·sin(x) and scale·cos(x)"+circularDoc).sinCos()
	of("exp", "dst, x *T, n int, scale, sign T", 1,
		"writes scale·exp(sign·x), where sign is 1 or -1, and returns n.").exp()
	of("log", "dst, x, c *T, n, apart int", 2, logDoc).log()
}

// turns loads vectors and finds n of their lanes, and leaves the function if one is out of range.
func (k *vector) turns(at []part, step string) (xs, ns []value) {
	xs, ns = make([]value, len(at)), make([]value, len(at))
	above := make([]value, len(at))
	k.each(len(at), func(j int) {
		xs[j] = k.load("x", at[j])
		ns[j] = k.addMul(k.fresh("magic"), xs[j], k.c("inverse"+step))
		above[j] = k.subInt(ns[j], k.c("lowest"+step))
	})
	k.leaveIf(k.reduce(k.or, above), "beyond"+step)
	return xs, ns
}

// remainder is r and its square.
func (k *vector) remainder(x, n value, step string) (r, square value) {
	whole := k.sub(n, k.c("magic"))
	r = k.subMul(x, whole, k.c("stepA"+step))
	r = k.subMul(r, whole, k.c("stepB"+step))
	return r, k.mul(r, r)
}

// many is the registers of the machines that keep constants in them; AVX2 has too few and reads them from memory.
const many = 32

func (k *vector) hoistCircular(step string, coefs ...string) {
	k.hoist(many, "magic", "inverse"+step, "stepA"+step, "stepB"+step, "lowest"+step, "beyond"+step)
	k.hoist512(coefs...)
	if k.Wide() { // the scale is in the coefficients
		k.times("scale", coefs...)
	}
}

// unit is the coefficient 1, with the scale where that is in the coefficients.
func (k *vector) unit() string { return pick(k.Wide(), "unit", "scale") }

// scaled multiplies by the scale where it is not in the coefficients.
func (k *vector) scaled(v value) value {
	if k.Wide() {
		return v
	}
	return k.mul(v, k.c("scale"))
}

func (k *vector) cos() {
	n := len(cosHalf[k.Elem/8])
	k.hoistCircular("Half", append(coefNames("cosHalf", n), "square")...)
	k.blocks(k.many(), func(at []part) {
		xs, ns := k.turns(at, "Half")
		k.each(len(at), func(j int) {
			_, y := k.remainder(xs[j], ns[j], "Half")
			c := k.scaled(k.horner(y, "cosHalf", n, "square", k.unit()))
			k.store(k.xor(k.shift(true, ns[j], k.signShift()), c), "dst", at[j])
		})
	})
}

// many is how many vectors one turn of a loop does.
func (k *vector) many() int {
	return map[string]int{"AVX2": 2, "AVX512": 4, "NEON": 4}[k.Name]
}

func (k *vector) sin() {
	n := len(sinHalf[k.Elem/8])
	k.hoistCircular("Half", coefNames("sinHalf", n)...)
	k.blocks(k.many(), func(at []part) {
		xs, ns := k.turns(at, "Half")
		k.each(len(at), func(j int) {
			r, y := k.remainder(xs[j], ns[j], "Half")
			s := k.scaled(k.mul(r, k.horner(y, "sinHalf", n, k.unit())))
			k.store(k.xor(k.shift(true, ns[j], k.signShift()), s), "dst", at[j])
		})
	})
}

func (k *vector) sinCos() {
	i := k.Elem / 8
	ns, nc := len(sinQuarter[i]), len(cosQuarter[i])
	k.hoistCircular("Quarter", append(append(coefNames("sinQuarter", ns), coefNames("cosQuarter", nc)...), "square")...)
	k.hoist(many, "one", "signBit")
	k.blocks(map[string]int{"AVX2": 1, "AVX512": 2, "NEON": 4}[k.Name], func(at []part) {
		xs, turn := k.turns(at, "Quarter")
		k.each(len(at), func(j int) {
			r, y := k.remainder(xs[j], turn[j], "Quarter")
			s := k.scaled(k.mul(r, k.horner(y, "sinQuarter", ns, k.unit())))
			c := k.scaled(k.horner(y, "cosQuarter", nc, "square", k.unit()))
			s, c = k.swapOdd(turn[j], s, c)
			k.store(k.signOfTurn(turn[j], s), "sin", at[j])
			k.store(k.signOfTurn(k.addInt(turn[j], k.c("one")), c), "cos", at[j])
		})
	})
}

// swapOdd exchanges a and b in the lanes with odd n.
func (k *vector) swapOdd(n, a, b value) (x, y value) {
	switch {
	case k.Arm():
		odd := k.three("", "cmtst", n, k.c("one"))
		return k.change("", "bit", k.copyOf(a), b, odd), k.change("", "bit", b, a, odd)
	case k.Wide():
		odd := spareMasks[0]
		k.effect(step{in: []value{n, k.c("one")}, emit: func(_ asm.Vec, in []fmt.Stringer) {
			k.Op(k.Integer("VPTESTM"), in[1], in[0], odd)
		}})
		blend := func(d asm.Vec, in []fmt.Stringer) { k.Op(k.Float("VBLENDMP"), in[1], in[0], odd, d) }
		return k.do(step{in: []value{a, b}, emit: blend}), k.do(step{in: []value{b, a}, emit: blend})
	}
	odd := k.shift(true, n, k.signShift())
	return k.blend(odd, a, b), k.blend(odd, b, a)
}

// blend is a, or with AVX2 b in the lanes whose sign a mask has.
func (k *vector) blend(mask, a, b value) value {
	return k.do(step{in: []value{mask, a, b}, emit: func(d asm.Vec, in []fmt.Stringer) {
		k.Op(k.Float("VBLENDVP"), in[0], in[2], in[1], d)
	}})
}

// signOfTurn is v, or -v where the second lowest bit of n is set.
func (k *vector) signOfTurn(n, v value) value {
	bit := k.shift(true, n, k.signShift()-1)
	if !k.Wide() {
		return k.xor(k.and(bit, k.c("signBit")), v)
	}
	return k.do(step{acc: v, in: []value{bit, k.c("signBit")}, emit: func(d asm.Vec, in []fmt.Stringer) {
		const xorOfAnd = 0x78 // v ^ (bit & signBit)
		k.Op(k.Integer("VPTERNLOG"), asm.Imm(xorOfAnd), in[1], in[0], d)
	}})
}

func (k *vector) exp() {
	n := len(expRest[k.Elem/8])
	names := coefNames("expRest", n)
	k.hoist(0, "most", "least")
	k.hoist(many, "magic", "inverse", "stepA", "stepB")
	if k.Arm() {
		k.hoist(0, "twoBiases")
	}
	k.hoist512(names...)
	if k.Wide() { // sign and scale are in the constants: the polynomial is in sign·r, so its odd terms take the sign
		k.hoist512("unit")
		k.times("scale", names...)
		k.times("sign", "unit", "inverse", "stepA", "stepB")
		k.times("scale", "unit")
		for j := 1; j < n; j += 2 {
			k.times("sign", names[j])
		}
	}
	k.blocks(pick(k.Arm(), 2, 4), func(at []part) {
		k.each(len(at), func(j int) { k.store(k.expOf(k.load("x", at[j]), n), "dst", at[j]) })
	})
}

func (k *vector) expOf(x value, terms int) value {
	if !k.Wide() {
		x = k.mul(x, k.c("sign"))
	}
	x = k.most(k.least(x, k.c("most")), k.c("least"))
	n := k.addMul(k.fresh("magic"), x, k.c("inverse"))
	whole := k.sub(n, k.c("magic"))
	x = k.subMul(x, whole, k.c("stepA"))
	x = k.subMul(x, whole, k.c("stepB"))
	if k.Wide() {
		return k.do(step{acc: k.horner(x, "expRest", terms, "unit", "scale"), in: []value{whole},
			emit: func(d asm.Vec, in []fmt.Stringer) { k.Op(k.Float("VSCALEFP"), in[0], d, d) }})
	}
	e := k.scaled(k.horner(x, "expRest", terms, "unit", "unit"))
	// 2^n as the product of two powers, each of which is a normal number: the bits are n + 2·bias.
	both := k.subInt(n, k.c("twoBiases"))
	first := k.shift(false, both, 1)
	second := k.subInt(both, first)
	e = k.mul(e, k.shift(true, first, mantissa(k.Elem)))
	return k.mul(e, k.shift(true, second, mantissa(k.Elem)))
}

func (k *vector) log() {
	k.apart, k.onward = k.LoadArg("apart"), k.Reg()
	vectors, c := pick(k.Arm(), 2, 4), k.arrays["c"]
	// One c for all becomes a block of them.
	k.Compare(k.apart, asm.Imm(0))
	k.If("NE", "apart")
	one := k.Vec()
	k.Broadcast(k.Elem, asm.Mem{Base: c}, one)
	k.Frame(vectors*k.Bytes, c)
	for v := range vectors {
		k.Store(asm.Mem{Base: c, Disp: v * k.Bytes}, one)
	}
	k.FreeVec(one)
	k.Label("apart")
	if k.Arm() {
		k.hoist(0, "fromRoot", "integer", "mantissa", "root")
	}
	for _, r := range logRows(k.Elem) {
		k.hoist512(r.name)
	}
	k.blocks(vectors, func(at []part) {
		ts := make([]value, len(at))
		k.each(len(at), func(j int) {
			ts[j] = k.oneBeyond(k.add(k.load("x", at[j]), k.load("c", at[j])), at[j])
		})
		k.leaveUnless(ts, "normal", "infinity", notLess)
		k.each(len(at), func(j int) { k.store(k.logOf(ts[j]), "dst", at[j]) })
	})
}

// oneBeyond is t with 1 in the lanes beyond a mask.
func (k *vector) oneBeyond(t value, at part) value {
	if at.elements != masked {
		return t
	}
	if k.Wide() {
		return k.do(step{in: []value{t, k.c("one")}, emit: func(d asm.Vec, in []fmt.Stringer) {
			k.Op(k.Float("VBLENDMP"), in[0], in[1], k.mask, d)
		}})
	}
	return k.do(step{in: []value{t, k.fresh("one")}, emit: func(d asm.Vec, in []fmt.Stringer) {
		k.Op(k.Float("VBLENDVP"), k.mask, in[0], in[1], d)
	}})
}

func (k *vector) logOf(t value) value {
	shifted := k.addInt(t, k.c("fromRoot"))
	m := k.addInt(k.and(shifted, k.c("mantissa")), k.c("root"))
	f := k.sub(m, k.c("one"))
	s := k.div(f, k.add(f, k.c("two")))
	z := k.mul(s, s)
	rest := k.mul(z, k.horner(z, "logRest", len(logRest[k.Elem/8])))
	h := k.mul(k.mul(f, f), k.c("half"))
	// The exponent, put into the last bits of 2^mantissa, is a number.
	e := k.or(k.shift(false, shifted, mantissa(k.Elem)), k.c("integer"))
	e = k.sub(e, k.c("integerBias"))
	low := k.addMul(k.mul(e, k.c("stepB")), s, k.add(h, rest))
	sum := k.sub(f, k.sub(h, low))
	return k.addMul(sum, e, k.c("stepA"))
}
