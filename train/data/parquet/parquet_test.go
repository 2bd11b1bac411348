package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/parquet-go/parquet-go"
	"gorgonia.org/tensor"
)

type row struct {
	F float64 `parquet:"f,plain"`
	G float32 `parquet:"g,dict"`
	I int32   `parquet:"i,delta"`
	J int64   `parquet:"j"`
	U uint32  `parquet:"u"`
	B bool    `parquet:"b"`
	O *int64  `parquet:"o,optional"`
	Y string  `parquet:"y,dict"`
}

func rows(n int) []row {
	r := make([]row, n)
	for i := range r {
		o := int64(-i)
		r[i] = row{float64(i) + .25, float32(i) / 2, int32(-i), int64(i) << 40, 1<<31 + uint32(i), i%3 == 0, &o, string(rune('p' + i%2))}
	}
	return r
}

func cells(i int) []float64 {
	b := 0.0
	if i%3 == 0 {
		b = 1
	}
	return []float64{float64(i) + .25, float64(i) / 2, float64(-i), float64(int64(i) << 40), float64(1<<31) + float64(i), b, float64(-i)}
}

// write writes rows to a file, in row groups and pages that are small.
func write[T any](t *testing.T, name string, rows []T, o ...parquet.WriterOption) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f := must(os.Create(path))
	defer f.Close()
	mustDo(parquet.Write(f, rows, append(o, parquet.PageBufferSize(256), parquet.MaxRowsPerRowGroup(40))...))
	return path
}

func must[T any](v T, err error) T {
	mustDo(err)
	return v
}

func mustDo(err error) {
	if err != nil {
		panic(err)
	}
}

// badFile is a file that cannot be read.
type badFile struct {
	path     string
	sentinel error
	parts    []string // of the message
}

func fails(t *testing.T, files map[string]badFile, read func(path string) error) {
	t.Helper()
	for name, c := range files {
		err := read(c.path)
		if !errors.Is(err, c.sentinel) {
			t.Errorf("%s: %v does not wrap %v", name, err, c.sentinel)
			continue
		}
		for _, p := range c.parts {
			if !strings.Contains(err.Error(), p) {
				t.Errorf("%s: %q does not say %q", name, err, p)
			}
		}
	}
}

// TestRead: every type, encoding and codec gives its numbers, whole and in blocks.
func TestRead(t *testing.T) {
	for name, codec := range map[string]parquet.WriterOption{"plain": parquet.Compression(&parquet.Uncompressed), "snappy": parquet.Compression(&parquet.Snappy),
		"gzip": parquet.Compression(&parquet.Gzip), "zstd": parquet.Compression(&parquet.Zstd), "v1": parquet.DataPageVersion(1)} {
		path := write(t, name+".parquet", rows(101), codec)
		set := must(data.Read(path, data.Options{}))
		if set.Rows() != 101 || !slices.Equal(set.Names, []string{"f", "g", "i", "j", "u", "b", "o"}) || set.LabelNames[0] != "y" {
			t.Fatalf("%s: %d rows, columns %q, label %q", name, set.Rows(), set.Names, set.LabelNames[0])
		}
		for i := range 101 {
			if got := set.X.(*tensor.Dense).Float64s()[i*7 : (i+1)*7]; !slices.Equal(got, cells(i)) || set.Labels[i] != string(rune('p'+i%2)) {
				t.Fatalf("%s: row %d is %v %q, want %v", name, i, got, set.Labels[i], cells(i))
			}
		}
		s := must(data.OpenStream(data.StreamOptions{BlockRows: 30}, path, path))
		n := 0
		for b, err := range s.Blocks(context.Background(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows() {
				if got := b.X.(*tensor.Dense).Float64s()[i*7]; got != float64(n%101)+.25 {
					t.Fatalf("%s: row %d begins with %v", name, n, got)
				}
				n++
			}
		}
		if n != 202 {
			t.Errorf("%s: %d rows in blocks", name, n)
		}
	}
	type numbers struct {
		Y int32
		A float64
	}
	set, err := data.Read(write(t, "first.parquet", []numbers{{3, .5}, {4, 1.5}}), data.Options{Label: data.LabelFirst, Task: data.Regression})
	if err != nil || !slices.Equal(set.Y, []float64{3, 4}) {
		t.Errorf("%+v %v", set, err)
	}
}

func TestErrors(t *testing.T) {
	o := int64(3)
	hole := rows(50)
	hole[44].O = nil
	large := rows(50)
	large[41].J = 1 << 53
	type list struct{ A []float64 }
	type word struct {
		W string
		Y int32
	}
	type one struct{ Y int64 }
	type date struct {
		D int32 `parquet:"d,date"`
		Y int32
	}
	fails(t, map[string]badFile{
		"null": {write(t, "n.parquet", hole), domain.ErrDomain,
			[]string{"n.parquet", `column 7 ("o")`, "x[44,6]", "missing value", "fill the value in"}},
		"large":    {write(t, "l.parquet", large), domain.ErrDomain, []string{"row 41", `"j"`, "9007199254740992"}},
		"nested":   {write(t, "a.parquet", []list{{[]float64{1}}}), data.ErrFormat, []string{`"A"`, "nested or repeated"}},
		"text":     {write(t, "w.parquet", []word{{"red", 1}}), data.ErrFormat, []string{`"W"`, `"red"`, "not a number"}},
		"one":      {write(t, "y.parquet", []one{{o}}), data.ErrFormat, []string{"no features"}},
		"date":     {write(t, "d.parquet", []date{{1, 2}}), data.ErrFormat, []string{`"d"`, "double"}},
		"no rows":  {write(t, "e.parquet", []word{}), data.ErrFormat, []string{"no rows"}},
		"packed":   {"x.parquet.gz", data.ErrFormat, []string{"packed in themselves"}},
		"none":     {"x.parquet", os.ErrNotExist, []string{"x.parquet"}},
		"no table": {bytesFile(t, "PAR1 and no more"), data.ErrFormat, []string{"damaged"}},
		"empty":    {bytesFile(t, ""), data.ErrFormat, nil},
	}, func(path string) error { _, err := data.Read(path, data.Options{}); return err })
	if _, err := data.Read(write(t, "w.parquet", rows(3)), data.Options{Dims: 6}); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
}

func bytesFile(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "b.parquet")
	mustDo(os.WriteFile(path, []byte(text), 0o644))
	return path
}

// TestDamage: a file that was cut is an error, and one that was changed anywhere is an error or a table, never a panic.
func TestDamage(t *testing.T) {
	var b bytes.Buffer
	mustDo(parquet.Write(&b, rows(60), parquet.PageBufferSize(512)))
	raw := b.Bytes()
	path := filepath.Join(t.TempDir(), "d.parquet")
	read := func(data []byte) error {
		mustDo(os.WriteFile(path, data, 0o644))
		f := must(os.Open(path))
		tab, err := open(f)
		if err != nil {
			f.Close()
			return err
		}
		defer tab.Close()
		for {
			if _, err := tab.Next(7); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	mustDo(read(raw))
	failed := 0
	for i := 0; i < len(raw); i += 23 {
		if err := read(raw[:i]); err == nil {
			t.Fatalf("cut after %d of %d bytes: no error", i, len(raw))
		}
		changed := bytes.Clone(raw)
		changed[i] ^= 0x24
		if read(changed) != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error(fmt.Sprint("no change was noticed in ", len(raw)))
	}
}
