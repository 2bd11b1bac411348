package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

func zip(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadByExtension(t *testing.T) {
	array := string(npy(npyDictOf("<f8", "False", "(1, 3)"), binary.LittleEndian, []float64{5, 7, 1}))
	const svm, csv = "1 1:5 2:7\n", "5,7,1\n"
	for name, text := range map[string]string{
		"a.libsvm": svm, "a.svm": svm, "a.svmlight": svm, "a.txt": svm, "a.csv": csv, "a.npy": array, "A.CSV": csv, "a.b.Npy": array,
	} {
		for _, file := range []string{
			write(t, name, []byte(text)), write(t, name+".gz", zip(text)), write(t, name+".GZ", zip(text)), write(t, name, zip(text)),
		} {
			s, err := Read(file, Options{})
			if err != nil {
				t.Error(err)
				continue
			}
			if x := cells(s); s.Source != file || s.Rows() != 1 || s.Dims() != 2 || x[0] != 5 || x[1] != 7 || s.Labels[0] != "1" {
				t.Errorf("%s: %v, %q, source %s", name, x, s.Labels, s.Source)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "none.csv"), Options{})
	fails(t, err, fs.ErrNotExist, "none.csv")
	for _, name := range []string{"a.arff", "a", "a.gz", ".csv.zip"} {
		_, err = Read(name, Options{})
		fails(t, err, ErrFormat, name, ".libsvm", ".npy")
	}
	_, err = Read(write(t, "a.csv.gz", []byte("1,2\n")), Options{})
	fails(t, err, ErrFormat, "a.csv.gz", "is not gzip")
	_, err = Read(write(t, "a.csv.gz", nil), Options{})
	fails(t, err, ErrFormat, "is empty")
	dir := filepath.Join(t.TempDir(), "d.csv")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err = Read(dir, Options{}); err == nil || !strings.Contains(err.Error(), "d.csv") {
		t.Errorf("a directory: %v", err)
	}
}

// Every way in which gzip data can be damaged is an error of the file, in each format.
func TestDamagedGzip(t *testing.T) {
	text := map[string]string{
		".svm": strings.Repeat("1 1:5 2:7\n", 1000), ".csv": strings.Repeat("5,7,1\n", 1000),
		".npy": string(npy(npyDictOf("<f8", "False", "(100, 3)"), binary.LittleEndian, make([]float64, 300))),
	}
	for ext, plain := range text {
		whole := zip(plain)
		for cut := 2; cut < len(whole); cut++ {
			_, err := Read(write(t, "a"+ext+".gz", whole[:cut]), Options{})
			fails(t, err, ErrFormat, "a"+ext+".gz", "truncated")
		}
		_, err := Read(write(t, "a"+ext, append(bytes.Clone(whole), "trailing bytes"...)), Options{})
		fails(t, err, ErrFormat, "a"+ext, "trailing garbage")
		whole[len(whole)-5]++ // checksum
		_, err = Read(write(t, "a"+ext, whole), Options{})
		fails(t, err, ErrFormat, "damaged")
		whole[12] ^= 0xff // compressed data
		_, err = Read(write(t, "a"+ext, whole), Options{})
		fails(t, err, ErrFormat)
	}
}

// Two gzip members one after the other are one file, by RFC 1952.
func TestGzipMembers(t *testing.T) {
	s, err := ReadCSV(bytes.NewReader(append(zip("1,2\n"), zip("3,4\n5,6\n")...)), "f", Options{Label: LabelNone})
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
	array := string(npy(npyDictOf("<f8", "False", "(2, 3)"), binary.LittleEndian, []float64{1, 2, 3}))
	for text, read := range map[string]func(io.Reader, string, Options) (*Set, error){
		"":          ReadCSV,
		"1 1:2\n":   ReadLIBSVM,
		"1,2,3\n3":  ReadCSV,
		array:       ReadNPY,
		array[:4]:   ReadNPY,
		array[:9]:   ReadNPY,
		array[:40]:  ReadNPY,
		"\xef\xbb1": ReadLIBSVM,

		string(zip(array)[:20]): ReadNPY,
	} {
		_, err := read(&broken{text, own}, "f", Options{Dims: 2})
		fails(t, err, own, "data: f")
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
		_, err := ReadCSV(strings.NewReader("1,2\n"), "f", c.o)
		fails(t, err, domain.ErrParam, c.says)
	}
	for _, l := range []Label{LabelLast, LabelFirst, LabelNone} {
		if got, err := ParseLabel(l.String()); got != l || err != nil {
			t.Errorf("ParseLabel(%q) = %v, %v", l, got, err)
		}
	}
	_, err := ParseLabel("middle")
	fails(t, err, domain.ErrParam, `"middle"`, "last, first or none")
	if Classification.String() != "classification" || Regression.String() != "regression" {
		t.Error("names of tasks")
	}
}
