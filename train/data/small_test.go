package data

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// mostOfSmall is what reading a file of less than 64 KiB may take beside the rows that it returns.
const mostOfSmall = 256 << 20

// readings are the ways to read a file, and what is returned takes that many bytes.
var readings = map[string]func(path string) (bytes int, err error){
	"Read": func(path string) (int, error) { s, err := Read(path, Options{}); return sizeOf(s), err },
	"numbers": func(path string) (int, error) {
		s, err := Read(path, Options{Label: LabelNone, Header: HeaderNo})
		return sizeOf(s), err
	},
	"sparse": func(path string) (int, error) { s, err := Read(path, Options{Form: FormSparse}); return sizeOf(s), err },
	"ReadFrame": func(path string) (int, error) {
		f, err := ReadFrame(context.Background(), Options{Label: LabelNone}, path)
		if err != nil {
			return 0, err
		}
		size := len(f.Names)*80 + f.rows*8
		for j := range f.columns {
			size += 8 * f.columns[j].Len()
		}
		return size, nil
	},
	"ReadBags":      func(path string) (int, error) { s, err := ReadBags(path, Options{}); return sizeOf(s), err },
	"ReadImageBags": func(path string) (int, error) { s, err := ReadImageBags(path, true, 0); return sizeOf(s), err },
}

func sizeOf(s *Set) int {
	if s == nil {
		return 0
	}
	size := 8*len(s.Y) + 24*len(s.Labels) + 40*len(s.Names)
	switch x := s.X.(type) {
	case *tensor.Dense:
		size += 8 * x.Shape().TotalSize()
	case *ops.CSR:
		size += 12*x.Stored() + 8*x.Shape()[0]
	case *ops.Bags:
		size += 8*x.Samples().Shape().TotalSize() + 40*x.Shape()[0]
	}
	return size
}

