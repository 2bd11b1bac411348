package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/layers"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

var number = clitest.Number

// cells are the rows of the first table, without the times.
func cells(t *testing.T, stdout string) [][]string {
	t.Helper()
	rows := clitest.Tables(stdout)[0]
	for i, row := range rows {
		for _, seconds := range row[8:] {
			if !(number(t, seconds) >= 0) {
				t.Errorf("%q are no seconds, in %q", seconds, row)
			}
		}
		rows[i] = row[:8]
	}
	return rows
}

// TestTable: the rows that are asked for, in order; the kernel error falls as the number of features rises; all but the
// times is the same again; the picture is there.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	const args = "-rows 60 -draws 3 -features 500,20 -methods linear,hellinger,chi2,skewed-chi2,exp-chi2"
	r := clitest.Run(t, dir, args).OK(t)
	if !strings.HasPrefix(r.Stdout, "synthetic histograms: 60 training and 60 test rows of 60 bins, 6 classes; rows divided by their sum\n\n"+tableHead) ||
		!strings.HasSuffix(r.Stderr, "picture: histograms.png\n") {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	rows := cells(t, r.Stdout)
	var names []string
	for _, row := range rows {
		names = append(names, strings.TrimSpace(row[0]+" "+row[1]+" "+row[2]))
		accuracy, draws := number(t, row[5]), strings.Contains(row[5], " ± ")
		if !(accuracy > 100./6/2 && accuracy <= 100) || draws != strings.Contains(row[1], "iid") || (row[3] != "") != (row[0] == "skewed-chi2" || row[0] == "exp-chi2") {
			t.Errorf("%v", row)
		}
	}
	want := []string{"linear  60", "hellinger gamma=1 60", "hellinger gamma=0.5 60", "chi2 exact kernel", "chi2 order=1 180", "chi2 order=2 300",
		"chi2 gamma=0.5, exact kernel", "chi2 order=1, gamma=0.5 180", "skewed-chi2 exact kernel", "skewed-chi2 iid 20", "skewed-chi2 iid 500",
		"exp-chi2 exact kernel", "exp-chi2 iid 20", "exp-chi2 iid 500"}
	if !slices.Equal(names, want) {
		t.Fatalf("rows\n%q, want\n%q", names, want)
	}
	for i, row := range rows {
		switch {
		case i < 3 && number(t, row[7]) > 1e-14:
			t.Errorf("a map that is its kernel has the error %s", row[7])
		case row[2] == "500": // 25 times the features are a fifth of the error; three draws of each are within a factor of 2
			if ratio := number(t, rows[i-1][7]) / number(t, row[7]); row[0] == "skewed-chi2" && math.Abs(math.Log(ratio/5)) > math.Log(2) {
				t.Errorf("%s: errors %s and %s do not fall as m^-1/2", row[0], rows[i-1][7], row[7])
			}
		}
	}
	if !strings.Contains(r.Stdout, "| hellinger gamma=1 above linear (Vedaldi and Zisserman 2012, table 1) | "+rows[1][5]+", "+rows[0][5]+" | ") {
		t.Errorf("no verdicts on the papers' orders: %s", r.Stdout)
	}
	if again := cells(t, clitest.Run(t, dir, args+" -plot=").OK(t).Stdout); fmt.Sprint(again) != fmt.Sprint(rows) {
		t.Errorf("the second run has\n%v, the first\n%v", again, rows)
	}
	clitest.Picture(t, filepath.Join(dir, "histograms.png"), 2000, 0)
}

// TestSamplers: all draw for one parameter, the better one has the smaller error, and one that does not fit is left out
// and says so.
func TestSamplers(t *testing.T) {
	r := clitest.Run(t, t.TempDir(), "-rows 40 -draws 4 -features 240 -exact=false -dtype float32 -plot= -methods gaussian,skewed-chi2 -sampler iid,orthogonal").OK(t)
	rows := cells(t, r.Stdout)
	if len(rows) != 3 || rows[0][1] != "iid" || rows[1][1] != "orthogonal" || rows[2][0] != "skewed-chi2" || rows[0][3] != rows[1][3] {
		t.Fatalf("%v", rows)
	}
	if number(t, rows[1][7]) >= number(t, rows[0][7]) {
		t.Errorf("orthogonal frequencies have the error %s, independent ones %s", rows[1][7], rows[0][7])
	}
	if !strings.Contains(r.Stderr, "left out: skewed-chi2, ") || !strings.Contains(r.Stderr, "sampler orthogonal does not fit") {
		t.Errorf("stderr %q", r.Stderr)
	}
}

