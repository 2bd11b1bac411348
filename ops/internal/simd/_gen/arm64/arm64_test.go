package arm64

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/llvm"
)

var word = regexp.MustCompile(`WORD \$0x([0-9a-f]{8}) // (.*)`)

// decoded compares every word of an assembly text with the instruction beside it.
func decoded(t *testing.T, name, text string) {
	if llvm.Find("llvm-mc") == "" {
		t.Skip("no llvm-mc here: Debian has it in the package llvm")
	}
	var words []uint32
	var want []string
	for _, m := range word.FindAllStringSubmatch(text, -1) {
		code, err := strconv.ParseUint(m[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		if words = append(words, uint32(code)); m[2] == "" {
			t.Errorf("%s: %#08x has no text", name, code)
		}
		want = append(want, m[2])
	}
	if len(words) != strings.Count(text, "WORD") {
		t.Errorf("%s: a word without an instruction beside it", name)
	}
	got, err := llvm.Decode(words)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: %#08x is %s, not %s", name, words[i], got[i], want[i])
		}
	}
}

// TestWords: each word in the assembly of package simd is the instruction that its comment says.
func TestWords(t *testing.T) {
	files, err := filepath.Glob("../../*_arm64.s")
	if err != nil || len(files) == 0 {
		t.Fatal("no assembly", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		decoded(t, filepath.Base(name), string(text))
	}
}

// sized is the arrangements that an instruction has.
func sized(op string, in Instruction) []Arr {
	switch {
	case in.Sizing == Bytes:
		return []Arr{B16}
	case slices.Contains([]string{"mul", "smax", "smin", "umax", "umin", "rev64"}, op):
		return []Arr{S4}
	}
	return []Arr{S4, D2}
}

// each writes every instruction of every table.
func each(f *Func) {
	for op, in := range Three {
		for _, a := range sized(op, in) {
			f.Three(op, a, 1, 18, 31)
		}
	}
	for op, in := range Two {
		for _, a := range sized(op, in) {
			f.Two(op, a, 1, 18)
		}
	}
	for op := range Shifts {
		for _, a := range []Arr{S4, D2} {
			f.Shift(op, a, 1, 18, 7)
			f.Shift(op, a, 1, 18, 23)
		}
	}
	for op := range Elements {
		for i := range 4 {
			f.Element(op, S4, 1, 18, 31, i)
		}
		for i := range 2 {
			f.Element(op, D2, 1, 18, 31, i)
		}
	}
	for _, high := range []bool{false, true} {
		f.Widen(3, 30, high)
		f.Narrow(3, 30, high)
	}
}

// TestInstructions: the encodings of the tables are the instructions of their names.
func TestInstructions(t *testing.T) {
	file := &File{name: "test"}
	each(file.Func("test", "func()", ""))
	decoded(t, "tables", string(file.assembly()))
}

// TestGoInstructions: where Go's assembler has an instruction, it writes the encoding of the tables.
func TestGoInstructions(t *testing.T) {
	file := &File{name: "test"}
	f := file.Func("test", "func()", "")
	var want []uint32
	add := func(code uint32, regs ...uint32) {
		for i, r := range regs {
			code |= r << (5*i + i/2*6) // bits 0, 5 and 16
		}
		want = append(want, code)
	}
	for op, in := range Three {
		for _, a := range sized(op, in) {
			if in.Go != "" {
				f.Three(op, a, 1, 18, 31)
				add(in.code(a), 1, 18, 31)
			}
		}
	}
	for op, in := range Two {
		for _, a := range sized(op, in) {
			if in.Go != "" {
				f.Two(op, a, 1, 18)
				add(in.code(a), 1, 18)
			}
		}
	}
	for op, in := range Shifts {
		if in.Go != "" {
			f.Shift(op, S4, 1, 18, 7)
			add(in.Code|map[bool]uint32{true: 32 + 7, false: 64 - 7}[op == "shl" || op == "sli"]<<16, 1, 18)
		}
	}
	source := filepath.Join(t.TempDir(), "a.s")
	if err := os.WriteFile(source, file.assembly(), 0o600); err != nil {
		t.Fatal(err)
	}
	functions, err := Assemble(source)
	if err != nil || len(functions) != 1 {
		t.Fatal(functions, err)
	}
	got := functions[0].Words
	if len(want) == 0 || len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("Go's assembler wrote\n%#08x, the tables say\n%#08x", got, want)
	}
}

// TestLoops: the loops of a function are those within which there is no other.
func TestLoops(t *testing.T) {
	file := &File{name: "test"}
	f := file.Func("test", "func(n int)", "")
	n := f.LoadArg("n")
	f.Label("outer")
	f.Op("ADD", Imm(1), n)
	f.Label("first")
	f.Op("SUBS", Imm(1), n)
	f.Op("BNE", Label("first"))
	f.Label("second")
	f.Op("SUB", Imm(2), n)
	f.Op("SUB", Imm(3), n)
	f.Op("CBNZ", n, Label("second"))
	f.Op("CBZ", n, Label("end"))
	f.Op("CBNZ", n, Label("outer"))
	f.Label("end")
	f.Ret()
	source := filepath.Join(t.TempDir(), "a.s")
	if err := os.WriteFile(source, file.assembly(), 0o600); err != nil {
		t.Fatal(err)
	}
	functions, err := Assemble(source)
	if err != nil || len(functions) != 1 || functions[0].Name != "test" {
		t.Fatal(functions, err)
	}
	if l := functions[0].Loops(); len(l) != 2 || len(l[0]) != 2 || len(l[1]) != 3 {
		t.Errorf("loops %#08x", l)
	}
}

// TestPlaces: arguments and results lie where ABI0 has them.
func TestPlaces(t *testing.T) {
	f := (&File{}).Func("f", "func(x *float32, n int32, c float32, d float64, low, high float32, b bool) (done int)", "")
	for name, want := range map[string]string{"x": "x+0(FP)", "n": "n+8(FP)", "c": "c+12(FP)", "d": "d+16(FP)",
		"low": "low+24(FP)", "high": "high+28(FP)", "b": "b+32(FP)", "done": "done+40(FP)"} {
		if got := f.Arg(name).String(); got != want {
			t.Errorf("%s is at %s, want %s", name, got, want)
		}
	}
	if f.size != 48 {
		t.Errorf("%d bytes, want 48", f.size)
	}
}
