package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The pointwise functions round every product and every sum, as plain Go does, so that all instruction sets give the same bits.

func (k *kernel) product() {
	p := k.begin("product")
	k.blocks(4, func(at []lanes) {
		for _, v := range at {
			ab := k.mul(k.load(p[1], v), k.load(p[2], v))
			k.store(k.mul(k.regs["scale"], ab), p[0], v)
		}
	})
}

func (k *kernel) sum() {
	p := k.begin("sum")
	k.blocks(4, func(at []lanes) {
		for _, v := range at {
			k.store(k.add(k.load(p[0], v), k.load(p[1], v)), p[0], v)
		}
	})
}

func (k *kernel) pairGrad() {
	p := k.begin("pairGrad")
	k.blocks(2, func(at []lanes) {
		for _, v := range at {
			minus := k.mul(k.load(p[2], v), k.load(p[3], v))
			plus := k.mul(k.load(p[1], v), k.load(p[4], v))
			k.store(k.sub(minus, plus), p[0], v)
		}
	})
}

// Predicates of VCMPPS that hold for NaN too.
const (
	notLessEqual    = 0x16
	notGreaterEqual = 0x19
)

func (k *kernel) within() {
	p := k.begin("within")
	cmp := pick(k.f64, k.VCMPPS, k.VCMPPD)
	k.blocks(4, func(at []lanes) {
		var outside reg.Register
		for _, v := range at {
			x := k.load(p[0], v)
			for _, bound := range []struct {
				not  uint64
				name string
			}{{notGreaterEqual, "low"}, {notLessEqual, "high"}} {
				var out reg.Register
				if k.wide {
					out = k.K()
				} else {
					out = k.vec()
				}
				cmp(operand.Imm(bound.not), k.regs[bound.name], x, out)
				switch {
				case outside == nil:
					outside = out
				case k.wide:
					k.KORW(outside, out, outside)
				default:
					k.VORPS(outside, out, outside)
				}
			}
		}
		if k.wide {
			k.KORTESTW(outside, outside)
		} else {
			k.VPTEST(outside, outside)
		}
		k.JNE(operand.LabelRef("done"))
	})
}
