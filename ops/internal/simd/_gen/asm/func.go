package asm

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strings"
)

// Func is a function that calls nothing, on its way into a file.
type Func struct {
	Machine
	name, doc, signature string
	offsets              map[string]int // of arguments and results from FP
	size, frame          int            // of both, and of local memory
	body                 bytes.Buffer
	regs                 []Reg // that are free
	vecs                 []Vec
	prefix               string // of labels
}

// Func adds a function. The signature is a Go expression, "func(n int, x *float32) (done int)": numbers and pointers,
// all of them named. The doc comment is one line; the name is put before it.
func (f *File) Func(m Machine, name, signature, doc string) *Func {
	fn := &Func{Machine: m, name: name, doc: name + " " + doc, signature: signature, offsets: map[string]int{}}
	expr, err := parser.ParseExpr(signature)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	t := expr.(*ast.FuncType)
	fn.place(t.Params)
	fn.size = (fn.size + 7) &^ 7 // where results begin
	fn.place(t.Results)
	fn.size = (fn.size + 7) &^ 7
	fn.free()
	f.funcs = append(f.funcs, fn)
	return fn
}

// Cases adds a function that is written once for each number that its first argument, "of int", may be. The first
// number is found first.
func (f *File) Cases(m Machine, name, signature, doc string, numbers []int, write func(fn *Func, of int)) {
	fn := f.Func(m, name, "func(of int, "+signature[len("func("):], doc)
	of, last := fn.LoadArg("of"), len(numbers)-1
	for _, n := range numbers[:last] {
		fn.Compare(of, Imm(n))
		fn.If("EQ", fmt.Sprint("of", n))
	}
	for i := range numbers {
		n := numbers[(i+last)%len(numbers)]
		fn.free()
		fn.prefix = ""
		if i > 0 {
			fn.Label(fmt.Sprint("of", n))
		}
		fn.prefix = fmt.Sprintf("of%d_", n)
		write(fn, n)
	}
}

// free makes all registers free.
func (f *Func) free() {
	f.regs, f.vecs = nil, nil
	if f.Arm() {
		for r := range 27 {
			if r < 16 || r > 18 { // the linker's two and the platform's one
				f.regs = append(f.regs, Reg(fmt.Sprint("R", r)))
			}
		}
	} else {
		f.regs = []Reg{"AX", "CX", "DX", "BX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}
	}
	for v := range f.Vecs {
		f.vecs = append(f.vecs, Vec{map[int]byte{16: 'F', 32: 'Y', 64: 'Z'}[f.Bytes], v})
	}
}

// place gives arguments, or results, their places by the rules of ABI0.
func (f *Func) place(fields *ast.FieldList) {
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		size := 8
		switch t := types.ExprString(field.Type); t {
		case "float32":
			size = 4
		case "int", "uintptr", "float64":
		default:
			if !strings.HasPrefix(t, "*") {
				panic(fmt.Sprintf("%s: an argument of type %s", f.name, t))
			}
		}
		for _, n := range field.Names {
			f.size = (f.size + size - 1) &^ (size - 1)
			f.offsets[n.Name] = f.size
			f.size += size
		}
	}
}

// Arg is the place of an argument or result of that name.
func (f *Func) Arg(name string) Place {
	at, ok := f.offsets[name]
	if !ok {
		panic(fmt.Sprintf("%s has no argument %s", f.name, name))
	}
	return Place(fmt.Sprintf("%s+%d(FP)", name, at))
}

// LoadArg loads an argument of 8 bytes into a register of the pool.
func (f *Func) LoadArg(name string) Reg {
	r := f.Reg()
	f.Move(f.Arg(name), r)
	return r
}

// Frame gives the function so many bytes of memory, and puts their address into a register.
func (f *Func) Frame(bytes int, r Reg) {
	f.frame = bytes
	if f.Arm() {
		f.Move(Reg("RSP"), r)
		f.Add(Imm(8), r)
	} else {
		f.Op("LEAQ", Place("0(SP)"), r)
	}
}

// Reg takes a general register from the pool.
func (f *Func) Reg() Reg {
	if len(f.regs) == 0 {
		panic(f.name + ": no general register is left")
	}
	r := f.regs[0]
	f.regs = f.regs[1:]
	return r
}

// FreeReg gives registers back.
func (f *Func) FreeReg(r ...Reg) { f.regs = append(r, f.regs...) }

// Vec takes a vector register from the pool.
func (f *Func) Vec() Vec { return f.TakeVecs(1)[0] }

// TakeVecs takes n vector registers from the pool.
func (f *Func) TakeVecs(n int) []Vec {
	if len(f.vecs) < n {
		panic(f.name + ": no vector register is left")
	}
	v := f.vecs[:n:n]
	f.vecs = f.vecs[n:]
	return v
}

