package parquet

import (
	"bytes"
	"errors"
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
		for b, err := range s.Blocks(t.Context(), 0) {
			mustDo(err)
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

// TestErrors: what rows of numbers, or a frame, cannot take names its place.
func TestErrors(t *testing.T) {
	hole, large := rows(50), rows(50)
	hole[44].O, large[41].J = nil, 1<<53
	type list struct{ A []float64 }
	type text struct {
		A string
		Y string
	}
	type whole struct {
		A int64 `parquet:",decimal(0:18)"`
		Y string
	}
	type clock struct {
		A int64 `parquet:",time(microsecond)"`
		Y string
	}
	type date struct {
		D int32 `parquet:"d,date"`
		Y int32
	}
	numbers := func(path string) error { _, err := data.Read(path, data.Options{}); return err }
	six := func(path string) error { _, err := data.Read(path, data.Options{Dims: 6}); return err }
	targets := func(path string) error { _, err := data.Read(path, data.Options{Task: data.Regression}); return err }
	frame := func(path string) error { _, err := data.ReadFrame(t.Context(), data.Options{}, path); return err }
	for name, c := range map[string]struct {
		read     func(path string) error
		path     string
		sentinel error
		parts    []string // of the message
	}{
		"null": {numbers, write(t, "n.parquet", hole), domain.ErrDomain,
			[]string{"n.parquet", `column 7 ("o")`, "x[44,6]", "missing value", "fill the value in"}},
		"large":  {numbers, write(t, "l.parquet", large), domain.ErrDomain, []string{"row 41", `"j"`, "9007199254740992"}},
		"nested": {numbers, write(t, "a.parquet", []list{{[]float64{1}}}), data.ErrFormat, []string{`"A"`, "nested or repeated"}},
		"text":   {numbers, write(t, "w.parquet", []text{{"red", "p"}}), data.ErrFormat, []string{`"A"`, `"red"`, "not a number"}},
		"text target": {targets, write(t, "u.parquet", []struct {
			A float64
			Y string
		}{{1, "2"}, {3, "9007199254740993"}}), domain.ErrDomain, []string{"u.parquet: row 1", "9007199254740993", "2^53"}},
		"one":  {numbers, write(t, "y.parquet", []struct{ Y int64 }{{3}}), data.ErrFormat, []string{"no features"}},
		"date": {numbers, write(t, "d.parquet", []date{{1, 2}}), data.ErrFormat, []string{`"d"`, "double"}},
		"date label": {numbers, write(t, "y.parquet", []dated{{1, 0}}), data.ErrFormat,
			[]string{`the column "Y" is of dates or times; write it as a double`}},
		"no rows":    {numbers, write(t, "e.parquet", []text{}), data.ErrFormat, []string{"e.parquet: has no rows"}},
		"packed":     {numbers, "x.parquet.gz", data.ErrFormat, []string{"packed in themselves"}},
		"none":       {numbers, "x.parquet", os.ErrNotExist, []string{"x.parquet"}},
		"no table":   {numbers, bytesFile(t, "PAR1 and no more"), data.ErrFormat, []string{"damaged"}},
		"empty":      {numbers, bytesFile(t, ""), data.ErrFormat, nil},
		"width":      {six, write(t, "w.parquet", rows(3)), domain.ErrShape, nil},
		"latin-1":    {frame, write(t, "t.parquet", []text{{"tea", "p"}, {"caf\xe9", "q"}}), data.ErrFormat, []string{"row 1", `"A"`, "not UTF-8"}},
		"decimal":    {frame, write(t, "w.parquet", []whole{{1, "p"}, {1<<53 + 1, "q"}}), domain.ErrDomain, []string{"row 1", `"A"`, "2^53"}},
		"no label":   {frame, write(t, "l.parquet", []struct{ A, Y *string }{{ptr("u"), nil}}), data.ErrFormat, []string{"row 0", "label is empty"}},
		"time alone": {frame, write(t, "c.parquet", []clock{{1, "p"}}), data.ErrFormat, []string{`"A"`, "double"}},
	} {
		err := c.read(c.path)
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
	noticed := false
	for i := 0; i < len(raw); i += 23 {
		if err := read(raw[:i]); err == nil {
			t.Fatalf("cut after %d of %d bytes: no error", i, len(raw))
		}
		changed := bytes.Clone(raw)
		changed[i] ^= 0x24
		if read(changed) != nil {
			noticed = true
		}
	}
	if !noticed {
		t.Errorf("no change of %d bytes was noticed", len(raw))
	}
}
