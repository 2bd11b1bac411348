package main

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// errorsOf reads the means of a row of the table.
func errorsOf(t *testing.T, line string) []float64 {
	t.Helper()
	var means []float64
	for _, cell := range strings.Split(strings.Trim(line, "| "), "|")[1:] {
		v, err := strconv.ParseFloat(strings.Fields(cell)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		means = append(means, v)
	}
	return means
}

// TestFigure: a table for each kernel, a row for each parameter, the error falls with s about as s^-1/2, and the
// picture is there.
func TestFigure(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "-rows 60 -draws 8 -features 20,2000 -beta 0.01,0.1 -lambda 1,3,10").OK(t)
	if r.Stderr != "picture: figure1.png\n" || !strings.HasPrefix(r.Stdout, "60 histograms of 60 bins, rows divided by their sum; relative Frobenius error, mean of 8 draws\n") {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	rows := 0
	for _, line := range strings.Split(r.Stdout, "\n") {
		if !strings.HasPrefix(line, "| β = ") && !strings.HasPrefix(line, "| λ = ") {
			continue
		}
		rows++
		if strings.Contains(line, "Lévy") { // whose error falls faster, once frequencies are as many as columns, and then to its bias
			if e := errorsOf(t, line); len(e) != 2 || e[0] < 10*e[1] {
				t.Errorf("the errors do not fall: %s", line)
			}
			continue
		}
		// 100 times the features are a tenth of the error; with 8 trials the ratio of two means is within a factor of
		// 3.
		if e := errorsOf(t, line); len(e) != 2 || math.Abs(math.Log(e[0]/e[1]/10)) > math.Log(3) {
			t.Errorf("the errors do not fall as s^-1/2: %s", line)
		}
	}
	if rows != 9 || strings.Count(r.Stdout, "| s = 20 | s = 2000 |\n|---|---|---|\n") != 2 {
		t.Errorf("the table has %d rows:\n%s", rows, r.Stdout)
	}
	clitest.Picture(t, filepath.Join(dir, "figure1.png"), 800, 0)
}

// TestFile: rows of a file, with a label, divided by their sum.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	rows, _ := clitest.Checker(30, 5, 1)
	label := func(int) string { return "a" }
	twice := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			twice[i] = append(twice[i], 2*v)
		}
	}
	clitest.File(t, dir, "rows.csv", clitest.CSV(rows, nil, label))
	clitest.File(t, dir, "twice.csv", clitest.CSV(twice, nil, label))
	const args = " -draws 2 -features 8,16 -beta .1 -lambda 1 -plot a.png -rows 20"
	one, two := clitest.Run(t, dir, "-in rows.csv"+args).OK(t), clitest.Run(t, dir, "-in twice.csv"+args).OK(t)
	if one.Stdout != two.Stdout || !strings.HasPrefix(one.Stdout, "20 histograms of 5 bins") {
		t.Errorf("rows %q, twice the rows %q", one.Stdout, two.Stdout)
	}
	rows[17][2] = -.5
	clitest.File(t, dir, "negative.csv", clitest.CSV(rows, nil, label))
	clitest.Run(t, dir, "-in negative.csv"+args).Fails(t, 1, "yang2014", "negative.csv: ", "x[17,2] = -0.5 is negative")
	clitest.Run(t, dir, "-in none.csv"+args).Fails(t, 1, "yang2014", "none.csv", "no such file")
	clitest.Run(t, dir, "-in rows.csv -plot no/a.png").Fails(t, 1, "yang2014", "-plot no/a.png: cannot be written")
}

func TestWrongFlags(t *testing.T) {
	dir := t.TempDir()
	for args, text := range map[string]string{
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
		"-seed x":                 "-seed",
		"stray":                   `unexpected argument "stray"`,
		"-in a.csv -plot ./a.csv": "-plot and -in name the same file",
	} {
		clitest.Run(t, dir, args).Fails(t, 2, "yang2014", text)
	}
	if r := clitest.Run(t, dir, "-h").OK(t); !strings.Contains(r.Stdout, "yang2014 redraws Figure 1") || r.Stderr != "" {
		t.Errorf("-h: %+v", r)
	}
	if names := clitest.Names(t, dir); len(names) > 0 {
		t.Errorf("wrong flags left %v", names)
	}
}