// TestHeads: support vector machines choose a λ of their list, for rows of either norm; one class against the others.
func TestHeads(t *testing.T) {
	const args = "-rows 60 -methods hellinger,chi2 -exact=false -plot= -head svm"
	one := clitest.Run(t, t.TempDir(), args).OK(t)
	two := clitest.Run(t, t.TempDir(), args+" -norm l2").OK(t)
	if !strings.Contains(two.Stdout, "rows divided by their Euclidean norm\n") {
		t.Error(two.Stdout)
	}
	for _, row := range append(cells(t, one.Stdout), cells(t, two.Stdout)...) {
		if !slices.Contains(svmLambdas, number(t, row[4])) || !(number(t, row[5]) > 100./6) {
			t.Errorf("%v", row)
		}
	}
	words := clitest.Run(t, t.TempDir(), "-rows 60 -methods hellinger -exact=false -plot= -one b1").OK(t)
	for _, row := range cells(t, words.Stdout) {
		if !strings.Contains(words.Stdout, ", 2 classes;") || !(number(t, row[5]) > 50) || !(number(t, row[6]) > 40 && number(t, row[6]) < number(t, row[5])) {
			t.Error(words.Stdout)
		}
	}
	clitest.Run(t, t.TempDir(), "-one many").Fails(t, 1, "histograms", `no row has the class "many" of -one`)
}

// TestFile: rows of files, with labels, divided by their sum.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	rows, label := clitest.Histograms(t, dir, 40)
	const args = " -methods hellinger,exp-semigroup -draws 2 -features 16 -plot="
	one, two := clitest.Run(t, dir, "-in rows.csv"+args).OK(t), clitest.Run(t, dir, "-in twice.csv"+args).OK(t)
	if a, b := cells(t, one.Stdout), cells(t, two.Stdout); len(a) != 4 || fmt.Sprint(a) != fmt.Sprint(b) || !strings.HasPrefix(one.Stdout, "rows.csv: 20 training and 20 test rows of 5 bins") {
		t.Errorf("rows %q, twice the rows %q", one.Stdout, two.Stdout)
	}
	if r := clitest.Run(t, dir, "-in rows.csv -test twice.csv -rows 31"+args).OK(t); !strings.HasPrefix(r.Stdout, "rows.csv: 31 training and 31 test rows") {
		t.Errorf("%q", r.Stdout)
	}
	clitest.File(t, dir, "class.csv", clitest.CSV(rows[:9], nil, func(int) string { return "grey" }))
	clitest.Run(t, dir, "-in rows.csv -test class.csv"+args).Fails(t, 1, "histograms", "class.csv: ", `"grey"`)
	clitest.Run(t, dir, "-in class.csv"+args).Fails(t, 1, "histograms", `class.csv: all rows have the class "grey"`)
	clitest.File(t, dir, "one.csv", clitest.CSV(rows[:1], nil, label))
	clitest.Run(t, dir, "-in one.csv"+args).Fails(t, 1, "histograms", "one.csv: there are too few rows")
	rows[17][2] = -.5
	clitest.File(t, dir, "negative.csv", clitest.CSV(rows, nil, label))
	clitest.Run(t, dir, "-in rows.csv -test negative.csv"+args).Fails(t, 1, "histograms", "negative.csv: ", "x[17,2] = -0.5 is negative")
}

