package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// special are arguments at the ends of every range in the functions, in both types.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, .5, math.Pi / 2, math.Pi, 1e-3, -1e-10, 1e-30, 0x1p-126, 0x1p-127, -0x1p-149,
	0x1p-1022, 0x1p-1074,
	math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(1, 0), math.Nextafter(1, 2), 87.3, -87.4, 88.72, 88.8, -103.9, -104.1,
	174, -175, 700,
	709.7, 709.8, -708.5, -745.1, -745.2, 1416, -1417, 1e4, 205887.4, 205887.5, -205888, 1e6, 1e8, -1e8, 1.6866e9,
	1.6867e9, 1e10,
	1e30, -1e30, math.MaxFloat32, 1e300, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
}

func specials[T Float]() (x []T) {
	for _, v := range special {
		x = append(x, T(v))
	}
	return x
}

// ulps is the distance of got from want in units in the last place of want as a T, where that is finite; and 0 or
// infinity elsewhere.
func ulps[T Float](got T, want float64) float64 {
	w := T(want)
	switch {
	case got == w || got != got && w != w:
		if w-w != 0 {
			return 0
		}
	case w-w != 0 || got-got != 0:
		return math.Inf(1)
	}
	bits, least := 24, -149
	if unsafe.Sizeof(w) == 8 {
		bits, least = 53, -1074
	}
	_, e := math.Frexp(float64(w))
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-bits, least))
}

// The bounds that vec.go states, in absolute error for cosine and sine and ulps for the others; the reference has
// itself one of .5 to 1 ulp in float64.
type bounds struct{ cos, pair, exp, log, reference float64 }

func boundsOf[T Float]() bounds {
	if unsafe.Sizeof(T(0)) == 4 {
		return bounds{cos: 1.5e-7, pair: 1e-7, exp: 1, log: 1}
	}
	return bounds{cos: 3e-16, pair: 2e-16, exp: 1, log: 1, reference: 1}
}

// function is a vector function of one argument, with its value in package math and the error that it may have.
type function[T Float] struct {
	name string
	run  func(dst, x []T) (bad bool)
	want func(float64) float64
	err  func(got T, want float64) float64
	most float64
}

// functions are all of them, with scales that are exact, so that the bounds are those for scale 1.
func functions[T Float]() []function[T] {
	b := boundsOf[T]()
	abs := func(got T, want float64) float64 {
		if got != got && want != want {
			return 0
		}
		return math.Abs(float64(got) - want)
	}
	none := func(f func(dst, x []T)) func(dst, x []T) bool {
		return func(dst, x []T) bool { f(dst, x); return hasBad(x) }
	}
	scratch := func(n int) []T { return make([]T, n) }
	trig := 1.2e-16 // of the reference, rounded once more for a scale
	if b.reference == 0 {
		trig = 0
	}
	return []function[T]{
		{"cos", func(d, x []T) bool { return vecCos(d, x, 1) }, math.Cos, abs, b.cos + trig},
		{"cos/2", func(d, x []T) bool { return vecCos(d, x, -.5) }, func(v float64) float64 {
			return -.5 * math.Cos(v)
		}, abs, b.cos/2 + trig},
		{"sin", none(func(d, x []T) { vecSin(d, x, 1) }), math.Sin, abs, b.cos + trig},
		{"pair sin", func(d, x []T) bool { return vecSinCos(d, scratch(len(x)), x, 1) }, math.Sin, abs, b.pair + trig},
		{"pair cos", func(d, x []T) bool { return vecSinCos(scratch(len(x)), d, x, 1) }, math.Cos, abs, b.pair + trig},
		{"exp", none(func(d, x []T) { vecExp(d, x, 1, 1) }), func(v float64) float64 {
			return refExp(1, v)
		}, ulps[T], b.exp + b.reference},
		{"4exp(-x)", none(func(d, x []T) { vecExp(d, x, 4, -1) }), func(v float64) float64 {
			return refExp(4, -v)
		}, ulps[T], b.exp + b.reference},
		{"log", none(func(d, x []T) { vecLog(d, x, []T{0}) }), refLog, ulps[T], b.log + b.reference},
		{"log row", none(func(d, x []T) {
			vecLog(d, x, make([]T, max(len(x), 2))[:len(x)])
		}), refLog, ulps[T], b.log + b.reference},
	}
}

// refExp is scale·exp(v). Near the ends of float64 package math is not good enough: its assembly for amd64 overflows
// from 709.44 on instead of 709.78, and a denormal result loses digits before the scale.
func refExp(scale, v float64) float64 {
	if active == generic || math.Abs(v) < 700 || !(math.Abs(v) < 760) {
		return scale * math.Exp(v)
	}
	f, _ := newBig(0).Mul(bigExp(v), newBig(scale)).Float64()
	return f
}

