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
	single := make([]float32, len(hard))
	widened := make([]float64, len(hard))
	for i, v := range hard {
		single[i] = float32(math.Mod(v, 1e30))
		widened[i] = float64(single[i])
	}
	for _, name := range []string{"a.npy", "a.csv"} {
		for _, tc := range []struct {
			dt      tensor.Dtype
			backing any
			want    []float64
		}{
			{tensor.Float64, hard, hard},
			{tensor.Float32, single, widened},
			{tensor.Float64, single, widened},
			{tensor.Float32, widened, widened},
		} {
			path := filepath.Join(t.TempDir(), name)
			x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking(tc.backing))
			files := map[int]string{}
			for _, rows := range []int{4, AnyRows} {
				f := must(NewMatrixFile(path, rows, 2, tc.dt))
				for _, block := range Blocks(x, 3) {
					mustDo(f.Write(block.(*tensor.Dense)))
				}
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s has its name before it is whole: %v", name, err)
				}
				mustDo(f.Close(nil))
				files[rows] = string(must(os.ReadFile(path)))
				mustDo(os.Remove(path))
			}
			if files[4] != files[AnyRows] {
				t.Errorf("%s: %.140q and %.140q", name, files[4], files[AnyRows])
			}
			mustDo(os.WriteFile(path, []byte(files[4]), 0o644))
			set := must(Read(path, Options{Label: LabelNone}))
			for i, v := range set.X.(*tensor.Dense).Float64s() {
				if math.Float64bits(v) != math.Float64bits(tc.want[i]) {
					t.Errorf("%s of %v from %T: cell %d is %v, want %v", name, tc.dt, tc.backing, i, v, tc.want[i])
				}
			}
		}
	}
}

// TestMatrixFileHeader: the bytes that NumPy writes for the same array.
func TestMatrixFileHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	f := must(NewMatrixFile(path, 1, 1, tensor.Float32))
	mustDo(errors.Join(f.Write(tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float32{1}))), f.Close(nil)))
	want := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"
	want += strings.Repeat(" ", 127-len(want)) + "\n\x00\x00\x80\x3f"
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%q, %v, want %q", b, err, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o444 == 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestMatrixFileFailures: whatever goes wrong, the name holds what it held, and nothing else is left.
func TestMatrixFileFailures(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	mustDo(os.WriteFile(path, []byte("old"), 0o644))
	row := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 2}))
	start := func() *MatrixFile {
		f := must(NewMatrixFile(path, 2, 2, tensor.Float64))
		mustDo(f.Write(row))
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
	if err := f.Write(tensor.New(tensor.WithShape(1<<20, 2), tensor.Of(tensor.Float64))); err == nil {
		t.Error("Write does not tell that the file cannot be written")
	}
	if err := f.Close(nil); err == nil {
		t.Error("Close does not tell that the file cannot be written")
	}
	fails(t, failed(NewMatrixFile(filepath.Join(dir, "no", "a.npy"), 1, 1, tensor.Float64)), os.ErrNotExist)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("the file that was there is %q, %v", b, err)
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
