package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type emit = func(ops ...operand.Op)

// op is the form of an instruction for the element type.
func (k *kernel) op(ps, pd emit) emit { return pick(k.f64, ps, pd) }

func (k *kernel) vec() reg.VecVirtual {
	if k.wide {
		return k.ZMM()
	}
	return k.YMM()
}

// copyOf is a new register with the value of a.
func (k *kernel) copyOf(a operand.Op) reg.VecVirtual {
	v := k.vec()
	k.op(k.VMOVUPS, k.VMOVUPD)(a, v)
	return v
}

// The arithmetic below writes to a new register; of the operands only a may be in memory.

func (k *kernel) add(a operand.Op, b reg.Register) reg.VecVirtual {
	return k.binary(k.VADDPS, k.VADDPD, a, b)
}
func (k *kernel) mul(a operand.Op, b reg.Register) reg.VecVirtual {
	return k.binary(k.VMULPS, k.VMULPD, a, b)
}

// sub is b - a.
func (k *kernel) sub(a operand.Op, b reg.Register) reg.VecVirtual {
	return k.binary(k.VSUBPS, k.VSUBPD, a, b)
}

// div is b / a.
func (k *kernel) div(a operand.Op, b reg.Register) reg.VecVirtual {
	return k.binary(k.VDIVPS, k.VDIVPD, a, b)
}

// addInt and subInt (b - a) are on integers of the size of the element.
func (k *kernel) addInt(a operand.Op, b reg.Register) reg.VecVirtual {
	return k.binary(k.VPADDD, k.VPADDQ, a, b)
}
func (k *kernel) subInt(a operand.Op, b reg.Register) reg.VecVirtual {
	return k.binary(k.VPSUBD, k.VPSUBQ, a, b)
}

func (k *kernel) and(a operand.Op, b reg.Register) reg.VecVirtual {
	if k.wide {
		return k.binary(k.VPANDD, k.VPANDQ, a, b)
	}
	return k.binary(k.VANDPS, k.VANDPD, a, b)
}

func (k *kernel) or(a operand.Op, b reg.Register) reg.VecVirtual {
	if k.wide {
		return k.binary(k.VPORD, k.VPORQ, a, b)
	}
	return k.binary(k.VORPS, k.VORPD, a, b)
}

func (k *kernel) xor(a operand.Op, b reg.Register) reg.VecVirtual {
	if k.wide {
		return k.binary(k.VPXORD, k.VPXORQ, a, b)
	}
	return k.binary(k.VXORPS, k.VXORPD, a, b)
}

func (k *kernel) binary(ps, pd emit, a operand.Op, b reg.Register) reg.VecVirtual {
	v := k.vec()
	k.op(ps, pd)(a, b, v)
	return v
}

func (k *kernel) shiftLeft(bits int, a reg.Register) reg.VecVirtual {
	v := k.vec()
	k.op(k.VPSLLD, k.VPSLLQ)(operand.Imm(uint64(bits)), a, v)
	return v
}

func (k *kernel) shiftRight(bits int, a reg.Register) reg.VecVirtual {
	v := k.vec()
	k.op(k.VPSRLD, k.VPSRLQ)(operand.Imm(uint64(bits)), a, v)
	return v
}

// addMul is acc += a·b.
func (k *kernel) addMul(a operand.Op, b, acc reg.Register) {
	k.op(k.VFMADD231PS, k.VFMADD231PD)(a, b, acc)
}

// subMul is acc -= a·b.
func (k *kernel) subMul(a operand.Op, b, acc reg.Register) {
	k.op(k.VFNMADD231PS, k.VFNMADD231PD)(a, b, acc)
}

// horner is the polynomial in x with n coefficients named name0 to name(n-1), then continued by lower ones, highest first.
func (k *kernel) horner(x reg.Register, name string, n int, lower ...string) reg.VecVirtual {
	names := coefNames(name, n)
	p := k.copyOf(k.c(names[n-1]))
	for j := n - 2; j >= 0; j-- {
		k.op(k.VFMADD213PS, k.VFMADD213PD)(k.c(names[j]), x, p)
	}
	for _, l := range lower {
		k.op(k.VFMADD213PS, k.VFMADD213PD)(k.c(l), x, p)
	}
	return p
}

func coefNames(name string, n int) (names []string) {
	for j := range n {
		names = append(names, fmt.Sprint(name, j))
	}
	return names
}

// jumpIfAny jumps to the label if a has a bit of the constant named in any lane.
func (k *kernel) jumpIfAny(a reg.Register, name, label string) {
	if k.wide {
		m := k.K()
		k.op(k.VPTESTMD, k.VPTESTMQ)(k.c(name), a, m)
		k.KORTESTW(m, m)
	} else {
		k.VPTEST(k.c(name), a)
	}
	k.JNE(operand.LabelRef(label))
}
