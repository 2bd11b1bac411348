package arm64

import (
	"fmt"
	"strings"
)

// Instruction is an encoding whose registers are 0: of the arrangement 4s or 2d where Sizing says how another one
// differs, and of 16b for logic.
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
	case i.Sizing == Floats && a == S4, i.Sizing == Bytes && a == B16:
		return i.Code
	}
	panic(fmt.Sprintf("encoding %#08x has no arrangement %s", i.Code, a.llvm))
}

// Three are instructions of two operands and a result in one arrangement; some add to the result or select by it. A
// generator may add to this map, and to the others.
var Three = map[string]Instruction{
	"fadd": {0x4E20D400, Floats, ""}, "fsub": {0x4EA0D400, Floats, ""}, "fmul": {0x6E20DC00, Floats, ""},
	"fdiv": {0x6E20FC00, Floats, ""}, "fmla": {0x4E20CC00, Floats, "VFMLA"}, "fmls": {0x4EA0CC00, Floats, "VFMLS"},
	"fmax": {0x4E20F400, Floats, ""}, "fmin": {0x4EA0F400, Floats, ""},
	"fmaxnm": {0x4E20C400, Floats, ""}, "fminnm": {0x4EA0C400, Floats, ""},
	"fcmeq": {0x4E20E400, Floats, ""}, "fcmge": {0x6E20E400, Floats, ""}, "fcmgt": {0x6EA0E400, Floats, ""},
	"facge": {0x6E20EC00, Floats, ""}, "facgt": {0x6EA0EC00, Floats, ""}, "fabd": {0x6EA0D400, Floats, ""},
	"faddp": {0x6E20D400, Floats, ""}, "fmaxp": {0x6E20F400, Floats, ""}, "fminp": {0x6EA0F400, Floats, ""},

	"add": {0x4E208400, Integers, "VADD"}, "sub": {0x6E208400, Integers, "VSUB"}, "mul": {0x4E209C00, Integers, ""},
	"cmeq": {0x6E208C00, Integers, "VCMEQ"}, "cmge": {0x4E203C00, Integers, ""}, "cmgt": {0x4E203400, Integers, ""},
	"cmhi": {0x6E203400, Integers, ""}, "cmhs": {0x6E203C00, Integers, ""}, "cmtst": {0x4E208C00, Integers, ""},
	"smax": {0x4E206400, Integers, ""}, "smin": {0x4E206C00, Integers, ""}, "umax": {0x6E206400, Integers, ""},
	"umin": {0x6E206C00, Integers, ""}, "sshl": {0x4E204400, Integers, ""}, "ushl": {0x6E204400, Integers, ""},
	"zip1": {0x4E003800, Integers, "VZIP1"}, "zip2": {0x4E007800, Integers, "VZIP2"},
	"trn1": {0x4E002800, Integers, "VTRN1"}, "trn2": {0x4E006800, Integers, "VTRN2"},
	"uzp1": {0x4E001800, Integers, "VUZP1"}, "uzp2": {0x4E005800, Integers, "VUZP2"},

	"and": {0x4E201C00, Bytes, "VAND"}, "orr": {0x4EA01C00, Bytes, "VORR"}, "eor": {0x6E201C00, Bytes, "VEOR"},
	"bic": {0x4E601C00, Bytes, ""}, "orn": {0x4EE01C00, Bytes, ""},
	"bsl": {0x6E601C00, Bytes, "VBSL"}, "bit": {0x6EA01C00, Bytes, "VBIT"}, "bif": {0x6EE01C00, Bytes, "VBIF"},
}

