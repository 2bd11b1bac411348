package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gorgonia.org/tensor"
)

// TestSparseFile: features, kernel matrix and report of a sparse file are those of its rows made dense, in several
// blocks.
func TestSparseFile(t *testing.T) {
	dir := t.TempDir()
	clitest.File(t, dir, "words.libsvm", clitest.Words(600, 200, 12, 1))
	set, err := data.Read(filepath.Join(dir, "words.libsvm"), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, sparse := set.X.(*ops.CSR); !sparse {
		t.Fatal("the file is dense")
	}
	x, err := set.Dense()
	if err != nil {
		t.Fatal(err)
	}
	ob := clitest.Run(t, dir, "-in words.libsvm -map exp-semigroup -features 16 -out z.npy -kernel k.npy -report -rows 50 -seeds 3 -json").Object(t)
	spec := layers.Spec{Map: "exp-semigroup", Dims: 200, Features: 16, Sampler: "iid", Seed: 1}
	if err := spec.FillDefaults(x); err != nil {
		t.Fatal(err)
	}
	l, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	z, err := l.Transform(nil, x)
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
	for name, want := range map[string][]float64{"z.npy": z.Float64s(), "k.npy": gram.RawMatrix().Data} {
		got, err := data.Read(filepath.Join(dir, name), data.Options{Label: data.LabelNone})
		if err != nil {
			t.Fatal(err)
		}
		cells := got.X.(*tensor.Dense).Float64s()
		if len(cells) != len(want) {
			t.Fatalf("%s has %d cells, want %d", name, len(cells), len(want))
		}
		for i, v := range want {
			if math.Abs(cells[i]-v) > 1e-12 {
				t.Fatalf("%s: cell %d is %v, want %v", name, i, cells[i], v)
			}
		}
	}
	if e := ob["kernel_error"].(map[string]any); e["rows"] != 50. || !(e["relative_frobenius"].(float64) > 0) {
		t.Errorf("kernel error %v", e)
	}
}
