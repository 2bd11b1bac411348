package simd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
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
	if sizeof[T]() == 8 {
		bits, least = 53, -1074
	}
	_, e := math.Frexp(float64(w))
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-bits, least))
}

// The bounds that vec.go states, in absolute error for cosine and sine and ulps for the others; the reference has
// itself one of .5 to 1 ulp in float64.
type bounds struct{ cos, pair, exp, log, reference float64 }

func boundsOf[T Float]() bounds {
	if sizeof[T]() == 4 {
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

// functions are all of them with some scales. The bounds are those for scale 1 where the scale is a power of two that
// is folded into the coefficients; another one adds a rounding or two.
func functions[T Float](scales ...float64) (all []function[T]) {
	b := boundsOf[T]()
	add := func(name string, run func(d, x []T), want func(float64) float64, err func(T, float64) float64, most float64) {
		all = append(all, function[T]{name, func(d, x []T) bool { run(d, x); return hasBad(x) }, want, err, most})
	}
	for _, s := range scales {
		size, trig := math.Abs(s), 1.2e-16*b.reference // of the reference, rounded once more for a scale
		cos, pair, exp := b.cos*size+trig, b.pair*size+trig, b.exp+b.reference
		if f, _ := math.Frexp(size); f != .5 {
			cos, pair, exp = 6*epsilon[T]()*size, 6*epsilon[T]()*size, 3
		}
		abs := func(got T, want float64) float64 {
			switch {
			case got != got && want != want:
				return 0
			case s == 1 && (got > 1 || got < -1): // a sine or a cosine never is
				return math.Inf(1)
			}
			return math.Abs(float64(got) - want)
		}
		of := func(f func(float64) float64) func(float64) float64 {
			return func(v float64) float64 { return s * f(v) }
		}
		all = append(all, function[T]{fmt.Sprint(s, " cos"), func(d, x []T) bool { return vecCos(d, x, s) },
			of(math.Cos), abs, cos})
		for name, f := range map[string]func(float64) float64{"cos": math.Cos, "sin": math.Sin} {
			all = append(all, function[T]{fmt.Sprint(s, " pair ", name), func(d, x []T) bool {
				other := make([]T, len(x))
				if name == "sin" {
					return vecSinCos(d, other, x, s)
				}
				return vecSinCos(other, d, x, s)
			}, of(f), abs, pair})
		}
		add(fmt.Sprint(s, " sin"), func(d, x []T) { vecSin(d, x, s) }, of(math.Sin), abs, cos)
		for _, sign := range []float64{1, -1} {
			add(fmt.Sprint(s, " exp ", sign), func(d, x []T) { vecExp(d, x, s, sign) }, func(v float64) float64 {
				return refExp(s, sign*v)
			}, ulps[T], exp)
		}
	}
	add("log", func(d, x []T) { vecLog(d, x, []T{0}) }, refLog, ulps[T], b.log+b.reference)
	add("log row", func(d, x []T) { vecLog(d, x, make([]T, max(len(x), 2))[:len(x)]) }, refLog, ulps[T],
		b.log+b.reference)
	return all
}

// exact are scales that add no rounding.
var exact = []float64{1, -.5, 4}

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

// check compares f on x with package math, out of place and in place, between a number that it must not change and a
// page that it must not touch.
func check[T Float](t *testing.T, f function[T], x []T) {
	t.Helper()
	const guard = 7
	x = guarded(t, x)
	around := guarded(t, slices.Repeat([]T{guard}, len(x)+1))
	dst := around[1:]
	if bad := f.run(dst, x); bad != hasBad(x) {
		t.Errorf("%s reports %v for %v", f.name, bad, x)
	}
	for i, v := range x {
		if want := f.want(float64(v)); !(f.err(dst[i], want) <= f.most) {
			t.Errorf("%T, %s of %g is %g, want %g: error %.3g, allowed %.3g",
				v, f.name, v, dst[i], want, f.err(dst[i], want), f.most)
		}
	}
	if around[0] != guard {
		t.Errorf("%s of %d elements writes before them", f.name, len(x))
	}
	same := slices.Clone(x)
	f.run(same, same)
	for i := range x {
		if same[i] != dst[i] && (same[i] == same[i] || dst[i] == dst[i]) {
			t.Fatalf("%s of %g is %g in place and %g out of it", f.name, x[i], same[i], dst[i])
		}
	}
}

// TestVectors: the functions at the ends of their ranges, together and alone; over bit patterns of all magnitudes, and
// densely where projections are; and with scales that are no powers of two, or at the ends of float32, which are not
// folded.
func TestVectors(t *testing.T) { eachType(t, testVectors[float32], testVectors[float64]) }

func testVectors[T Float](t *testing.T) {
	for _, f := range functions[T](exact...) {
		check(t, f, as[T](special))
		for _, v := range special {
			check(t, f, []T{T(v)})
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var dense []T
	for range 1 << 14 {
		switch any(T(0)).(type) {
		case float32:
			dense = append(dense, T(math.Float32frombits(rng.Uint32())))
		case float64:
			dense = append(dense, T(math.Float64frombits(rng.Uint64())))
		}
		for _, width := range []float64{2, 100, 750, 2e5} {
			dense = append(dense, T(width*(2*rng.Float64()-1)))
		}
	}
	for _, f := range functions[T](1, -.5) {
		check(t, f, dense)
	}
	x := scaled(random[T](5000, 8), 20)
	for _, f := range functions[T](.7, -3.3, 1e-17, 1e17, 1e-25, 1e30) {
		check(t, f, x)
	}
	x = absolute(x)
	shifts := make([]T, len(x))
	for i := range shifts {
		shifts[i] = T(i+1) / 50
	}
	for _, c := range [][]T{shifts, {.25}} {
		z := make([]T, len(x))
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
	for _, f := range functions[T](1) {
		whole := make([]T, len(x))
		f.run(whole, x)
		for n := 0; n <= 133; n++ {
			from := n % 7
			check(t, f, x[from:from+n])
			part := make([]T, n)
			f.run(part, x[from:from+n])
			for i, v := range part {
				if w := whole[from+i]; v != w && (v == v || w == w) {
					t.Fatalf("%s of %g is %g in a row of %d and %g in one of %d", f.name, x[from+i], v, n, w, len(x))
				}
			}
		}
	}
}

// TestVectorExact: features at x = 0 are exact, and small arguments keep their digits.
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
	c, s := make([]T, 1), make([]T, 1)
	for _, v := range []T{1e-5, -1e-12, 1e-37, T(0x1p-140)} {
		if vecSinCos(s, c, []T{v}, 1); s[0] != v && float64(v) < 1e-10 {
			t.Errorf("sin %g = %g", v, s[0])
		}
	}
}

func FuzzCos(f *testing.F)    { fuzzVector(f, "cos") }
func FuzzSin(f *testing.F)    { fuzzVector(f, "sin") }
func FuzzSinCos(f *testing.F) { fuzzVector(f, "pair") }
func FuzzExp(f *testing.F)    { fuzzVector(f, "exp") }
func FuzzLog(f *testing.F)    { fuzzVector(f, "log") }

// fuzzVector takes bytes as a row of float32 and as one of float64, and checks the functions whose names contain name
// with every instruction set.
func fuzzVector(f *testing.F, name string) {
	for _, v := range special {
		seed := binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
		for range 17 {
			seed = binary.LittleEndian.AppendUint32(seed, math.Float32bits(float32(v)))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, row []byte) {
		if len(row) > 4096 {
			row = row[:4096]
		}
		x32, x64 := make([]float32, len(row)/4), make([]float64, len(row)/8)
		_, err32 := binary.Decode(row, binary.LittleEndian, x32)
		_, err64 := binary.Decode(row, binary.LittleEndian, x64)
		if err := errors.Join(err32, err64); err != nil {
			t.Fatal(err)
		}
		eachISA(t, func(t *testing.T) {
			checkNamed(t, name, x32)
			checkNamed(t, name, x64)
		})
	})
}

func checkNamed[T Float](t *testing.T, name string, x []T) {
	for _, f := range functions[T](exact...) {
		if strings.Contains(f.name, name) {
			check(t, f, x)
		}
	}
}
