package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// lookTable is 100 rows of a table with a column of each kind that a look is for, and twice the first of them.
func lookTable() string {
	rng := rand.New(rand.NewPCG(5, 0))
	var b strings.Builder
	b.WriteString("key,age,born,colour,member,same,none,diagnosis,twice,gone,class\n")
	for i := range 100 {
		class := []string{"well", "ill"}[min(1, rng.IntN(4)/3)]
		row := fmt.Sprintf("k%03d,%d,19%02d-0%d-11,%s,%s,7,,%s,%d,%s,%s\n", i, 20+rng.IntN(60), 10+rng.IntN(80), 1+rng.IntN(9), []string{"red", "green", "blue"}[rng.IntN(3)],
			[]string{"no", "yes"}[rng.IntN(2)], map[string]string{"ill": "flu, or so", "well": "nothing"}[class], i%5, []string{"x", "", "y"}[i%3], class)
		row = strings.Replace(row, "flu, or so", `"flu, or so"`, 1)
		b.WriteString(row)
		if i == 0 {
			b.WriteString(row)
		}
	}
	return b.String()
}

// TestLook: what the table says of the columns, the object with the same, and the picture.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	clitest.File(t, dir, "a.csv", lookTable())
	r := clitest.Run(t, dir, "-look -train a.csv").OK(t)
	for _, text := range []string{
		"a.csv: 101 rows, 10 columns, duplicate rows: 1\nlabel class: 2 classes, well ", "column     kind      missing  distinct  values  ",
		"\nkey        -         0        100  ", "left out: it has 100 distinct texts in 101 rows; say -categorical if it is a category\n",
		"\nage        number    0  ", "\nborn       time      0  ", "19", "\ncolour     category  0        3  ", "\nmember     boolean   0        2  ",
		"left out: all its values are 7\n", "\nnone       -         101      0         none  ", "left out: it has no values\n", "\ntwice      number    0        5         0 to 4, median 2  ",
		"\ngone       category  33       2  ", "column \"diagnosis\" gives the label away: it alone tells 100.0 % of it; -drop \"diagnosis\" unless it is known beforehand\n",
	} {
		if !strings.Contains(r.Stdout, text) {
			t.Errorf("stdout does not hold %q:\n%s", text, r.Stdout)
		}
	}
	if want := "picture: look.png\nlabel class; columns: 2 numbers, 1 boolean, 3 categories, 1 time become 12; -scale auto: real numbers are standardised, 0 and 1 stay\n"; r.Stderr != want {
		t.Errorf("stderr %q, want %q", r.Stderr, want)
	}
	if strings.Count(r.Stdout, "gives the label away") != 1 {
		t.Errorf("stdout:\n%s", r.Stdout)
	}
	clitest.Picture(t, filepath.Join(dir, "look.png"), 1280, 960)

	ob := clitest.Run(t, dir, "-look -train a.csv -json -plot=").Object(t)
	clitest.Keys(t, "the look", ob, "source rows duplicates labels classes columns scale")
	columns := ob["columns"].([]any)
	clitest.Keys(t, "age", columns[1], "name kind missing distinct least median most becomes tells bins")
	clitest.Keys(t, "colour", columns[3], "name kind missing distinct least median most becomes tells levels")
	clitest.Keys(t, "same", columns[5], "name left missing distinct least median most becomes tells bins")
	if ob["rows"] != 101. || ob["duplicates"] != 1. || ob["scale"] != "auto" || len(columns) != 10 {
		t.Errorf("%v", ob)
	}

	// A regression target, and one that is another column in other units.
	clitest.File(t, dir, "metres.csv", "feet,noise,metres\n"+rowsOf(60, func(i int, r float64) string { return fmt.Sprintf("%v,%v,%v", 3.28*float64(i), r, i) }))
	r = clitest.Run(t, dir, "-look -train metres.csv -task regression -plot m.png").OK(t)
	for _, text := range []string{"target metres: 0 to 59, median 29\n", `column "feet" gives the label away: it alone tells 100.0 %`} {
		if !strings.Contains(r.Stdout, text) || strings.Contains(r.Stdout, "noise gives") {
			t.Errorf("stdout does not hold %q:\n%s", text, r.Stdout)
		}
	}
	clitest.Picture(t, filepath.Join(dir, "m.png"), 960, 320)
	clitest.Keys(t, "targets", clitest.Run(t, dir, "-look -train metres.csv -task regression -json -plot=").Object(t)["targets"].([]any)[0],
		"name missing distinct least median most becomes tells bins")

	// 200 columns are cut on the screen, and in the picture.
	var wide strings.Builder
	for j := range 200 {
		fmt.Fprintf(&wide, "v%d,", j)
	}
	wide.WriteString("y\n" + rowsOf(30, func(i int, r float64) string { return strings.Repeat(fmt.Sprintf("%.3f,", r), 200) + "ab"[i%2:i%2+1] }))
	clitest.File(t, dir, "wide.csv", wide.String())
	r = clitest.Run(t, dir, "-look -train wide.csv -plot w.png").OK(t)
	if n := strings.Count(r.Stdout, "\n"); n != 45 || !strings.HasSuffix(r.Stdout, "... 160 more\n") {
		t.Errorf("%d lines:\n%s", n, r.Stdout)
	}
	if ob := clitest.Run(t, dir, "-look -train wide.csv -json -plot=").Object(t); len(ob["columns"].([]any)) != 200 {
		t.Errorf("%d columns", len(ob["columns"].([]any)))
	}
	clitest.Picture(t, filepath.Join(dir, "w.png"), 1280, 1920)

	clitest.File(t, dir, "one.csv", "a,y\n1,u\n2,u\n")
	if r := clitest.Run(t, dir, "-look -train one.csv").OK(t); !strings.Contains(r.Stdout, "label y: 1 class, u 100.0 %; a classifier needs two\n") {
		t.Errorf("stdout:\n%s", r.Stdout)
	}
	clitest.File(t, dir, "targets.csv", "a,y\n"+rowsOf(60, func(i int, r float64) string { return fmt.Sprintf("%d,%v", i%7, r) }))
	clitest.File(t, dir, "rows.libsvm", "1 1:2\n")
	clitest.Run(t, dir, "-look -train targets.csv").Fails(t, 1, "train", "targets.csv", "-task regression?")
	clitest.Run(t, dir, "-look -train rows.libsvm").Fails(t, 1, "train", "rows.libsvm: is LIBSVM text")
	clitest.Run(t, dir, "-look -train none.csv").Fails(t, 1, "train", "none.csv")
	clitest.Run(t, dir, "-look -train a.csv -plot no/a.png").Fails(t, 1, "train", "-plot no/a.png: cannot be written")
}

// rowsOf is n lines, of their number and a random number.
func rowsOf(n int, line func(i int, r float64) string) string {
	rng := rand.New(rand.NewPCG(6, 0))
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i, float64(rng.IntN(1000))/1000) + "\n")
	}
	return b.String()
}
