package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/train"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// files makes a folder with the files that the tests train on.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rows, dark := clitest.Checker(150, 3, 1)
	more, moreDark := clitest.Checker(60, 3, 2)
	colour := func(dark []bool) func(int) string {
		return func(i int) string { return map[bool]string{false: "light", true: "dark"}[dark[i]] }
	}
	number := func(i int) string { return map[bool]string{false: "-1", true: "+1"}[dark[i]] }
	smooth := func(rows [][]float64) func(int) string {
		return func(i int) string { return fmt.Sprint(10 + rows[i][0]*rows[i][1] - rows[i][2]*rows[i][2]) }
	}
	clitest.File(t, dir, "last.csv", clitest.CSV(rows, nil, colour(dark)))
	clitest.File(t, dir, "test.csv", clitest.CSV(more, nil, colour(moreDark)))
	clitest.File(t, dir, "first.csv", clitest.CSV(rows, colour(dark), nil))
	clitest.File(t, dir, "header.csv", "p,q,r,colour\n"+clitest.CSV(rows, nil, colour(dark)))
	clitest.File(t, dir, "train.libsvm", clitest.LIBSVM(rows, number))
	clitest.File(t, dir, "smooth.csv", clitest.CSV(rows, nil, smooth(rows)))
	clitest.File(t, dir, "smoothtest.csv", clitest.CSV(more, nil, smooth(more)))
	return dir
}

// The keys of the JSON object: those of every run, and those of some.
const (
	always  = "map params features seed dtype head tuned train_rows test_rows input_dim kernel_error seconds peak_rss_bytes version "
	ofClass = "classes accuracy f1 "
)

// TestJSON: stdout is one JSON object with exactly the documented keys, of the right types; the rest is on stderr.
func TestJSON(t *testing.T) {
	dir := files(t)
	for args, keys := range map[string]string{
		"-train last.csv -features 64 -epochs 2":                               always + ofClass + "sampler train_accuracy train_loss",
		"-train last.csv -features 64 -epochs 2 -tune all":                     always + ofClass + "sampler train_accuracy train_loss",
		"-train last.csv -features 64 -head ridge":                             always + ofClass + "sampler train_accuracy lambda",
		"-train last.csv -map linear -head ridge":                              always + ofClass + "train_accuracy lambda",
		"-train smooth.csv -features 64 -task regression -test smoothtest.csv": always + "sampler rmse train_rmse lambda",
		"-train last.csv -features 64 -head ridge -map delta-gaussian":         always + ofClass + "split train_accuracy lambda",
		"-train smooth.csv -features 64 -task regression -head linear":         always + "sampler rmse train_rmse train_loss",
	} {
		r := clitest.Run(t, dir, args+" -json")
		ob := r.Object(t)
		clitest.Keys(t, args, ob, keys)
		clitest.Keys(t, args+": seconds", ob["seconds"], "load features fit total")
		if strings.Contains(args, "-tune") {
			if ob["kernel_error"] != nil || ob["tuned"] != "all" {
				t.Errorf("%s: kernel_error %v, tuned %v", args, ob["kernel_error"], ob["tuned"])
			}
		} else {
			clitest.Keys(t, args+": kernel_error", ob["kernel_error"], "relative_frobenius centred_frobenius max rms mean_signed rows")
			if ob["tuned"] != "frozen" {
				t.Errorf("%s: tuned %v", args, ob["tuned"])
			}
		}
		for key, v := range ob {
			ok := false
			switch key {
			case "map", "sampler", "dtype", "head", "tuned", "version":
				_, ok = v.(string)
			case "params", "seconds", "split":
				_, ok = v.(map[string]any)
			case "kernel_error":
				ok = true
			case "train_loss":
				var losses []any
				losses, ok = v.([]any)
				ok = ok && len(losses) == map[bool]int{true: 2, false: 20}[strings.Contains(args, "-epochs 2")]
			default:
				_, ok = v.(float64)
			}
			if !ok {
				t.Errorf("%s: %s is %v, a %T", args, key, v, v)
			}
		}
		dtype := map[bool]string{true: "float32", false: "float64"}[strings.Contains(args, "-tune all")]
		if ob["version"] != train.Version || ob["input_dim"] != 3. || ob["dtype"] != dtype || ob["seed"] != 1. || ob["peak_rss_bytes"].(float64) < 1<<20 {
			t.Errorf("%s: %v", args, ob)
		}
		rows := [2]float64{120, 30}
		if strings.Contains(args, "-test") {
			rows = [2]float64{150, 60}
		} else if !strings.Contains(r.Stderr, "no -test: 30 of 150 rows are set aside for it\n") {
			t.Errorf("%s: stderr %q does not tell what was set aside", args, r.Stderr)
		}
		if got := [2]float64{ob["train_rows"].(float64), ob["test_rows"].(float64)}; got != rows {
			t.Errorf("%s: %v rows, want %v", args, got, rows)
		}
	}
}

