package asm

import "fmt"

// Reg is a general register, Label the target of a branch, and Place any other operand that is written as it is.
type (
	Reg   string
	Label string
	Place string
)

func (r Reg) String() string   { return string(r) }
func (l Label) String() string { return string(l) }
func (p Place) String() string { return string(p) }

// Vec is a vector register: F for NEON, whose name in loads and stores that is, X, Y or Z, or K for a mask.
type Vec struct {
	Kind   byte
	Number int
}

func (v Vec) String() string { return fmt.Sprintf("%c%d", v.Kind, v.Number) }

// Imm is an immediate operand.
type Imm int64

func (i Imm) String() string { return fmt.Sprint("$", int64(i)) }

// Mem is memory at a symbol, or at a register and an index times a scale, and a displacement, in bytes. On arm64 an
// index excludes the others.
type Mem struct {
	Symbol      string
	Base, Index Reg
	Scale, Disp int
}

func (m Mem) String() string {
	if m.Symbol != "" {
		return fmt.Sprintf("%s<>+%d(SB)", m.Symbol, m.Disp)
	}
	s := ""
	if m.Disp != 0 {
		s = fmt.Sprint(m.Disp)
	}
	if s += fmt.Sprintf("(%s)", m.Base); m.Scale > 0 {
		s += fmt.Sprintf("(%s*%d)", m.Index, m.Scale)
	} else if m.Index != "" {
		s += fmt.Sprintf("(%s)", m.Index)
	}
	return s
}

// At is memory so many bytes further.
func (m Mem) At(bytes int) Mem {
	m.Disp += bytes
	return m
}

// Address is the address of a symbol.
func (m Mem) Address() Place { return Place("$" + m.String()) }

// Pair is two registers of a load or store of both.
type Pair [2]fmt.Stringer

func (p Pair) String() string { return fmt.Sprintf("(%v, %v)", p[0], p[1]) }

// Arr is an arrangement of NEON: how many elements of how many bits a vector register holds.
type Arr struct {
	llvm, plan9 string
	size        uint32 // logarithm of the bytes of an element
}

// The arrangements of whole registers.
var (
	B16 = Arr{"16b", "B16", 0}
	S4  = Arr{"4s", "S4", 2}
	D2  = Arr{"2d", "D2", 3}
)

// arr is the arrangement of elements.
func (m Machine) arr() Arr {
	if m.Elem == 8 {
		return D2
	}
	return S4
}

// of is a register in an arrangement in Go's syntax.
func (a Arr) of(v Vec) Place { return Place(fmt.Sprintf("V%d.%s", v.Number, a.plan9)) }
