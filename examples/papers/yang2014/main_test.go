package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// TestFigure: a table for each kernel, a row for each parameter, the error falls with s about as s^-1/2, and the
// picture is there.
func TestFigure(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "-rows 60 -draws 8 -features 20,2000 -beta 0.01,0.1 -lambda 1,3,10").OK(t)
	if r.Stderr != "picture: figure1.png\n" || !strings.HasPrefix(r.Stdout, "60 histograms of 60 bins, rows divided by their sum; relative Frobenius error, mean of 8 draws\n") {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	tables := clitest.Tables(r.Stdout)
	if len(tables) != 2 || len(tables[0]) != 4 || len(tables[1]) != 5 ||
		strings.Count(r.Stdout, "| s = 20 | s = 2000 |\n|---|---|---|\n") != 2 {
		t.Fatalf("the tables are\n%s", r.Stdout)
	}
	for _, row := range clitest.Cells(r.Stdout) {
		if len(row) != 3 || !strings.HasPrefix(row[0], "β = ") && !strings.HasPrefix(row[0], "λ = ") {
			t.Fatalf("%q", row)
		}
		fall := clitest.Number(t, row[1]) / clitest.Number(t, row[2])
		if strings.Contains(row[0], "Lévy") { // whose error falls faster, once frequencies are as many as columns, and then to its bias
			if fall < 10 {
				t.Errorf("the errors do not fall: %s", row)
			}
			continue
		}
		// 100 times the features are a tenth of the error; with 8 trials the ratio of two means is within a factor of
		// 3.
		if math.Abs(math.Log(fall/10)) > math.Log(3) {
			t.Errorf("the errors do not fall as s^-1/2: %s", row)
		}
	}
	clitest.Picture(t, filepath.Join(dir, "figure1.png"), 800, 0)
}

// TestFile: rows of a file, with a label, divided by their sum.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	rows, label := clitest.Histograms(t, dir, 30)
	const args = " -draws 2 -features 8,16 -beta .1 -lambda 1 -plot a.png -rows 20"
	one, two := clitest.Run(t, dir, "-in rows.csv"+args).OK(t), clitest.Run(t, dir, "-in twice.csv"+args).OK(t)
	if one.Stdout != two.Stdout || !strings.HasPrefix(one.Stdout, "20 histograms of 5 bins") {
		t.Errorf("rows %q, twice the rows %q", one.Stdout, two.Stdout)
	}
	rows[17][2] = -.5
	clitest.File(t, dir, "negative.csv", clitest.CSV(rows, nil, label))
	clitest.Run(t, dir, "-in negative.csv"+args).Fails(t, 1, "yang2014", "negative.csv: ", "x[17,2] = -0.5 is negative")
}

func TestWrongFlags(t *testing.T) {
	clitest.WrongFlags(t, "yang2014", "redraws Figure 1", map[string]string{
		"-features 0":             "-features 0: want whole numbers from 1",
		"-features 1.5":           "-features 1.5: want whole numbers from 1",
		"-features 15":            "-features 15: want even numbers",
		"-features 2,99999998":    "-features 99999998: want 1 to",
		"-features 10,x":          "-features 10,x: want whole numbers from 1",
		"-beta -1":                "-beta -1: want numbers above 0",
		"-beta inf":               "-beta inf",
		"-lambda nan":             "-lambda nan",
		"-rows 1":                 "-rows 1 -draws 10: want at least 2 of each",
		"-draws 1":                "-draws 1",
		"-in a.csv -plot ./a.csv": "-plot and -in name the same file",
		"-plot a.txt":             "-plot a.txt: want a name that ends in .png",
	})
}
