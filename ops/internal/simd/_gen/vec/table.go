package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
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

// constants are the addresses of the rows of a table.
type constants map[string]operand.Mem

// rowBytes is the length of a row: a constant repeated for the lanes of an AVX2 register, which so reads it as an operand. An AVX-512
// register takes the first and repeats it itself.
const rowBytes = 32

// table writes rows as read-only data.
func table(c *build.Context, rows []row, name string, f64 bool) constants {
	base := c.StaticGlobal(fmt.Sprintf("%sTable%s", name, suffix(f64)))
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	t := constants{}
	for i, r := range rows {
		t[r.name] = base.Offset(i * rowBytes)
		for at := 0; at < rowBytes; at += size(f64) {
			c.AddDatum(i*rowBytes+at, r.constant(f64))
		}
	}
	return t
}

func (r row) constant(f64 bool) operand.Constant {
	if f64 {
		return operand.U64(r.word(f64))
	}
	return operand.U32(r.word(f64))
}

// word are the bits of the constant in the type.
func (r row) word(f64 bool) uint64 {
	if r.bits != 0 {
		return r.bits
	}
	return bitsOf(r.value, f64)
}

// maskTable is where the AVX2 masks of partial vectors are cut from: 32 bytes of ones, then 32 of zeros.
var maskTable operand.Mem

func masks(c *build.Context) {
	maskTable = c.StaticGlobal("maskTable")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for at := 0; at < 64; at += 8 {
		m := operand.U64(math.MaxUint64)
		if at >= 32 {
			m = 0
		}
		c.AddDatum(at, m)
	}
}

func size(f64 bool) int {
	if f64 {
		return 8
	}
	return 4
}

func suffix(f64 bool) string {
	if f64 {
		return "F64"
	}
	return "F32"
}

// round is v as a number of the type.
func round(v float64, f64 bool) float64 {
	if f64 {
		return v
	}
	return float64(float32(v))
}

// bitsOf are the bits of v in the type.
func bitsOf(v float64, f64 bool) uint64 {
	if f64 {
		return math.Float64bits(v)
	}
	return uint64(math.Float32bits(float32(v)))
}

// pick is a for float32 and b for float64.
func pick[V any](f64 bool, a, b V) V {
	if f64 {
		return b
	}
	return a
}
