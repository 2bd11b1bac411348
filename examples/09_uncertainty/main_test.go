package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

var number = clitest.Number

// TestProgram: the default run draws the picture, and its tables say what is claimed.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "").OK(t)
	if names := clitest.Names(t, dir); r.Stderr != "picture: 09_uncertainty.png\n" || len(names) != 1 {
		t.Errorf("stderr %q, files %q", r.Stderr, names)
	}
	clitest.Picture(t, filepath.Join(dir, "09_uncertainty.png"), 1800, 1400)
	tables := clitest.Tables(r.Stdout)
	if len(tables) != 3 {
		t.Fatalf("%d tables:\n%s", len(tables), r.Stdout)
	}
	checkBand(t, tables[0])
	checkChoice(t, tables[1])
	checkDrift(t, tables[2])
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

// checkDrift: the rows that count are those of a block over 1 - factor; who forgets more is worse while the target
// stays, better while it drifts, and who forgets nothing is the worst in the end.
func checkDrift(t *testing.T, lines [][]string) {
	t.Helper()
	for i, l := range lines {
		factor, rows := number(t, l[0]), number(t, l[1])
		if want := 25 * (1 - math.Pow(factor, 180)) / (1 - factor); factor < 1 && math.Abs(rows-want) > .5 || factor == 1 && rows != 25*180 {
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
