package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestLayerAccuracy: whole maps against references of 150 bits. The errors are in units of the rounding of the
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
	const n, m = 7, 19
	// exp(-p) of numbers from 0 on, so that it does not grow
	x, w, b := absolute(random[T](n*d, 1)), scaled(random[T](d*m, 2), 1/math.Sqrt(float64(d))), random[T](m, 3)
	positive := absolute(w)
	pair, phase, exp := make([]float64, n*2*m), make([]float64, n*m), make([]float64, n*m)
	unit, unitPair, unitExp := make([]float64, n*m), make([]float64, n*2*m), make([]float64, n*m)
	for i := range n {
		for j := range m {
			at, cos := i*m+j, i*2*m+j
			p, size := bigProjection(x[i*d:(i+1)*d], w, j, m)
			pair[cos+m], pair[cos] = circularOf(p)
			_, phase[at] = circularOf(new(big.Float).SetPrec(bigBits).Add(p, newBig(float64(b[j]))))
			unit[at] = u * (1 + math.Abs(float64(b[j])) + size)
			unitPair[cos], unitPair[cos+m] = unit[at], unit[at]
			q, size := bigProjection(x[i*d:(i+1)*d], positive, j, m)
			exp[at], unitExp[at] = expOf(q), u*(1+size)
		}
	}
	plainGo, rows := map[string]layerErrors{}, Rows[T]{Dense: x}
	eachISA(t, func(t *testing.T) {
		z, c, e, packed := make([]T, n*2*m), make([]T, n*m), make([]T, n*m), Pack(w, d, m)
		Pair(z, 2*m, packed, rows, nil, n, 1)
		Phase(c, packed, rows, b, n, 1)
		Exp(e, Pack(positive, d, m), rows, n, 1)
		for name, e := range map[string]layerErrors{"pair": errorsOf(z, pair, unitPair),
			"phase": errorsOf(c, phase, unit), "exp": errorsOf(e, exp, unitExp)} {
			if active == generic {
				plainGo[name] = e
				if e.most > float64(d+4) { // a rounding a term, and of the bias, the function and the result
					t.Errorf("%s, d = %d: plain Go is %.2f units off", name, d, e.most)
				}
			}
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

// Elementary functions in about 150 bits.

const bigBits = 200

func newBig(v float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(v) }

// bigSinCos is the power series of v/2^30, whose angle is doubled thirty times. Each time doubles the errors, which the
// further digits hold.
func bigSinCos(v float64) (sin, cos *big.Float) {
	number := func(v float64) *big.Float { return newBig(v).SetPrec(bigBits + 100) }
	r := number(0).SetMantExp(number(v), -30)
	sin, cos, term := number(0), number(0), number(1)
	for k := range 60 {
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
		term.Quo(term.Mul(term, r), number(float64(k+1)))
	}
	for range 30 {
		square := number(0).Mul(sin, sin)
		sin.Mul(sin, cos)
		sin.Add(sin, sin)
		cos.Sub(number(1), square.Add(square, square))
	}
	return sin, cos
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

// bigLog is one step of Halley from y, the logarithm of package math: y + 2(v - exp y)/(v + exp y), off by the cube of
// the error of y.
func bigLog(v float64) *big.Float {
	if v == 0 {
		return newBig(0)
	}
	y := refLog(v)
	e := bigExp(y)
	step := newBig(0).Quo(newBig(0).Sub(newBig(v), e), newBig(0).Add(newBig(v), e))
	return step.Add(newBig(y), step.Add(step, step))
}

// TestVectorBig holds the float64 functions against these, so that the stated bounds do not lean on package math.
func TestVectorBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var x []float64
	for i := range 500 {
		x = append(x, rng.NormFloat64()*3, 700*(2*rng.Float64()-1), math.Ldexp(rng.Float64(), i%60-30))
	}
	for n := range 40 { // next to the zeros
		x = append(x, float64(n*n*n)*math.Pi, float64(2*n*n+1)*math.Pi/2)
	}
	size, other := absolute(x), make([]float64, len(x))
	var sin, cos, exp, log []*big.Float
	for i, v := range x {
		s, c := bigSinCos(v)
		sin, cos, exp, log = append(sin, s), append(cos, c), append(exp, bigExp(v)), append(log, bigLog(size[i]))
	}
	b := boundsOf[float64]()
	eachISA(t, func(t *testing.T) {
		if active == generic {
			return
		}
		for name, f := range map[string]struct {
			run      func(dst []float64)
			want     []*big.Float
			relative bool
			most     float64
		}{
			"cos":      {func(dst []float64) { vecCos(dst, x, 1) }, cos, false, b.cos},
			"sin":      {func(dst []float64) { vecSin(dst, x, 1) }, sin, false, b.cos},
			"pair cos": {func(dst []float64) { vecSinCos(other, dst, x, 1) }, cos, false, b.pair},
			"pair sin": {func(dst []float64) { vecSinCos(dst, other, x, 1) }, sin, false, b.pair},
			"exp":      {func(dst []float64) { vecExp(dst, x, 1, 1) }, exp, true, b.exp},
			"log":      {func(dst []float64) { vecLog(dst, size, []float64{0}) }, log, true, b.log},
		} {
			dst, worst := make([]float64, len(x)), 0.0
			f.run(dst)
			for i, got := range dst {
				if math.IsInf(got, 0) {
					continue // log 0
				}
				e, _ := new(big.Float).Sub(f.want[i], big.NewFloat(got)).Float64()
				if f.relative {
					w, _ := f.want[i].Float64()
					_, exponent := math.Frexp(w)
					e = math.Ldexp(e, 53-exponent)
				}
				if worst = max(worst, math.Abs(e)); !(math.Abs(e) <= f.most) {
					t.Errorf("%s(%v) = %v, want %.20g: error %.3g", name, x[i], got, f.want[i], e)
				}
			}
			t.Logf("the largest error of %s is %.3g", name, worst)
		}
	})
}
