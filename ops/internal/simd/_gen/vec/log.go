package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ln t = e·ln 2 + ln m with m in [√½, √2), and ln m = 2 atanh s for s = f/(2+f), f = m - 1. It is summed as f - (f²/2 -
// s·(f²/2 + R)), R = s²·P(s²). Its last term gives the error (FreeBSD's msun, e_log.c).

func logRows(f64 bool) []row {
	mantissa := pick(f64, 23, 52)
	bias := float64(pick(f64, 127, 1023))
	a, b := splitNumber(ln2, 1, f64)
	root := bitsOf(math.Sqrt2/2, f64)
	rows := []row{
		num("normal", math.Ldexp(1, pick(f64, -126, -1022))),
		num("infinity", math.Inf(1)),
		num("one", 1),
		num("two", 2),
		num("half", .5),
		num("stepA", a),
		num("stepB", b),
		bits("root", root),
		bits("fromRoot", bitsOf(1, f64)-root),
		bits("mantissa", 1<<mantissa-1),
		num("integer", math.Ldexp(1, mantissa)),
		num("integerBias", math.Ldexp(1, mantissa)+bias),
	}
	return append(rows, nums("logRest", logRest[pick(f64, 0, 1)])...)
}

func (k *kernel) log() {
	rows := logRows(k.f64)
	p := k.begin("log")
	for _, r := range rows {
		k.hoistWide(r.name)
	}
	apart, place := k.Load(k.Param("apart"), k.GP64()), k.GP64()
	// One c for all becomes a block of them.
	const vectors = 2
	block := k.AllocLocal(vectors * k.bytes())
	k.TESTQ(apart, apart)
	k.JNE(operand.LabelRef("blocks"))
	one := k.vec()
	k.op(k.VBROADCASTSS, k.VBROADCASTSD)(operand.Mem{Base: p[2]}, one)
	for v := range vectors {
		k.op(k.VMOVUPS, k.VMOVUPD)(one, block.Offset(v*k.bytes()))
	}
	k.LEAQ(block, p[2])
	k.blocks(vectors, func(at []lanes) {
		var ts []reg.VecVirtual
		k.MOVQ(k.i, place)
		k.ANDQ(apart, place)
		for _, a := range at {
			t := k.load(p[1], a)
			t = k.add(k.loadAt(p[2], place, a), t)
			ts = append(ts, k.oneBeyond(t, a))
		}
		k.jumpUnlessNormal(ts)
		for j, t := range ts {
			k.store(k.logOf(t), p[0], at[j])
		}
	})
}

// oneBeyond is t with 1 in the lanes beyond a mask.
func (k *kernel) oneBeyond(t reg.VecVirtual, at lanes) reg.VecVirtual {
	v := k.vec()
	switch {
	case at.mask == nil:
		return t
	case k.wide:
		k.op(k.VBLENDMPS, k.VBLENDMPD)(t, k.regs["one"], at.mask, v)
	case k.f64:
		k.VBLENDVPD(at.mask, t, k.copyOf(k.c("one")), v)
	default:
		k.VBLENDVPS(at.mask, t, k.copyOf(k.c("one")), v)
	}
	return v
}

// jumpUnlessNormal leaves the function if a lane is not a positive normal number.
func (k *kernel) jumpUnlessNormal(ts []reg.VecVirtual) {
	const notGreaterEqual, notLess = 0x19, 0x15 // true for NaN, without a trap
	for _, t := range ts {
		if k.wide {
			low, high := k.K(), k.K()
			k.op(k.VCMPPS, k.VCMPPD)(operand.Imm(notGreaterEqual), k.c("normal"), t, low)
			k.op(k.VCMPPS, k.VCMPPD)(operand.Imm(notLess), k.c("infinity"), t, high)
			k.KORTESTW(low, high)
			k.JNE(operand.LabelRef("done"))
			continue
		}
		low, high, any := k.YMM(), k.YMM(), k.GP32()
		k.op(k.VCMPPS, k.VCMPPD)(operand.Imm(notGreaterEqual), k.c("normal"), t, low)
		k.op(k.VCMPPS, k.VCMPPD)(operand.Imm(notLess), k.c("infinity"), t, high)
		if low = k.or(low, high); k.f64 {
			k.VMOVMSKPD(low, any)
		} else {
			k.VMOVMSKPS(low, any)
		}
		k.TESTL(any, any)
		k.JNE(operand.LabelRef("done"))
	}
}

func (k *kernel) logOf(t reg.VecVirtual) reg.VecVirtual {
	shifted := k.addInt(k.c("fromRoot"), t)
	// The exponent, put into the last bits of 2^mantissa, is a number.
	e := k.sub(k.c("integerBias"), k.or(k.c("integer"), k.shiftRight(pick(k.f64, 23, 52), shifted)))
	m := k.addInt(k.c("root"), k.and(k.c("mantissa"), shifted))
	f := k.sub(k.c("one"), m)
	s := k.div(k.add(k.c("two"), f), f)
	z := k.mul(s, s)
	h := k.mul(k.c("half"), k.mul(f, f))
	rest := k.mul(z, k.horner(z, "logRest", len(logRest[pick(k.f64, 0, 1)])))
	low := k.mul(k.c("stepB"), e)
	k.addMul(s, k.add(h, rest), low)
	sum := k.sub(k.sub(low, h), f)
	k.addMul(k.c("stepA"), e, sum)
	return sum
}
