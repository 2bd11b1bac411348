package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// wide is LIBSVM text of so many sparse rows of 4 million columns and two classes.
func wide(rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%d %d:1 %d:.5 4000000:%v\n", i%2, 1+i%2, 10+7*i, .1*float64(i%3))
	}
	return b.String()
}

// TestAfford: what cannot be held is refused before it begins, with its bytes and a remedy; what can is told, memory
// and time.
func TestAfford(t *testing.T) {
	dir := t.TempDir()
	clitest.File(t, dir, "wide.txt", wide(40))
	for args, texts := range map[string][]string{
		"-head ridge -cv 2 -class-weights balanced": {"4 matrices of 4000000 x 4000000 numbers", "leave -cv out"},
		"-head ridge -class-weights balanced":       {"1 matrices of 4000000 x 4000000 numbers", "leave -class-weights out"},
		"-head ridge -stream":                       {"1 matrices of 4000000 x 4000000 numbers", "leave -stream out"},
		"-head ridge":                               nil,
		"-head ridge -lambda loo":                   nil,
		"-head ridge -cv 2":                         nil,
	} {
		r := clitest.Run(t, dir, "-train wide.txt -map linear "+args)
		if texts == nil {
			if r.OK(t); !strings.Contains(r.Stderr, "4000000 features and 2 outputs: about ") ||
				!strings.Contains(r.Stderr, " of memory, ") {
				t.Errorf("%s: stderr %q tells no estimate", args, r.Stderr)
			}
			continue
		}
		lines := strings.Split(strings.TrimSpace(r.Stderr), "\n")
		last := lines[len(lines)-1]
		if r.Status != 1 {
			t.Errorf("%s: exit status %d", args, r.Status)
		}
		for _, text := range append(texts, "train: ", " bytes of memory, and there are ") {
			if !strings.Contains(last, text) {
				t.Errorf("%s: %q does not hold %q", args, last, text)
			}
		}
	}
}
