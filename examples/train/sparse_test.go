package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// asNPY writes the rows of a LIBSVM file of two classes, "a" and "b", as a .npy file with the class 0 or 1 in the last
// column.
func asNPY(t *testing.T, dir, from, to string, d int) {
	t.Helper()
	set, err := data.Read(filepath.Join(dir, from), data.Options{Dims: d})
	if err != nil {
		t.Fatal(err)
	}
	if _, sparse := set.X.(*ops.CSR); !sparse {
		t.Fatalf("%s is dense", from)
	}
	x, err := set.Dense()
	if err != nil {
		t.Fatal(err)
	}
	file, err := data.NewMatrixFile(filepath.Join(dir, to), set.Rows(), d+1, tensor.Float64)
	if err != nil {
		t.Fatal(err)
	}
	for i, label := range set.Labels {
		row := append(x.Float64s()[i*d:(i+1)*d:(i+1)*d], map[string]float64{"a": 0, "b": 1}[label])
		if err := file.Write(tensor.New(tensor.WithShape(1, d+1), tensor.WithBacking(row))); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(nil); err != nil {
		t.Fatal(err)
	}
}

// TestSparseFile: a sparse file gives the results of the same rows in a dense one, under every head, scaler and policy.
func TestSparseFile(t *testing.T) {
	dir := t.TempDir()
	const d = 400
	clitest.File(t, dir, "words.libsvm", clitest.Words(240, d, 30, 1))
	asNPY(t, dir, "words.libsvm", "words.npy", d)
	for _, args := range []string{
		"-map linear -head ridge -scale l2",
		"-map linear -head softmax -scale l1 -epochs 3",
		"-map gaussian -features 64 -scale l2 -head ridge",
		"-map exp-semigroup -features 64 -scale l1 -tune bandwidth -epochs 2",
		"-map skewed-chi2 -params c=0.1 -features 64 -scale l1 -tune all -epochs 2 -head linear",
		"-map gaussian -sampler structured -features 64 -scale minmax,l2 -head ridge -dtype float32",
		"-map gaussian -features 64 -scale standard -head ridge",
	} {
		sparse := clitest.Run(t, dir, "-json -train words.libsvm "+args).Object(t)
		dense := clitest.Run(t, dir, "-json -train words.npy "+args).Object(t)
		for _, key := range []string{"accuracy", "train_accuracy", "f1"} {
			if a, b := sparse[key].(float64), dense[key].(float64); math.Abs(a-b) > .021 { // a row of the test part, on the border
				t.Errorf("%s: %s %v of the sparse file, %v of the dense one", args, key, a, b)
			}
		}
		if kernel := func(ob map[string]any) float64 {
			return ob["kernel_error"].(map[string]any)["relative_frobenius"].(float64)
		}; sparse["tuned"] == "" && math.Abs(kernel(sparse)-kernel(dense)) > 1e-5 {
			t.Errorf("%s: kernel error %v of the sparse file, %v of the dense one", args, kernel(sparse), kernel(dense))
		}
		if strings.HasPrefix(args, "-map linear") && sparse["accuracy"].(float64) < .8 {
			t.Errorf("%s: accuracy %v", args, sparse["accuracy"])
		}
	}
}

// TestSparseFeaturesMemory: 400 rows of 100,000 columns at .03 % under chi2, whose 300,000 features would be 960 MB if they were dense, peak below
// 300 MB under every head: 1.2 MB of entries, vectors of 8·300,000·2 bytes, up to 64 MiB of a preconditioner, and two blocks of dense rows of 16 MiB
// each for the exact kernel.
func TestSparseFeaturesMemory(t *testing.T) {
	t.Setenv("GOGC", "100")
	dir := t.TempDir()
	clitest.File(t, dir, "wide.libsvm", clitest.Words(500, 100000, 30, 1))
	for _, head := range []string{"ridge", "svm", "softmax"} {
		ob := clitest.Run(t, dir, "-json -train wide.libsvm -map chi2 -scale l1 -head "+head).Object(t)
		if peak := ob["peak_rss_bytes"].(float64); !(peak < 300e6) {
			t.Errorf("%s: the peak is %.0f MB", head, peak/1e6)
		}
		if ob["train_rows"] != 400. || !(ob["features"].(float64) > 290000) || !(ob["train_accuracy"].(float64) > .95) {
			t.Errorf("%s: %v", head, ob)
		}
	}
}

// TestSparseFileMemory: 5000 rows of 24000 columns, 960 MB if they were dense, take a fraction of that.
func TestSparseFileMemory(t *testing.T) {
	t.Setenv("GOGC", "100")
	dir := t.TempDir()
	clitest.File(t, dir, "large.libsvm", clitest.Words(5000, 24000, 240, 1))
	ob := clitest.Run(t, dir, "-json -train large.libsvm -map gaussian -features 128 -scale l2 -head ridge").Object(t)
	if peak := ob["peak_rss_bytes"].(float64); !(peak < 400<<20) {
		t.Errorf("the peak is %.0f MB", peak/(1<<20))
	}
	if ob["input_dim"] != 24000. || ob["train_rows"] != 4000. {
		t.Errorf("%v", ob)
	}
}
