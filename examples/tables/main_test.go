package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// TestTables: a set with test rows, and one that is divided, of targets.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	rows, dark := clitest.Checker(100, 3, 1)
	label := func(i int) string { return map[bool]string{false: "0", true: "1"}[dark[i]] }
	for _, file := range []string{"a/a.all.csv", "b/b.train.csv", "b/b.test.csv"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.File(t, dir, file, clitest.CSV(rows, nil, label))
	}
	out := clitest.Run(t, dir, "-data . -sets a,b -seeds 2 -trials 1 -python=").OK(t)
	for _, name := range []string{"| a | ", "| b | "} {
		if !strings.Contains(out.Stdout, name) || !strings.Contains(out.Stdout, " ± ") {
			t.Errorf("no line of %s in:\n%s", name, out.Stdout)
		}
	}
	clitest.File(t, dir, "a/a.all.csv", "1,2\n3,x,0\n") // a file that cannot be read is there
	if r := clitest.Run(t, dir, "-data . -sets a"); r.Status != 1 || !strings.Contains(r.Stderr, "a.all.csv") {
		t.Errorf("a set that cannot be read: %+v", r)
	}
	if r := clitest.Run(t, dir, "-data . -sets none"); r.Status != 1 || !strings.Contains(r.Stderr, "none") {
		t.Errorf("a set that is not there: %+v", r)
	}
}
