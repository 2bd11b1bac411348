package main

// sqrt is the processor's own, which is rounded correctly.
func (k *kernel) sqrt() {
	p := k.begin("sqrt")
	k.blocks(2, func(at []lanes) {
		for _, a := range at {
			v := k.load(p[1], a)
			k.op(k.VSQRTPS, k.VSQRTPD)(v, v)
			k.store(v, p[0], a)
		}
	})
}

func (k *kernel) multiple() {
	p := k.begin("multiple")
	k.blocks(4, func(at []lanes) {
		for _, a := range at {
			k.store(k.mul(k.regs["c"], k.load(p[1], a)), p[0], a)
		}
	})
}
