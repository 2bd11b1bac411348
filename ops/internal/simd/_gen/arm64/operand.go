package arm64

import "fmt"

// Reg is a general register.
type Reg int

func (r Reg) String() string { return fmt.Sprint("R", int(r)) }

// Vec is a vector register; String is its name as a scalar and in loads and stores.
type Vec int

func (v Vec) String() string { return fmt.Sprint("F", int(v)) }

// Imm is an immediate operand.
type Imm int64

func (i Imm) String() string { return fmt.Sprint("$", int64(i)) }

// Label is the target of a branch.
type Label string

func (l Label) String() string { return string(l) }

// Place is an operand that is written as it is.
type Place string

func (p Place) String() string { return string(p) }

// Mem is memory at a register and a displacement, in bytes.
type Mem struct {
	Base Reg
	Disp int
}

func (m Mem) String() string {
	if m.Disp == 0 {
		return fmt.Sprintf("(%v)", m.Base)
	}
	return fmt.Sprintf("%d(%v)", m.Disp, m.Base)
}

// Indexed is memory at the sum of two registers, the second shifted to the left.
type Indexed struct {
	Base, Index Reg
	Shift       int
}

func (m Indexed) String() string {
	if m.Shift == 0 {
		return fmt.Sprintf("(%v)(%v)", m.Base, m.Index)
	}
	return fmt.Sprintf("(%v)(%v<<%d)", m.Base, m.Index, m.Shift)
}

// Shifted is a register shifted to the left, as the first operand of an addition.
type Shifted struct {
	Reg Reg
	By  int
}

func (s Shifted) String() string { return fmt.Sprintf("%v<<%d", s.Reg, s.By) }

// Pair is two registers of a load or store of both.
type Pair [2]fmt.Stringer

func (p Pair) String() string { return fmt.Sprintf("(%v, %v)", p[0], p[1]) }

// Arr is an arrangement: how many elements of how many bits a vector register holds.
type Arr struct {
	llvm, plan9 string
	size        uint32 // logarithm of the bytes of an element
}

// The arrangements of whole registers.
var (
	B16 = Arr{"16b", "B16", 0}
	H8  = Arr{"8h", "H8", 1}
	S4  = Arr{"4s", "S4", 2}
	D2  = Arr{"2d", "D2", 3}
)

// Float is the arrangement of elements of so many bytes, 4 or 8.
func Float(elem int) Arr {
	if elem == 8 {
		return D2
	}
	return S4
}

// of is a register in an arrangement in Go's syntax.
func (a Arr) of(v Vec) fmt.Stringer { return Place(fmt.Sprintf("V%d.%s", int(v), a.plan9)) }
