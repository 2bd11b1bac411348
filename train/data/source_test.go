package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

func zip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must(w.Write([]byte(text)))
	mustDo(w.Close())
	return b.String()
}

func TestReadErrors(t *testing.T) {
	fails(t, failed(Read(filepath.Join(t.TempDir(), "none.csv"), Options{})), fs.ErrNotExist, "none.csv")
	for _, name := range []string{"a.arff", "a", "a.gz", ".csv.zip"} {
		fails(t, failed(Read(name, Options{})), ErrFormat, name, ".libsvm", ".npy")
	}
	fails(t, failed(Read(fileOf(t, "a.csv.gz", "1,2\n"), Options{})), ErrFormat, "a.csv.gz", "is not gzip")
	fails(t, failed(Read(fileOf(t, "a.csv.gz", ""), Options{})), ErrFormat, "is empty")
	dir := filepath.Join(t.TempDir(), "d.csv")
	mustDo(os.Mkdir(dir, 0o700))
	if _, err := Read(dir, Options{}); err == nil || !strings.Contains(err.Error(), "d.csv") {
		t.Errorf("a directory: %v", err)
	}
}

// Every way in which gzip data can be damaged is an error of the file, in each format.
func TestDamagedGzip(t *testing.T) {
	text := map[string]string{
		".svm": strings.Repeat("1 1:5 2:7\n", 1000), ".csv": strings.Repeat("5,7,1\n", 1000),
		".npy": arrayOf("<f8", "False", "(100, 3)", make([]float64, 300)),
	}
	for ext, plain := range text {
		whole := []byte(zip(plain))
		for cut := 2; cut < len(whole); cut++ {
			fails(t, failed(Read(fileOf(t, "a"+ext+".gz", string(whole[:cut])), Options{})),
				ErrFormat, "a"+ext+".gz", "truncated")
		}
		fails(t, failed(Read(fileOf(t, "a"+ext, string(append(bytes.Clone(whole), "trailing bytes"...))), Options{})),
			ErrFormat, "a"+ext, "trailing garbage")
		whole[len(whole)-5]++ // checksum
		fails(t, failed(Read(fileOf(t, "a"+ext, string(whole)), Options{})), ErrFormat, "damaged")
		whole[12] ^= 0xff // compressed data
		fails(t, failed(Read(fileOf(t, "a"+ext, string(whole)), Options{})), ErrFormat)
	}
}

// Two gzip members one after the other are one file, by RFC 1952.
func TestGzipMembers(t *testing.T) {
	s, err := ReadCSV(strings.NewReader(zip("1,2\n")+zip("3,4\n5,6\n")), "f", Options{Label: LabelNone})
	if err != nil || s.Rows() != 3 {
		t.Fatalf("%v, %v", s, err)
	}
}

// broken gives some text and then fails.
type broken struct {
	text string
	err  error
}

func (b *broken) Read(p []byte) (int, error) {
	n := copy(p, b.text)
	b.text = b.text[n:]
	if n == 0 {
		return 0, b.err
	}
	return n, nil
}

func TestReaderErrorsComeThrough(t *testing.T) {
	own := errors.New("disk on fire")
	array := arrayOf("<f8", "False", "(2, 3)", []float64{1, 2, 3})
	for text, read := range map[string]func(io.Reader, string, Options) (*Set, error){
		"":          ReadCSV,
		"1 1:2\n":   ReadLIBSVM,
		"1,2,3\n3":  ReadCSV,
		array:       ReadNPY,
		array[:4]:   ReadNPY,
		array[:9]:   ReadNPY,
		array[:40]:  ReadNPY,
		"\xef\xbb1": ReadLIBSVM,

		zip(array)[:20]: ReadNPY,
	} {
		fails(t, failed(read(&broken{text, own}, "f", Options{Dims: 2})), own, "data: f")
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		says string
	}{
		{Options{Label: 3}, "Label(3)"}, {Options{Label: -1}, "Label(-1)"}, {Options{Task: 2}, "Task(2)"},
		{Options{Dims: -1}, "-1"}, {Options{Dims: maxIndex + 1}, "16777217"}, {Options{MaxCells: -5}, "-5"}, {Options{Form: 3}, "Form = 3"},
	} {
		fails(t, failed(ReadCSV(strings.NewReader("1,2\n"), "f", c.o)), domain.ErrParam, c.says)
	}
	for _, l := range []Label{LabelLast, LabelFirst, LabelNone} {
		if got, err := ParseLabel(l.String()); got != l || err != nil {
			t.Errorf("ParseLabel(%q) = %v, %v", l, got, err)
		}
	}
	fails(t, failed(ParseLabel("middle")), domain.ErrParam, `"middle"`, "last, first or none")
	if Classification.String() != "classification" || Regression.String() != "regression" {
		t.Error("names of tasks")
	}
}

// TestMaxWindow: zstd data that ask for a larger window than is allowed are refused before it is made, with the remedy;
// others are read.
func TestMaxWindow(t *testing.T) {
	file := arrayOf("<f8", "False", "(1000, 3)", make([]float64, 3000))
	read := func(packed string, most int) (*Set, error) {
		return ReadNPY(strings.NewReader(packed), "f.npy", Options{Label: LabelNone, MaxWindow: most})
	}
	for name, s := range map[string]*Set{
		"default": must(read(packedBytes(26, file), 0)), "at the limit": must(read(packedBytes(20, file), 1<<20)),
		"gzip": must(read(zip(file), 1<<10)),
	} {
		if s.Rows() != 1000 {
			t.Errorf("%s: %d rows", name, s.Rows())
		}
	}
	fails(t, failed(read(packedBytes(21, file), 1<<20)),
		ErrFormat, "larger window than is allowed; pack them without --long")
	for _, most := range []int{-1, 1, 1<<28 + 1} {
		fails(t, failed(read(file, most)), domain.ErrParam, "MaxWindow")
	}
}
