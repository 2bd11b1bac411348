package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestScaling: a line says how many cores there are, and each row has a time for 1, 2, 4, ... of them, that of one core
// with the speedup 1.
func TestScaling(t *testing.T) {
	r := clitest.Run(t, t.TempDir(), "-scaling -shapes 37x17x46 -dtype float32 -maps gaussian,gradient -runs 1").OK(t)
	head, table, _ := strings.Cut(r.Stdout, "\n\n")
	if want := fmt.Sprintf("\ncores: %d", runtime.NumCPU()); !strings.HasSuffix(head, want) {
		t.Errorf("the head is %q, want %q at its end", head, want)
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 4 {
		t.Fatalf("the table is\n%s", table)
	}
	columns := strings.Count(doublings(runtime.NumCPU()), ",") + 1
	for i, name := range []string{"gaussian", "gradient"} {
		line := lines[2+i]
		if !strings.HasPrefix(line, "| 37×17→46 | "+name+" | float32 | ") || strings.Count(line, "(") != columns ||
			!strings.Contains(line, "(1.00)") {
			t.Errorf("a row is %q", line)
		}
	}
	for _, flags := range []string{"-cores 1", "-json", "-peers", "-plot a.png", "-reading 10x2"} {
		clitest.Run(t, t.TempDir(), "-scaling "+flags).Fails(t, 2, "bench", "-scaling")
	}
}

// TestDoublings: the numbers of cores, with all of them at the end.
func TestDoublings(t *testing.T) {
	for n, want := range map[int]string{1: "1", 2: "1,2", 6: "1,2,4,6", 64: "1,2,4,8,16,32,64"} {
		if got := doublings(n); got != want {
			t.Errorf("doublings(%d) is %s, want %s", n, got, want)
		}
	}
}
