package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// small are the flags of a quick fit.
const small = " -features 16 -head ridge"

// peopleNames are the columns of people.
var peopleNames = strings.Fields("who label age job member joined score income share flag")

// people are rows with a label in the middle, categories, booleans, dates, ids and gaps. The label follows from the age.
func people(n int, seed uint64) (rows [][]string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		age := 18 + rng.IntN(60)
		row := []string{fmt.Sprintf("p%d-%04d", seed, i), map[bool]string{true: "old", false: "young"}[age > 45], fmt.Sprint(age),
			[]string{"clerk", "smith", "baker"}[rng.IntN(3)], []string{"no", "yes"}[rng.IntN(2)], fmt.Sprintf("2021-%02d-%02d", 1+rng.IntN(12), 1+rng.IntN(28)),
			fmt.Sprintf("%.4f", rng.NormFloat64()), fmt.Sprintf("%.2f", 3*float64(age)+rng.Float64()), fmt.Sprintf("%.4f", rng.Float64()), fmt.Sprint(rng.IntN(2))}
		if i%17 == 3 {
			row[6] = ""
		}
		if i%23 == 5 {
			row[3] = "?"
		}
		rows = append(rows, row)
	}
	return rows
}

// table is rows as CSV, of the columns that are named, in that order.
func table(rows [][]string, names ...string) string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(names, ","))
	for _, row := range rows {
		var cells []string
		for _, name := range names {
			j := slices.Index(peopleNames, name)
			if j < 0 {
				cells = append(cells, "9")
				continue
			}
			cells = append(cells, row[j])
		}
		fmt.Fprintln(&b, strings.Join(cells, ","))
	}
	return b.String()
}

// without are the columns of people but some.
func without(names ...string) []string {
	return slices.DeleteFunc(slices.Clone(peopleNames), func(n string) bool { return slices.Contains(names, n) })
}

// peopleFiles makes a folder with tables of people, the same test rows in several forms.
func peopleFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rows := people(60, 2)
	turned := slices.Clone(peopleNames)
	slices.Reverse(turned)
	clitest.File(t, dir, "train.csv", table(people(150, 1), peopleNames...))
	clitest.File(t, dir, "test.csv", table(rows, peopleNames...))
	clitest.File(t, dir, "turned.csv", table(rows, turned...))
	clitest.File(t, dir, "unlabelled.csv", table(rows, without("label")...))
	clitest.File(t, dir, "missing.csv", table(rows, without("age")...))
	clitest.File(t, dir, "extra.csv", table(rows, append(turned, "more")...))
	return dir
}

