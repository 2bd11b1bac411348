package main

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// TestProgram: the default run draws the picture, and its tables say what is claimed.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "").OK(t)
	if names := clitest.Names(t, dir); r.Stderr != "picture: 09_uncertainty.png\n" || len(names) != 1 {
		t.Errorf("stderr %q, files %q", r.Stderr, names)
	}
	clitest.Picture(t, filepath.Join(dir, "09_uncertainty.png"), 1800, 1400)
	tables := tablesOf(r.Stdout)
	if len(tables) != 4 {
		t.Fatalf("%d tables:\n%s", len(tables), r.Stdout)
	}
	checkBand(t, tables[0])
	checkChoice(t, tables[1])
	checkUnseen(t, tables[2])
	checkDrift(t, tables[3])
}

// tablesOf are the cells of the tables, without their heads.
func tablesOf(text string) (tables [][][]string) {
	for _, part := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(part, "| ") {
			continue
		}
		var lines [][]string
		for _, l := range strings.Split(strings.TrimSpace(part), "\n")[2:] {
			cells := strings.Split(strings.Trim(l, "| "), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			lines = append(lines, cells)
		}
		tables = append(tables, lines)
	}
	return tables
}

// number is the one that a cell begins with.
func number(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Fields(cell)[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkBand: sixteen times the features are a quarter of the error where nothing but their number limits it; the means
// are wanted within a factor of 2 of that outside the data. In the data the points leave little room: a tenth of the
// prior's standard deviation for any number of features.
func checkBand(t *testing.T, lines [][]string) {
	t.Helper()
	for _, l := range lines {
		mean, std := number(t, l[1])/number(t, l[3]), number(t, l[4])/number(t, l[6])
		switch {
		case l[0] == "in the data":
			if number(t, l[1]) > .1 || number(t, l[4]) > .1 || mean < 1 || std < 1 {
				t.Error(l)
			}
		case mean < 2 || std < 2:
			t.Errorf("the error falls by %.2f and %.2f only: %v", mean, std, l)
		}
	}
}

// checkChoice: both begin with the same points, the chosen ones are the better ones from then on, and 40 of them are as
// good as 60 random ones.
func checkChoice(t *testing.T, lines [][]string) {
	t.Helper()
	for i, l := range lines {
		chosen, random := number(t, l[1]), number(t, l[2])
		if i == 0 && chosen != random || i > 0 && chosen >= random {
			t.Error(l)
		}
	}
	last := len(lines) - 1
	if number(t, lines[last-1][1]) > number(t, lines[last][2]) {
		t.Errorf("40 chosen points are worse than 60 random ones: %v", lines)
	}
}

// checkUnseen: temperature makes probabilities of learned digits better, and all ways tell unseen digits from them by
// more than chance. Which does so best is not claimed: the differences from the control are some thousandths, of five
// pairs, and no more than two or three of their standard errors.
func checkUnseen(t *testing.T, lines [][]string) {
	t.Helper()
	if lines[1][2] != "" || number(t, lines[1][3]) >= number(t, lines[0][3]) || number(t, lines[3][3]) >= number(t, lines[2][3]) {
		t.Error(lines)
	}
	for i, l := range lines {
		if v := number(t, l[1]); v < .6 || v > .9 {
			t.Error(l)
		}
		if i != 1 && math.Abs(number(t, l[2])) > .03 {
			t.Errorf("%v differs from the control by more than the text says", l)
		}
	}
}

// checkDrift: the rows that count are those of a block over 1 - factor; who forgets more is worse while the target
// stays, better while it drifts, and who forgets nothing is the worst in the end.
func checkDrift(t *testing.T, lines [][]string) {
	t.Helper()
	for i, l := range lines {
		factor, rows := number(t, l[0]), number(t, l[1])
		if want := 25 * (1 - math.Pow(factor, blocks)) / (1 - factor); factor < 1 && math.Abs(rows-want) > .5 || factor == 1 && rows != 25*blocks {
			t.Errorf("%v rows, want %.1f: %v", rows, want, l)
		}
		if i == 0 {
			continue
		}
		before := lines[i-1]
		if number(t, l[2]) < number(t, before[2]) || number(t, l[3]) >= number(t, before[3]) || number(t, l[4]) >= number(t, lines[0][4]) {
			t.Errorf("%v after %v", l, before)
		}
	}
}

// TestProcess: the exact process of a kernel with two features is their posterior.
func TestProcess(t *testing.T) {
	x, y := wave()
	features := func(x []float64) []float64 {
		var z []float64
		for _, v := range x {
			z = append(z, v/4, math.Sin(v))
		}
		return z
	}
	var s linear.RidgeStats
	if err := s.Add(rows(features(x), 2), column(y)); err != nil {
		t.Fatal(err)
	}
	p, err := s.Posterior(.01)
	if err != nil {
		t.Fatal(err)
	}
	k := func(a, b float64) float64 {
		u, v := features([]float64{a}), features([]float64{b})
		return mat.Dot(mat.NewVecDense(2, u), mat.NewVecDense(2, v))
	}
	at3 := []float64{-3, 2, 20}
	mean, std := newProcess(k, x, y, p.Noise[0], p.Penalty).at(at3)
	z := rows(features(at3), 2)
	m, sd := at(p.Fit, z), stds(p, z)
	for i := range at3 {
		if math.Abs(mean[i]-m[i]) > 1e-10 || math.Abs(std[i]-sd[i]) > 1e-10 {
			t.Errorf("at %v the process has %v ± %v, the posterior %v ± %v", at3[i], mean[i], std[i], m[i], sd[i])
		}
	}
}

// TestAbove: the area of values that are all above, all below, and equal.
func TestAbove(t *testing.T) {
	for want, v := range map[float64][2][]float64{1: {{3, 4}, {1, 2}}, 0: {{1}, {2, 3}}, .5: {{1, 1}, {1}}, .75: {{1, 3}, {0, 2}}} {
		if got := above(v[0], v[1]); got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
}
