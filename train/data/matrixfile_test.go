package data

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// hard are numbers that a careless writer loses.
var hard = []float64{0, math.Copysign(0, -1), 1. / 3, -math.Pi, 1e-300, 5e-324, math.MaxFloat64, 1 + 0x1p-52}

// TestMatrixFile: every number comes back to the last bit, in both formats and element types, whether the number of rows
// was known or not.
func TestMatrixFile(t *testing.T) {
	single, widened := make([]float32, len(hard)), make([]float64, len(hard))
	for i, v := range hard {
		single[i] = float32(math.Mod(v, 1e30))
		widened[i] = float64(single[i])
	}
	for _, name := range []string{"a.npy", "a.csv"} {
		for _, tc := range []struct {
			dt   tensor.Dtype
			x    *tensor.Dense
			want []float64
		}{
			{tensor.Float64, dense64(4, 2, hard...), hard},
			{tensor.Float32, dense32(4, 2, single...), widened},
			{tensor.Float64, dense32(4, 2, single...), widened},
			{tensor.Float32, dense64(4, 2, widened...), widened},
		} {
			for _, rows := range []int{4, AnyRows} {
				path := filepath.Join(t.TempDir(), name)
				f := must(NewMatrixFile(path, rows, 2, tc.dt))
				for _, block := range Blocks(tc.x, 3) {
					mustDo(f.Write(block.(*tensor.Dense)))
				}
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s has its name before it is whole: %v", name, err)
				}
				mustDo(f.Close(nil))
				for i, v := range cells(must(Read(path, noLabel))) {
					if math.Float64bits(v) != math.Float64bits(tc.want[i]) {
						t.Errorf("%s of %d rows, %v from %v: cell %d is %v, want %v", name, rows, tc.dt, tc.x.Dtype(), i, v,
							tc.want[i])
					}
				}
			}
		}
	}
}

// TestMatrixFileHeader: the bytes that NumPy writes for the same array, whether the number of rows was known or not.
func TestMatrixFileHeader(t *testing.T) {
	want := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"
	want += strings.Repeat(" ", 127-len(want)) + "\n\x00\x00\x80\x3f"
	for _, rows := range []int{1, AnyRows} {
		path := filepath.Join(t.TempDir(), "a.npy")
		f := must(NewMatrixFile(path, rows, 1, tensor.Float32))
		mustDo(errors.Join(f.Write(dense32(1, 1, 1)), f.Close(nil)))
		if b := must(os.ReadFile(path)); string(b) != want {
			t.Errorf("%q, want %q", b, want)
		}
		if mode := must(os.Stat(path)).Mode(); mode.Perm()&0o444 == 0 {
			t.Errorf("mode %v", mode)
		}
	}
}

// TestMatrixFileFailures: whatever goes wrong, nothing is left.
func TestMatrixFileFailures(t *testing.T) {
	dir := t.TempDir()
	start := func() *MatrixFile {
		f := must(NewMatrixFile(filepath.Join(dir, "a.csv"), 2, 2, tensor.Float64))
		mustDo(f.Write(dense64(1, 2, 1, 2)))
		return f
	}
	why := errors.New("the reason")
	if err := start().Close(why); err != why {
		t.Errorf("Close(err): %v", err)
	}
	if err := start().Close(nil); err == nil || !strings.Contains(err.Error(), "1 rows written of 2") {
		t.Errorf("a row is missing: %v", err)
	}
	f := start() // its disk fails
	f.file.Abort()
	if f.Write(dense64(1<<20, 2, make([]float64, 2<<20)...)) == nil || f.Close(nil) == nil {
		t.Error("Write or Close does not tell that the file cannot be written")
	}
	fails(t, failed(NewMatrixFile(filepath.Join(dir, "no", "a.npy"), 1, 1, tensor.Float64)), os.ErrNotExist)
	if entries := must(os.ReadDir(dir)); len(entries) != 0 {
		t.Errorf("the folder holds %v", entries)
	}
}

// TestTableWriterErrors: columns that a file cannot hold are refused, and leave nothing behind.
func TestTableWriterErrors(t *testing.T) {
	path, two := filepath.Join(t.TempDir(), "a.npy"), make([]Column, 2)
	texts := []Column{{}, {Texts: &Texts{}}}
	fails(t, failed(NewTableWriter(path, []string{"a"}, two)), domain.ErrShape, "1 names for 2 columns")
	fails(t, failed(NewTableWriter(path, nil, nil)), domain.ErrShape, "0 names")
	fails(t, failed(NewTableWriter(path, []string{"a", "b"}, texts)), ErrFormat, `column "b" has texts`, ".parquet")
	fails(t, failed(NewTableWriter(path+".gz", []string{"a", "b"}, two)), ErrFormat, ".npy")
	w := must(NewTableWriter(path, []string{"a", "b"}, two))
	for _, columns := range [][]Column{nil, two[:1], texts, {{Numbers: hard}, {Numbers: hard[:2]}}} {
		fails(t, w.Write(columns), domain.ErrShape, "not like the 2")
	}
	fails(t, w.Close(domain.ErrShape), domain.ErrShape)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}
