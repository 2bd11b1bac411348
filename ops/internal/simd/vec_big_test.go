package simd

import "math/big"

// Elementary functions in 200 bits, by their power series.

const bigBits = 200

func newBig(v float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(v) }

var bigPi, _,
	_ = big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798", 10, 300, big.ToNearestEven)

// bigSinCos reduces to |r| <= π/4 first.
func bigSinCos(v float64) (sin, cos *big.Float) {
	quarter := new(big.Float).SetPrec(300).Quo(bigPi, big.NewFloat(2))
	n := new(big.Float).SetPrec(300).Quo(newBig(v), quarter)
	turns := bigRound(n)
	r := new(big.Float).SetPrec(300).SetInt(turns)
	r.Sub(newBig(v), r.Mul(r, quarter)).SetPrec(bigBits)
	sin, cos = newBig(0), newBig(0)
	term := newBig(1)
	for k := 0; k < 60; k++ {
		switch k % 4 {
		case 0:
			cos.Add(cos, term)
		case 1:
			sin.Add(sin, term)
		case 2:
			cos.Sub(cos, term)
		case 3:
			sin.Sub(sin, term)
		}
		term.Quo(term.Mul(term, r), newBig(float64(k+1)))
	}
	switch new(big.Int).And(turns, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

// bigRound is the nearest integer, for numbers that are not halfway between two.
func bigRound(v *big.Float) *big.Int {
	half := newBig(.5)
	if v.Sign() < 0 {
		half.Neg(half)
	}
	n, _ := new(big.Float).SetPrec(300).Add(v, half).Int(nil)
	return n
}

// bigExp is the series of v/2^11 squared eleven times.
func bigExp(v float64) *big.Float {
	r := new(big.Float).SetMantExp(newBig(v), -11)
	sum, term := newBig(0).SetPrec(240), newBig(1).SetPrec(240)
	for k := 1; k < 50; k++ {
		sum.Add(sum, term)
		term.Quo(term.Mul(term, r), newBig(float64(k)))
	}
	for range 11 {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog is 2 atanh((m-1)/(m+1)) + e·ln 2 for v = m·2^e with m in [.75, 1.5).
func bigLog(v float64) *big.Float {
	if v == 0 {
		return newBig(0)
	}
	m := newBig(0)
	e := newBig(v).MantExp(m)
	if f, _ := m.Float64(); f < .75 {
		m.SetMantExp(m, 1)
		e--
	}
	out := newBig(float64(e))
	out.Mul(out, bigAtanh(newBig(1), newBig(3)))
	return out.Add(out, bigAtanh(newBig(0).Sub(m, newBig(1)), newBig(0).Add(m, newBig(1))))
}

// bigAtanh is 2 atanh(a/b).
func bigAtanh(a, b *big.Float) *big.Float {
	s := newBig(0).Quo(a, b)
	z, sum, power := newBig(0).Mul(s, s), newBig(0), newBig(0).Add(s, s)
	for k := 1; k < 140; k += 2 {
		sum.Add(sum, newBig(0).Quo(power, newBig(float64(k))))
		power.Mul(power, z)
	}
	return sum
}
