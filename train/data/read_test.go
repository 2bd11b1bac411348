package data

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
)

// readCase is a file and the set that it gives, as shown writes it.
type readCase struct {
	name string
	file string // "" is f.csv
	text string
	o    Options
	want string
	bags bool
}

var six = []float64{1, 2, 3, 4, 5, 6}

// npyioFile is an array as npyio writes it, whose header is of version 2.
func npyioFile() string {
	var b bytes.Buffer
	mustDo(npyio.Write(&b, mat.NewDense(2, 3, six)))
	return b.String()
}

var readCases = []readCase{
	{name: "header, class last", text: "a,b,class\n1,2,x\n3,4,y\n", want: "a b >class | 1 2 >x | 3 4 >y"},
	{name: "no header, text class", text: "1,2,x\n3,4,y\n", want: "| 1 2 >x | 3 4 >y"},
	{name: "class first", text: "\xef\xbb\xbfclass,a,b\r\n+1,2,3\r\n1.0,4,5\r\n", o: Options{Label: LabelFirst},
		want: "a b >class | 2 3 >1 | 4 5 >1"},
	{name: "header whose label is a number", text: "a,b,2020\n1,2,3\n", want: "a b >2020 | 1 2 >3"},
	{name: "regression", text: "a,y\n1,2.5\n3,-1e3\n", o: targetLast, want: "a >y | 1 >2.5 | 3 >-1000"},
	{name: "no label", text: "a,b\n1,2\n", o: noLabel, want: "a b | 1 2"},
	{name: "semicolons", text: "a;\"b, c\";class\n1;2;x\n3;4;y\n", want: "a b, c >class | 1 2 >x | 3 4 >y"},
	{name: "tabs", text: "\n1\t2\tx\n3\t4\ty z\n", want: "| 1 2 >x | 3 4 >y z"},
	{name: "one column", text: "1\n2\n3", o: noLabel, want: "| 1 | 2 | 3"},
	{name: "quotes and blanks", text: "\"the, a\",b,c\n\n\"1\", 2 , x y \n", want: "the, a b >c | 1 2 >x y"},
	{name: "sodium is a name", text: "RI,Na,class\n1,2,3\n", want: "RI Na >class | 1 2 >3"},
	{name: "dims match", text: "1,2,3\n", o: Options{Dims: 2}, want: "| 1 2 >3"},
	{name: "first class is text among texts", text: "1,a\n2,b\n3,4\n", want: "| 1 >a | 2 >b | 3 >4"},
	{name: "targets by number", text: "1,2,3,4\n5,6,7,8\n9,10,11,12\n", o: Options{Task: Regression, LabelNames: []string{"2", "4"}},
		want: ">2 4 | 1 3 >2 >4 | 5 7 >6 >8 | 9 11 >10 >12"},
	{name: "an extension in capitals", file: "A.CSV", text: "5,7,1\n", want: "| 5 7 >1"},
	{name: "tabs by the extension", file: "a.tsv", text: "5\t7\t1\n", want: "| 5 7 >1"},

	{name: "LIBSVM", file: "a.libsvm", text: "\xef\xbb\xbf# a comment\n+1 1:2 3:-0.5 5:0 # more\r\n\n  \t\n1.0\t2:1e-3\t4:7\nspam\n-1 5:1e300",
		want: "| 2 0 -0.5 0 0 >1 | 0 0.001 0 7 0 >1 | 0 0 0 0 0 >spam | 0 0 0 0 1e+300 >-1"},
	{name: "padded", file: "a.svm", text: "1 1:1\n2 2:1\n", o: Options{Dims: 4}, want: "| 1 0 0 0 >1 | 0 1 0 0 >2"},
	{name: "all zero, width given", file: "a.svmlight", text: "1\n2\n", o: Options{Dims: 3}, want: "| 0 0 0 >1 | 0 0 0 >2"},
	{name: "LIBSVM regression", file: "a.txt", text: "0.25 1:1\n-1e10 2:1\n", o: targetLast, want: "| 1 0 >0.25 | 0 1 >-1e+10"},
	{name: "label first is the same", file: "a.svm", text: "4 1:1\n", o: Options{Label: LabelFirst, Task: Regression}, want: "| 1 >4"},
	{name: "label ignored, whatever it is", file: "a.svm", text: "nan 1:1\na,b 2:1\n", o: Options{Label: LabelNone, Task: Regression},
		want: "| 1 0 | 0 1"},
	{name: "largest index", file: "a.svm", text: "1 3:1\n", o: Options{MaxCells: 3}, want: "| 0 0 1 >1"},

	// Other writers order and space the dictionary in other ways; version 2 has a longer length.
	{name: "array", file: "a.b.Npy", text: npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}", six), want: "| 1 2 >3 | 4 5 >6"},
	{name: "array, no blanks", file: "a.npy", text: npy("{'shape':(2,3),'fortran_order':False,'descr':'<f8'}", six), want: "| 1 2 >3 | 4 5 >6"},
	{name: "array of Python 2", file: "a.npy", text: npy("{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (2L, 3L), }", six),
		want: "| 1 2 >3 | 4 5 >6"},
	{name: "array of native order", file: "a.npy", text: npy("  {'descr': '=f8', 'fortran_order': False, 'shape': (2, 3,), }   ", six),
		want: "| 1 2 >3 | 4 5 >6"},
	{name: "array of npyio", file: "a.npy", text: npyioFile(), o: noLabel, want: "| 1 2 3 | 4 5 6"},

	{name: "bags", bags: true, text: "bag,label,x1,x2\na,+1,1,2\nb,0,3,4\na,1.0,5,6\n", want: "x1 x2 >label | #a 1 2 5 6 >1 | #b 3 4 >0"},
	{name: "bags with targets", bags: true, text: "x1,bag,label\n7,a,2.5\n", o: targetLast, want: "x1 >label | #a 7 >2.5"},
	{name: "bags without labels", bags: true, text: "bag,x1\n2,7\n1,8\n1,9\n", o: noLabel, want: "x1 | #2 7 | #1 8 9"},
	{name: "bags whose label is ignored", bags: true, text: "x1,label,bag\n2,tied,1\n", o: noLabel, want: "x1 | #1 2"},
}

