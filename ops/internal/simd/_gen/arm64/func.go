package arm64

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strings"
)

// Func is a function without a frame that calls nothing, on its way into a file.
type Func struct {
	name, doc, signature string
	offsets              map[string]int // of arguments and results from FP
	size                 int            // of both
	frame                int
	body                 bytes.Buffer
	freeRegs             []Reg
	freeVecs             []Vec
}

// Func adds a function. The signature is a Go expression, "func(n int, x *float32) (done int)": numbers and pointers,
// all of them named. The doc comment is one line that begins with the name.
func (f *File) Func(name, signature, doc string) *Func {
	fn := &Func{name: name, doc: doc, signature: signature, offsets: map[string]int{}}
	expr, err := parser.ParseExpr(signature)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	t := expr.(*ast.FuncType)
	fn.place(t.Params)
	fn.size = (fn.size + 7) &^ 7 // where results begin
	fn.place(t.Results)
	fn.size = (fn.size + 7) &^ 7
	for r := Reg(0); r <= 26; r++ {
		if r < 16 || r > 18 { // the linker's two and the platform's one
			fn.freeRegs = append(fn.freeRegs, r)
		}
	}
	for v := Vec(0); v < 32; v++ {
		fn.freeVecs = append(fn.freeVecs, v)
	}
	f.funcs = append(f.funcs, fn)
	return fn
}

// place gives arguments, or results, their places by the rules of ABI0.
func (f *Func) place(fields *ast.FieldList) {
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		size := 8
		switch t := types.ExprString(field.Type); t {
		case "int32", "uint32", "float32":
			size = 4
		case "bool":
			size = 1
		case "int", "int64", "uint64", "uint", "float64":
		default:
			if !strings.HasPrefix(t, "*") && t != "unsafe.Pointer" {
				panic(fmt.Sprintf("%s: an argument of type %s", f.name, t))
			}
		}
		if len(field.Names) == 0 {
			panic(f.name + ": an argument or result without a name")
		}
		for _, n := range field.Names {
			f.size = (f.size + size - 1) &^ (size - 1)
			f.offsets[n.Name] = f.size
			f.size += size
		}
	}
}

func (f *Func) assembly(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", f.signature, f.name, f.frame, f.size)
	b.Write(f.body.Bytes())
}

// Frame gives the function so many bytes of memory, which lie so far above RSP.
func (f *Func) Frame(bytes int) int {
	f.frame = bytes
	return 8
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
	f.Op("MOVD", f.Arg(name), r)
	return r
}

// Reg takes a general register from the pool.
func (f *Func) Reg() Reg {
	if len(f.freeRegs) == 0 {
		panic(f.name + ": no general register is left")
	}
	r := f.freeRegs[0]
	f.freeRegs = f.freeRegs[1:]
	return r
}

// FreeReg gives registers back.
func (f *Func) FreeReg(r ...Reg) { f.freeRegs = append(r, f.freeRegs...) }

// Vec takes a vector register from the pool.
func (f *Func) Vec() Vec {
	if len(f.freeVecs) == 0 {
		panic(f.name + ": no vector register is left")
	}
	v := f.freeVecs[0]
	f.freeVecs = f.freeVecs[1:]
	return v
}

// Vecs takes n vector registers from the pool.
func (f *Func) Vecs(n int) []Vec {
	v := make([]Vec, n)
	for i := range v {
		v[i] = f.Vec()
	}
	return v
}

// VecsLeft is how many vector registers the pool has.
func (f *Func) VecsLeft() int { return len(f.freeVecs) }

// FreeVec gives registers back.
func (f *Func) FreeVec(v ...Vec) { f.freeVecs = append(v, f.freeVecs...) }

// Label marks the next instruction. Branches have the name as their operand: f.Op("BNE", arm64.Label("loop")).
func (f *Func) Label(name string) { fmt.Fprintf(&f.body, "\n%s:\n", name) }

// Comment writes a line of its own.
func (f *Func) Comment(text string) { fmt.Fprintf(&f.body, "\t// %s\n", text) }

// Op writes an instruction of Go's assembler with its operands in Go's order: the destination is the last.
func (f *Func) Op(mnemonic string, operands ...fmt.Stringer) {
	all := make([]string, len(operands))
	for i, o := range operands {
		all[i] = o.String()
	}
	fmt.Fprintf(&f.body, "\t%s\n", strings.TrimRight(fmt.Sprintf("%-7s %s", mnemonic, strings.Join(all, ", ")), " "))
}
