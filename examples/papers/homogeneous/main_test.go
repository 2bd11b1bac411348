package main

import (
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// TestFigures: a line for each kernel with the errors of the best periods, and the picture is there.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "-orders 1,3").OK(t)
	for _, want := range []string{"| kernel | n = 1 | n = 3 | rate | uniform | rectangular |\n", "| chi2 | 0.02", "| jensen-shannon | 0.006", "| intersection | 0.11", "(n+1)^-0.", " | 28 | 452 |\n"} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("no %q in\n%s", want, r.Stdout)
		}
	}
	if r.Stderr != "picture: homogeneous.png\n" {
		t.Errorf("stderr %q", r.Stderr)
	}
	clitest.Run(t, dir, "-orders 2").Fails(t, 2, "homogeneous", "-orders 2: want two or more")
}
