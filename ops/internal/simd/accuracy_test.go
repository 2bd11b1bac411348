package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestLayerAccuracy: whole maps against references of 200 bits. The errors are in units of the rounding of the
// projection, u·(1 + |b| + Σ|xᵢwᵢ|): on every instruction set their root mean square and their largest are at most
// twice the figures of plain Go.
func TestLayerAccuracy(t *testing.T) {
	for _, d := range []int{5, 64, 784} {
		testLayerAccuracy[float32](t, d, 0x1p-24)
		testLayerAccuracy[float64](t, d, 0x1p-53)
	}
}

type layerErrors struct{ rms, most float64 }

func testLayerAccuracy[T Float](t *testing.T, d int, u float64) {
	const n, m = 13, 31
	x, w, b := random[T](n*d, 1), scaled(random[T](d*m, 2), 1/math.Sqrt(float64(d))), random[T](m, 3)
	for i := range x { // exp(-p) of numbers from 0 on, so that it does not grow
		x[i] = T(math.Abs(float64(x[i])))
	}
	positive := make([]T, len(w))
	for i := range w {
		positive[i] = T(math.Abs(float64(w[i])))
	}
	pair, phase, exp := make([]float64, n*2*m), make([]float64, n*m), make([]float64, n*m)
	unit, unitExp := make([]float64, n*m), make([]float64, n*m)
	for i := range n {
		for j := range m {
			p, size := bigProjection(x[i*d:(i+1)*d], w, j, m)
			pair[i*2*m+m+j], pair[i*2*m+j] = circularOf(p)
			_, phase[i*m+j] = circularOf(new(big.Float).SetPrec(bigBits).Add(p, newBig(float64(b[j]))))
			unit[i*m+j] = u * (1 + math.Abs(float64(b[j])) + size)
			q, size := bigProjection(x[i*d:(i+1)*d], positive, j, m)
			exp[i*m+j], unitExp[i*m+j] = expOf(q), u*(1+size)
		}
	}
	run := func() map[string]layerErrors {
		z, c, e := make([]T, n*2*m), make([]T, n*m), make([]T, n*m)
		W := Pack(w, d, m)
		Pair(z, 2*m, W, Rows[T]{Dense: x}, nil, n, 1)
		Phase(c, W, Rows[T]{Dense: x}, b, n, 1)
		Exp(e, Pack(positive, d, m), Rows[T]{Dense: x}, n, 1)
		double := make([]float64, 0, n*2*m)
		for i := range n {
			double = append(append(double, unit[i*m:i*m+m]...), unit[i*m:i*m+m]...)
		}
		return map[string]layerErrors{"pair": errorsOf(z, pair, double), "phase": errorsOf(c, phase, unit),
			"exp": errorsOf(e, exp, unitExp)}
	}
	var plainGo map[string]layerErrors
	eachISA(t, func(t *testing.T) {
		got := run()
		if active == generic {
			plainGo = got
			for name, e := range got {
				if e.most > float64(d+4) { // a rounding a term, and of the bias, the function and the result
					t.Errorf("%s, d = %d: plain Go is %.2f units off", name, d, e.most)
				}
			}
			return
		}
		for name, e := range got {
			if p := plainGo[name]; !(e.rms <= 2*p.rms && e.most <= 2*p.most) {
				t.Errorf("%s, d = %d, u = %g: rms %.3f and largest %.3f units, plain Go %.3f and %.3f",
					name, d, u, e.rms, e.most, p.rms, p.most)
			}
		}
	})
}

// bigProjection is Σ xᵢ w[i,j] and the sum of the sizes of its terms.
func bigProjection[T Float](x, w []T, j, m int) (p *big.Float, size float64) {
	p = newBig(0)
	for i, v := range x {
		a, b := float64(v), float64(w[i*m+j])
		p.Add(p, newBig(0).Mul(newBig(a), newBig(b)))
		size += math.Abs(a * b)
	}
	return p, size
}

// circularOf returns the sine and cosine of p: it takes them of the nearest float64 and turns them by the rest.
func circularOf(p *big.Float) (sin, cos float64) {
	near, _ := p.Float64()
	rest := newBig(0).Sub(p, newBig(near))
	s, c := bigSinCos(near)
	sin, _ = newBig(0).Add(s, newBig(0).Mul(rest, c)).Float64()
	cos, _ = newBig(0).Sub(c, newBig(0).Mul(rest, s)).Float64()
	return sin, cos
}

// expOf is exp(-p): the exponential for the nearest float64, times 1 - rest.
func expOf(p *big.Float) float64 {
	near, _ := p.Float64()
	rest := newBig(0).Sub(p, newBig(near))
	v, _ := newBig(0).Mul(bigExp(-near), rest.Sub(newBig(1), rest)).Float64()
	return v
}

// errorsOf are the errors in the given units.
func errorsOf[T Float](got []T, want, unit []float64) (e layerErrors) {
	for i, v := range got {
		r := math.Abs(float64(v)-want[i]) / unit[i]
		e.rms += r * r / float64(len(got))
		e.most = max(e.most, r)
	}
	e.rms = math.Sqrt(e.rms)
	return e
}

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