// Two are instructions of one operand and a result in one arrangement; "op #0" compares with zero.
var Two = map[string]Instruction{
	"fabs": {0x4EA0F800, Floats, ""}, "fneg": {0x6EA0F800, Floats, ""}, "fsqrt": {0x6EA1F800, Floats, ""},
	"frintn": {0x4E218800, Floats, ""}, "frintm": {0x4E219800, Floats, ""}, "frintp": {0x4EA18800, Floats, ""},
	"frintz": {0x4EA19800, Floats, ""}, "frinta": {0x6E218800, Floats, ""},
	"fcvtns": {0x4E21A800, Floats, ""}, "fcvtms": {0x4E21B800, Floats, ""}, "fcvtzs": {0x4EA1B800, Floats, ""},
	"fcvtas": {0x4E21C800, Floats, ""}, "fcvtnu": {0x6E21A800, Floats, ""}, "fcvtzu": {0x6EA1B800, Floats, ""},
	"scvtf": {0x4E21D800, Floats, ""}, "ucvtf": {0x6E21D800, Floats, ""},
	"fcmgt #0.0": {0x4EA0C800, Floats, ""}, "fcmge #0.0": {0x6EA0C800, Floats, ""}, "fcmeq #0.0": {0x4EA0D800, Floats, ""},
	"fcmle #0.0": {0x6EA0D800, Floats, ""}, "fcmlt #0.0": {0x4EA0E800, Floats, ""},

	"abs": {0x4E20B800, Integers, ""}, "neg": {0x6E20B800, Integers, ""}, "rev64": {0x4E200800, Integers, "VREV64"},
	"cmgt #0": {0x4E208800, Integers, ""}, "cmge #0": {0x6E208800, Integers, ""}, "cmeq #0": {0x4E209800, Integers, ""},
	"cmle #0": {0x6E209800, Integers, ""}, "cmlt #0": {0x4E20A800, Integers, ""},
	"mvn": {0x6E205800, Bytes, ""},
}

// Shifts are shifts by a constant; the encoding holds no size, as it is a part of the constant.
var Shifts = map[string]Instruction{
	"shl": {0x4F005400, Integers, "VSHL"}, "sli": {0x6F005400, Integers, "VSLI"}, // to the left
	"ushr": {0x6F000400, Integers, "VUSHR"}, "sshr": {0x4F000400, Integers, ""}, "sri": {0x6F004400, Integers, "VSRI"},
	"usra": {0x6F001400, Integers, "VUSRA"}, "ssra": {0x4F001400, Integers, ""},
}

// Elements are instructions whose last operand is one element of a register, for all elements of the others.
var Elements = map[string]Instruction{
	"fmla": {0x4F801000, Floats, ""}, "fmls": {0x4F805000, Floats, ""}, "fmul": {0x4F809000, Floats, ""},
}

// Word writes an instruction that Go's assembler lacks: its encoding with the registers 0, and its text with a %d for
// each of them, which come into the encoding at bits 0, 5, 16 and 10 in this order. Immediates are parts of the code and the text.
func (f *Func) Word(code uint32, text string, regs ...int) {
	args := make([]any, len(regs))
	for i, r := range regs {
		code |= uint32(r) << [...]int{0, 5, 16, 10}[i]
		args[i] = r
	}
	fmt.Fprintf(&f.body, "\tWORD $%#08x // %s\n", code, fmt.Sprintf(text, args...))
}

// Three writes d = n op m, or an op that has d as an operand too.
func (f *Func) Three(op string, a Arr, d, n, m Vec) {
	in := lookup(Three, op)
	code := in.code(a)
	if in.Go != "" {
		f.Op(in.Go, a.of(m), a.of(n), a.of(d))
		return
	}
	f.Word(code, fmt.Sprintf("%s v%%d.%[2]s, v%%d.%[2]s, v%%d.%[2]s", op, a.llvm), int(d), int(n), int(m))
}

// Two writes d = op n.
func (f *Func) Two(op string, a Arr, d, n Vec) {
	in := lookup(Two, op)
	code := in.code(a)
	if in.Go != "" {
		f.Op(in.Go, a.of(n), a.of(d))
		return
	}
	op, zero, compares := strings.Cut(op, " ")
	text := fmt.Sprintf("%s v%%d.%[2]s, v%%d.%[2]s", op, a.llvm)
	if compares {
		text += ", " + zero
	}
	f.Word(code, text, int(d), int(n))
}

// Shift writes d = n shifted by a constant.
func (f *Func) Shift(op string, a Arr, d, n Vec, by int) {
	in := lookup(Shifts, op)
	bits := 8 << a.size
	field := 2*bits - by
	if op == "shl" || op == "sli" {
		field = bits + by
	}
	if field < bits || field >= 2*bits {
		panic(fmt.Sprintf("%s: %s by %d", f.name, op, by))
	}
	if in.Go != "" {
		f.Op(in.Go, Imm(by), a.of(n), a.of(d))
		return
	}
	f.Word(in.Code|uint32(field)<<16, fmt.Sprintf("%s v%%d.%[2]s, v%%d.%[2]s, #%[3]d", op, a.llvm, by), int(d), int(n))
}

