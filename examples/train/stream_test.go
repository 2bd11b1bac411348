package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// cut divides the lines of a file among the files of a folder, the second one packed.
func cut(t *testing.T, dir, name, folder string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	lines, ext := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n"), filepath.Ext(name)
	lines[len(lines)-1] += "\n"
	clitest.File(t, dir, folder+"/a"+ext, strings.Join(lines[:40], ""))
	clitest.File(t, dir, folder+"/b"+ext+".gz", zipped(t, strings.Join(lines[40:90], ""), 1))
	clitest.File(t, dir, folder+"/c"+ext, strings.Join(lines[90:], ""))
}

// stream is fit for rows that are read in blocks.
func stream(t *testing.T, dir, args string) object {
	t.Helper()
	t.Chdir(dir)
	o, err := parse(strings.Fields(args + " -stream"))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	r, err := trainModel(t.Context(), o)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return r.object()
}

// TestStream: rows in blocks give what the same rows in memory give, from one file, several, and folders.
func TestStream(t *testing.T) {
	dir := files(t)
	cut(t, dir, "last.csv", "parts")
	cut(t, dir, "train.libsvm", "sparse")
	for _, args := range []string{
		"-train %s -test test.csv -features 64 -head ridge -scale standard",
		"-train %s -test test.csv -features 64 -head ridge -lambda loo -scale minmax,l2 -dtype float32",
		"-train %s -test test.csv -features 32 -head ridge -map delta-gaussian -lambda .1",
		"-train %s -test test.csv -features 400 -head ridge -solver cg",
		"-train %s -test test.csv -map chi2 -head ridge",
		"-train %s -test test.csv -map nystrom -features 16 -head ridge",
		"-train %s -test test.csv -features 64 -head svm",
		"-train %s -test test.csv -features 64 -head softmax -solver newton",
		"-train %s -test smoothtest.csv -features 64 -task regression",
	} {
		in, parts := "last.csv", "parts"
		if strings.Contains(args, "regression") {
			in, parts = "smooth.csv", "smooth.csv"
		}
		want, got := fit(t, dir, fmt.Sprintf(args, in)), stream(t, dir, fmt.Sprintf(args, parts))
		near := func(what string, a, b *float64) {
			if (a == nil) != (b == nil) || a != nil && math.Abs(*a-*b) > 1e-5*math.Abs(*a) {
				t.Errorf("%s: %s is %v, want %v", args, what, *b, *a)
			}
		}
		near("accuracy", want.Accuracy, got.Accuracy)
		near("f1", want.F1, got.F1)
		near("rmse", want.RMSE, got.RMSE)
		near("lambda", want.Lambda, got.Lambda)
		near("kernel error", &want.KernelError.RelativeFrobenius, &got.KernelError.RelativeFrobenius)
		if got.TrainRows != 150 || got.TestRows != 60 || got.TrainAccuracy != nil || got.InputDim != 3 || want.Features != got.Features {
			t.Errorf("%s: %+v", args, got)
		}
	}
	cg, direct := fit(t, dir, "-train last.csv -test test.csv -features 64 -head ridge -lambda 1e-4 -solver cg"), fit(t, dir, "-train last.csv -test test.csv -features 64 -head ridge -lambda 1e-4")
	if *cg.Lambda != *direct.Lambda || math.Abs(*cg.Accuracy-*direct.Accuracy) > 1./60 {
		t.Errorf("-solver cg: %+v, want %+v", cg, direct)
	}
	list, folder := stream(t, dir, "-train sparse/a.libsvm,sparse/b.libsvm.gz,sparse/c.libsvm -test train.libsvm -features 64 -head ridge"),
		fit(t, dir, "-train sparse -test train.libsvm -features 64 -head ridge")
	if math.Abs(*list.Accuracy-*folder.Accuracy) > 1e-9 || list.TestRows != 150 {
		t.Errorf("a list of files: %+v, want %+v", list, folder)
	}
}

// TestStreamFit: mini-batches from blocks learn, tuned and not, and a part of the rows is for testing.
func TestStreamFit(t *testing.T) {
	dir := files(t)
	cut(t, dir, "last.csv", "parts")
	const args = "-train parts -features 128 -epochs 60 -batch 30 -shuffle 90 -map gaussian "
	whole := stream(t, dir, args+"-params sigma=.3")
	if *whole.Accuracy < .7 || whole.TrainRows+whole.TestRows != 150 || whole.TestRows < 15 || whole.TestRows > 45 || len(whole.TrainLoss) != 60 {
		t.Errorf("%+v", whole)
	}
	ob := stream(t, dir, args+"-params sigma=2 -map-lr .02 -tune bandwidth -held-out .2 -test test.csv -dtype float32")
	if loss := ob.TrainLoss; ob.Tuned != "bandwidth" || ob.KernelError != nil || loss[len(loss)-1] > .95*loss[0] {
		t.Errorf("tuned: %+v", ob)
	}
	r := clitest.Run(t, dir, "-stream -train parts -features 64 -head ridge -save model -plot a.png").OK(t)
	if !strings.Contains(r.Stderr, " of 150 rows are set aside for it\n") || !strings.Contains(r.Stdout, "accuracy ") {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	clitest.Run(t, dir, "-load model -test parts").OK(t)
}

// TestStreamCV: cross-validation chooses from rows that are read, too.
func TestStreamCV(t *testing.T) {
	dir := files(t)
	for _, head := range []string{"ridge", "svm", "softmax"} {
		ob := stream(t, dir, "-train last.csv -test test.csv -map gaussian -features 64 -cv 2 -head "+head)
		if ob.Params["sigma"] == nil || *ob.Accuracy < .6 {
			t.Errorf("-cv under -head %s: %+v", head, ob)
		}
	}
}

// TestStreamErrors: they name the file, the place in it and the remedy.
func TestStreamErrors(t *testing.T) {
	dir := files(t)
	cut(t, dir, "last.csv", "parts")
	clitest.File(t, dir, "negative.csv", "0.3,0.4,0.2,dark\n0.5,-0.25,0.2,light\n")
	clitest.File(t, dir, "green.csv", "0.3,0.4,0.2,green\n")
	clitest.File(t, dir, "narrow.csv", "0.3,0.4,dark\n")
	clitest.File(t, dir, "one.csv", "0.3,0.4,dark\n0.2,0.4,dark\n0.2,0.4,dark\n")
	clitest.File(t, dir, "table.xlsx", "1,2,a\n")
	for args, texts := range map[string][]string{
		"-train parts,negative.csv -test test.csv -map exp-semigroup": {"negative.csv: ", "x[1,1] = -0.25 is negative"},
		"-train parts -test negative.csv -map exp-semigroup":          {"negative.csv: ", "x[1,1] = -0.25 is negative"},
		"-train parts -test green.csv":                                {"green.csv: ", `"green"`},
		"-train parts,narrow.csv":                                     {"narrow.csv", "2 features"},
		"-train parts -test narrow.csv":                               {"narrow.csv:1", "want 3"},
		"-train one.csv -test one.csv":                                {"one.csv: all rows have the class"},
		"-train none.parquet":                                         {"none.parquet", "no such file"},
		"-train table.xlsx":                                           {"table.xlsx", "names no format"},
		"-train none":                                                 {"none", "no such file"},
		"-train parts -save no/model":                                 {"-save no/model: cannot be written"},
	} {
		clitest.Run(t, dir, "-stream -features 16 -head ridge "+args).Fails(t, 1, "train", texts...)
	}
}
