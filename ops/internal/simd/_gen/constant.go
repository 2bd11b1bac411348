package main

import (
	"fmt"
	"math"
	"math/big"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

// row is a named constant: a number, or the bits of one.
type row struct {
	name  string
	value float64
	bits  uint64
}

func num(name string, v float64) row { return row{name: name, value: v} }
func bits(name string, b uint64) row { return row{name: name, bits: b} }

// nums are coefficients, named name0, name1, ...
func nums(name string, vs []float64) (rows []row) {
	for i, v := range vs {
		rows = append(rows, num(fmt.Sprint(name, i), v))
	}
	return rows
}

// rowBytes is the length of a row of a table: a constant repeated for the lanes of an AVX2 register, which so reads it
// as an operand, or for two registers of NEON, so that one instruction loads it into both.
const rowBytes = 32

// table writes rows as read-only data, and returns where they lie.
func table(f *asm.File, rows []row, name string, elem int) map[string]asm.Mem {
	var words []uint64
	for _, r := range rows {
		w := r.bits
		if w == 0 {
			w = bitsOf(r.value, elem)
		}
		if elem == 4 {
			w |= w << 32
		}
		words = append(words, w, w, w, w)
	}
	base, t := f.Data(fmt.Sprint(name, "TableF", 8*elem), words), map[string]asm.Mem{}
	for i, r := range rows {
		t[r.name] = base.At(i * rowBytes)
	}
	return t
}

// bitsOf are the bits of v in the type.
func bitsOf(v float64, elem int) uint64 {
	if elem == 8 {
		return math.Float64bits(v)
	}
	return uint64(math.Float32bits(float32(v)))
}

// pick is a, or b if second is set.
func pick[V any](second bool, a, b V) V {
	if second {
		return b
	}
	return a
}

// split is part times a number as the sum of two numbers of the type.
func split(digits string, part float64, elem int) (a, b float64) {
	v, _, err := big.ParseFloat(digits, 10, 250, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	round := func() float64 {
		n, _ := v.Float64()
		return pick(elem == 8, float64(float32(n)), n)
	}
	v.Mul(v, big.NewFloat(part))
	a = round()
	v.Sub(v, big.NewFloat(a))
	return a, round()
}

const (
	pi  = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534"
	ln2 = "0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560586332699641868754"
)

// turnBits is the logarithm of the range of n in half turns; it is one more in quarter turns.
func turnBits(elem int) int { return pick(elem == 8, 16, 29) }

// The argument is reduced to r = x - n·π (cosine or sine alone, |r| <= π/2) or x - n·π/2 (both at once, |r| <= π/4)
// with the step in two parts. Two suffice where the usual method needs three, because an FMA does not round the
// product: n·A cancels against x without error, and what the parts leave of π is below 2^-49 (float32) and 2^-108
// (float64) of it.
//
// n = round(x/step) comes from adding a number whose last bit is 1, which leaves n in the low bits: they tell the sign,
// and whether n is within the range for which the errors are stated.
func circularRows(elem int) []row {
	magic := 1.5 * math.Ldexp(1, pick(elem == 8, 24, 53)-1)
	all := pick(elem == 8, uint64(math.MaxUint32), uint64(math.MaxUint64))
	i := elem / 8
	rows := []row{
		num("magic", magic),
		bits("one", 1),
		bits("signBit", 1<<(8*elem-1)),
		num("unit", 1),
		num("square", -.5),
	}
	for _, turn := range []struct {
		name string
		part float64
		more int
	}{{"Half", 1, 0}, {"Quarter", .5, 1}} {
		a, b := split(pi, turn.part, elem)
		n := turnBits(elem) + turn.more
		rows = append(rows,
			num("inverse"+turn.name, 1/(math.Pi*turn.part)),
			num("stepA"+turn.name, a),
			num("stepB"+turn.name, b),
			bits("lowest"+turn.name, bitsOf(magic, elem)-1<<n),
			bits("beyond"+turn.name, all&^(2<<n-1)),
		)
	}
	rows = append(rows, nums("cosHalf", cosHalf[i])...)
	rows = append(rows, nums("sinHalf", sinHalf[i])...)
	rows = append(rows, nums("cosQuarter", cosQuarter[i])...)
	return append(rows, nums("sinQuarter", sinQuarter[i])...)
}

// exp(x) = 2^n·exp(r), n = round(x/ln 2), |r| <= ln(2)/2. The argument is clamped to where the result has long been 0
// or +Inf, whatever the scale within 2^±60; the clamp keeps a NaN.
func expRows(elem int) []row {
	magic := 1.5 * math.Ldexp(1, pick(elem == 8, 24, 53)-1)
	a, b := split(ln2, 1, elem)
	most := pick(elem == 8, 174., 1416.)
	rows := []row{
		num("magic", magic),
		num("inverse", 1/math.Ln2),
		num("stepA", a),
		num("stepB", b),
		num("most", most),
		num("least", -most),
		num("unit", 1),
		bits("twoBiases", bitsOf(magic, elem)-2*pick[uint64](elem == 8, 127, 1023)),
	}
	return append(rows, nums("expRest", expRest[elem/8])...)
}

// ln t = e·ln 2 + ln m with m in [√½, √2), and ln m = 2 atanh s for s = f/(2+f), f = m - 1. It is summed as f - (f²/2 -
// s·(f²/2 + R)), R = s²·P(s²). Its last term gives the error (FreeBSD's msun, e_log.c).
func logRows(elem int) []row {
	integer := math.Ldexp(1, mantissa(elem))
	a, b := split(ln2, 1, elem)
	root := bitsOf(math.Sqrt2/2, elem)
	rows := []row{
		num("normal", math.Ldexp(1, pick(elem == 8, -126, -1022))),
		num("infinity", math.Inf(1)),
		num("one", 1),
		num("two", 2),
		num("half", .5),
		num("stepA", a),
		num("stepB", b),
		bits("root", root),
		bits("fromRoot", bitsOf(1, elem)-root),
		bits("mantissa", 1<<mantissa(elem)-1),
		num("integer", integer),
		num("integerBias", integer+pick(elem == 8, 127., 1023.)),
	}
	return append(rows, nums("logRest", logRest[elem/8])...)
}

// mantissa is the bits of one.
func mantissa(elem int) int { return pick(elem == 8, 23, 52) }