func TestWrongFlags(t *testing.T) {
	clitest.WrongFlags(t, "histograms", "compares kernels", map[string]string{
		"-features 20,70001":                "-features 70001: ",
		"-head svn":                         "-head svn: want ridge or svm",
		"-norm 2":                           "-norm 2: want l1 or l2",
		"-methods none":                     `-methods none: "none" is none of all, linear, hellinger`,
		"-methods chi2,chi2":                "chi2 is named twice",
		"-sampler best":                     "best",
		"-bins gaussian":                    "-bins gaussian: want hellinger, chi2",
		"-view a.csv":                       "-view a.csv: needs -in",
		"-weight 1":                         "-weight 1: want a number between 0 and 1",
		"-draws 0":                          "-rows 0 -draws 0: want at least 0 and 1",
		"-dtype int":                        "-dtype int: want float32 or float64",
		"-test a.csv":                       "-test a.csv: needs -in",
		"-in a.csv -test b.csv -plot b.csv": "-plot and -test name the same file",
	})
}

// TestBins: a larger penalty leaves fewer bins, and no penalty all.
func TestBins(t *testing.T) {
	rows := clitest.Tables(clitest.Run(t, t.TempDir(), "-rows 120 -bins chi2").OK(t).Stdout)[0]
	last := 61.
	for i, row := range rows {
		if bins := number(t, row[1]); bins > last || i == 0 && bins != 60 || bins < 1 {
			t.Errorf("%v", rows)
		} else {
			last = bins
		}
	}
	if len(rows) != len(shares) || last > 50 {
		t.Errorf("%v", rows)
	}
}

// TestView: a second description stands beside the first, with its weight, and has the same rows.
func TestView(t *testing.T) {
	dir := t.TempDir()
	rows, label := clitest.Histograms(t, dir, 40)
	clitest.File(t, dir, "view.csv", clitest.CSV(rows, nil, label))
	const args = " -methods hellinger -exact=false -plot="
	one, two := clitest.Run(t, dir, "-in rows.csv"+args).OK(t), clitest.Run(t, dir, "-in rows.csv -view view.csv -weight .25"+args).OK(t)
	a, b := cells(t, one.Stdout)[0], cells(t, two.Stdout)[0]
	if b[2] != "10" || !strings.Contains(two.Stdout, " of 10 bins") || a[5] != b[5] { // the same description twice
		t.Errorf("%v alone, %v twice", a, b)
	}
	clitest.File(t, dir, "other.csv", clitest.CSV(rows[:9], nil, label))
	clitest.Run(t, dir, "-in rows.csv -view other.csv"+args).Fails(t, 1, "histograms", "other.csv: the labels are not those of rows.csv")
}

// TestMethods: every entry names a map of layers' table, forms that it takes, and a parameter that comes from the data.
func TestMethods(t *testing.T) {
	for _, m := range methods {
		e, err := layers.Lookup(m.Map)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, form := range m.forms() {
			clitest.OK(t, try.Catch(func() { m.spec(form, "float64") }))
		}
		if !slices.ContainsFunc(e.Params(), func(p layers.ParamDef) bool { return p.Name == m.Tune && p.Default == nil }) && m.Tune != "" {
			t.Errorf("%s: %s is no parameter that comes from the data", m.Map, m.Tune)
		}
	}
}

// TestClaims: every claim is about two results that there are, and says what the numbers say.
func TestClaims(t *testing.T) {
	keys := map[string]bool{}
	for _, m := range methods {
		for _, form := range m.forms() {
			sampler := ""
			if m.random() {
				sampler = "iid"
			}
			keys[result{method: m, form: form, sampler: sampler}.key()] = true
			keys[result{method: m, form: form, exact: true}.key()] = m.Exact
		}
	}
	for _, c := range claims {
		if !keys[c.first] || !keys[c.second] {
			t.Errorf("%q or %q is no result", c.first, c.second)
		}
	}
	above, same := claim{}, claim{same: true}
	for _, c := range []struct {
		claim claim
		p, q  float64
		want  string
	}{
		{above, 70, 60, "yes"}, {above, 60, 70, "no"}, {above, 70, 69, "they do not differ"}, {above, 69, 70, "they do not differ"},
		{same, 70, 60, "no"}, {same, 60, 70, "yes"}, {same, 70, 69, "yes"},
	} {
		if got := c.claim.verdict(c.p, c.q, 3000); got != c.want { // a standard error of 1.2
			t.Errorf("%+v: %q", c, got)
		}
	}
}
