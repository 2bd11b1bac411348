package data

import (
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

func TestReadCSV(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          Options
		rows, dims int
		x0         []float64
		labels     []string
		y          []float64
		names      []string
		labelName  string
	}{
		{name: "header, class last", text: "a,b,class\n1,2,x\n3,4,y\n", rows: 2, dims: 2, x0: []float64{1, 2}, labels: []string{"x", "y"}, names: []string{"a", "b"}, labelName: "class"},
		{name: "no header, text class", text: "1,2,x\n3,4,y\n", rows: 2, dims: 2, x0: []float64{1, 2}, labels: []string{"x", "y"}},
		{name: "class first", text: "\xef\xbb\xbfclass,a,b\r\n+1,2,3\r\n1.0,4,5\r\n", o: Options{Label: LabelFirst}, rows: 2, dims: 2, x0: []float64{2, 3}, labels: []string{"1", "1"}, names: []string{"a", "b"}, labelName: "class"},
		{name: "header whose label is a number", text: "a,b,2020\n1,2,3\n", rows: 1, dims: 2, x0: []float64{1, 2}, labels: []string{"3"}, names: []string{"a", "b"}, labelName: "2020"},
		{name: "regression", text: "a,y\n1,2.5\n3,-1e3\n", o: Options{Task: Regression}, rows: 2, dims: 1, x0: []float64{1}, y: []float64{2.5, -1000}, names: []string{"a"}, labelName: "y"},
		{name: "no label", text: "a,b\n1,2\n", o: Options{Label: LabelNone}, rows: 1, dims: 2, x0: []float64{1, 2}, names: []string{"a", "b"}},
		{name: "semicolons", text: "a;\"b, c\";class\n1;2;x\n3;4;y\n", rows: 2, dims: 2, x0: []float64{1, 2}, labels: []string{"x", "y"}, names: []string{"a", "b, c"}, labelName: "class"},
		{name: "tabs", text: "\n1\t2\tx\n3\t4\ty z\n", rows: 2, dims: 2, x0: []float64{1, 2}, labels: []string{"x", "y z"}},
		{name: "one column", text: "1\n2\n3", o: Options{Label: LabelNone}, rows: 3, dims: 1, x0: []float64{1}},
		{name: "quotes, blanks and blank lines", text: "\n\"the, a\",b,c\n\n \"1\" , 2 ,x\n", o: Options{}, rows: -1},
		{name: "quotes and blanks", text: "\"the, a\",b,c\n\n\"1\", 2 , x y \n", rows: 1, dims: 2, x0: []float64{1, 2}, labels: []string{"x y"}, names: []string{"the, a", "b"}, labelName: "c"},
		{name: "sodium is a name", text: "RI,Na,class\n1,2,3\n", rows: 1, dims: 2, x0: []float64{1, 2}, labels: []string{"3"}, names: []string{"RI", "Na"}, labelName: "class"},
		{name: "dims match", text: "1,2,3\n", o: Options{Dims: 2}, rows: 1, dims: 2, x0: []float64{1, 2}, labels: []string{"3"}},
		{name: "first class is text among texts", text: "1,a\n2,b\n3,4\n", rows: 3, dims: 1, x0: []float64{1}, labels: []string{"a", "b", "4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := ReadCSV(strings.NewReader(c.text), "f.csv", c.o)
			if c.rows < 0 { // a quote after a blank is not RFC 4180
				fails(t, err, ErrFormat, "f.csv:4", "byte")
				return
			}
			mustDo(err)
			consistent(t, s, c.o)
			if s.Rows() != c.rows || s.Dims() != c.dims || !slices.Equal(cells(s)[:c.dims], c.x0) {
				t.Errorf("%d x %d: %v", s.Rows(), s.Dims(), cells(s))
			}
			if !slices.Equal(s.Labels, c.labels) || !slices.Equal(s.Y, c.y) || !slices.Equal(s.Names, c.names) || strings.Join(s.LabelNames, ",") != c.labelName {
				t.Errorf("labels %q, targets %v, names %q, label name %q", s.Labels, s.Y, s.Names, strings.Join(s.LabelNames, ","))
			}
		})
	}
}

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
		{"open quote", "1,2\n\"3,4\n", none, ErrFormat, []string{"f.csv:"}},
		{"dims", "1,2,3\n", Options{Dims: 3}, domain.ErrShape, []string{"f.csv:1", "2 features, want 3", "label last"}},
		{"MaxCells", "1,2\n3,4\n", Options{Label: LabelNone, MaxCells: 3}, ErrTooLarge, []string{"2 rows of 2", "3 cells"}},
		{"long token", "1\n" + strings.Repeat("z", 1000) + "\n", none, ErrFormat, []string{`zzz"...`}},
		{"line breaks, blank lines", "\"two\nlines\",b\n1,2\n\n3,oops\n", none, ErrFormat, []string{"f.csv:5", `column 2 ("b")`}},
	})
}