// notesIn are the notes on stderr.
func notesIn(r clitest.Result) (all []string) {
	for line := range strings.Lines(r.Stderr) {
		if strings.HasPrefix(line, "note: ") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// npy writes rows as that format.
func npy(t *testing.T, path string, rows [][]float64) {
	t.Helper()
	f, err := data.NewMatrixFile(path, len(rows), len(rows[0]), tensor.Float64)
	if err == nil {
		err = f.Close(f.Write(tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(slices.Concat(rows...)))))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTables: a table with columns of every kind trains in one command, in memory and in blocks, and its columns are found
// by their names in files of another order, at once and from the saved model.
func TestTables(t *testing.T) {
	dir := peopleFiles(t)
	accuracy := map[string]any{}
	for _, how := range []string{"", " -stream"} {
		for _, file := range []string{"test", "turned", "extra"} {
			r := clitest.Run(t, dir, "-train train.csv -label label -id who -json -save model -test "+file+".csv"+small+how)
			ob := r.Object(t)
			accuracy[file+how] = ob["accuracy"]
			if ob["input_dim"] != 12. || ob["accuracy"].(float64) < .7 || ob["accuracy"] != accuracy["test"] && how == "" {
				t.Errorf("%s%s: %v", file, how, ob)
			}
			if !strings.Contains(r.Stderr, "label label; columns: 4 numbers, 2 booleans, 1 category, 1 time become 12; -scale auto: real numbers are standardised, 0 and 1 stay\n") {
				t.Errorf("%s%s: stderr %q", file, how, r.Stderr)
			}
			var want []string
			if file == "extra" {
				want = append(want, `note: extra.csv: the training rows did not have the columns "more", which are not looked at`)
			}
			if file != "test" {
				want = append(want, "note: "+file+".csv: the columns are in another order than in the training rows, and are found by their names")
			}
			if got := notesIn(r); !slices.Equal(got, want) {
				t.Errorf("%s%s: notes %q, want %q", file, how, got, want)
			}
			if ob := clitest.Run(t, dir, "-load model -json -test turned.csv").Object(t); ob["accuracy"] != accuracy[file+how] {
				t.Errorf("%s%s: accuracy %v, loaded %v", file, how, accuracy[file+how], ob["accuracy"])
			}
		}
		if accuracy["turned"+how] != accuracy["test"+how] || accuracy["test"+how] != accuracy["test"] {
			t.Errorf("accuracies %v", accuracy)
		}
	}
	clitest.Run(t, dir, "-load model -test missing.csv").Fails(t, 1, "train", `missing.csv: there is no column "age"; the columns are "who", "label", "job"`)
	clitest.Run(t, dir, "-load model -test unlabelled.csv").Fails(t, 1, "train", `unlabelled.csv:1: the label: no column is named "label"`, "rows without labels are for -predict")
	clitest.Run(t, dir, "-train train.csv -label label -drop who -test missing.csv"+small).Fails(t, 1, "train", `there is no column "age"`)
	clitest.Run(t, dir, "-train train.csv -label label -drop who -stream -test missing.csv"+small).Fails(t, 1, "train", `there is no column "age"`)
}

// TestTablesAsPeopleHaveThem: what each form of a table becomes: so many columns with these texts on stderr, or one error.
func TestTablesAsPeopleHaveThem(t *testing.T) {
	dir := peopleFiles(t)
	rows, dark := clitest.Checker(60, 3, 1)
	class := func(i int) string { return map[bool]string{false: "0", true: "1"}[dark[i]] }
	target := func(i int) string { return fmt.Sprintf("%.6f,%.6f", rows[i][0]+rows[i][1], rows[i][2]) }
	var adult, index strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&adult, "%d, %s, %d, %s, %s\n", 20+i%40, []string{"Private", "State-gov", "?"}[i%3], 100*(i%31), []string{"Wife", "Husband"}[i%2], map[bool]string{true: "<=50K", false: ">50K"}[dark[i]])
		fmt.Fprintf(&index, "%d,%v,%v,%s\n", i, row[0], row[1], class(i))
	}
	clitest.File(t, dir, "pandas.csv", "0,1,2,3\n"+clitest.CSV(rows, nil, class))
	clitest.File(t, dir, "index.csv", ",p,q,y\n"+index.String())
	clitest.File(t, dir, "targets.csv", "a,b,c,y,z\n"+clitest.CSV(rows, nil, target))
	clitest.File(t, dir, "gaps.csv", "a,b,c,y,z\n"+clitest.CSV(rows, nil, target)+".1,.2,.3,1,NA\n")
	clitest.File(t, dir, "flaw.csv", "a,b,c,y,z\n.1,.2,.3,1,2\n.1,.2,.3,1,two\n")
	clitest.File(t, dir, "latin.csv", "a,b,c,y\n"+clitest.CSV(rows, nil, func(i int) string { return []string{"caf\xe9", "bar"}[i%2] }))
	clitest.File(t, dir, "two.csv", "a,b,y\n1,2,u\n2,1,v\n")
	clitest.File(t, dir, "one.csv", "a,b,y\n"+strings.Repeat("1,2,u\n2,1,u\n", 5))
	clitest.File(t, dir, "adult.csv", adult.String())
	clitest.File(t, dir, "rows.libsvm", clitest.LIBSVM(rows, class))
	clitest.File(t, dir, "decimal.csv", "a;b;y\n"+strings.Repeat("1,5;2,25;u\n2,5;1;v\n3,5;4;u\n", 10))
	var cells [][]float64
	for i, row := range rows {
		cells = append(cells, []float64{row[0], row[1], map[bool]float64{true: 1}[dark[i]], row[2]})
	}
	npy(t, filepath.Join(dir, "rows.npy"), cells)
	if r := clitest.Run(t, dir, "-train gaps.csv -label z"); r.Status != 1 || !strings.Contains(r.Stderr, "-task regression?, and leave out the rows with \"NA\" (-drop-unlabelled)") {
		t.Errorf("targets with a gap as classes: %+v", r)
	}
	for _, tc := range []struct {
		args  string
		dims  float64 // of the columns; 0: an error
		texts []string
	}{
		{"-train pandas.csv", 3, []string{"note: pandas.csv: the first line, 0,1,2,3, is taken for the names of the columns, because it counts up; if it is a row, say -header no\n"}},
		{"-train pandas.csv -header yes", 3, []string{"label 3; columns: 3 numbers become 3"}},
		{"-train index.csv", 2, []string{`note: index.csv: column "" is left out: it numbers the rows`}},
		{"-train index.csv -label y", 2, nil},
		{"-train index.csv -label 4", 2, []string{"label y; "}},
		{"-train index.csv -label 9", 0, []string{"index.csv:1: the label: there is no column 9; the table has 4"}},
		{"-train index.csv -label kind", 0, []string{`index.csv:1: the label: no column is named "kind"; the columns are "", "p", "q", "y"`}},
		{"-train adult.csv -label kind", 0, []string{`adult.csv:1: the label: no column is named "kind": the file has no header; say the number of the column`}},
		{"-train adult.csv", 7, []string{"label column 5; columns: 2 numbers, 2 categories become 7; -scale auto"}},
		{"-train adult.csv -stream -label 5", 7, []string{"label column 5; columns: 2 numbers, 2 categories become 7; -scale auto"}},
		{"-train adult.csv -drop 2,4", 2, []string{"label column 5; columns: 2 numbers become 2"}},
		{"-train adult.csv -missing fill", 6, nil},
		{"-train adult.csv -missing error", 0, []string{`adult.csv:3: column "column 2" is empty; fill the value in, or say -missing indicator or fill`}},
		{"-train train.csv -label label -dates cyclic -drop who", 16, nil},
		{"-train train.csv -label label -columns a*,job -categorical job -rare 2 -unknown error", 5, []string{"columns: 1 number, 1 category become 5"}},
		{"-train train.csv -label label -drop nobody", 0, []string{`train.csv: no column is named "nobody"; the columns are "who", "label"`}},
		{"-train train.csv -label label -id nobody", 0, []string{`train.csv:1: the column of the rows' names: no column is named "nobody"`}},
		{"-train train.csv -label who -id who", 0, []string{`the column "who" is to be both the label and the name of the row`}},
		{"-train targets.csv -label z", 0, []string{`targets.csv: `, "distinct numbers as classes", "-task regression?"}},
		{"-train gaps.csv -label z -task regression", 0, []string{"gaps.csv:", "says that the value is missing", "(-drop-unlabelled)"}},
		{"-train gaps.csv -label z -task regression -drop-unlabelled", 4, []string{"has no label; such rows are left out"}},
		{"-train targets.csv -label z -stream", 0, []string{"targets.csv", "distinct numbers as classes", "-task regression?"}},
		{"-train targets.csv -label y,z", 0, []string{`no column is named "y,z"`, "several targets go with -task regression"}},
		{"-train targets.csv -label y,y -task regression", 0, []string{`the label: column "y" is there twice`}},
		{"-train targets.csv -label y,z -task regression", 3, []string{"label y, z; columns: 3 numbers become 3"}},
		{"-train targets.csv -label z,4 -task regression -stream", 3, []string{"label z, y; columns: 3 numbers become 3"}},
		{"-train flaw.csv -label y,z -task regression", 0, []string{`flaw.csv:3: the target "two" in column 5 ("z") is not a number`}},
		{"-train latin.csv", 0, []string{`latin.csv:2: the class in column 4 ("y"), "caf\xe9", is not UTF-8; save the file as UTF-8`}},
		{"-train latin.csv -stream", 0, []string{`latin.csv:2: the class in column 4 ("y")`}},
		{"-train two.csv", 0, []string{"two.csv: 2 rows are too few to set a fifth aside; give -test"}},
		{"-train two.csv -test two.csv", 2, nil},
		{"-train one.csv", 0, []string{`one.csv: all rows have the class "u"; a classifier needs two`}},
		{"-train one.csv -stream", 0, []string{`all rows have the class "u"; a classifier needs two`}},
		{"-train decimal.csv", 2, []string{"fields are separated by semicolons", `line 2 has the number "1,5": commas are taken for decimal points`}},
		{"-train decimal.csv -delimiter ,", 0, []string{"decimal.csv"}},
		{"-train rows.npy -label 3", 3, nil},
		{"-train rows.npy -label 3 -drop 1", 2, []string{"label column 3; columns: 2 numbers become 2"}},
		{"-train rows.libsvm -drop a", 0, []string{"rows.libsvm: is LIBSVM text, whose columns have no names and whose label is first; write CSV to choose columns"}},
		{"-train rows.libsvm -label y", 0, []string{"rows.libsvm: is LIBSVM text"}},
	} {
		r := clitest.Run(t, dir, tc.args+" -json"+small)
		if tc.dims == 0 {
			r.Fails(t, 1, "train", tc.texts...)
			continue
		}
		if ob := r.Object(t); ob["input_dim"] != tc.dims {
			t.Errorf("%s: %v columns, want %v", tc.args, ob["input_dim"], tc.dims)
		}
		for _, text := range tc.texts {
			if strings.Count(r.Stderr, text) != 1 {
				t.Errorf("%s: stderr does not say once %q:\n%s", tc.args, text, r.Stderr)
			}
		}
	}
	clitest.Run(t, dir, "-train rows.libsvm -header no").Fails(t, 2, "train", "-header and -delimiter do not apply to rows.libsvm, which is not CSV")
}
