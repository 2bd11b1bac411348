package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/layers"
)

// bagFiles makes a folder with files of sets of samples, of two classes and with targets.
func bagFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	class := func(i int) string { return []string{"tied", "free"}[i%2] }
	target := func(i int) string { return fmt.Sprint(3 + 2.5*float64(i%2)) }
	clitest.File(t, dir, "bags.csv", clitest.Bags(120, 2, class))
	clitest.File(t, dir, "test.csv", clitest.Bags(60, 2, class))
	clitest.File(t, dir, "targets.csv", clitest.Bags(120, 2, target))
	clitest.File(t, dir, "five.csv", clitest.Bags(60, 5, class))
	return dir
}

// TestBags: every map of sets learns to tell those of a file apart, from other files or its own, and what one process
// saves gives the same numbers in another.
func TestBags(t *testing.T) {
	dir := bagFiles(t)
	for i, name := range layers.BagMaps() {
		args := "-json -task bags -features 256 -train bags.csv -map " + name
		if i%2 == 1 {
			args += " -head ridge -dtype float32"
		} else {
			args += " -epochs 8 -lr .02"
		}
		first := clitest.Run(t, dir, args+" -test test.csv -save model").Object(t)
		if first["accuracy"].(float64) < .8 || first["train_rows"] != 120. || first["test_rows"] != 60. || first["input_dim"] != 2. {
			t.Errorf("%s: %v", args, first)
		}
		second := clitest.Run(t, dir, "-json -load model -test test.csv").Object(t)
		for _, key := range []string{"accuracy", "f1", "kernel_error", "params", "classes"} {
			if !reflect.DeepEqual(first[key], second[key]) {
				t.Errorf("%s: %s is %v, and %v when loaded", args, key, first[key], second[key])
			}
		}
	}
	r := clitest.Run(t, dir, "-task bags -features 64 -epochs 2 -train bags.csv").OK(t)
	if !strings.Contains(r.Stderr, "24 of 120 bags are set aside") || !strings.Contains(r.Stdout, "bags         96 train, 24 test\n") || !strings.Contains(r.Stdout, "map          hdd-js bandwidth=") {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
}

// TestBagOptions: targets, tuning, five coordinates, given bandwidths and a mean map by landmarks.
func TestBagOptions(t *testing.T) {
	dir := bagFiles(t)
	for args, key := range map[string]string{
		"-task bags-regression -train targets.csv -features 256":                                      "rmse",
		"-task bags -train bags.csv -features 64 -epochs 4 -lr .02 -tune all":                         "accuracy",
		"-task bags -train five.csv -features 128 -map hdd-hellinger -head ridge":                     "accuracy",
		"-task bags -train bags.csv -features 64 -params bandwidth=.1:.2,rule=gauss -head ridge":      "accuracy",
		"-task bags -train bags.csv -features 64 -params bandwidth=cv,points=32 -head svm":            "accuracy",
		"-task bags -train bags.csv -features 64 -map mean-map -params kernel=laplacian,landmarks=32": "accuracy",
		"-task bags -train bags.csv -features 64 -map mean-map -params kernel=chi2 -head ridge":       "accuracy",
	} {
		ob := clitest.Run(t, dir, "-json "+args).Object(t)
		if v := ob[key].(float64); key == "rmse" && v > .9 || key == "accuracy" && v < .7 { // of a constant 1.25 and .5
			t.Errorf("%s: %s %v", args, key, v)
		}
	}
}

// TestBadBags: what is wrong with a file of sets is one line that names the place and the remedy.
func TestBadBags(t *testing.T) {
	dir := bagFiles(t)
	for name, text := range map[string]string{
		"plain.csv":  "1,2,a\n3,4,b\n",
		"nan.csv":    "bag,x,y,label\nu,1,2,a\nv,NaN,3,b\n",
		"labels.csv": "bag,x,label\nu,1,a\nu,2,b\n",
		"narrow.csv": "bag,x,label\nu,1,tied\nv,2,free\n",
		"out.csv":    "bag,x,y,label\nu,1,2,tied\nv,.5,.5,free\nv,3,.5,free\n",
		"few.csv":    "bag,x,label\nu,1,a\nv,2,b\n",
	} {
		clitest.File(t, dir, name, text)
	}
	for _, tc := range []struct{ args, text string }{
		{"-train plain.csv", `plain.csv:1: the header has no column "bag"`},
		{"-train nan.csv", "nan.csv:3: column 2"},
		{"-train labels.csv", `labels.csv:3: bag "u" has the label "b" and had another`},
		{"-train few.csv", "few.csv: 2 rows are too few to set a fifth aside; give -test"},
		{"-train bags.csv -test narrow.csv", "narrow.csv:1: the header names 1 coordinates, want 2"},
		{"-train bags.csv -test out.csv -scale none", "bags.csv: "},
		{"-train out.csv -test out.csv -scale none", "out.csv: ops: ScottBandwidth: bag 0: x[0,1] = 2 is outside the unit cube; scale the samples"},
		{"-train bags.csv -params bandwidth=.001", "the bandwidth of axis 0 is 0.001, want"},
		{"-train bags.csv -params bandwidth=.1:.1:.1", "3 bandwidths for 2 axes"},
	} {
		clitest.Run(t, dir, "-task bags -features 16 "+tc.args).Fails(t, 1, "train", tc.text)
	}
}

// TestMadeBags: without a file the default map does well on made sets, of which the mean of the samples tells nothing.
func TestMadeBags(t *testing.T) {
	dir := t.TempDir()
	mean := clitest.Run(t, dir, "-json -task bags -features 64 -head ridge -map mean-map -params kernel=linear").Object(t)
	hdd := clitest.Run(t, dir, "-json -task bags -features 1024 -head ridge -plot "+filepath.Join(dir, "a.png")).Object(t)
	if m, h := mean["accuracy"].(float64), hdd["accuracy"].(float64); h < .85 || m > .5 {
		t.Errorf("accuracy %v, and %v of the means", h, m)
	}
	clitest.Picture(t, filepath.Join(dir, "a.png"), 400, 300)
}
