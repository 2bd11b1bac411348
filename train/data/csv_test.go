package data

import (
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

func TestReadCSVErrors(t *testing.T) {
	regression, none := Options{Task: Regression}, Options{Label: LabelNone}
	refuses(t, ReadCSV, "f.csv", []badFile{
		{"blank lines only", "\n\n", none, ErrFormat, []string{"no rows"}},
		{"header only", "a,b\n", none, ErrFormat, []string{"a header and no rows"}},
		{"ragged, short", "1,2,3\n4,5,6\n7,8\n", none, ErrFormat, []string{"f.csv:3", "has 2 fields, line 1 has 3"}},
		{"ragged, long", "a,b\n1,2,3\n", none, ErrFormat, []string{"f.csv:2", "has 3 fields, line 1 has 2"}},
		{"empty field", "a,b,y\n1,,3\n", regression, ErrFormat, []string{"f.csv:2", `column 2 ("b")`, "empty"}},
		{"blank field", "1,2\n3,  \n", none, ErrFormat, []string{"f.csv:2", "column 2", "empty"}},
		{"empty class", "1,2\n3,\n", Options{}, ErrFormat, []string{"f.csv:2", "label is empty"}},
		{"empty target", "1,2\n3, \n", regression, ErrFormat, []string{"f.csv:2", "label is empty"}},
		{"text", "1,2\n3,x\n", none, ErrFormat, []string{"f.csv:2", "column 2", `"x"`}},
		{"mixed first line", "1,b,c\n3,4,5\n", none, ErrFormat, []string{"f.csv:1", "column 2", `"b"`, "no header"}},
		{"first line missing all", "NA,?,x\n1,2,y\n", Options{}, ErrFormat, []string{"f.csv:1", "column 1", `"NA"`}},
		{"unnamed column", ",a,b\n0,1,2\n", none, ErrFormat, []string{"f.csv:1", "column 1", "index=False"}},
		{"bars", "a|b|c\n1|2|3\n", none, ErrFormat, []string{"f.csv:1", "'|'", "commas"}},
		{"decimal commas", "a;b;c\n1,5;2;3\n", none, ErrFormat, []string{"f.csv:2", `"1,5"`}},
		{"one column and label", "1\n2\n", Options{}, ErrFormat, []string{"f.csv:1", "no features"}},
		{"header of numbers, regression", "0,1,target\n2,3,4\n", regression, ErrFormat, []string{"f.csv:1", `"target"`, "header"}},
		{"header of numbers, classes", "0,1,label\n2,3,4\n5,6,7\n", Options{}, ErrFormat, []string{"f.csv:1", `"label"`, "header"}},
		{"target text", "a,y\n1,2\n3,x\n", regression, ErrFormat, []string{"f.csv:3", `"x"`}},
		{"NaN", "a,b,y\n1,2,3\n4,NaN,6\n", regression, domain.ErrDomain, []string{"f.csv:3", `column 2 ("b")`, "x[1,1] = NaN", "drop the row"}},
		{"NaN in the first line", "nan,nan\n1,2\n", none, domain.ErrDomain, []string{"f.csv:1", "x[0,0]"}},
		{"Inf, label first", "x,1\ny,-Inf\n", Options{Label: LabelFirst}, domain.ErrDomain, []string{"column 2", "x[1,0] = -Inf"}},
		{"overflow", "1,1e999\n", none, domain.ErrDomain, []string{"column 2", `"1e999"`}},
		{"vanishing", "1,1e-999\n", none, domain.ErrDomain, []string{`"1e-999"`}},
		{"target NaN", "1,nan\n", regression, domain.ErrDomain, []string{"f.csv:1", `"nan"`}},
		{"class NaN", "1,a\n2,NaN\n", Options{}, domain.ErrDomain, []string{"f.csv:2", `"NaN"`}},
		{"a quote after a blank", "\n\"the, a\",b,c\n\n \"1\" , 2 ,x\n", Options{}, ErrFormat, []string{"f.csv:4", "byte"}},
		{"open quote", "1,2\n\"3,4\n", none, ErrFormat, []string{"f.csv:"}},
		{"dims", "1,2,3\n", Options{Dims: 3}, domain.ErrShape, []string{"f.csv:1", "2 features, want 3", "label last"}},
		{"MaxCells", "1,2\n3,4\n", Options{Label: LabelNone, MaxCells: 3}, ErrTooLarge, []string{"2 rows of 2", "3 cells"}},
		{"long token", "1\n" + strings.Repeat("z", 1000) + "\n", none, ErrFormat, []string{`zzz"...`}},
		{"line breaks, blank lines", "\"two\nlines\",b\n1,2\n\n3,oops\n", none, ErrFormat, []string{"f.csv:5", `column 2 ("b")`}},
	})
}
