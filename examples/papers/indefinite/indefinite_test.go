package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

var number, cells = clitest.Number, clitest.Cells

// TestMade: without data the first four parts run on made histograms, twice alike, and draw a picture; orthogonal
// directions have less error than independent ones for every number of them, more of them less than few, and what
// figure 1 predicts of that is in its table, to five bandwidths, where a coupling may be worse by a per cent.
func TestMade(t *testing.T) {
	dir := t.TempDir()
	const args = "-rows 60 -draws 4 -train 40 -kernels delta-gaussian"
	r := clitest.Run(t, dir, args).OK(t)
	if !strings.HasSuffix(r.Stderr, "picture: indefinite.png\n") || strings.Contains(r.Stdout, "GORF against the paper's") {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	rows := cells(r.Stdout)
	if len(rows) != 2+3+4+2 {
		t.Fatalf("%d rows of tables: %q", len(rows), rows)
	}
	gorf, free := rows[0], rows[1]
	if gorf[2] != "GORF" || free[2] != "GRFF" {
		t.Fatalf("%q", rows)
	}
	for i := 3; i < 7; i++ {
		if number(t, gorf[i]) >= number(t, free[i]) || i > 3 && number(t, gorf[i]) >= number(t, gorf[i-1]) {
			t.Errorf("errors %q of GORF, %q of GRFF", gorf, free)
		}
	}
	for _, row := range rows[5:9] {
		if len(row) != 3+7 {
			t.Errorf("%q has other than seven distances", row)
		}
		for _, c := range row[3:] {
			if v := number(t, c); !(v > 0 && v < 1.01) {
				t.Errorf("a coupling has %v of the variance of independent frequencies: %q", v, row)
			}
		}
	}
	for _, row := range rows[9:] {
		for _, c := range row[3:] {
			if v := number(t, c); !(v > 100./6 && v <= 100) {
				t.Errorf("an accuracy of %v %%: %q", v, row)
			}
		}
	}
	again := cells(clitest.Run(t, dir, args+" -part error,couplings,accuracy -plot=").OK(t).Stdout)
	if first := slices.Concat(rows[:5], rows[9:]); !reflect.DeepEqual(again, first) { // the variances draw nothing
		t.Errorf("the second run has\n%q, the first\n%q", again, first)
	}
	clitest.Picture(t, filepath.Join(dir, "indefinite.png"), 1000, 0)
}

// TestPolynomial: all methods come near the polynomial kernel as the columns grow in number, and GORF, whose
// combination of Gaussians is chosen for the number of frequencies, has the least error for every number of columns.
func TestPolynomial(t *testing.T) {
	rows := cells(clitest.Run(t, t.TempDir(), "-part error -kernels sphere-polynomial -rows 100 -plot=").OK(t).Stdout)
	var names []string
	for k, row := range rows {
		names = append(names, row[2])
		few, many := number(t, row[3]), number(t, row[6])
		if row[0] != "sphere-polynomial a=3,p=1" || !(many < few && many < .1) {
			t.Errorf("%q", row)
		}
		for i := 3; i < 7 && k > 0; i++ {
			if gorf := number(t, rows[0][i]); !(gorf < number(t, row[i])) {
				t.Errorf("%s has %s in column %d, GORF %v", row[2], row[i], i, gorf)
			}
		}
	}
	if got := strings.Join(names, "; "); got != "GORF; GRFF; SRF; TS; RM" {
		t.Errorf("methods %s", got)
	}
}

// houses are rows of a smooth function of two columns.
func houses() string {
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("A,B,MEDV\n")
	for range 120 {
		x, y := rng.Float64(), rng.Float64()
		fmt.Fprintf(&b, "%v,%v,%v\n", x, y, 20+10*math.Sin(3*x)*y)
	}
	return b.String()
}

// TestRegression: both ways of fitting, with the paper's figures beside ours, which are far below the spread of the
// targets.
func TestRegression(t *testing.T) {
	dir := t.TempDir()
	clitest.OK(t, os.Mkdir(filepath.Join(dir, "housing"), 0o755))
	clitest.File(t, dir, "housing/housing.all.csv.gz", clitest.Gzip(houses()))
	rows := cells(clitest.Run(t, dir, "-data . -part regression -draws 2 -plot=").OK(t).Stdout)
	if len(rows) != 2*5+2*3 {
		t.Fatalf("%d rows: %q", len(rows), rows)
	}
	for _, row := range rows {
		if row[2] == "GORF" && !strings.HasSuffix(row[5], map[string]string{"sphere-polynomial a=3,p=1": "[3.472 ± 0.137]", "delta-gaussian sigma1=1,sigma2=10": "[3.164 ± 0.452]"}[row[0]]) {
			t.Errorf("%q has not the paper's figure", row)
		}
		if v := number(t, row[5]); row[2] == "GORF" && strings.HasPrefix(row[0], "delta") && !(v < .5) {
			t.Errorf("an error of %v: %q", v, row)
		}
	}
}

// TestVerdict: what a cell is called.
func TestVerdict(t *testing.T) {
	var v verdict
	got := v.cell(figure{.1, .02}, .1, false) + v.cell(figure{.1, .02}, .119, false) + v.cell(figure{.1, .02}, .121, false) + v.cell(figure{.1, .02}, .121, true)
	if got != " above ¹" || v != (verdict{cells: 4, below: 1, within: 1, helped: 1, above: 1}) {
		t.Errorf("%q, %+v", got, v)
	}
}

func TestWrongFlags(t *testing.T) {
	clitest.WrongFlags(t, "indefinite", "compares random features", map[string]string{
		"-part speed":                "-part speed: \"speed\" is none of all, error, couplings, variance, accuracy, regression",
		"-part regression":           "regression needs -data",
		"-sets letter":               "-sets letter: needs -data",
		"-data . -sets mnist":        `"mnist" is none of all, letter, ijcnn1, usps`,
		"-kernels gaussian":          `"gaussian" is none of all, sphere-polynomial, delta-gaussian`,
		"-a 1.2":                     "below √2",
		"-p 1.5":                     "p = 1.5",
		"-p 0":                       "p = 0",
		"-sigma1 -1":                 "sigma1 = -1",
		"-rows 1":                    "-rows 1 -draws 10 -train 0: want at least 2, 2 and 0",
		"-draws 1":                   "-draws 1",
		"-train -1":                  "-train -1",
		"-seed 18446744073709551615": "too large for 10 draws",
	})
	dir := t.TempDir()
	clitest.Run(t, dir, "-data none -part error").Fails(t, 1, "indefinite", "letter.train.libsvm.gz", "no such file")
	if names := clitest.Names(t, dir); len(names) > 0 {
		t.Errorf("wrong flags left %v", names)
	}
}
