// Package llvm runs the tools of LLVM that know arm64: a decoder of instructions and a model of cores.
package llvm

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
)

// versions are the suffixes of the commands, the newest first: Debian's have their version in the name.
var versions = []string{"-21", "-20", "-19", "-18", "-17", "-16", ""}

// Find is the newest command of that name, or "".
func Find(name string) string {
	for _, v := range versions {
		if path, err := exec.LookPath(name + v); err == nil {
			return path
		}
	}
	return ""
}

// Decode is the text of each instruction, its parts separated by single spaces. It fails on a word that is none.
func Decode(words []uint32) ([]string, error) {
	var in bytes.Buffer
	for _, w := range words {
		fmt.Fprintf(&in, "%#x %#x %#x %#x\n", w&0xff, w>>8&0xff, w>>16&0xff, w>>24)
	}
	out, err := Run(&in, "llvm-mc", "--disassemble", "-triple=aarch64", "-mattr=+neon,+fullfp16")
	if err != nil {
		return nil, err
	}
	var texts []string
	for line := range strings.Lines(out) {
		if text := strings.Join(strings.Fields(line), " "); text != "" && text != ".text" {
			texts = append(texts, text)
		}
	}
	if len(texts) != len(words) {
		return nil, fmt.Errorf("%d words, but %d instructions", len(words), len(texts))
	}
	return texts, nil
}

// Run is the output of a command of LLVM. What the command complains of is an error.
func Run(in *bytes.Buffer, name string, args ...string) (string, error) {
	path := Find(name)
	if path == "" {
		return "", fmt.Errorf("there is no %s: Debian has it in the package llvm", name)
	}
	cmd := exec.Command(path, args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &complaint
	if err := cmd.Run(); err != nil || complaint.Len() > 0 {
		return "", fmt.Errorf("%s: %v: %s", name, err, complaint.String())
	}
	return out.String(), nil
}
