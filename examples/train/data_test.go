package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// zipped is text in gzip, cut to a part of its length.
func zipped(t *testing.T, text string, part float64) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return string(b.Bytes()[:int(part*float64(b.Len()))])
}

// TestBadData: each is the exit status 1 and one line that names the file, the place in it and the remedy.
func TestBadData(t *testing.T) {
	dir := files(t)
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	good := text("last.csv")
	for name, text := range map[string]string{
		"empty.csv":        "",
		"header-only.csv":  "a,b,colour\n",
		"ragged.csv":       "1,2,a\n3,b\n",
		"nan.csv":          good + "1,2,NaN,dark\n",
		"inf.csv":          good + "1,-Inf,3,dark\n",
		"text.csv":         good + "1,two,3,dark\n",
		"hole.csv":         good + "1,,3,dark\n",
		"huge.csv":         good + "1,1e300,3,dark\n",
		"zero.libsvm":      "1 0:3\n2 1:1\n",
		"far.libsvm":       "1 1:1\n2 4000000000:3\n",
		"order.libsvm":     "1 1:1\n2 2:3 1:1\n",
		"cut.csv.gz":       zipped(t, good, .5),
		"plain.csv.gz":     good,
		"one.csv":          strings.ReplaceAll(good, "light", "dark"),
		"four.csv":         "1,2,a\n3,4,b\n1,3,a\n2,2,b\n",
		"negative.csv":     strings.Repeat("0.3,0.4,0.2,dark\n0.3,0.1,0.2,light\n", 5) + strings.Repeat("0.5,-0.25,0.2,dark\n", 20),
		"negativetest.csv": "0.3,0.4,0.2,dark\n0.5,-0.25,0.2,light\n",
		"green.csv":        "0.3,0.4,0.2,dark\n0.5,0.25,0.2,green\n",
		"narrow.csv":       "0.3,0.4,dark\n",
		"wide.csv":         "0.3,0.4,1,1,dark\n",
		"wide.libsvm":      "+1 1:.5 9:2\n",
		"blank.npy":        "\x93NUMPY",
		"table.xlsx":       "1,2,a\n",
	} {
		clitest.File(t, dir, name, text)
	}
	for _, tc := range []struct {
		args  string
		texts []string
	}{
		{"-train missing.csv", []string{"missing.csv", "no such file"}},
		{"-train .", []string{"table.xlsx", "names no format"}},
		{"-train table.xlsx", []string{"table.xlsx", ".xlsx", "want one of .libsvm"}},
		{"-train empty.csv", []string{"empty.csv: is empty"}},
		{"-train header-only.csv", []string{"header-only.csv: has a header and no rows"}},
		{"-train ragged.csv", []string{"ragged.csv:2: the line has 2 fields, line 1 has 3"}},
		{"-train nan.csv -missing error", []string{"nan.csv:151: column", "column 3", "is empty; fill the value in"}},
		{"-train inf.csv", []string{`inf.csv:151: column "column 2" is "-Inf"`, "is not a finite number; correct it, or leave it empty if it is missing"}},
		{"-train text.csv", []string{`text.csv:151: column "column 2"`, `"two"`, "not a number", "leave it empty if it is missing"}},
		{"-train hole.csv -missing error", []string{"hole.csv:151: column", "column 2", "is empty"}},
		{"-train huge.csv -dtype float32", []string{"huge.csv", "= 1e+300 is too large for float32; use float64 or scale the data first"}},
		{"-train zero.libsvm", []string{`zero.libsvm:1: "0:3"`, "indices count from 1"}},
		{"-train far.libsvm", []string{`far.libsvm:2: "4000000000:3"`, "largest one allowed"}},
		{"-train order.libsvm", []string{"order.libsvm:2", "sort them"}},
		{"-train cut.csv.gz", []string{"cut.csv.gz: the gzip data end early, the file is truncated; fetch it again"}},
		{"-train plain.csv.gz", []string{"plain.csv.gz", "is not gzip data"}},
		{"-train blank.npy", []string{"blank.npy: ends early"}},
		{"-train one.csv", []string{`one.csv: all rows have the class "dark"; a classifier needs two`}},
		{"-train four.csv", []string{"four.csv: 4 rows are too few to set a fifth aside; give -test"}},
		{"-train last.csv -task regression", []string{"last.csv:1", "is not a number", "say -task classification"}},
		{"-train last.csv -test missing.csv", []string{"missing.csv", "no such file"}},
		{"-train last.csv -test green.csv", []string{"green.csv", `row 1 has the label "green"`, `"dark", "light"`}},
		{"-train last.csv -test narrow.csv", []string{"narrow.csv:1: the line has 2 features, want 3"}},
		{"-train last.csv -test wide.csv", []string{"wide.csv:1: the line has 4 features, want 3"}},
		{"-train narrow.csv -test last.csv", []string{"last.csv:1: the line has 3 features, want 2"}},
		{"-train last.csv -test negativetest.csv -map exp-semigroup", []string{"negativetest.csv: map exp-semigroup: x[1,1] = -0.25 is negative", "-scale cube"}},
		{"-train last.csv -test negativetest.csv -map reciprocal-semigroup -dtype float32", []string{"negativetest.csv: ", "x[1,1] = -0.25 is negative"}},
		{"-train last.csv -test negativetest.csv -map skewed-chi2 -params c=.25", []string{"negativetest.csv: map skewed-chi2: x[1,1] = -0.25 is not above -c = -0.25; shift the data or raise C"}},
		{"-train last.csv -test negativetest.csv -map skewed-intersection -params c=.1", []string{"negativetest.csv: ", "x[1,1]", "-c = -0.1"}},
		{"-train negative.csv -map skewed-chi2 -params c=.2", []string{"negative.csv: map skewed-chi2", ",1] = -0.25 is not above -c = -0.2"}},
		{"-train negative.csv -map exp-semigroup", []string{"negative.csv: ", ",1] = -0.25 is negative"}},
		{"-train last.csv -save no/model", []string{"-save no/model: cannot be written", "see that the folder exists"}},
		{"-train last.csv -save .", []string{"-save .: cannot be written: it is a folder"}},
		{"-train last.csv -plot no/a.png", []string{"-plot no/a.png: cannot be written", "see that the folder exists"}},
		{"-train last.csv -plot last.csv/a.png", []string{"-plot last.csv/a.png: cannot be written"}},
		{"-load missing -test last.csv", []string{"missing"}},
		{"-load last.csv -test last.csv", []string{"last.csv"}},
	} {
		args := tc.args
		if strings.HasPrefix(args, "-train") {
			args += " -features 16"
		}
		clitest.Run(t, dir, args).Fails(t, 1, "train", tc.texts...)
	}
}

