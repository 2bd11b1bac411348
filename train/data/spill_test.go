package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bochner-go/bochner/ops"
)

// spillFolder makes the folder of temporary files an empty one, and skips the test where nothing is kept in one.
func spillFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	f, err := createSpill(dir)
	if err != nil {
		t.Skipf("no rows are kept here: %v", err)
	}
	f.Close()
	return dir
}

// passOf is all that the blocks of a pass hold, in bits.
func passOf(t *testing.T, s *Stream, epoch int) (out []string) {
	t.Helper()
	bits := func(v []float64) []uint64 {
		b := make([]uint64, len(v))
		for i := range v {
			b[i] = math.Float64bits(v[i])
		}
		return b
	}
	for b, err := range s.Blocks(context.Background(), epoch) {
		if err != nil {
			t.Fatal(err)
		}
		var x any = nil
		if c, ok := b.X.(*ops.CSR); ok {
			x = fmt.Sprint("sparse", c.Pointers(), c.Columns(), bits(c.Float64s()))
		} else {
			x = bits(cells(b.Set))
		}
		out = append(out, fmt.Sprint(b.X.Shape(), x, b.Y == nil, bits(b.Y), b.Labels == nil, b.Labels, b.IDs == nil, b.IDs, b.Names, b.LabelNames, b.Source, b.Columns, b.at))
	}
	return out
}