// heldDuring is by how much the heap grows while f runs, garbage included.
func heldDuring(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	held := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	before, done, most := held(), make(chan struct{}), make(chan uint64)
	go func() {
		top := uint64(0)
		for {
			top = max(top, held())
			select {
			case <-done:
				most <- top
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	f()
	close(done)
	if top := <-most; top > before {
		return top - before
	}
	return 0
}

// readSmall reads a file in the ways of that name.
func readSmall(t *testing.T, ext, file string, ways ...string) (errs []error) {
	t.Helper()
	path := fileOf(t, "f"+ext, file)
	for _, name := range ways {
		read := readings[name]
		var size int
		var err error
		if held := heldDuring(func() { size, err = read(path) }); held > mostOfSmall+uint64(size) {
			t.Errorf("%s of %d bytes of %s holds %d MiB, and returns %d MiB; %v", name, len(file), ext, held>>20, size>>20, err)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errs
}

// runs is a zstd frame of one byte many times, by hand: encoders find shorter blocks. The window is 2^log bytes.
func runs(log, blocks int, of byte) string {
	const size = 1 << 17
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3}
	for i := range blocks {
		head := size<<3 | 1<<1
		if i == blocks-1 {
			head |= 1
		}
		b = append(b, byte(head), byte(head>>8), byte(head>>16), of)
	}
	return string(b)
}

// smallFileCase is a file of less than 64 KiB that asks for much.
type smallFileCase struct {
	ext, file string
	ways      string // the readings by which it can be told what takes memory
	says      string // in an error of one of them
}

func smallFiles() []smallFileCase {
	after := func(head, rest string) string { return packedBytes(10, head) + rest }
	quoted := "1,2\n\"" + strings.Repeat("a\n", 15_000_000) + "\",3\n"
	zeros := arrayOf("|u1", "False", "(30000000, 1)", nil)
	const unpack, wide = "unpack the file first", "at most 1048576 are allowed"
	return []smallFileCase{
		{".csv.zst", runs(17, 240, ','), "Read", wide},
		{".csv.zst", runs(17, 1, ','), "Read ReadFrame", ""},
		{".csv.zst", after("1,2\n", runs(17, 240, ',')), "Read", "all lines must have the same number"},
		{".csv.zst", runs(17, 240, '1'), "Read", unpack},
		{".csv.zst", runs(17, 15000, '\n'), "Read", unpack},
		{".csv.zst", after("1,2\n\"", runs(17, 15000, ',')), "Read", unpack},
		{".csv.zst", runs(27, 240, ','), "Read ReadFrame", wide},
		{".csv.zst", runs(28, 240, ','), "Read", "larger window than is allowed"},
		{".libsvm.zst", runs(17, 15000, '1'), "Read", unpack},
		{".libsvm.zst", after("1 1:1\n", runs(17, 15000, '\n')), "Read", unpack},
		{".csv.gz", zip(quoted), "Read", unpack},
		{".tsv.gz", zip(strings.Repeat("1\t", 1<<21) + "2\n1\n"), "Read", wide},
		{".csv.gz", zip(strings.Repeat("0\n", 3_500_000) + "x,y\n"), "numbers ReadFrame", "3500001"},
		{".npy.gz", zip(zeros + strings.Repeat("\x00", 30_000_000)), "Read ReadFrame ReadImageBags", unpack},
		{".npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff", "Read", "header of 4294967295 bytes"},
		{".npy", arrayOf("<f8", "False", "(2000000000, 4194304)", []float64{1}), "Read ReadFrame", "ends early"},
		{".libsvm", "1 16777216:1\n", "Read sparse", "allowed"},
	}
}

// packedBytes is a zstd frame of RFC 8878 by hand, of one block that is the text as it is: an encoder announces no
// larger window than it needs. The window is 2^log bytes, and the content size is not there.
func packedBytes(log int, text string) string {
	size := len(text)<<3 | 1
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3, byte(size), byte(size >> 8), byte(size >> 16)}
	return string(b) + text
}

// TestSmallFiles: no file of less than 64 KiB makes a reader take more than 256 MiB beside what it returns, and the
// error tells the limit.
func TestSmallFiles(t *testing.T) {
	for i, f := range smallFiles() {
		if len(f.file) >= 1<<16 {
			t.Fatalf("file %d has %d bytes", i, len(f.file))
		}
		var said strings.Builder
		for _, err := range readSmall(t, f.ext, f.file, strings.Fields(f.ways)...) {
			fmt.Fprintln(&said, err)
		}
		if !strings.Contains(said.String(), f.says) {
			t.Errorf("file %d (%s) wants an error with %q:\n%s", i, f.ext, f.says, &said)
		}
	}
}

// TestWideRecords: a line has at most as many columns as an array, and no more fields than the first, and a cell of
// many lines is no longer than a line; each is found before the line is held.
func TestWideRecords(t *testing.T) {
	fails(t, failed(ReadCSV(strings.NewReader(strings.Repeat(",", maxColumns+1<<17)), "f", Options{})),
		ErrFormat, "f:1: ", "at most 4194304 are allowed", "LIBSVM")
	fails(t, failed(ReadCSV(strings.NewReader("\n\"a\nb\",2\n"+strings.Repeat("\"\n\",", 1<<17)), "f", Options{})),
		ErrFormat, "f:4: ", "line 2 has 2")
	s := must(open(endless{}, "f", Options{Delimiter: ','}, true))
	r := must(newCSV(s))
	p := r.(*csvFile)
	p.no, p.records.bytes, p.records.quoted = 6, maxLine-10, true
	fails(t, failed(p.records.Read(make([]byte, 100))),
		ErrFormat, "f:7: ", "longer than 268435456 bytes", "see that quotes are closed")
}

// FuzzSmall is TestSmallFiles for any file.
func FuzzSmall(f *testing.F) {
	exts := []string{".csv", ".tsv", ".libsvm", ".npy", ".csv.zst", ".libsvm.zst", ".npy.zst", ".csv.gz", ".npy.gz"}
	for _, s := range smallFiles() {
		for i, ext := range exts {
			if ext == s.ext && len(s.file) < 500 { // the others take time
				f.Add(uint8(i), []byte(s.file))
			}
		}
	}
	f.Fuzz(func(t *testing.T, ext uint8, file []byte) {
		if len(file) >= 1<<16 {
			return
		}
		readSmall(t, exts[int(ext)%len(exts)], string(file), slices.Collect(maps.Keys(readings))...)
	})
}
