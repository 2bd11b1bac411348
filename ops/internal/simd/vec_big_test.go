package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

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

// TestVectorBig holds the float64 functions against 200 bits, so that the stated bounds do not lean on package math.
func TestVectorBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var x []float64
	for i := range 1500 {
		x = append(x, rng.NormFloat64()*3, 700*(2*rng.Float64()-1), math.Ldexp(rng.Float64(), i%60-30))
	}
	for n := range 40 { // next to the zeros
		x = append(x, float64(n*n*n)*math.Pi, float64(2*n*n+1)*math.Pi/2)
	}
	type reference struct{ sin, cos, exp, log *big.Float }
	refs := make([]reference, len(x))
	for i, v := range x {
		refs[i].sin, refs[i].cos = bigSinCos(v)
		refs[i].exp, refs[i].log = bigExp(v), bigLog(math.Abs(v))
	}
	b := boundsOf[float64]()
	eachISA(t, func(t *testing.T) {
		if active == generic {
			return
		}
		n := len(x)
		c, s, pc, ps, e, l, abs := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n),
			make([]float64, n), make([]float64, n), make([]float64, n)
		for i, v := range x {
			abs[i] = math.Abs(v)
		}
		vecCos(c, x, 1)
		vecSin(s, x, 1)
		vecSinCos(ps, pc, x, 1)
		vecExp(e, x, 1, 1)
		vecLog(l, abs, []float64{0})
		worst := map[string]float64{}
		hold := func(name string, v, got float64, want *big.Float, relative bool, most float64) {
			if math.IsInf(got, 0) {
				return // log 0
			}
			d, _ := new(big.Float).Sub(want, big.NewFloat(got)).Float64()
			if d = math.Abs(d); relative {
				w, _ := want.Float64()
				_, exponent := math.Frexp(w)
				d = math.Ldexp(d, 53-exponent)
			}
			worst[name] = max(worst[name], d)
			if !(d <= most) {
				t.Errorf("%s(%v) = %v, want %.20g: error %.3g", name, v, got, want, d)
			}
		}
		for i, v := range x {
			hold("cos", v, c[i], refs[i].cos, false, b.cos)
			hold("sin", v, s[i], refs[i].sin, false, b.cos)
			hold("pair cos", v, pc[i], refs[i].cos, false, b.pair)
			hold("pair sin", v, ps[i], refs[i].sin, false, b.pair)
			hold("exp", v, e[i], refs[i].exp, true, b.exp)
			hold("log", v, l[i], refs[i].log, true, b.log)
		}
		t.Log("largest errors:", worst)
	})
}
