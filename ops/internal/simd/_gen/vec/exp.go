package main

import (
	"math"

	"github.com/mmcloughlin/avo/reg"
)

const ln2 = "0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560586332699641868754"

// exp(x) = 2^n·exp(r), n = round(x/ln 2), |r| <= ln(2)/2. The argument is clamped to where the result has long been 0 or +Inf, whatever
// the scale within 2^±60; the clamp keeps a NaN.

func expRows(f64 bool) []row {
	digits := pick(f64, 24, 53)
	bias := uint64(pick(f64, 127, 1023))
	magic := 1.5 * math.Ldexp(1, digits-1)
	a, b := splitNumber(ln2, 1, f64)
	most := pick(f64, 174., 1416.)
	rows := []row{
		num("magic", magic),
		num("inverse", 1/math.Ln2),
		num("stepA", a),
		num("stepB", b),
		num("most", most),
		num("least", -most),
		num("unit", 1),
		bits("twoBiases", bitsOf(magic, f64)-2*bias),
	}
	return append(rows, nums("expRest", expRest[pick(f64, 0, 1)])...)
}

func (k *kernel) exp() {
	p := k.begin("exp")
	n := len(expRest[pick(k.f64, 0, 1)])
	names := coefNames("expRest", n)
	k.hoist("most", "least")
	k.hoistWide("magic", "inverse", "stepA", "stepB", "unit")
	k.hoistWide(names...)
	if k.wide { // sign and scale are in the constants: the polynomial is in sign·r, so its odd terms take the sign
		k.times("scale", names...)
		k.regs["odd"] = k.mul(k.regs["sign"], k.regs["scale"])
		for j := 1; j < n; j += 2 {
			k.times("sign", names[j])
		}
		k.times("sign", "inverse", "stepA", "stepB")
	}
	k.blocks(2, func(at []lanes) {
		for _, a := range at {
			k.store(k.expOf(k.load(p[1], a), n), p[0], a)
		}
	})
}

func (k *kernel) expOf(x reg.VecVirtual, terms int) reg.VecVirtual {
	if !k.wide {
		x = k.mul(k.regs["sign"], x)
	}
	// Of a NaN and a number these give their first operand here, which is x.
	x = k.binary(k.VMINPS, k.VMINPD, x, k.regs["most"])
	x = k.binary(k.VMAXPS, k.VMAXPD, x, k.regs["least"])
	n := k.copyOf(k.c("magic"))
	k.addMul(k.c("inverse"), x, n)
	whole := k.sub(k.c("magic"), n)
	k.subMul(k.c("stepA"), whole, x)
	k.subMul(k.c("stepB"), whole, x)
	if k.wide {
		e := k.horner(x, "expRest", terms, "odd", "scale")
		k.op(k.VSCALEFPS, k.VSCALEFPD)(whole, e, e)
		return e
	}
	e := k.mul(k.regs["scale"], k.horner(x, "expRest", terms, "unit", "unit"))
	// 2^n as the product of two powers, each of which is a normal number: the bits are n + 2·bias.
	both := k.subInt(k.c("twoBiases"), n)
	first := k.shiftRight(1, both)
	second := k.subInt(first, both)
	mantissa := pick(k.f64, 23, 52)
	return k.mul(k.shiftLeft(mantissa, second), k.mul(k.shiftLeft(mantissa, first), e))
}
