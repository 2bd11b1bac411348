package main

import (
	"math"
	"math/big"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The argument is reduced to r = x - n·π (cosine or sine alone, |r| <= π/2) or x - n·π/2 (both at once, |r| <= π/4) with the step in
// two parts. Two suffice where the usual method needs three, because an FMA does not round the product: n·A cancels against x without
// error, and what the parts leave of π is below 2^-49 (float32) and 2^-108 (float64) of it.
//
// n = round(x/step) comes from adding a number whose last bit is 1, which leaves n in the low bits: they tell the sign, and whether n is
// within the range for which the errors are stated.

// turnBits is the logarithm of the range of n in half turns; it is one more in quarter turns.
func turnBits(f64 bool) int { return pick(f64, 16, 29) }

func circularRows(f64 bool) []row {
	digits := pick(f64, 24, 53)
	magic := 1.5 * math.Ldexp(1, digits-1)
	all := pick(f64, uint64(math.MaxUint32), uint64(math.MaxUint64))
	i := pick(f64, 0, 1)
	rows := []row{
		num("magic", magic),
		bits("one", 1),
		bits("signBit", 1<<(8*size(f64)-1)),
		num("unit", 1),
		num("square", -.5),
	}
	for _, turn := range []struct {
		name string
		part float64
		more int
	}{{"Half", 1, 0}, {"Quarter", .5, 1}} {
		a, b := split(turn.part, f64)
		n := turnBits(f64) + turn.more
		rows = append(rows,
			num("inverse"+turn.name, 1/(math.Pi*turn.part)),
			num("stepA"+turn.name, a),
			num("stepB"+turn.name, b),
			bits("lowest"+turn.name, bitsOf(magic, f64)-1<<n),
			bits("beyond"+turn.name, all&^(2<<n-1)),
		)
	}
	rows = append(rows, nums("cosHalf", cosHalf[i])...)
	rows = append(rows, nums("sinHalf", sinHalf[i])...)
	rows = append(rows, nums("cosQuarter", cosQuarter[i])...)
	return append(rows, nums("sinQuarter", sinQuarter[i])...)
}

// split is part·π as the sum of two numbers of the type.
func split(part float64, f64 bool) (a, b float64) {
	const digits = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534"
	return splitNumber(digits, part, f64)
}

func splitNumber(digits string, part float64, f64 bool) (a, b float64) {
	v, _, err := big.ParseFloat(digits, 10, 250, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	v.Mul(v, big.NewFloat(part))
	f, _ := v.Float64()
	a = round(f, f64)
	f, _ = v.Sub(v, big.NewFloat(a)).Float64()
	return a, round(f, f64)
}

// turns finds n of the lanes and leaves the function if one is out of range.
func (k *kernel) turns(x reg.Register, at []lanes, step string) (ns []reg.VecVirtual) {
	var all reg.VecVirtual
	for j, a := range at {
		n := k.copyOf(k.c("magic"))
		k.addMul(k.c("inverse"+step), k.load(x, a), n)
		ns = append(ns, n)
		if above := k.subInt(k.c("lowest"+step), n); j == 0 {
			all = above
		} else {
			all = k.or(above, all)
		}
	}
	k.jumpIfAny(all, "beyond"+step, "done")
	return ns
}

// reduce is r and its square.
func (k *kernel) reduce(x reg.Register, at lanes, n reg.Register, step string) (r, square reg.VecVirtual) {
	whole := k.sub(k.c("magic"), n)
	r = k.load(x, at)
	k.subMul(k.c("stepA"+step), whole, r)
	k.subMul(k.c("stepB"+step), whole, r)
	return r, k.mul(r, r)
}

func (k *kernel) hoistCircular(step string, coefs ...string) {
	k.hoistWide("magic", "inverse"+step, "stepA"+step, "stepB"+step, "lowest"+step, "beyond"+step)
	k.hoistWide(coefs...)
	if k.wide { // the scale is in the coefficients
		k.times("scale", coefs...)
	}
}

// unit is the coefficient 1, with the scale where that is in the coefficients.
func (k *kernel) unit() string { return pick(k.wide, "unit", "scale") }

// scaled multiplies by the scale where it is not in the coefficients.
func (k *kernel) scaled(v reg.VecVirtual) reg.VecVirtual {
	if k.wide {
		return v
	}
	return k.mul(k.regs["scale"], v)
}

func (k *kernel) cos() {
	p := k.begin("cos")
	n := len(cosHalf[pick(k.f64, 0, 1)])
	k.hoistCircular("Half", append(coefNames("cosHalf", n), "square")...)
	k.blocks(pick(k.wide, 2, 4), func(at []lanes) {
		for j, turn := range k.turns(p[1], at, "Half") {
			_, y := k.reduce(p[1], at[j], turn, "Half")
			c := k.scaled(k.horner(y, "cosHalf", n, "square", k.unit()))
			k.store(k.xor(k.shiftLeft(8*size(k.f64)-1, turn), c), p[0], at[j])
		}
	})
}

func (k *kernel) sin() {
	p := k.begin("sin")
	n := len(sinHalf[pick(k.f64, 0, 1)])
	k.hoistCircular("Half", coefNames("sinHalf", n)...)
	k.blocks(pick(k.wide, 2, 4), func(at []lanes) {
		for j, turn := range k.turns(p[1], at, "Half") {
			r, y := k.reduce(p[1], at[j], turn, "Half")
			s := k.scaled(k.mul(r, k.horner(y, "sinHalf", n, k.unit())))
			k.store(k.xor(k.shiftLeft(8*size(k.f64)-1, turn), s), p[0], at[j])
		}
	})
}

func (k *kernel) sinCos() {
	p := k.begin("sinCos")
	i := pick(k.f64, 0, 1)
	ns, nc := len(sinQuarter[i]), len(cosQuarter[i])
	k.hoistCircular("Quarter", append(append(coefNames("sinQuarter", ns), coefNames("cosQuarter", nc)...), "square")...)
	k.hoistWide("one", "signBit")
	k.blocks(pick(k.wide, 1, 2), func(at []lanes) {
		for j, turn := range k.turns(p[2], at, "Quarter") {
			r, y := k.reduce(p[2], at[j], turn, "Quarter")
			s := k.scaled(k.mul(r, k.horner(y, "sinQuarter", ns, k.unit())))
			c := k.scaled(k.horner(y, "cosQuarter", nc, "square", k.unit()))
			s, c = k.swapOdd(turn, s, c)
			k.store(k.signOfTurn(turn, s), p[0], at[j])
			k.store(k.signOfTurn(k.addInt(k.c("one"), turn), c), p[1], at[j])
		}
	})
}

// swapOdd exchanges a and b in the lanes with odd n.
func (k *kernel) swapOdd(n reg.Register, a, b reg.VecVirtual) (x, y reg.VecVirtual) {
	x, y = k.vec(), k.vec()
	if k.wide {
		odd := k.K()
		k.op(k.VPTESTMD, k.VPTESTMQ)(k.c("one"), n, odd)
		k.op(k.VBLENDMPS, k.VBLENDMPD)(b, a, odd, x)
		k.op(k.VBLENDMPS, k.VBLENDMPD)(a, b, odd, y)
		return x, y
	}
	odd := k.shiftLeft(8*size(k.f64)-1, n)
	if k.f64 {
		k.VBLENDVPD(odd, b, a, x)
		k.VBLENDVPD(odd, a, b, y)
	} else {
		k.VBLENDVPS(odd, b, a, x)
		k.VBLENDVPS(odd, a, b, y)
	}
	return x, y
}

// signOfTurn is v, or -v where the second lowest bit of n is set.
func (k *kernel) signOfTurn(n reg.Register, v reg.VecVirtual) reg.VecVirtual {
	bit := k.shiftLeft(8*size(k.f64)-2, n)
	if k.wide {
		const xorOfAnd = 0x78 // v ^ (bit & signBit)
		k.op(k.VPTERNLOGD, k.VPTERNLOGQ)(operand.Imm(xorOfAnd), k.c("signBit"), bit, v)
		return v
	}
	return k.xor(k.and(k.c("signBit"), bit), v)
}
