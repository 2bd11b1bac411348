package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// input are the rows of a file as a map of that element type takes them.
func input(t *testing.T, dir, name string, label data.Label, dtype string) *tensor.Dense {
	t.Helper()
	return scaledInput(t, dir, name, label, dtype, "none")
}

// scaledInput is input through the scalers.
func scaledInput(t *testing.T, dir, name string, label data.Label, dtype, scale string) *tensor.Dense {
	t.Helper()
	set, err := data.Read(filepath.Join(dir, name), data.Options{Label: label})
	if err != nil {
		t.Fatal(err)
	}
	scaler, err := data.ParseScalers(scale)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(scaler.Fit(set.X), scaler.ApplyInPlace(set.X)); err != nil {
		t.Fatal(err)
	}
	x, err := set.As(map[string]tensor.Dtype{"float64": tensor.Float64, "float32": tensor.Float32}[dtype])
	if err != nil {
		t.Fatal(err)
	}
	return x.(*tensor.Dense)
}

// bagInput are the sets of a file, scaled as features does.
func bagInput(t *testing.T, dir, name, dtype string) ops.Matrix {
	t.Helper()
	set, err := data.ReadBags(filepath.Join(dir, name), data.Options{Label: data.LabelNone})
	if err != nil {
		t.Fatal(err)
	}
	cube, err := data.ParseScalers("cube")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cube.Fit(set.X), cube.ApplyInPlace(set.X)); err != nil {
		t.Fatal(err)
	}
	x, err := set.As(map[string]tensor.Dtype{"float64": tensor.Float64, "float32": tensor.Float32}[dtype])
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// numbers are the cells of a tensor.
func numbers(x *tensor.Dense) []float64 {
	if x.Dtype() == tensor.Float64 {
		return x.Float64s()
	}
	var out []float64
	for _, v := range x.Float32s() {
		out = append(out, float64(v))
	}
	return out
}

// fromCSV reads a file of numbers and no header.
func fromCSV(t *testing.T, path string) (cells []float64, rows int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		for _, text := range line {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, v)
		}
	}
	return cells, len(lines)
}

// fromNPY reads an array twice, by npyio and by package data, and wants the same.
func fromNPY(t *testing.T, path string) (cells []float64, rows int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := npyio.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.Descr.Type == "<f4" {
		var v []float32
		if err := r.Read(&v); err != nil {
			t.Fatal(err)
		}
		for _, x := range v {
			cells = append(cells, float64(x))
		}
	} else {
		var m mat.Dense
		if err := r.Read(&m); err != nil {
			t.Fatal(err)
		}
		cells = m.RawMatrix().Data
	}
	set, err := data.Read(path, data.Options{Label: data.LabelNone})
	if err != nil {
		t.Fatal(err)
	}
	same(t, path+": npyio and train/data", cells, set.X.(*tensor.Dense).Float64s())
	return cells, set.Rows()
}

func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d cells, want %d", what, len(got), len(want))
		return
	}
	for i, v := range want {
		if got[i] != v {
			t.Errorf("%s: cell %d is %v, want %v", what, i, got[i], v)
			return
		}
	}
}

