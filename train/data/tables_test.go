package data

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

	"github.com/bochner-go/bochner/ops/domain"
)

// TestManyCategories: of 10,000 levels the most frequent have columns, and the others share one.
func TestManyCategories(t *testing.T) {
	for rows, levels := range map[int]int{40_000: 1000, 60_000: 256} {
		text := lines("a,b,y\n", rows, func(i int) string { return fmt.Sprintf("t%d,%d,%d", min(i%20_000, 9_999), i%7, i%2) })
		path := fileOf(t, "many.csv", text)
		var told notes
		f := must(ReadFrame(t.Context(), Options{Tell: told.add}, path))
		c := must(f.Learn(ColumnOptions{Rare: 1}))
		told.check(t, []string{fmt.Sprintf("%d of its 10000 texts are rare and share one column", 10_000-levels)})
		in := restored(t, c).Inputs[0]
		if in.Distinct != 10_000 || len(in.Levels) != levels || !in.Other || len(in.Rare) != 10_000-levels ||
			!slices.Contains(in.Levels, "t9999") || c.Dims() != levels+2 {
			t.Errorf("%d texts, %d levels, %v, %d rare, %d columns", in.Distinct, len(in.Levels), in.Other, len(in.Rare), c.Dims())
		}
		if set, err := c.Set(f); err != nil || set.Rows() != rows {
			t.Error(err)
		}
	}
}

