package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/examples/internal/notes"
	"github.com/bochner-go/bochner/train"
)

// TestSaveAndLoad: a model that one process saves gives the same numbers in another.
func TestSaveAndLoad(t *testing.T) {
	dir := files(t)
	for _, args := range []string{
		"-features 64 -epochs 3 -scale minmax,l2",
		"-features 64 -head ridge -dtype float32",
		"-features 64 -epochs 3 -tune all -map skewed-chi2 -params c=.1",
		"-features 33 -epochs 3 -params phase=true -sampler orthogonal -seed 7",
		"-map linear -epochs 3 -scale standard",
		"-features 64 -head ridge -map sphere-polynomial -scale standard,l2 -params a=3,p=2,coupling=joint,eps=.03",
		"-features 64 -head ridge -map ntk -scale standard,l2",
		"-features 64 -head ridge -map delta-gaussian",
		"-features 64 -epochs 3 -tune all -map sphere-polynomial -scale standard,l2",
		"-features 64 -epochs 3 -map delta-gaussian -params sigmas=1:2:3,weights=1:-2:.5 -save-spec",
		"-features 64 -head linear -epochs 3 -map exp-semigroup",
		"-features 64 -task regression",
		"-features 64 -epochs 3 -save-spec",
		"-features 64 -task regression -save-spec -sampler orthogonal -scale standard",
	} {
		trained, test := "last.csv", "test.csv"
		if strings.Contains(args, "regression") {
			trained, test = "smooth.csv", "smoothtest.csv"
		}
		saved := clitest.Run(t, dir, args+" -json -save model -train "+trained+" -test "+test)
		if !strings.HasSuffix(saved.Stderr, "model: model\n") {
			t.Errorf("%s: stderr %q", args, saved.Stderr)
		}
		first := saved.Object(t)
		loaded := clitest.Run(t, dir, "-json -load model -test "+test)
		second := loaded.Object(t)
		if loaded.Stderr != "" {
			t.Errorf("%s: loading writes %q", args, loaded.Stderr)
		}
		if second["train_rows"] != 0. || first["head"] == "ridge" && second["head"] != "linear" {
			t.Errorf("%s: loaded as %v", args, second)
		}
		// What belongs to the fit is not in the file: a ridge head is a linear one from then on.
		for _, key := range []string{"head", "lambda", "train_loss", "train_accuracy", "train_rmse", "train_rows", "seconds", "peak_rss_bytes"} {
			if key == "head" && first[key] != "ridge" && first[key] != second[key] {
				t.Errorf("%s: head %v became %v", args, first[key], second[key])
			}
			delete(first, key)
			delete(second, key)
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%s: saved\n%v, loaded\n%v", args, first, second)
		}
	}
}

// TestEvaluationIsNoted: the model's file says how good it is, as the program does, and two runs write the same bytes.
func TestEvaluationIsNoted(t *testing.T) {
	dir := files(t)
	for args, pairs := range map[string]int{
		"-features 64 -head ridge -train last.csv -test test.csv":                         915, // of 60 rows, every second
		"-features 64 -epochs 2 -tune all -train last.csv -test test.csv":                 0,   // it has left its kernel
		"-features 64 -task regression -train smooth.csv -test smoothtest.csv -save-spec": 915,
	} {
		ob := clitest.Run(t, dir, args+" -json -save model").Object(t)
		clitest.Run(t, dir, args+" -save again").OK(t)
		m, err := train.Load(filepath.Join(dir, "model"))
		if err != nil {
			t.Fatal(err)
		}
		e, err := notes.Of(m)
		if err != nil || e == nil {
			t.Fatalf("%s: the note is %v, %v", args, e, err)
		}
		if len(e.Pairs) != pairs || (e.KernelError == nil) != (pairs == 0) {
			t.Errorf("%s: %d pairs and the kernel error %v", args, len(e.Pairs), e.KernelError)
		}
		noted, said := map[string]any{}, map[string]any{}
		if err := json.Unmarshal([]byte(m.Notes[notes.Key]), &noted); err != nil {
			t.Fatal(err)
		}
		delete(noted, "pairs")
		for key := range noted {
			said[key] = ob[key]
		}
		if len(noted) < 3 || !reflect.DeepEqual(noted, said) {
			t.Errorf("%s: noted is %v, said %v", args, noted, said)
		}
		first, err1 := os.ReadFile(filepath.Join(dir, "model"))
		second, err2 := os.ReadFile(filepath.Join(dir, "again"))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: two runs write different files (%v)", args, err)
		}
	}
}

