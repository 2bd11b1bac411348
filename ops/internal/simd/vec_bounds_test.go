package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestVectorExact: features at x = 0 are exact, cosines stay within [-1, 1], and small arguments keep their digits.
func TestVectorExact(t *testing.T) { eachType(t, vectorExact[float32], vectorExact[float64]) }

func vectorExact[T Float](t *testing.T) {
	for _, scale := range []float64{1, .3, math.Sqrt2 / 64, 1e-30, 0, 1e25} {
		zero, c, s, e := make([]T, 21), make([]T, 21), make([]T, 21), make([]T, 21)
		vecSinCos(s, c, zero, scale)
		vecExp(e, zero, scale, -1)
		for i := range zero {
			if c[i] != T(scale) || s[i] != 0 || e[i] != T(scale) {
				t.Fatalf("scale %g: cos, sin and exp of 0 are %g, %g, %g", scale, c[i], s[i], e[i])
			}
		}
		if vecCos(c, zero, scale); c[0] != T(scale) || c[20] != T(scale) {
			t.Fatalf("scale %g: cos 0 is %g", scale, c[0])
		}
	}
	x := scaled(random[T](100000, 3), 10)
	c, s := make([]T, len(x)), make([]T, len(x))
	vecCos(c, x, 1)
	one := func(v T) bool { return v > 1 || v < -1 }
	if i := slices.IndexFunc(c, one); i >= 0 {
		t.Errorf("cos(%v) = %v", x[i], c[i])
	}
	vecSinCos(s, c, x, 1)
	if slices.ContainsFunc(c, one) || slices.ContainsFunc(s, one) {
		t.Error("a cosine or sine of a pair is beyond 1")
	}
	for _, v := range []T{1e-5, -1e-12, 1e-37, T(0x1p-140)} {
		if vecSinCos(s[:1], c[:1], []T{v}, 1); s[0] != v && float64(v) < 1e-10 {
			t.Errorf("sin %g = %g", v, s[0])
		}
	}
}

// TestVectorScales: a scale that is no power of two adds a rounding or two; one at the ends of float32 is not folded
// and still right.
func TestVectorScales(t *testing.T) { eachType(t, vectorScales[float32], vectorScales[float64]) }

func vectorScales[T Float](t *testing.T) {
	eps := 0x1p-23
	if unsafe.Sizeof(T(0)) == 8 {
		eps = 0x1p-52
	}
	x := scaled(random[T](5000, 8), 20)
	y, z := make([]T, len(x)), make([]T, len(x))
	for _, scale := range []float64{.7, -3.3, 1e-17, 1e17, 1e-25, 1e30} {
		vecCos(y, x, scale)
		vecExp(z, x, scale, -1)
		for i, v := range x {
			if want := scale * math.Cos(float64(v)); math.Abs(float64(y[i])-want) > 3*eps*math.Abs(scale) {
				t.Fatalf("%g·cos(%g) = %g, want %g", scale, v, y[i], want)
			}
			if want := scale * math.Exp(-float64(v)); !(ulps(z[i], want) <= 3) {
				t.Fatalf("%g·exp(-%g) = %g, want %g", scale, v, z[i], want)
			}
		}
		vecSinCos(z, y, x, scale)
		for i, v := range x {
			s, c := math.Sincos(float64(v))
			if math.Abs(float64(y[i])-scale*c) > 3*eps*math.Abs(scale) ||
				math.Abs(float64(z[i])-scale*s) > 3*eps*math.Abs(scale) {
				t.Fatalf("%g·(cos, sin)(%g) = %g, %g", scale, v, y[i], z[i])
			}
		}
	}
	for i := range x {
		x[i] = T(math.Abs(float64(x[i])))
		y[i] = T(i+1) / 50
	}
	for _, c := range [][]T{y, {.25}} {
		vecLog(z, x, c)
		for i, v := range x {
			ci := c[i%len(c)]
			exact, rounded := math.Log(float64(v)+float64(ci)), math.Log(float64(v+ci))
			if !(min(ulps(z[i], exact), ulps(z[i], rounded)) <= 2) {
				t.Fatalf("log(%g + %g) = %g, want %g", v, ci, z[i], exact)
			}
		}
	}
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
