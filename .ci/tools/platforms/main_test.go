package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCheck: what is wrong on one machine alone is found there, in a file of that machine, in a test and in assembly.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/a\n\ngo 1.25.0\n",
		"a.go":        "package a\n\nconst One = 1\n",
		"a_test.go":   "package a\n\nimport \"testing\"\n\nfunc TestWide(t *testing.T) {\n\tif x := One << 40; x == 0 {\n\t\tt.Error(x)\n\t}\n}\n",
		"b_darwin.go": "package a\n\nfunc two() string { return 2 }\n",
		"c_arm64.go":  "package a\n\nfunc three(x int64) int64\n",
		"c_arm64.s":   "TEXT ·three(SB), 4, $0-16\n\tMOVD x+8(FP), R0\n\tMOVD R0, ret+8(FP)\n\tRET\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for machine, wrong := range map[string]bool{
		"linux/amd64": false, "linux/386": true, "darwin/amd64": true, "linux/arm64": true, "windows/riscv64": true, "linux": true,
	} {
		n, err := check(dir, machine, "./...")
		if (n > 0 || err != nil) != wrong {
			t.Errorf("%s: %d found, %v", machine, n, err)
		}
	}
	if n, err := check(dir, "linux/amd64", "./nothing/..."); n == 0 && err == nil {
		t.Error("no packages, and no error")
	}
}