// TestHelp: -h is no error, and names every flag on stdout.
func TestHelp(t *testing.T) {
	r := clitest.Run(t, t.TempDir(), "-h").OK(t)
	for _, text := range []string{"train fits", "-train file", "-lambda", "exp-semigroup", "(default 4096)"} {
		if !strings.Contains(r.Stdout, text) {
			t.Errorf("-h does not show %q", text)
		}
	}
	if r.Stderr != "" {
		t.Errorf("-h writes %q to stderr", r.Stderr)
	}
}

// TestNoFlags: on the made histograms the default map draws its picture in the working folder, and a linear model does
// clearly worse. The numbers of features and epochs are small to save time.
func TestNoFlags(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "-features 512 -epochs 10").OK(t)
	for _, text := range []string{"map          exp-semigroup beta=", "60 -> 512 features, sampler iid, seed 1, float64, frozen", "head         softmax",
		"rows         4000 train, 1000 test", "accuracy     0.", "f1 ", "kernel error 0.", "seconds "} {
		if !strings.Contains(r.Stdout, text) {
			t.Errorf("stdout does not hold %q:\n%s", text, r.Stdout)
		}
	}
	if !strings.HasSuffix(r.Stderr, "picture: train.png\n") || strings.Contains(r.Stderr, "no -test") {
		t.Errorf("stderr: %q", r.Stderr)
	}
	if names := clitest.Names(t, dir); !slices.Equal(names, []string{"train.png"}) {
		t.Errorf("the folder holds %v", names)
	}
	clitest.Picture(t, filepath.Join(dir, "train.png"), 400, 300)

	linear := clitest.Run(t, dir, "-map linear -epochs 10 -json").Object(t)
	random := clitest.Run(t, dir, "-features 512 -epochs 10 -json").Object(t)
	l, s := linear["accuracy"].(float64), random["accuracy"].(float64)
	if s < .8 || l > s-.15 {
		t.Errorf("accuracy %v, and %v of a linear model", s, l)
	}
}

// TestFullStdout: what cannot be printed is a failure, with or without -json.
func TestFullStdout(t *testing.T) {
	dir := files(t)
	for _, args := range []string{"-train last.csv -features 16 -head ridge", "-train last.csv -features 16 -head ridge -json", "-look -train header.csv"} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("the system has no /dev/full")
		}
		cmd := clitest.Command(t, dir, strings.Fields(args)...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		err = cmd.Run()
		full.Close()
		if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: %v, %q", args, err, stderr.String())
		}
	}
}

// TestEscapes: names of columns and texts reach a terminal without what it obeys.
func TestEscapes(t *testing.T) {
	dir := t.TempDir()
	clitest.File(t, dir, "rows.csv", "\x1b[2Ja,b,y\x1b]0;\n"+strings.Repeat("1,2,p\x1b[31m\n2,1,q\n2,3,q\n", 9))
	for _, args := range []string{"-look -train rows.csv", "-train rows.csv -features 8 -head ridge", "-train rows.csv -drop z", "-look -train no\x1b[2J.csv"} {
		r := clitest.Run(t, dir, args)
		if strings.Contains(r.Stdout+r.Stderr, "\x1b") || !strings.Contains(r.Stdout+r.Stderr, `\x1b`) {
			t.Errorf("%s: %q %q", args, r.Stdout, r.Stderr)
		}
	}
}

// TestTestRowsThatWereTrainedOn: a note says so.
func TestTestRowsThatWereTrainedOn(t *testing.T) {
	dir := files(t)
	r := clitest.Run(t, dir, "-train last.csv -test test.csv,./last.csv -features 16 -head ridge").OK(t)
	if !strings.Contains(r.Stderr, "note: ./last.csv is among the training files: its scores say nothing about other rows\n") {
		t.Error(r.Stderr)
	}
	if r := clitest.Run(t, dir, "-train last.csv -test test.csv -features 16 -head ridge").OK(t); strings.Contains(r.Stderr, "among the training files") {
		t.Error(r.Stderr)
	}
}

// TestSpreadsheet: texts that a spreadsheet would compute are quoted if that is asked for, and numbers stay.
func TestSpreadsheet(t *testing.T) {
	dir := t.TempDir()
	clitest.File(t, dir, "rows.csv", "who,a,b,=y\n"+strings.Repeat("-7,1,2,=1+1\n@x,2,1,-q\n+z,2,3,-q\n", 9))
	clitest.Run(t, dir, "-train rows.csv -id who -features 8 -head ridge -save m").OK(t)
	for flags, want := range map[string][]string{
		"":              {"\n-7,=1+1,", "\n@x,-q,", "score =1+1"},
		" -spreadsheet": {"\n-7,'=1+1,", "\n'@x,'-q,", "\n'+z,'-q,", "score =1+1"},
	} {
		clitest.Run(t, dir, "-load m -predict rows.csv -out p.csv"+flags).OK(t)
		text, err := os.ReadFile(filepath.Join(dir, "p.csv"))
		for _, w := range want {
			if err != nil || !strings.Contains(string(text), w) {
				t.Errorf("%q: %v, no %q in\n%.200s", flags, err, w, text)
			}
		}
	}
	clitest.Run(t, dir, "-load m -predict rows.csv -out p.npy -spreadsheet").Fails(t, 2, "train", "-spreadsheet goes with -predict and an -out that ends with .csv")
}
