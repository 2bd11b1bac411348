package asm

import "fmt"

// Instruction is an encoding of NEON whose registers are 0: of the arrangement 4s or 2d where Sizing says how another
// one differs, and of 16b for logic.
type Instruction struct {
	Code   uint32
	Sizing Sizing
	Go     string // the mnemonic of Go's assembler, where it has the instruction
}

// Sizing is where an encoding holds its element size.
type Sizing int

const (
	Floats   Sizing = iota // bit 22: clear for 4s, set for 2d
	Integers               // bits 22 and 23: the logarithm of the bytes
	Bytes                  // nowhere: 16b alone
)

func (i Instruction) code(a Arr) uint32 {
	switch {
	case i.Sizing == Integers:
		return i.Code | a.size<<22
	case i.Sizing == Floats && a == D2:
		return i.Code | 1<<22
	}
	return i.Code
}

// Three are instructions of two operands and a result in one arrangement; some add to the result or select by it.
var Three = map[string]Instruction{
	"fadd": {0x4E20D400, Floats, ""}, "fsub": {0x4EA0D400, Floats, ""}, "fmul": {0x6E20DC00, Floats, ""},
	"fdiv": {0x6E20FC00, Floats, ""}, "fmla": {0x4E20CC00, Floats, "VFMLA"}, "fmls": {0x4EA0CC00, Floats, "VFMLS"},
	"fmax": {0x4E20F400, Floats, ""}, "fmin": {0x4EA0F400, Floats, ""},
	"fcmge": {0x6E20E400, Floats, ""}, "fcmgt": {0x6EA0E400, Floats, ""},

	"add": {0x4E208400, Integers, "VADD"}, "sub": {0x6E208400, Integers, "VSUB"}, "cmtst": {0x4E208C00, Integers, ""},

	"and": {0x4E201C00, Bytes, "VAND"}, "orr": {0x4EA01C00, Bytes, "VORR"}, "eor": {0x6E201C00, Bytes, "VEOR"},
	"bit": {0x6EA01C00, Bytes, "VBIT"},
}

// Word writes an instruction that Go's assembler lacks: its encoding with the registers 0, and its text with a %d for
// each of them, which come into the encoding at bits 0, 5 and 16 in this order.
func (f *Func) Word(code uint32, text string, regs ...Vec) {
	args := make([]any, len(regs))
	for i, r := range regs {
		code |= uint32(r.Number) << [...]int{0, 5, 16}[i]
		args[i] = r.Number
	}
	fmt.Fprintf(&f.body, "\tWORD $%#08x // %s\n", code, fmt.Sprintf(text, args...))
}

// Three writes d = n op m, or an op that has d as an operand too.
func (f *Func) Three(op string, d, n, m Vec) {
	in, ok := Three[op]
	if !ok {
		panic("no instruction " + op)
	}
	a := f.arr()
	if in.Sizing == Bytes {
		a = B16
	}
	if in.Go != "" {
		f.Op(in.Go, a.of(m), a.of(n), a.of(d))
		return
	}
	f.Word(in.code(a), fmt.Sprintf("%s v%%d.%[2]s, v%%d.%[2]s, v%%d.%[2]s", op, a.llvm), d, n, m)
}

// Shifts are the instructions of Go's assembler for shifts by a constant, to the left and of unsigned integers to the
// right.
var Shifts = map[bool]string{true: "VSHL", false: "VUSHR"}

// ShiftVec writes d = n shifted by a constant.
func (f *Func) ShiftVec(left bool, d, n Vec, by int) {
	f.Op(Shifts[left], Imm(by), f.arr().of(n), f.arr().of(d))
}

// MultiplyAdd writes d += n·m[0].
func (f *Func) MultiplyAdd(d, n, m Vec) {
	a, code, letter := f.arr(), uint32(0x4F801000), "s"
	if a == D2 {
		code, letter = code|1<<22, "d"
	}
	f.Word(code, fmt.Sprintf("fmla v%%d.%[1]s, v%%d.%[1]s, v%%d.%[2]s[0]", a.llvm, letter), d, n, m)
}

// Across writes the largest of the four integers of n to the first of d, or the smallest.
func (f *Func) Across(largest bool, d, n Vec) {
	if largest {
		f.Word(0x6EB0A800, "umaxv s%d, v%d.4s", d, n)
	} else {
		f.Word(0x6EB1A800, "uminv s%d, v%d.4s", d, n)
	}
}

// Copy copies a register, and Dup its first element to all.
func (f *Func) Copy(d, n Vec) { f.Three("orr", d, n, n) }
func (f *Func) Dup(d, n Vec) {
	f.Op("VDUP", Place(fmt.Sprintf("V%d.%c[0]", n.Number, f.arr().plan9[0])), f.arr().of(d))
}