// refLog is ln(v). The assembly of package math for amd64 takes denormal numbers for normal ones.
func refLog(v float64) float64 {
	if v > 0 && v < 0x1p-1022 {
		f, e := math.Frexp(v)
		return math.Log(f) + float64(e)*math.Ln2
	}
	return math.Log(v)
}

func hasBad[T Float](x []T) bool { return slices.ContainsFunc(x, func(v T) bool { return v-v != 0 }) }

// check compares f on x with package math, out of place and in place, and in every element of a longer slice around it.
func check[T Float](t *testing.T, f function[T], x []T) {
	t.Helper()
	const guard = 7
	around := slices.Repeat([]T{guard}, len(x)+2)
	dst := around[1 : len(x)+1]
	bad := f.run(dst, x)
	if bad != hasBad(x) {
		t.Errorf("%s reports %v for %v", f.name, bad, x)
	}
	for i, v := range x {
		if want := f.want(float64(v)); !(f.err(dst[i], want) <= f.most) {
			t.Errorf("%s(%g) is %g, want %g: error %.3g, allowed %.3g",
				f.name, v, dst[i], want, f.err(dst[i], want), f.most)
		}
	}
	if around[0] != guard || around[len(x)+1] != guard {
		t.Errorf("%s of %d elements writes beyond them", f.name, len(x))
	}
	same := slices.Clone(x)
	f.run(same, same)
	for i := range x {
		if same[i] != dst[i] && (same[i] == same[i] || dst[i] == dst[i]) {
			t.Fatalf("%s(%g) is %g in place and %g out of it", f.name, x[i], same[i], dst[i])
		}
	}
}

func TestVectorSpecial(t *testing.T) { eachType(t, vectorSpecial[float32], vectorSpecial[float64]) }

func vectorSpecial[T Float](t *testing.T) {
	for _, f := range functions[T]() {
		check(t, f, specials[T]())
		for _, v := range specials[T]() {
			check(t, f, []T{v})
		}
	}
}

// TestVectorLengths: every length up to several blocks, at addresses that are not aligned, whatever the neighbours.
func TestVectorLengths(t *testing.T) { eachType(t, vectorLengths[float32], vectorLengths[float64]) }

func vectorLengths[T Float](t *testing.T) {
	x := scaled(random[T](140, 5), 3)
	for i := range x {
		if i%5 == 0 {
			x[i] = T(math.Abs(float64(x[i])))
		}
	}
	x[100], x[139], x[77] = T(1e30), T(math.NaN()), 0
	for _, f := range functions[T]() {
		whole := make([]T, len(x))
		f.run(whole, x)
		for n := 0; n <= 133; n++ {
			from := n % 7
			check(t, f, x[from:from+n])
			part := make([]T, n)
			f.run(part, x[from:from+n])
			for i, v := range part {
				if w := whole[from+i]; v != w && (v == v || w == w) {
					t.Fatalf("%s(%g) is %g in a row of %d and %g in one of %d", f.name, x[from+i], v, n, w, len(x))
				}
			}
		}
	}
}

// TestVectorDense goes through the bit patterns of the type in steps, so over all magnitudes, and densely where
// projections are.
func TestVectorDense(t *testing.T) { eachType(t, vectorDense[float32], vectorDense[float64]) }

func vectorDense[T Float](t *testing.T) {
	const n = 1 << 16
	rng := rand.New(rand.NewPCG(1, 2))
	var x []T
	for range n {
		switch any(T(0)).(type) {
		case float32:
			x = append(x, T(math.Float32frombits(rng.Uint32())))
		case float64:
			x = append(x, T(math.Float64frombits(rng.Uint64())))
		}
		for _, width := range []float64{2, 100, 750, 2e5} {
			x = append(x, T(width*(2*rng.Float64()-1)))
		}
	}
	for _, f := range functions[T]() {
		check(t, f, x)
	}
}

func TestVectorAllocations(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		x, y := scaled(random[float32](100, 1), .5), make([]float32, 100)
		if n := testing.AllocsPerRun(10, func() {
			vecCos(y, x, .5)
			copy(y, x)
			vecSinCos(y[50:], y[:50], y[:50], .5)
			vecExp(y, y, .5, -1)
			vecLog(y, y, x[:1])
		}); n != 0 {
			t.Errorf("%v allocations a run", n)
		}
	})
}
