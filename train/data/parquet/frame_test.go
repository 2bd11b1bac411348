package parquet

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/train/data"
	"github.com/parquet-go/parquet-go"
	"gorgonia.org/tensor"
)

type person struct {
	Age   *int32    `parquet:"age,optional"`
	Job   *string   `parquet:"job,optional"`
	Born  *int32    `parquet:"born,optional,date"`
	Seen  time.Time `parquet:"seen,timestamp(microsecond)"`
	Paid  int64     `parquet:"paid,decimal(2:18)"`
	Owes  [16]byte  `parquet:"owes,decimal(3:38)"`
	Class string    `parquet:"class"`
}

func ptr[T any](v T) *T { return &v }

func people() []person {
	day := time.Unix(0, 0)
	owes := func(last ...byte) (b [16]byte) {
		if last[0] >= 0x80 {
			for i := range b {
				b[i] = 0xff
			}
		}
		copy(b[16-len(last):], last)
		return b
	}
	return []person{
		{ptr(int32(30)), ptr("cook"), ptr(int32(2)), day.Add(12 * time.Hour), 1050, owes(5, 220), "p"}, // 10.5, 1.5
		{nil, nil, nil, day.Add(48 * time.Hour), -25, owes(0xfe, 0x0c), "q"},                           // -.25, -.5
		{ptr(int32(50)), ptr("smith"), ptr(int32(8)), day.Add(24 * time.Hour), 300, owes(1), "q"},
	}
}

// TestFrame: nulls are missing values, dates and timestamps are days, decimals are numbers, whole and in blocks.
func TestFrame(t *testing.T) {
	path := write(t, "people.parquet", people())
	f := must(data.ReadFrame(t.Context(), data.Options{}, path))
	c := must(f.Learn(data.ColumnOptions{}))
	want := map[string][]float64{
		"age": {30, 30, 50}, "age=(missing)": {0, 1, 0}, "job=cook": {1, 0, 0}, "job=smith": {0, 0, 1}, "job=(missing)": {0, 1, 0},
		"born": {2, 2, 8}, "born=(missing)": {0, 1, 0}, "seen": {.5, 2, 1},
		"seen sin(hour)": {math.Sin(math.Pi), 0, 0}, "seen cos(hour)": {-1, 1, 1}, "paid": {10.5, -.25, 3}, "owes": {1.5, -.5, .001},
	}
	check := func(what string, set *data.Set) {
		t.Helper()
		if len(set.Names) != len(want) || !slices.Equal(set.Labels, []string{"p", "q", "q"}) {
			t.Fatalf("%s: columns %q, labels %q", what, set.Names, set.Labels)
		}
		x := set.X.(*tensor.Dense).Float64s()
		for j, name := range set.Names {
			for i, w := range want[name] {
				if got := x[i*len(want)+j]; got != w {
					t.Errorf("%s: row %d of %s is %v, want %v", what, i, name, got, w)
				}
			}
		}
	}
	check("a frame", must(c.Set(f)))
	check("rows", must(data.Read(path, data.Options{Columns: c})))
	s := must(data.OpenStream(data.StreamOptions{BlockRows: 2}, path))
	must(s.Learn(t.Context(), data.ColumnOptions{}))
	v := must(s.Survey(t.Context(), 3))
	check("blocks", v.Sample)
}

type dated struct {
	A float64
	Y int32 `parquet:",date"`
}

// TestFrameLabels: a date that is the label of classification is a class, and rows without a label can be left out.
func TestFrameLabels(t *testing.T) {
	dates := write(t, "y.parquet", []dated{{1, 0}, {2, 365}}, parquet.Compression(&parquet.Uncompressed))
	unlabelled := write(t, "u.parquet", []struct{ A, Y *string }{{ptr("u"), nil}, {ptr("v"), ptr("p")}, {nil, ptr("NA")}, {nil, ptr("q")}})
	for path, want := range map[string][]string{dates: {"1970-01-01T00:00:00Z", "1971-01-01T00:00:00Z"}, unlabelled: {"p", "q"}} {
		if f, err := data.ReadFrame(t.Context(), data.Options{DropUnlabelled: true}, path); err != nil || !slices.Equal(f.Labels, want) {
			t.Errorf("%s: %+v, %v", path, f, err)
		}
	}
}

