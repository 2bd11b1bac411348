package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// source writes rows to start from.
func source(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	rows, dark := clitest.Checker(50, 3, 1)
	clitest.File(t, dir, "from.csv", clitest.CSV(rows, nil, func(i int) string { return map[bool]string{false: "4", true: "7"}[dark[i]] }))
	return dir
}

// TestGenerate: the rows are the same in any number of files, each of the source's with less than half a unit of noise,
// another one each time.
func TestGenerate(t *testing.T) {
	dir := source(t)
	var all [2]string
	for i, files := range []int{1, 7} {
		clitest.Run(t, dir, fmt.Sprintf("-generate out%d -from from.csv -format csv -rows 10000 -files %d", i, files)).OK(t)
		names := clitest.Names(t, filepath.Join(dir, fmt.Sprintf("out%d", i)))
		if len(names) != files || names[0] != "part-0000.csv" {
			t.Fatal(names)
		}
		for _, n := range names {
			b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("out%d", i), n))
			clitest.OK(t, err)
			all[i] += string(b)
		}
	}
	if all[0] != all[1] {
		t.Error("the rows depend on the number of files")
	}
	from, err := os.ReadFile(filepath.Join(dir, "from.csv"))
	clitest.OK(t, err)
	want, seen := strings.Fields(string(from)), map[string]bool{}
	for i, line := range strings.Fields(all[0]) {
		var a, b [4]float64
		fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "%g %g %g %g", &a[0], &a[1], &a[2], &a[3])
		fmt.Sscanf(strings.ReplaceAll(want[i%50], ",", " "), "%g %g %g %g", &b[0], &b[1], &b[2], &b[3])
		for j := range a {
			if d := a[j] - b[j]; d < -.5000001 || d >= .5 || j == 3 && d != 0 {
				t.Fatalf("row %d is %v, want about %v", i, a, b)
			}
		}
		seen[line] = true
	}
	if len(seen) < 9900 { // 64^3 values of the noise for each of the 50: 2 in 64^3 * 50 pairs
		t.Errorf("of 10000 rows only %d differ", len(seen))
	}
}

// TestTable: a line for each number of files, with the rows that are in them.
func TestTable(t *testing.T) {
	dir := source(t)
	clitest.Run(t, dir, "-generate out -from from.csv -rows 600 -files 3").OK(t)
	r := clitest.Run(t, dir, "-data out -use 1,3 -features 32").OK(t)
	for _, text := range []string{"gaussian, float64", "\n| 32 | 200 | 0.00 | ", "\n| 32 | 600 | 0.00 | "} {
		if !strings.Contains(r.Stdout, text) {
			t.Errorf("stdout does not hold %q:\n%s", text, r.Stdout)
		}
	}
	out := clitest.Run(t, dir, "-data out -features 32 -child").OK(t).Stdout
	var one result
	clitest.OK(t, json.Unmarshal([]byte(out), &one))
	if strings.Count(out, "\n") != 1 || one.Rows != 600 || !(one.MSE < 1) {
		t.Errorf("%q", out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "out", "part-0001.npy"))
	if err != nil || !bytes.HasPrefix(b, []byte("\x93NUMPY")) {
		t.Error(err)
	}
}

func TestWrongFlags(t *testing.T) {
	clitest.WrongFlags(t, "scale", "fits on files", map[string]string{
		"":                             "want one of -generate",
		"-generate a -data b":          "want one of -generate",
		"-data . -rows 3":              "-rows does not apply here; it goes with -generate",
		"-generate a -use 3":           "-use does not apply here; it goes with -data",
		"-generate a -format libsvm":   "want npy or csv",
		"-generate a -rows 3 -files 4": "at least one row a file",
		"-data . -features 3":          "an even number",
		"-data . -use 1,x":             "-use 1,x",
	})
	clitest.Run(t, t.TempDir(), "-data none").Fails(t, 1, "scale", "none")
}
