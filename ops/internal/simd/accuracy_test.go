package simd

import (
	"math"
	"math/big"
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