// TestFramesOfFiles: files of the same columns are one frame, in whatever order each has them; those of others are an
// error.
func TestFramesOfFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"1.csv": "a,b,y\n1,u,p\n2,v,q\n", "2.csv": "b,y,a\nu,p,5\n,q,many\n", "3.csv": "a,c,y\n1,2,3\n"} {
		mustDo(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	read := Options{LabelNames: []string{"y"}, ID: "a"}
	f := must(ReadFrame(t.Context(), read, filepath.Join(dir, "1.csv"), filepath.Join(dir, "2.csv")))
	c := must(f.Learn(ColumnOptions{}))
	set := must(c.Set(f))
	if got, want := shown(set), "b:category [b=u,b=v,b=(missing)] | #1 1 0 0 >p | #2 0 1 0 >q | #5 1 0 0 >p | #many 0 0 1 >q"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s := stream(StreamOptions{Options: read, BlockRows: 3}, filepath.Join(dir, "1.csv"), filepath.Join(dir, "2.csv"))
	must(s.Learn(t.Context(), ColumnOptions{}))
	sameSet(t, must(allBlocks(t, s)), set)
	fails(t, failed(ReadFrame(t.Context(), Options{}, dir)), ErrFormat, "3.csv", `"a", "c"`, `"a", "b"`, "same columns")
}

// TestNotesOfBlocks: what is unlike the training rows is reported once a file, not once a block.
func TestNotesOfBlocks(t *testing.T) {
	c := learnedFrom(t, "a,b,y\nu,1,p\nv,2,q\n")
	path := fileOf(t, "later.csv", lines("b,a,x,y\n", 12, func(i int) string { return fmt.Sprintf(",w%d,3,p", i) }))
	var told notes
	must(allBlocks(t, stream(StreamOptions{Options: Options{Columns: c, Tell: told.add}, BlockRows: 3}, path)))
	told.check(t, []string{`"x", which are ignored`, "another order", `such as "w0"`, `"b": 3 values are missing`})
}

func learnedFrom(t *testing.T, text string) *Columns {
	t.Helper()
	f := must(ReadFrame(t.Context(), Options{}, fileOf(t, "train.csv", text)))
	return must(f.Learn(ColumnOptions{}))
}

// TestAppendRefuses: a frame that a file is in takes no rows, and cells that a column cannot hold leave a frame as it was.
func TestAppendRefuses(t *testing.T) {
	f := must(NewFrame("a", "b"))
	mustDo(f.Append(1, "x"))
	type refused struct {
		cell     any
		sentinel error
		says     string
	}
	cases := []refused{
		{"1e400", domain.ErrDomain, "too large"}, {[]int{1}, domain.ErrDtype, "[]int"}, {"caf\xe9", domain.ErrDomain, "not UTF-8"},
	}
	if large := int64(1) << 53; int64(int(large)) == large { // an int of 32 bits is never so large
		cases = append(cases, refused{int(large), domain.ErrDomain, "2^53"})
	}
	for _, c := range cases {
		fails(t, f.Append(2, c.cell), c.sentinel, c.says, `"b"`)
	}
	if f.Rows() != 1 {
		t.Errorf("%d rows", f.Rows())
	}
	read := must(ReadFrame(t.Context(), Options{}, fileOf(t, "train.csv", abc)))
	for name, f := range map[string]*Frame{"read": read, "taken": f.Take([]int{0}), "empty": {}, "nil": nil} {
		row := make([]any, 0, 3)
		if f != nil {
			row = row[:len(f.Names)]
		}
		if err := f.Append(row...); err == nil || !strings.Contains(err.Error(), "NewFrame") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLearnOfASplit: the columns that are learned from one part make the rows of the other.
func TestLearnOfASplit(t *testing.T) {
	path := fileOf(t, "train.csv", lines("a,b,y\n", 40, func(i int) string { return fmt.Sprintf("%c,%d,p", 'u'+i%2, i*i%7) }))
	s := stream(StreamOptions{BlockRows: 3}, path)
	rest, held := s.Split(.3, 1)
	c := must(rest.Learn(t.Context(), ColumnOptions{}))
	rows := 0
	for _, part := range []*Stream{rest, held} {
		set, err := allBlocks(t, part)
		if err != nil || set.Columns != c || part.Options().Columns != c || part.Dims() != 3 {
			t.Fatalf("%v, %d columns", err, part.Dims())
		}
		rows += set.Rows()
	}
	if rows != 40 {
		t.Errorf("%d rows", rows)
	}
	if _, err := held.Learn(t.Context(), ColumnOptions{}); err == nil {
		t.Error("learned twice")
	}
}

// TestManyNamedColumns: columns are found by name in time that is linear in their number; a search for each takes minutes
// here.
func TestManyNamedColumns(t *testing.T) {
	const n = 60_000
	write := func(file string, order func(j int) int) string {
		var names, cells strings.Builder
		for j := range n {
			fmt.Fprintf(&names, "c%06d,", order(j))
			fmt.Fprintf(&cells, "%d,", order(j)%9)
		}
		return fileOf(t, file, names.String()+"y\n"+cells.String()+"a\n"+strings.ReplaceAll(cells.String(), "8,", "10,")+"b\n")
	}
	up, down := write("up.csv", func(j int) int { return j }), write("down.csv", func(j int) int { return n - 1 - j })
	f := must(ReadFrame(t.Context(), Options{}, up, down))
	c, err := f.Learn(ColumnOptions{})
	if err != nil || len(c.Inputs)+len(c.Left) != n || len(c.Inputs) != n/9 {
		t.Fatal(len(c.Inputs), len(c.Left), err)
	}
	if l, err := f.Look(c); err != nil || len(l.Columns) != n || l.Columns[8].Kind != Number || l.Columns[7].Left == "" {
		t.Error(err)
	}
	a, errA := Read(up, Options{Columns: c})
	b, errB := Read(down, Options{Columns: c})
	if errA != nil || errB != nil || !slices.Equal(cells(a), cells(b)) {
		t.Error("another order of the columns gives other rows", errA, errB)
	}
}

// TestRareColumnTells: a column that has values in few rows, all of one class or on one line, tells what it does of all
// rows, and one that has none where the class is another tells it by that. The products of these squares overflow.
func TestRareColumnTells(t *testing.T) {
	var classes, targets strings.Builder
	classes.WriteString("text,number,absent,y\n")
	targets.WriteString("few,most,y\n")
	for i := range 200 {
		text, number, few, most := "NA", "NA", "NA", "NA"
		if i%50 == 0 {
			text, number, few = "rare", "7", fmt.Sprintf("%de90", i)
		}
		if i%50 > 0 {
			most = fmt.Sprintf("%de90", i)
		}
		absent := [...]string{"here", "NA"}[i%2]
		fmt.Fprintf(&classes, "%s,%s,%s,%d\n", text, number, absent, i%2)
		fmt.Fprintf(&targets, "%s,%s,%de100\n", few, most, i)
	}
	for _, v := range []struct {
		text string
		task Task
		want []float64
	}{
		{classes.String(), Classification, []float64{104. / 200, 104. / 200, 1}}, // of the 196 rows without a value 100 are of class 1
		{targets.String(), Regression, []float64{.0188, .9776}},                  // corrcoef of NumPy, squared
	} {
		f := must(ReadFrame(t.Context(), Options{Task: v.task}, fileOf(t, "rare.csv", v.text)))
		l := must(f.Look(must(f.Learn(ColumnOptions{}))))
		for j, c := range l.Columns {
			if math.Abs(c.Tells-v.want[j]) > .0005 {
				t.Errorf("column %q tells %.4f, want %.4f", c.Name, c.Tells, v.want[j])
			}
		}
	}
}

// TestLookFar: numbers whose difference float64 cannot hold have their bins, and so has a constant column.
func TestLookFar(t *testing.T) {
	f := must(ReadFrame(t.Context(), Options{Label: LabelNone}, fileOf(t, "far.csv", "a,b\n-1.7e308,7\n0,7\n1.7e308,7\n")))
	l := must(f.Look(must(f.Plain())))
	if a, b := l.Columns[0].Bins, l.Columns[1].Bins; a[0] != 1 || a[10] != 1 || a[19] != 1 || b[0] != 3 {
		t.Errorf("bins %v and %v", a, b)
	}
}

// TestRowsWithoutLabels: DropUnlabelled leaves out the rows without a label in every format, whatever else is in them, and
// says so; without it they are an error or a class.
func TestRowsWithoutLabels(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	files := map[string]string{
		"f.csv":    "1,2,7\nx,4,\n5,1e999,NA\n7,8,9\n",
		"n.csv":    "a,b,y\n1,2,7\n3,4,null\nx,6,?\n7,8,9\n",
		"q.tsv":    "1\t2\t7\ninf\t4\t\"\"\n5\t\t\"NA\"\n7\t8\t9\n",
		"f.libsvm": "7 1:1 2:2\nNA 1:nan 2:4\n? 2\n9 1:7 2:8\n",
		"c.npy":    arrayOf("<f8", "False", "(4, 3)", []float64{1, 2, 7, inf, 4, nan, 5, nan, nan, 7, 8, 9}),
		"t.npy":    arrayOf("<f8", "True", "(4, 3)", []float64{1, inf, 5, 7, 2, 4, nan, 8, 7, nan, nan, 9}),
	}
	for name, text := range files {
		path := fileOf(t, name, text)
		for _, task := range []Task{Classification, Regression} {
			said := 0
			o := Options{Task: task, DropUnlabelled: true, Tell: func(note string) {
				if strings.Contains(note, "has no label; such rows are left out") {
					said++
				}
			}}
			if name == "n.csv" {
				o.LabelNames = []string{"y"}
				f, err := ReadFrame(t.Context(), o, path)
				if err != nil || f.Rows() != 2 || said != 1 {
					t.Errorf("%s: %+v %v", name, f, err)
				}
				continue
			}
			s, err := Read(path, o)
			if err != nil || !slices.Equal(cells(s), []float64{1, 2, 7, 8}) || said != 1 ||
				task == Regression && !slices.Equal(s.Y, []float64{7, 9}) || task == Classification && !slices.Equal(s.Labels, []string{"7", "9"}) {
				t.Errorf("%s, %v: %+v %v, said %d times", name, task, s, err, said)
			}
			rows := 0
			if name != "t.npy" {
				if name == "f.libsvm" {
					o.Dims = 2
				}
				for b, err := range stream(StreamOptions{Options: o, BlockRows: 1}, path).Blocks(t.Context(), 0) {
					mustDo(err)
					rows += b.Rows()
				}
				if rows != 2 {
					t.Errorf("%s: %d rows in blocks", name, rows)
				}
			}
			o.DropUnlabelled = false
			if _, err := Read(path, o); err == nil && (task == Regression || name == "f.csv") {
				t.Errorf("%s, %v: no error", name, task)
			}
		}
	}
	fails(t, failed(Read(fileOf(t, "none.csv", "1,NA\n2,NA\n"), Options{DropUnlabelled: true})),
		ErrFormat, "none of its 2 rows has a label")
}

// TestTargetsAsClasses: targets that are read as classes are an error that says so, marks of missing values among them too.
func TestTargetsAsClasses(t *testing.T) {
	var labels []string
	for i := range 40 {
		labels = append(labels, fmt.Sprint(i, ".5"))
	}
	fails(t, NewClasses(labels[:30]).Check(30), ErrTask, "30 rows have 30 distinct numbers as classes", "read them as regression")
	fails(t, NewClasses(append(labels, "-", "NA")).Check(42), ErrTask, `such as "0.5"`, "leave out the rows with")
	fails(t, NewClasses(append(labels, "cat")).Check(41), ErrTask, `41 rows have 41 distinct classes, such as "cat"`, "name the column of the label")
	mustDo(errors.Join(NewClasses(labels[:19]).Check(19), NewClasses(append(labels, "cat")).Check(82)))
}

// TestAppendExact: a name that is a long number keeps its digits, and a time after a gap is one.
func TestAppendExact(t *testing.T) {
	const long = "9007199254740993" // 2^53 + 1
	f := must(NewFrame("id", "when"))
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range [][]any{{nil, nil}, {long, day}, {"7", nil}, {long, day.Add(24 * time.Hour)}} {
		mustDo(f.Append(row...))
	}
	var ids []string
	for i := range f.Rows() {
		ids = append(ids, f.columns[0].text(i))
	}
	if want := []string{"", long, "7", long}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
	if c := f.columns[1]; !c.Times || !c.gap(0) || c.Numbers[1] != timeDays(day) || c.Numbers[3] != timeDays(day)+1 {
		t.Errorf("the times are %+v", c)
	}
}

// TestNumberAfterTime: a number after times, also if it is written as a text, makes texts of them and no time.
func TestNumberAfterTime(t *testing.T) {
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, seven := range []any{7, 7., "7"} {
		f := must(NewFrame("when"))
		for _, cell := range []any{day, "NA", seven} {
			mustDo(f.Append(cell))
		}
		if c := f.columns[0]; c.Times || c.text(0) != "2026-03-01T12:00:00Z" || !c.gap(1) || c.text(2) != "7" {
			t.Errorf("%T: %+v", seven, c)
		}
	}
}

// TestColumnsStay: JSON that does not describe columns leaves a Columns as it was.
func TestColumnsStay(t *testing.T) {
	c := Columns{Inputs: []Input{{Name: "a", Kind: Number}}}
	for _, text := range []string{`{"inputs": [{"name": "b", "kind": "none of them"}]}`, `{"inputs": 3}`} {
		if err := c.UnmarshalJSON([]byte(text)); err == nil || len(c.Inputs) != 1 || c.Inputs[0].Name != "a" {
			t.Errorf("%s: %+v, %v", text, c.Inputs, err)
		}
	}
}