// spillCases are files and ways to read them.
func spillCases(t *testing.T) map[string]struct {
	o    StreamOptions
	path string
} {
	type c = struct {
		o    StreamOptions
		path string
	}
	text := libsvmText(103, 4)
	text[7] = "b 3:-0 4:1e-300\n"
	var numbers, named []string
	for i := range 90 {
		numbers = append(numbers, fmt.Sprintf("%d,%v,-0,%d,%v\n", i, math.Sqrt(float64(i)), i%7, float64(i)/3))
		named = append(named, fmt.Sprintf("row %d,%s,%d,%s\n", i, []string{"red", "green", ""}[i%3], i*i%11, []string{"yes", "no"}[i%2]))
	}
	dir := t.TempDir()
	table := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(table, []byte("id,colour,size,class\n"+strings.Join(named, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	return map[string]c{
		"sparse":    {StreamOptions{BlockRows: 16, Options: Options{Form: FormSparse}}, folder(t, text, ".libsvm", 30, 31)},
		"text":      {StreamOptions{BlockRows: 10}, folder(t, text, ".svm.gz", 50)},
		"unlabeled": {StreamOptions{BlockRows: 9, Options: Options{Label: LabelNone}}, folder(t, numbers, ".csv", 33)},
		"csv":       {StreamOptions{BlockRows: 32}, folder(t, numbers, ".csv.zst", 1, 80)},
		"targets":   {StreamOptions{BlockRows: 7, Options: Options{Task: Regression, LabelNames: []string{"b", "e"}}}, folder(t, append([]string{"a,b,c,d,e\n"}, numbers...), ".csv")},
		"as sparse": {StreamOptions{BlockRows: 8, Options: Options{Form: FormSparse}}, folder(t, numbers, ".csv", 40)},
		"table":     {StreamOptions{BlockRows: 11, Options: Options{ID: "id", LabelNames: []string{"class"}}}, table},
	}
}

// TestSpill: what is kept of a Survey is, to the bit, what the files hold, in order and shuffled, whole and in parts,
// from the next pass to the next Survey; and the files may be gone by then.
func TestSpill(t *testing.T) {
	dir := spillFolder(t)
	ctx := context.Background()
	for name, c := range spillCases(t) {
		for _, shuffle := range []int{0, 20} {
			c.o.Shuffle, c.o.Seed = shuffle, 5
			open := func(bytes int64) (s, rest, held *Stream) {
				o := c.o
				o.SpillBytes = bytes
				s = stream(t, o, c.path)
				if name == "table" {
					if _, err := s.Learn(ctx, ColumnOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				rest, held = s.Split(.3, 2)
				return s, rest, held
			}
			kept, keptRest, keptHeld := open(0)
			parsed, parsedRest, parsedHeld := open(-1)
			for _, size := range []int{0, 40} {
				a, err := keptRest.Survey(ctx, size)
				if err != nil {
					t.Fatal(name, err)
				}
				b, err := parsedRest.Survey(ctx, size)
				if err != nil {
					t.Fatal(name, err)
				}
				a.stream, b.stream = nil, nil // which differ
				if !reflect.DeepEqual(a, b) {
					t.Fatalf("%s: survey %+v, want %+v", name, a, b)
				}
			}
			if n, err := keptHeld.Spilled(); n == 0 || err != nil {
				t.Fatalf("%s: %d bytes are kept: %v", name, n, err)
			}
			if n, err := parsed.Spilled(); n != 0 || err != nil {
				t.Fatalf("%s: %d bytes are kept where none were to be: %v", name, n, err)
			}
			for epoch := range 2 {
				for i, pair := range [][2]*Stream{{kept, parsed}, {keptRest, parsedRest}, {keptHeld, parsedHeld}, {keptRest.InOrder(), parsedRest.InOrder()}} {
					if got, want := passOf(t, pair[0], epoch), passOf(t, pair[1], epoch); !slices.Equal(got, want) || len(want) == 0 {
						t.Errorf("%s, shuffle %d, part %d: other blocks than parsed ones", name, shuffle, i)
					}
				}
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 && os.PathSeparator == '/' {
				t.Errorf("%s: the folder of temporary files holds %v (%v)", name, left, err)
			}
			kept.Dense()
			parsed.Dense()
			want := passOf(t, parsed, 0)
			if got := passOf(t, kept, 0); !slices.Equal(got, want) {
				t.Errorf("%s: other dense blocks", name)
			}
			if err := kept.Close(); err != nil {
				t.Error(err)
			}
			if n, err := kept.Spilled(); n != 0 || err != nil || kept.Close() != nil {
				t.Errorf("%s: %d bytes are kept after Close: %v", name, n, err)
			}
			if got := passOf(t, kept, 0); !slices.Equal(got, want) {
				t.Errorf("%s: other blocks after Close", name)
			}
		}
	}
}

// TestSpillOutlivesFiles: later passes see neither a file that changed nor one that went.
func TestSpillOutlivesFiles(t *testing.T) {
	spillFolder(t)
	in := folder(t, libsvmText(50, 1), ".libsvm", 20)
	s := stream(t, StreamOptions{BlockRows: 8}, in)
	if _, err := s.Survey(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	want := passOf(t, s, 0)
	if err := errors.Join(os.Remove(filepath.Join(in, "part-00.libsvm")), os.WriteFile(filepath.Join(in, "part-01.libsvm"), []byte("a 1:7\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(passOf(t, s, 0), want) {
		t.Error("a later pass sees that the files have changed")
	}
	s.Close()
	for _, err := range s.Blocks(context.Background(), 0) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	}
}

// TestSpillGivesUp: rows that cannot be kept are parsed again, with the reason told.
func TestSpillGivesUp(t *testing.T) {
	dir := spillFolder(t)
	in := folder(t, libsvmText(300, 1), ".libsvm", 20)
	want := passOf(t, func() *Stream {
		s := stream(t, StreamOptions{SpillBytes: -1}, in)
		if _, err := s.Survey(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		return s
	}(), 0)
	check := func(what string, limit int64, texts ...string) {
		t.Helper()
		s := stream(t, StreamOptions{SpillBytes: limit}, in)
		if _, err := s.Survey(context.Background(), 5); err != nil {
			t.Fatal(what, err)
		}
		n, why := s.Spilled()
		if n != 0 || !errors.Is(why, errSpill) {
			t.Fatalf("%s: %d bytes are kept: %v", what, n, why)
		}
		for _, text := range texts {
			if !strings.Contains(why.Error(), text) {
				t.Errorf("%s: %q lacks %q", what, why, text)
			}
		}
		if !slices.Equal(passOf(t, s, 0), want) {
			t.Errorf("%s: other blocks", what)
		}
		if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
			t.Errorf("%s: the folder holds %v", what, left)
		}
	}
	for _, limit := range []int64{1, 100, 5000} {
		check("limit", limit, fmt.Sprintf("more than the %d bytes", limit), dir, "parsed again in every pass")
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, filepath.Join(dir, "none"))
	}
	check("no folder", 0, "none")
}

// TestSpillDiskFull: what the disk refuses gives the disk back and says why.
func TestSpillDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("the system has no device that is always full")
	}
	for size, late := range map[int]bool{16: false, 1 << 20: true} { // when it is written, and when it is flushed
		p := &spiller{limit: 1 << 30, codes: map[string]uint32{}, w: bufio.NewWriterSize(full, size)}
		p.file, p.files = full, make([]spilled, 1)
		r, err := openFile(filepath.Join(folder(t, libsvmText(100, 3), ".libsvm"), "part-00.libsvm"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := tee{r, p, 0}
		for range 2 {
			if _, err := w.more(50); err != nil {
				t.Fatal(err)
			}
			if set, err := w.take(11, true); err != nil || set.Rows() != 50 {
				t.Fatal("what cannot be kept cannot be read either", err)
			}
		}
		r.close()
		if (p.err == nil) != late {
			t.Errorf("buffer of %d: %v", size, p.err)
		}
		if kept, err := p.finish(); kept != nil || !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, errSpill) || p.file != nil {
			t.Errorf("buffer of %d: %v, %v", size, kept, err)
		}
		if full, err = os.OpenFile("/dev/full", os.O_RDWR, 0); err != nil {
			t.Fatal(err)
		}
	}
	full.Close()
}

// openFiles counts the open files of the process.
func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the system does not list open files")
	}
	return len(files)
}

// TestSpillErrors: a Survey that fails or is cancelled says what it says without a spill, and leaves no file open.
func TestSpillErrors(t *testing.T) {
	dir := spillFolder(t)
	lines := slices.Repeat([]string{"1,2,3\n"}, 100)
	lines[77] = "1,NaN,3\n"
	in := folder(t, lines, ".csv", 60)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	before := openFiles(t)
	for _, ctx := range []context.Context{context.Background(), cancelled} {
		var said [2]string
		for i, limit := range []int64{0, -1} {
			s := stream(t, StreamOptions{BlockRows: 10, SpillBytes: limit}, in)
			_, err := s.Survey(ctx, 3)
			if err == nil {
				t.Fatal("no error")
			}
			said[i] = err.Error()
			if n, why := s.Spilled(); n != 0 || why != nil {
				t.Errorf("%d bytes are kept: %v", n, why)
			}
			if now := openFiles(t); now > before { // the collector may close one of another test
				t.Errorf("%d files are open, %d before", now, before)
			}
		}
		if said[0] != said[1] {
			t.Errorf("%q, and without a spill %q", said[0], said[1])
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder holds %v (%v)", left, err)
	}
}

// TestSpillOfArrays: plain arrays are binary as they are; packed ones are kept. Learning columns forgets rows that
// were kept before.
func TestSpillOfArrays(t *testing.T) {
	spillFolder(t)
	array := npy(npyDictOf("<f8", "False", "(2, 3)"), nil, nil)
	array = append(array, make([]byte, 48)...)
	for ext, keeps := range map[string]bool{".npy": false, ".npy.gz": true, ".npy.zst": true} {
		s := stream(t, StreamOptions{}, folder(t, []string{string(array)}, ext))
		if _, err := s.Survey(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		if n, why := s.Spilled(); (n > 0) != keeps || why != nil {
			t.Errorf("%s: %d bytes are kept: %v", ext, n, why)
		}
	}
	s := stream(t, StreamOptions{}, folder(t, []string{"a,b,y\n", "1,2,u\n", "3,4,v\n"}, ".csv"))
	if _, err := s.Survey(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Learn(context.Background(), ColumnOptions{}); err != nil {
		t.Fatal(err)
	}
	if n, why := s.Spilled(); n != 0 || why != nil {
		t.Errorf("%d bytes are kept: %v", n, why)
	}
}

// TestSpillWide: a row that is longer than the buffer of the reader comes back whole.
func TestSpillWide(t *testing.T) {
	spillFolder(t)
	const d = 70_000
	var lines []string
	for i := range 3 {
		var b strings.Builder
		for j := range d {
			fmt.Fprintf(&b, "%d,", i*j%13)
		}
		lines = append(lines, b.String()+"x\n")
	}
	in := folder(t, lines, ".csv", 1)
	var passes [2][]string
	for i, limit := range []int64{0, -1} {
		s := stream(t, StreamOptions{SpillBytes: limit, BlockRows: 2}, in)
		if _, err := s.Survey(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		if n, _ := s.Spilled(); i == 0 && n != 3*(8*d+4) {
			t.Errorf("%d bytes are kept", n)
		}
		passes[i] = passOf(t, s, 0)
	}
	if !slices.Equal(passes[0], passes[1]) {
		t.Error("other blocks than parsed ones")
	}
}