// TestConvert: files that are converted have the rows of the files that they are made of, in either format.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"named.csv":  "b,a,y\n1,.1,0\n-3,,1\n1e300,5e-324,0\n",
		"other.csv":  "a,y,b\n7,1,8\n",
		"texts.csv":  "z,job,y\n1,cook,p\n2,NA,q\n3,smith,p\n,17,r\n",
		"row.libsvm": "1 2:.5\n-1 1:3 4:-2\n",
		"cls.libsvm": "yes 2:.5\nno 1:3\n",
	} {
		mustDo(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	people := write(t, "people.parquet", people())
	for _, c := range []struct {
		files string
		out   string // the extensions
		want  string // the columns of the frame, and the cells of those of numbers
	}{
		{"named.csv other.csv", ".npy .parquet", "b 1 -3 1e+300 8; a 0.1 NaN 5e-324 7; y 0 1 0 1"},
		{"texts.csv", ".parquet", `z 1 2 3 NaN; job cook "" smith 17; y p q p r`},
		{"row.libsvm", ".npy .parquet", "column 1 0 3; column 2 0.5 0; column 3 0 0; column 4 0 -2; label 1 -1"},
		{"cls.libsvm", ".parquet", "column 1 0 3; column 2 0.5 0; label yes no"},
		{people, ".parquet", `age 30 NaN 50; job cook "" smith; born days=2 NaN days=8; ` +
			`seen days=0.5 days=2 days=1; paid 10.5 -0.25 3; owes 1.5 -0.5 0.001; class p q q`},
	} {
		var paths []string
		for _, name := range strings.Fields(c.files) {
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			paths = append(paths, name)
		}
		for _, ext := range strings.Fields(c.out) {
			out := filepath.Join(dir, "out"+ext)
			if err := data.Convert(t.Context(), data.Options{}, out, paths...); err != nil {
				t.Errorf("%s to %s: %v", c.files, ext, err)
				continue
			}
			got, want := cellsOf(t, out), c.want
			if ext == ".npy" { // which has no names
				for j, part := range strings.Split(want, "; ") {
					name := strings.Join(strings.Fields(part)[:1], "")
					if name != "column" {
						want = strings.Replace(want, name+" ", fmt.Sprintf("column %d ", j+1), 1)
					}
				}
			}
			if got != want {
				t.Errorf("%s to %s: %s, want %s", c.files, ext, got, want)
			}
		}
	}
	for name, c := range map[string]struct {
		out, in string
		err     error
		says    string
	}{
		"texts":   {"a.npy", "texts.csv", data.ErrFormat, `texts.csv:2: column "job" is "cook", and .npy holds numbers alone; write .parquet`},
		"format":  {"a.csv", "named.csv", data.ErrFormat, ".npy or .parquet"},
		"packed":  {"a.npy.gz", "named.csv", data.ErrFormat, ".npy or .parquet"},
		"columns": {"a.npy", "named.csv texts.csv", data.ErrFormat, "give files of the same columns"},
		"no file": {"a.npy", "none.csv", os.ErrNotExist, "none.csv"},
		"folder":  {"none/a.npy", "named.csv", os.ErrNotExist, "none"},
	} {
		var paths []string
		for _, in := range strings.Fields(c.in) {
			paths = append(paths, filepath.Join(dir, in))
		}
		err := data.Convert(t.Context(), data.Options{}, filepath.Join(dir, c.out), paths...)
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, c.out)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file is left", name)
		}
	}
}

// cellsOf are the columns of a file as text; those of .npy by way of another conversion.
func cellsOf(t *testing.T, path string) string {
	t.Helper()
	if filepath.Ext(path) == ".npy" {
		mustDo(data.Convert(t.Context(), data.Options{}, path+".parquet", path))
		path += ".parquet"
	}
	f := must(os.Open(path))
	table := must(open(f))
	defer table.Close()
	columns := must(table.Next(100))
	var all []string
	for j, c := range columns {
		text := table.Columns()[j]
		for i := range c.Len() {
			switch {
			case c.Texts != nil && c.Texts.Codes[i] < 0:
				text += ` ""`
			case c.Texts != nil:
				text += " " + c.Texts.Distinct[c.Texts.Codes[i]]
			case c.Times && !math.IsNaN(c.Numbers[i]):
				text += " days=" + fmt.Sprint(c.Numbers[i])
			default:
				text += " " + fmt.Sprint(c.Numbers[i])
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