// TestRowsOfTheFile: of a file of which a part is set aside, an error names the row of the file, in either part.
func TestRowsOfTheFile(t *testing.T) {
	dir := t.TempDir()
	rows, dark := clitest.Checker(40, 2, 1)
	label := func(i int) string { return fmt.Sprint(dark[i]) }
	aside := 0
	for bad := range rows {
		was := rows[bad][1]
		rows[bad][1] = -.5
		clitest.File(t, dir, "rows.csv", clitest.CSV(rows, nil, label))
		rows[bad][1] = was
		o, err := parse([]string{"-train", filepath.Join(dir, "rows.csv"), "-map", "exp-semigroup", "-features", "8", "-seed", "3"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = trainModel(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), "rows.csv: ") || !strings.Contains(err.Error(), fmt.Sprintf("x[%d,1] = -0.5 is negative", bad)) {
			t.Errorf("row %d: %v", bad, err)
		} else if strings.Contains(err.Error(), "map exp-semigroup") {
			aside++
		}
	}
	if aside != 8 {
		t.Errorf("%d rows were found in the part set aside, want 8", aside)
	}
}

// TestSparseWidths: a LIBSVM file need not name the last columns that the other one has.
func TestSparseWidths(t *testing.T) {
	dir := files(t)
	clitest.File(t, dir, "narrow.libsvm", "+1 1:.3 2:.2\n-1 1:.8\n")
	clitest.File(t, dir, "wide.libsvm", "+1 1:.3 2:.2\n-1 1:.8 5:.5\n")
	for test, dims := range map[string]float64{"narrow.libsvm": 3, "wide.libsvm": 5} {
		if ob := clitest.Run(t, dir, "-train train.libsvm -features 16 -json -head ridge -test "+test).Object(t); ob["input_dim"] != dims || ob["test_rows"] != 2. {
			t.Errorf("%s: %v", test, ob)
		}
	}
}

// TestRowsBelowTheTrainingRows: under -scale minmax a map of histograms predicts for test rows below the training rows,
// from a file too.
func TestRowsBelowTheTrainingRows(t *testing.T) {
	dir := t.TempDir()
	rows, dark := clitest.Checker(60, 2, 1)
	label := func(i int) string { return fmt.Sprint(dark[i]) }
	clitest.File(t, dir, "train.csv", clitest.CSV(rows, nil, label))
	for i := range rows {
		rows[i][0] -= .25
	}
	clitest.File(t, dir, "test.csv", clitest.CSV(rows, nil, label))
	for _, more := range []string{"", " -stream"} {
		fitted := clitest.Run(t, dir, "-train train.csv -test test.csv -map exp-chi2 -features 32 -scale minmax -head ridge -save model -plot= -json"+more).OK(t).Object(t)
		loaded := clitest.Run(t, dir, "-load model -test test.csv -plot= -json").OK(t).Object(t)
		if fitted["accuracy"] != loaded["accuracy"] {
			t.Errorf("%s: accuracy %v, from the file %v", more, fitted["accuracy"], loaded["accuracy"])
		}
	}
}
