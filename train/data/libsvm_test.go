package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

func TestReadLIBSVMErrors(t *testing.T) {
	refuses(t, ReadLIBSVM, "f.svm", []badFile{
		{"empty", "", Options{}, ErrFormat, []string{"data: f.svm: is empty"}},
		{"only comments", "# x\n\n", Options{}, ErrFormat, []string{"f.svm", "no rows"}},
		{"only a mark", "\xef\xbb\xbf", Options{}, ErrFormat, []string{"no rows"}},
		{"UTF-16", "\xff\xfe1\x00", Options{}, ErrFormat, []string{"UTF-16"}},
		{"no features", "1\n2\n", Options{}, ErrFormat, []string{"no features", "Options.Dims"}},
		{"no label", "1 1:1\n1:2 2:3\n", Options{}, ErrFormat, []string{"f.svm:2", `"1:2"`, "label"}},
		{"several labels", "1,3 1:1\n", Options{}, ErrFormat, []string{"f.svm:1", `"1,3"`}},
		{"index 0", "1 1:1\n\n1 0:1\n", Options{}, ErrFormat, []string{"f.svm:3", `"0:1"`, "count from 1"}},
		{"index -1", "1 -1:1\n", Options{}, ErrFormat, []string{"f.svm:1", `"-1:1"`, "below 1"}},
		{"index 4e9", "1 4000000000:1\n", Options{}, ErrFormat, []string{"4000000000:1", "16777216"}},
		{"index 2^24+1", "1 16777217:1\n", Options{}, ErrFormat, []string{"16777217:1"}},
		{"index beyond int64", "1 99999999999999999999999:1\n", Options{}, ErrFormat, []string{"above the largest"}},
		{"index text", "1 a:1\n", Options{}, ErrFormat, []string{`"a:1"`, "whole number"}},
		{"index fraction", "1 1.5:1\n", Options{}, ErrFormat, []string{`"1.5:1"`, "whole number"}},
		{"index empty", "1 :1\n", Options{}, ErrFormat, []string{`":1"`, "lacks its index"}},
		{"qid", "1 qid:3 1:1\n", Options{}, ErrFormat, []string{`"qid:3"`, "remove"}},
		{"no colon", "1 1:1 7\n", Options{}, ErrFormat, []string{`"7"`, "index:value"}},
		{"twice", "1 2:1 2:2\n", Options{}, ErrFormat, []string{`"2:2"`, "twice"}},
		{"unsorted", "1 3:1 2:2\n", Options{}, ErrFormat, []string{`"2:2"`, "index 3", "sort"}},
		{"value empty", "1 1:\n", Options{}, ErrFormat, []string{"f.svm:1", "feature 1", "empty"}},
		{"value text", "1 1:1 2:1:3\n", Options{}, ErrFormat, []string{"feature 2", `"1:3"`}},
		{"value hexadecimal", "1 1:0x1p4\n", Options{}, ErrFormat, []string{`"0x1p4"`}},
		{"value NaN", "1 1:1\n# c\n2 2:nan\n", Options{}, domain.ErrDomain, []string{"f.svm:3: feature 2", "x[1,1] = NaN", "drop the row"}},
		{"value Inf", "1 1:-inf\n", Options{}, domain.ErrDomain, []string{"x[0,0] = -Inf", "finite"}},
		{"value overflows", "1 1:1e999\n", Options{}, domain.ErrDomain, []string{`"1e999"`, "too large", "scale"}},
		{"value vanishes", "1 1:1e-999\n", Options{}, domain.ErrDomain, []string{`"1e-999"`, "becomes 0"}},
		{"class NaN", "nan 1:1\n", Options{}, domain.ErrDomain, []string{"f.svm:1", `"nan"`, "leave such rows out"}},
		{"target text", "1 1:1\ncat 1:1\n", Options{Task: Regression}, ErrFormat, []string{"f.svm:2", `"cat"`, "classification"}},
		{"target Inf", "Inf 1:1\n", Options{Task: Regression}, domain.ErrDomain, []string{`"Inf"`}},
		{"target overflows", "1e400 1:1\n", Options{Task: Regression}, domain.ErrDomain, []string{`"1e400"`, "too large"}},
		{"beyond Dims", "1 1:1\n1 6:1\n", Options{Dims: 5}, domain.ErrShape, []string{"f.svm:2", `"6:1"`, "5 features"}},
		{"too many cells", "1 16777216:1\n", Options{}, ErrFormat, []string{"1 rows of 16777216", "MaxCells"}},
		{"too many cells by Dims", "1\n", Options{Dims: 1 << 23}, ErrFormat, []string{"8388608", "MaxCells"}},
		{"MaxCells", "1 3:1\n1 1:1\n", Options{MaxCells: 5}, ErrFormat, []string{"2 rows of 3", "5 cells"}},
	})
}

// A line longer than every buffer is a line like any other.
func TestReadLIBSVMLongLine(t *testing.T) {
	const d = 100003
	var b strings.Builder
	for range 2 {
		b.WriteString("3")
		for j := range d {
			fmt.Fprintf(&b, " %d:%d.5", j+1, j)
		}
		b.WriteString("\n")
	}
	s := must(ReadLIBSVM(strings.NewReader(b.String()), "f", Options{}))
	if x := cells(s); s.Rows() != 2 || s.Dims() != d || x[d-1] != d-0.5 || x[d] != 0.5 || x[2*d-1] != d-0.5 {
		t.Errorf("%d x %d, last value %v", s.Rows(), s.Dims(), x[len(x)-1])
	}
}

// endless is a line without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestLineLimit(t *testing.T) {
	p := &libsvm{source: must(open(endless{}, "f", Options{}, true)), long: make([]byte, 0, maxLine+1<<17)}
	fails(t, failed(p.more(1)), ErrFormat, "data: f: a line is longer than 268435456 bytes")
}