// Element writes d = n op m[i], or an op that adds to d.
func (f *Func) Element(op string, a Arr, d, n, m Vec, i int) {
	code := lookup(Elements, op).code(a)
	letter := "s"
	if a == D2 {
		letter = "d"
		code |= uint32(i) << 11
	} else {
		code |= uint32(i&1)<<21 | uint32(i>>1)<<11
	}
	if i < 0 || i >= 16>>a.size {
		panic(fmt.Sprintf("%s: element %d of %s", f.name, i, a.llvm))
	}
	f.Word(code, fmt.Sprintf("%s v%%d.%[2]s, v%%d.%[2]s, v%%d.%s[%d]", op, a.llvm, letter, i), int(d), int(n), int(m))
}

func lookup(table map[string]Instruction, op string) Instruction {
	in, ok := table[op]
	if !ok {
		panic("no instruction " + op + " in this table")
	}
	return in
}

// Zero clears a register.
func (f *Func) Zero(v Vec) { f.Three("eor", B16, v, v, v) }

// Move copies a register.
func (f *Func) Move(d, n Vec) { f.Three("orr", B16, d, n, n) }

// Dup copies an element to all.
func (f *Func) Dup(a Arr, d, n Vec, i int) {
	f.Op("VDUP", Place(fmt.Sprintf("V%d.%c[%d]", int(n), a.plan9[0], i)), a.of(d))
}

// DupReg copies a general register to all elements.
func (f *Func) DupReg(a Arr, d Vec, r Reg) { f.Op("VDUP", r, a.of(d)) }

// Broadcast loads one element into all.
func (f *Func) Broadcast(a Arr, m Mem, d Vec) {
	if m.Disp != 0 {
		panic(f.name + ": a load of one element for all has no displacement")
	}
	f.Op("VLD1R", m, Place(fmt.Sprintf("[V%d.%s]", int(d), a.plan9)))
}

// Load loads 16 bytes.
func (f *Func) Load(m fmt.Stringer, v Vec) { f.Op("FMOVQ", m, v) }

// Store stores 16 bytes.
func (f *Func) Store(v Vec, m fmt.Stringer) { f.Op("FMOVQ", v, m) }

// LoadAll loads registers from consecutive memory, two at a time.
func (f *Func) LoadAll(m Mem, v ...Vec) {
	for ; len(v) > 1; v = v[2:] {
		f.Op("FLDPQ", m, Pair{v[0], v[1]})
		m.Disp += 32
	}
	if len(v) == 1 {
		f.Load(m, v[0])
	}
}

// StoreAll stores registers to consecutive memory, two at a time.
func (f *Func) StoreAll(m Mem, v ...Vec) {
	for ; len(v) > 1; v = v[2:] {
		f.Op("FSTPQ", Pair{v[0], v[1]}, m)
		m.Disp += 32
	}
	if len(v) == 1 {
		f.Store(v[0], m)
	}
}

// Widen writes the lower two float32 numbers of n as float64, or with high the upper two.
func (f *Func) Widen(d, n Vec, high bool) {
	if high {
		f.Word(0x4E617800, "fcvtl2 v%d.2d, v%d.4s", int(d), int(n))
		return
	}
	f.Word(0x0E617800, "fcvtl v%d.2d, v%d.2s", int(d), int(n))
}

// Narrow writes two float64 numbers of n as the lower two float32 numbers of d and clears the rest, or with high as the
// upper two and keeps the rest.
func (f *Func) Narrow(d, n Vec, high bool) {
	if high {
		f.Word(0x4E616800, "fcvtn2 v%d.4s, v%d.2d", int(d), int(n))
		return
	}
	f.Word(0x0E616800, "fcvtn v%d.2s, v%d.2d", int(d), int(n))
}

// Ret writes the return.
func (f *Func) Ret() { f.Op("RET") }