// VecsLeft is how many vector registers the pool has.
func (f *Func) VecsLeft() int { return len(f.vecs) }

// FreeVec gives registers back.
func (f *Func) FreeVec(v ...Vec) { f.vecs = append(v[:len(v):len(v)], f.vecs...) }

// Label marks the next instruction.
func (f *Func) Label(name string) { fmt.Fprintf(&f.body, "\n%s%s:\n", f.prefix, name) }

// Op writes an instruction of Go's assembler with its operands in Go's order: the destination is the last.
func (f *Func) Op(mnemonic string, operands ...fmt.Stringer) {
	all := make([]string, len(operands))
	for i, o := range operands {
		if all[i] = o.String(); isLabel(o) {
			all[i] = f.prefix + all[i]
		}
	}
	fmt.Fprintf(&f.body, "\t%s\n", strings.TrimRight(fmt.Sprintf("%-7s %s", mnemonic, strings.Join(all, ", ")), " "))
}

func isLabel(o fmt.Stringer) bool {
	_, ok := o.(Label)
	return ok
}

// either writes the instruction of the machine that has it under one of two names.
func (f *Func) either(amd64, arm64 string, operands ...fmt.Stringer) {
	if f.Arm() {
		amd64 = arm64
	}
	f.Op(amd64, operands...)
}

// Move, Add and And are instructions of 64 bits on registers; Add and Sub set the flags for If.
func (f *Func) Move(from fmt.Stringer, to Reg) { f.either("MOVQ", "MOVD", from, to) }
func (f *Func) Add(x fmt.Stringer, to Reg)     { f.either("ADDQ", "ADDS", x, to) }
func (f *Func) Sub(x fmt.Stringer, from Reg)   { f.either("SUBQ", "SUBS", x, from) }
func (f *Func) And(x fmt.Stringer, to Reg)     { f.either("ANDQ", "AND", x, to) }

// Shift shifts to the left.
func (f *Func) Shift(by int, r Reg) { f.either("SHLQ", "LSL", Imm(by), r) }

// Compare sets the flags for If of r beside x.
func (f *Func) Compare(r Reg, x fmt.Stringer) {
	if f.Arm() {
		f.Op("CMP", x, r)
	} else {
		f.Op("CMPQ", r, x)
	}
}

// If jumps on a condition: EQ, NE, LT, LE or GE.
func (f *Func) If(condition, label string) {
	f.either("J"+condition, "B"+condition, Label(label))
}

// Prefetch asks for a line of cache, into the first or the second level.
func (f *Func) Prefetch(m Mem, level int) {
	switch {
	case !f.Arm():
		f.Op(fmt.Sprint("PREFETCHT", level-1), m)
	case level == 1: // to be written
		f.Op("PRFM", m, Place("PSTL1KEEP"))
	default:
		f.Op("PRFM", m, Place("PLDL2KEEP"))
	}
}

// Zero clears a vector register.
func (f *Func) Zero(v Vec) {
	if f.Arm() {
		f.Three("eor", v, v, v)
	} else {
		f.Op("VXORPS", v, v, v)
	}
}

// Load loads registers from consecutive memory.
func (f *Func) Load(m Mem, v ...Vec) {
	for ; f.Arm() && len(v) > 1; v, m = v[2:], m.At(2*f.Bytes) {
		f.Op("FLDPQ", m, Pair{v[0], v[1]})
	}
	for ; len(v) > 0; v, m = v[1:], m.At(f.Bytes) {
		f.either("VMOVUPS", "FMOVQ", m, v[0])
	}
}

// Store stores registers to consecutive memory.
func (f *Func) Store(m Mem, v ...Vec) {
	for ; f.Arm() && len(v) > 1; v, m = v[2:], m.At(2*f.Bytes) {
		f.Op("FSTPQ", Pair{v[0], v[1]}, m)
	}
	for ; len(v) > 0; v, m = v[1:], m.At(f.Bytes) {
		f.either("VMOVUPS", "FMOVQ", v[0], m)
	}
}

// Broadcast loads one element of so many bytes into all.
func (f *Func) Broadcast(elem int, m fmt.Stringer, v Vec) {
	if f.Arm() {
		f.Op("VLD1R", m, Place(fmt.Sprintf("[%s]", f.Of(elem).arr().of(v))))
	} else {
		f.Op(map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[elem], m, v)
	}
}

// Return writes the return with a result of that name.
func (f *Func) Return(r Reg, name string) {
	f.either("MOVQ", "MOVD", r, f.Arg(name))
	f.Ret()
}

// Ret writes the return.
func (f *Func) Ret() {
	if !f.Arm() {
		f.Op("VZEROUPPER")
	}
	f.Op("RET")
}
