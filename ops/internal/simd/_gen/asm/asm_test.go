package asm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var word = regexp.MustCompile(`WORD \$0x([0-9a-f]{8}) // (.*)`)

// decode is what LLVM's decoder says of words, the parts of an instruction separated by single spaces.
func decode(t *testing.T, words []uint32) (texts []string) {
	path := ""
	for _, name := range []string{"llvm-mc-19", "llvm-mc"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no llvm-mc here: Debian has it in the package llvm")
	}
	var in bytes.Buffer
	for _, w := range words {
		fmt.Fprintf(&in, "%#x %#x %#x %#x\n", w&0xff, w>>8&0xff, w>>16&0xff, w>>24)
	}
	cmd := exec.Command(path, "--disassemble", "-triple=aarch64", "-mattr=+neon")
	cmd.Stdin = &in
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if text := strings.Join(strings.Fields(line), " "); text != "" && text != ".text" {
			texts = append(texts, text)
		}
	}
	if len(texts) != len(words) {
		t.Fatalf("%d words, but %d instructions: %s", len(words), len(texts), out)
	}
	return texts
}

// decoded compares every word of an assembly text with the instruction beside it.
func decoded(t *testing.T, name, text string) {
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
	for i, got := range decode(t, words) {
		if got != want[i] {
			t.Errorf("%s: %#08x is %s, not %s", name, words[i], got, want[i])
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

// elements are the bytes of the elements for which an instruction has encodings of its own.
func elements(in Instruction) []int {
	if in.Sizing == Bytes {
		return []int{4}
	}
	return []int{4, 8}
}

// f is the register of NEON of that number.
func f(n int) Vec { return Vec{'F', n} }

// TestInstructions: the encodings of the table, and the others, are the instructions of their names.
func TestInstructions(t *testing.T) {
	file := new(File)
	fn := file.Func(NEON, "test", "func()", "")
	for op, in := range Three {
		for _, fn.Elem = range elements(in) {
			fn.Three(op, f(1), f(18), f(31))
		}
	}
	for _, fn.Elem = range []int{4, 8} {
		fn.MultiplyAdd(f(1), f(18), f(31))
	}
	fn.Across(true, f(3), f(30))
	fn.Across(false, f(3), f(30))
	decoded(t, "table", string(file.assembly()))
}

var codeLine = regexp.MustCompile(`\s0x[0-9a-f]+\s+([0-9a-f]{8})\s`)

// TestGoInstructions: where Go's assembler has an instruction, it writes the encoding of the table.
func TestGoInstructions(t *testing.T) {
	file := new(File)
	fn := file.Func(NEON, "test", "func()", "")
	var want []string
	for op, in := range Three {
		for _, fn.Elem = range elements(in) {
			if in.Go != "" {
				fn.Three(op, f(1), f(18), f(31))
				want = append(want, fmt.Sprintf("%08x", in.code(fn.arr())|1|18<<5|31<<16))
			}
		}
	}
	dir := t.TempDir()
	source, object := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(source, file.assembly(), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	root := strings.TrimSpace(run("env", "GOROOT"))
	run("tool", "asm", "-p", "simd", "-I", filepath.Join(root, "pkg", "include"), "-o", object, source)
	var got []string
	for _, m := range codeLine.FindAllStringSubmatch(run("tool", "objdump", object), -1) {
		got = append(got, m[1])
	}
	if len(want) == 0 || len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("Go's assembler wrote\n%s, the table says\n%s", got, want)
	}
}

// TestPlaces: arguments and results lie where ABI0 has them.
func TestPlaces(t *testing.T) {
	fn := new(File).Func(AVX2, "f", "func(x *float32, c float32, d float64, low, high, one float32) (done int)", "")
	for name, want := range map[string]string{"x": "x+0(FP)", "c": "c+8(FP)", "d": "d+16(FP)", "low": "low+24(FP)",
		"high": "high+28(FP)", "one": "one+32(FP)", "done": "done+40(FP)"} {
		if got := fn.Arg(name).String(); got != want {
			t.Errorf("%s is at %s, want %s", name, got, want)
		}
	}
	if fn.size != 48 {
		t.Errorf("%d bytes, want 48", fn.size)
	}
}
