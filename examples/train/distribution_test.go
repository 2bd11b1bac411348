package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestDistribution: -distribution tells how sure the model is, of targets and classes; a saved model tells the same, and writes it
// for other rows.
func TestDistribution(t *testing.T) {
	dir := files(t)
	for _, c := range []struct{ rows, test, keys, absent, columns string }{
		{"-train smooth.csv -task regression -features 64", "smoothtest.csv", "nll coverage_90 level coverage interval_width coverage_normal", "ece", "row,target,target std,target lower 90%,target upper 90%"},
		{"-train smooth.csv -task regression -features 64 -map delta-gaussian", "smoothtest.csv", "coverage_90 level coverage interval_width", "nll", "row,target,target lower 90%,target upper 90%"},
		{"-train last.csv -features 64", "test.csv", "nll ece coverage_90 level coverage set_size", "interval_width", "row,class,probability dark,probability light,in 90% set dark,in 90% set light"},
		{"-train last.csv -features 64 -head ridge", "test.csv", "nll ece coverage_90 level coverage set_size", "interval_width", "row,class,probability dark,probability light,in 90% set dark,in 90% set light"},
		{"-train last.csv -features 64 -laplace", "test.csv", "nll ece", "interval_width", "row,class,probability dark"},
	} {
		ob := clitest.Run(t, dir, c.rows+" -test "+c.test+" -distribution -json -save model -plot a.png").Object(t)
		for _, key := range strings.Fields(c.keys) {
			if v, ok := ob[key].(float64); !ok || math.IsNaN(v) {
				t.Errorf("%s: %s is %v", c.rows, key, ob[key])
			}
		}
		if ob[c.absent] != nil {
			t.Errorf("%s: %s is %v", c.rows, c.absent, ob[c.absent])
		}
		again := clitest.Run(t, dir, "-load model -test "+c.test+" -distribution -json").Object(t)
		for _, key := range strings.Fields(c.keys) {
			if a, b := ob[key].(float64), again[key].(float64); math.Abs(a-b) > 1e-12*math.Abs(a) {
				t.Errorf("%s: %s is %v, of the saved model %v", c.rows, key, a, b)
			}
		}
		for _, out := range []string{"p.csv", "p.jsonl", "p.npy", "p.parquet"} {
			clitest.Run(t, dir, "-load model -predict "+c.test+" -distribution -out "+out).OK(t)
		}
		if text := read(t, dir, "p.csv"); !strings.HasPrefix(text, c.columns) || strings.Count(text, "\n") != 61 {
			t.Errorf("%s: predicted\n%.200s", c.rows, text)
		}
		if text := read(t, dir, "p.jsonl"); strings.Contains(c.rows, "last") && !strings.Contains(text, `"set":[`) || !strings.Contains(c.rows, "last") && !strings.Contains(text, `"target upper 90%"`) {
			t.Errorf("%s: predicted\n%.200s", c.rows, text)
		}
		out := clitest.Run(t, dir, "-load model -test "+c.test+" -distribution -level .8").OK(t).Stdout
		if !strings.Contains(out, "of 80 % cover ") {
			t.Errorf("%s: %s", c.rows, out)
		}
	}
	auto := clitest.Run(t, dir, "-train last.csv -test test.csv -auto 3 -distribution -json").Object(t)
	if _, ok := auto["ece"].(float64); !ok {
		t.Errorf("-auto: ece is %v", auto["ece"])
	}
	streamed := clitest.Run(t, dir, "-train smooth.csv -test smoothtest.csv -task regression -features 64 -stream -distribution -json").Object(t)
	if _, ok := streamed["coverage_90"].(float64); !ok {
		t.Errorf("-stream: coverage_90 is %v", streamed["coverage_90"])
	}
	clitest.Run(t, dir, "-train last.csv -features 64 -save plain").OK(t)
	for _, args := range []string{"-load plain -test test.csv -distribution", "-load plain -predict test.csv -distribution -out p.csv"} {
		clitest.Run(t, dir, args).Fails(t, 1, "train", "train it with -distribution")
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