// TestFiles: the files hold the features and the kernel to the last bit, for every map, in both formats and element
// types.
func TestFiles(t *testing.T) {
	dir := files(t)
	for i, e := range layers.Entries() {
		dtype := []string{"float64", "float32"}[i%2]
		args := "-seed 3 -map " + e.Name + " -dtype " + dtype
		spec := layers.Spec{Map: e.Name, Seed: 3, Dtype: dtype}
		if e.HasFeatures() {
			args += " -features 16"
			spec.Features = 16
		}
		var x ops.Matrix
		switch {
		case e.Bags:
			args += " -in bags.csv"
			x = bagInput(t, dir, "bags.csv", dtype)
		case e.Inputs == "‖x‖₂ = 1":
			args += " -in rows.csv -scale l2"
			x = scaledInput(t, dir, "rows.csv", data.LabelNone, dtype, "l2")
		default:
			args += " -in rows.csv"
			x = input(t, dir, "rows.csv", data.LabelNone, dtype)
		}
		spec.Dims = x.Shape()[1]
		if err := spec.FillDefaults(x); err != nil {
			t.Fatal(err)
		}
		l, err := spec.Fit(x)
		if err != nil {
			t.Fatal(err)
		}
		z, err := layers.Transform(l, nil, x)
		if err != nil {
			t.Fatal(err)
		}
		k, err := spec.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		gram, err := report.ExactGram(k, x)
		if err != nil {
			t.Fatal(err)
		}
		for _, ext := range []string{".npy", ".csv"} {
			out, kernel := e.Name+ext, e.Name+"-kernel"+ext
			r := clitest.Run(t, dir, args+" -json -out "+out+" -kernel "+kernel)
			ob := r.Object(t)
			keys := "map params features seed dtype rows input_dim seconds peak_rss_bytes version"
			if e.HasSampler {
				keys += " sampler"
			}
			clitest.Keys(t, args, ob, keys)
			if ob["features"] != float64(l.Features()) || ob["rows"] != 40. || ob["input_dim"] != float64(spec.Dims) || ob["dtype"] != dtype {
				t.Errorf("%s: %v", args, ob)
			}
			read := fromCSV
			if ext == ".npy" {
				read = fromNPY
			}
			cells, rows := read(t, filepath.Join(dir, out))
			same(t, out, cells, numbers(z))
			cells, more := read(t, filepath.Join(dir, kernel))
			same(t, kernel, cells, gram.RawMatrix().Data)
			if rows != 40 || more != 40 {
				t.Errorf("%s: %d rows of features, %d of the kernel", args, rows, more)
			}
		}
	}
}

// TestBlocks: more rows than a block holds come out in their order.
func TestBlocks(t *testing.T) {
	dir := t.TempDir()
	rows, _ := clitest.Checker(1037, 2, 1)
	clitest.File(t, dir, "rows.csv", clitest.CSV(rows, nil, nil))
	r := clitest.Run(t, dir, "-in rows.csv -map laplacian -params sigma=1 -features 6 -out a.npy -scale standard").OK(t)
	if !strings.Contains(r.Stderr, "features, rows 1037/1037\n") || !strings.Contains(r.Stdout, "rows      1037\n") {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	x := input(t, dir, "rows.csv", data.LabelNone, "float64")
	scaler, err := data.ParseScalers("standard")
	if err != nil {
		t.Fatal(err)
	}
	if err := scaler.Fit(x); err != nil {
		t.Fatal(err)
	}
	if err := scaler.ApplyInPlace(x); err != nil {
		t.Fatal(err)
	}
	l, err := layers.NewFourierLayer(spectral.Laplacian{Sigma: 1}, 2, 6, layers.WithSeed(1))
	if err != nil {
		t.Fatal(err)
	}
	z, err := l.Transform(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	cells, _ := fromNPY(t, filepath.Join(dir, "a.npy"))
	same(t, "a.npy", cells, z.Float64s())

	clitest.Run(t, dir, "-in rows.csv -map skewed-chi2 -params c=.1 -kernel k.npy").OK(t)
	gram, err := spectral.Gram(spectral.SkewedChi2{C: .1}, input(t, dir, "rows.csv", data.LabelNone, "float64"), nil)
	if err != nil {
		t.Fatal(err)
	}
	cells, _ = fromNPY(t, filepath.Join(dir, "k.npy"))
	same(t, "k.npy", cells, gram.RawMatrix().Data)
}

// TestLabels: a label column is left out of the features, wherever it is, and a target is not taken for a class.
func TestLabels(t *testing.T) {
	dir := files(t)
	read := func(args string) []float64 {
		clitest.Run(t, dir, args+" -features 6 -params sigma=1 -out a.npy").OK(t)
		cells, _ := fromNPY(t, filepath.Join(dir, "a.npy"))
		return cells
	}
	want := read("-in rows.csv")
	for _, args := range []string{"-in last.csv -label last", "-in first.csv -label first", "-in target.csv -label last", "-in rows.libsvm"} {
		same(t, args, read(args), want)
	}
	if ob := clitest.Run(t, dir, "-in target.csv -features 6 -out a.npy -json").Object(t); ob["input_dim"] != 6. {
		t.Errorf("without -label the target is a feature: %v", ob)
	}
}