// TestRead: every file gives its rows under its name, plain and packed, whole, in blocks, and as the sample of a survey.
func TestRead(t *testing.T) {
	for _, c := range readCases {
		t.Run(c.name, func(t *testing.T) {
			file, read := cmp.Or(c.file, "f.csv"), Read
			if c.bags {
				read = ReadBags
			}
			var path string
			for name, text := range map[string]string{
				file: c.text, file + ".GZ": zip(c.text), "gzip." + file: zip(c.text),
				file + ".zst": packed(c.text, ".zst"),
			} {
				path = fileOf(t, name, text)
				s := must(read(path, c.o))
				consistent(t, s, c.o)
				if got := shown(s); got != c.want || s.Source != path {
					t.Errorf("%s of %s: %s, want %s", name, s.Source, got, c.want)
				}
			}
			if c.bags {
				return
			}
			s := stream(StreamOptions{Options: c.o, BlockRows: 1}, path)
			sample := must(s.Survey(t.Context(), 100)).Sample
			rows, _ := collect(t, s, 0)
			head, _, _ := strings.Cut(c.want, "|")
			if got := head + "| " + strings.Join(rows, " | "); got != c.want || shown(sample) != c.want {
				t.Errorf("in blocks %s, sampled %s, want %s", got, shown(sample), c.want)
			}
			for b, err := range s.Blocks(t.Context(), 0) {
				if mustDo(err); !strings.HasPrefix(shown(b), head) {
					t.Errorf("a block has the columns of %s", shown(b))
				}
			}
		})
	}
}

// shown is a set as text: its columns, with their kinds if they were learned, and each row with its ID, label or targets.
func shown(s *Set) string {
	var b strings.Builder
	if c := s.Columns; c != nil {
		for _, in := range c.Inputs {
			fmt.Fprintf(&b, "%s:%s ", in.Name, in.Kind)
		}
		if names := strings.Join(c.Names(), ","); strings.ContainsAny(names, "=(") {
			fmt.Fprintf(&b, "[%s] ", names)
		}
	} else if s.Names != nil {
		b.WriteString(strings.Join(s.Names, " ") + " ")
	}
	if s.Columns == nil && s.LabelNames != nil {
		b.WriteString(">" + strings.Join(s.LabelNames, " ") + " ")
	}
	k := s.Targets()
	for i, row := range eachRow(s.X) {
		b.WriteString("|")
		if s.IDs != nil {
			b.WriteString(" #" + s.IDs[i])
		}
		for _, v := range row {
			fmt.Fprintf(&b, " %.6g", v)
		}
		if s.Labels != nil {
			b.WriteString(" >" + s.Labels[i])
		}
		for _, v := range s.Y[i*k : (i+1)*k] {
			fmt.Fprintf(&b, " >%g", v)
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}
