package arm64

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Machine is a function as Go's assembler encodes it.
type Machine struct {
	Name  string
	Words []uint32
}

var (
	textLine = regexp.MustCompile(`^TEXT .*?([^.·/(]+)\(SB\)`)
	codeLine = regexp.MustCompile(`\s0x[0-9a-f]+\s+([0-9a-f]{8})\s`)
)

// Assemble is the functions of an assembly file, in its order.
func Assemble(file string) (functions []Machine, err error) {
	dir, err := os.MkdirTemp("", "asm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	object := filepath.Join(dir, "a.o")
	assemble := exec.Command("go", "tool", "asm", "-p", "simd", "-I",
		filepath.Join(strings.TrimSpace(string(root)), "pkg", "include"), "-o", object, file)
	assemble.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux")
	if out, err := assemble.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %v: %s", file, err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", object).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %v", file, err)
	}
	for line := range strings.Lines(string(out)) {
		if m := textLine.FindStringSubmatch(line); m != nil {
			functions = append(functions, Machine{Name: m[1]})
		} else if m := codeLine.FindStringSubmatch(line); m != nil {
			code, err := strconv.ParseUint(m[1], 16, 32)
			if err != nil {
				return nil, err
			}
			last := &functions[len(functions)-1]
			last.Words = append(last.Words, uint32(code))
		}
	}
	return functions, nil
}

// Loops are the innermost loops: each from the target of a branch back to the branch, without another between.
func (m Machine) Loops() (loops [][]uint32) {
	from := 0
	for i, w := range m.Words {
		if to := i + branch(w); to < i && to >= from {
			loops, from = append(loops, m.Words[to:i+1]), i+1
		}
	}
	return loops
}

// branch is by how many words a branch with a condition goes on, or 0.
func branch(w uint32) int {
	if w>>24 == 0x54 || w>>25&0x3f == 0x1a { // b.cond; cbz and cbnz
		return int(int32(w<<8) >> 13)
	}
	return 0
}