// TestSavedThoughNotEvaluated: a model that its test rows do not suit, which of a tuned map turns out at the end, is in
// the file all the same, and nothing is noted of it.
func TestSavedThoughNotEvaluated(t *testing.T) {
	dir := files(t)
	clitest.File(t, dir, "negative.csv", "0.3,0.4,0.2,dark\n0.5,-0.25,0.2,light\n")
	r := clitest.Run(t, dir, "-train last.csv -test negative.csv -map exp-semigroup -features 16 -epochs 1 -tune all -save model")
	if r.Status != 1 || !strings.Contains(r.Stderr, "x[1,1] = -0.25 is negative") {
		t.Errorf("%+v", r)
	}
	m, err := train.Load(filepath.Join(dir, "model"))
	if err != nil || len(m.Notes) > 0 {
		t.Errorf("%v, %v", m, err)
	}
}

// TestLoadErrors: what -load meets that was not saved like that.
func TestLoadErrors(t *testing.T) {
	dir := files(t)
	clitest.Run(t, dir, "-train last.csv -features 64 -head ridge -save model").OK(t)
	clitest.Run(t, dir, "-train last.csv -features 64 -head ridge -save small -save-spec").OK(t)
	whole, err := os.ReadFile(filepath.Join(dir, "model"))
	if err != nil {
		t.Fatal(err)
	}
	small, err := os.ReadFile(filepath.Join(dir, "small"))
	if err != nil {
		t.Fatal(err)
	}
	if len(small) >= len(whole) {
		t.Errorf("%d bytes without weights, %d with them", len(small), len(whole))
	}
	for _, at := range []int{3, 100, len(whole) / 2, len(whole) - 1} {
		flipped := slices.Clone(whole)
		flipped[at] ^= 4
		clitest.File(t, dir, "flipped", string(flipped))
		clitest.Run(t, dir, "-load flipped -test test.csv").Fails(t, 1, "train", "flipped")
	}
	clitest.File(t, dir, "cut", string(whole[:len(whole)-8]))
	clitest.Run(t, dir, "-load cut -test test.csv").Fails(t, 1, "train", "cut")
	clitest.File(t, dir, "empty", "")
	clitest.Run(t, dir, "-load empty -test test.csv").Fails(t, 1, "train", "empty")

	clitest.File(t, dir, "narrow.csv", "1,2,dark\n")
	clitest.File(t, dir, "green.csv", "1,2,3,green\n")
	clitest.File(t, dir, "wide.libsvm", "1 9:1\n")
	clitest.Run(t, dir, "-load model -test narrow.csv").Fails(t, 1, "train", "narrow.csv:1: the line has 2 features, want 3")
	clitest.Run(t, dir, "-load model -test wide.libsvm").Fails(t, 1, "train", "wide.libsvm:1", "beyond the 3 features")
	clitest.Run(t, dir, "-load model -test green.csv").Fails(t, 1, "train", "green.csv", `"green"`)
	clitest.Run(t, dir, "-load model -test none.csv").Fails(t, 1, "train", "none.csv")
	clitest.Run(t, dir, "-load model -test test.csv -plot no/a.png").Fails(t, 1, "train", "-plot no/a.png: cannot be written")
}

// TestPictures: of every kind of run there is one, and it tells its name on stderr.
func TestPictures(t *testing.T) {
	dir := files(t)
	for _, args := range []string{
		"-train last.csv -features 64 -epochs 3 -held-out .2 -save model",
		"-train last.csv -features 64 -head ridge",
		"-train smooth.csv -features 64 -task regression -head linear -epochs 3",
		"-load model -test test.csv",
	} {
		r := clitest.Run(t, dir, args+" -plot a.png").OK(t)
		if !strings.Contains(r.Stderr, "picture: a.png\n") || !strings.Contains(r.Stdout, "rows ") {
			t.Errorf("%s: stdout %q, stderr %q", args, r.Stdout, r.Stderr)
		}
		clitest.Picture(t, filepath.Join(dir, "a.png"), 400, 300)
		if err := os.Remove(filepath.Join(dir, "a.png")); err != nil {
			t.Error(err)
		}
	}
}
