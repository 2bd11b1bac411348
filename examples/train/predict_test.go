package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/train/data"
	"github.com/parquet-go/parquet-go"
	"gorgonia.org/tensor"
)

// prediction is a file of predictions, read back.
type prediction struct {
	head       []string
	ids, class []string
	values     [][]float64
}

// predictCSV predicts and reads the CSV that it writes. It wants the other formats to hold the same.
func predictCSV(t *testing.T, dir, args string) (p prediction, notes []string) {
	t.Helper()
	r := clitest.Run(t, dir, args+" -out o.csv").OK(t)
	for _, format := range []string{"jsonl", "npy", "parquet"} {
		inProcess(t, dir, args+" -out o."+format)
	}
	if r.Stdout != "" || !strings.HasSuffix(r.Stderr, "seconds: o.csv\n") {
		t.Errorf("%s: stdout %q, stderr %q", args, r.Stdout, r.Stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "o.csv"))
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	p.head = records[0]
	at := 1
	if len(p.head) > 1 && p.head[1] == "class" {
		at = 2
	}
	for _, record := range records[1:] {
		p.ids = append(p.ids, record[0])
		if at == 2 {
			p.class = append(p.class, record[1])
		}
		var row []float64
		for _, field := range record[at:] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		p.values = append(p.values, row)
	}
	p.sameNPY(t, filepath.Join(dir, "o.npy"))
	p.sameJSON(t, filepath.Join(dir, "o.jsonl"))
	p.sameParquet(t, filepath.Join(dir, "o.parquet"), records)
	return p, notesIn(r)
}

// inProcess runs the program in this process, which is faster.
func inProcess(t *testing.T, dir, args string) {
	t.Helper()
	t.Chdir(dir)
	if err := run(t.Context(), strings.Fields(args)); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
}

func (p prediction) sameNPY(t *testing.T, path string) {
	t.Helper()
	set, err := data.Read(path, data.Options{Label: data.LabelNone})
	if err != nil {
		t.Fatal(err)
	}
	if x := set.X.(*tensor.Dense).Float64s(); !slices.Equal(x, slices.Concat(p.values...)) {
		t.Errorf("%s holds %v", path, x[:min(8, len(x))])
	}
}

func (p prediction) sameJSON(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	if len(lines) != len(p.ids) {
		t.Fatalf("%d lines, want %d", len(lines), len(p.ids))
	}
	for i, line := range lines {
		var ob struct {
			ID, Class                      string
			Row                            *int
			Scores, Probabilities, Targets map[string]float64
		}
		if err := json.Unmarshal([]byte(line), &ob); err != nil {
			t.Fatal(err)
		}
		if ob.Row != nil {
			ob.ID = strconv.Itoa(*ob.Row)
		}
		var got, want []float64
		for _, m := range []map[string]float64{ob.Scores, ob.Probabilities, ob.Targets} {
			for _, v := range m {
				got = append(got, v)
			}
		}
		want = slices.Sorted(slices.Values(p.values[i]))
		if slices.Sort(got); ob.ID != p.ids[i] || p.class != nil && ob.Class != p.class[i] || !slices.Equal(got, want) {
			t.Fatalf("line %d is %s, want %s and %v", i, line, p.ids[i], want)
		}
	}
}

func (p prediction) sameParquet(t *testing.T, path string, want [][]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := parquet.NewGenericReader[any](file)
	defer r.Close()
	rows := make([]map[string]any, 0, len(want))
	buffer := make([]any, 1024)
	for {
		n, err := r.Read(buffer)
		for _, row := range buffer[:n] {
			rows = append(rows, row.(map[string]any))
		}
		if err != nil {
			break
		}
	}
	if len(rows) != len(want)-1 {
		t.Fatalf("%s: %d rows, want %d", path, len(rows), len(want)-1)
	}
	for i, row := range rows {
		for j, name := range p.head {
			text := ""
			switch v := row[name].(type) {
			case float64:
				text = strconv.FormatFloat(v, 'g', -1, 64)
			case []byte:
				text = string(v)
			default:
				text = fmt.Sprint(v)
			}
			if text != want[i+1][j] {
				t.Fatalf("%s: row %d has the %s %q, want %q", path, i, name, text, want[i+1][j])
			}
		}
	}
}

// TestPredict: rows without labels give the classes and targets that the model has of the same rows with labels, in
// every format, from tables with names and without, plain CSV, .npy and LIBSVM text.
func TestPredict(t *testing.T) {
	dir := peopleFiles(t)
	rows, dark := clitest.Checker(80, 3, 1)
	class := func(i int) string {
		return map[bool]string{false: "\"one, \"\"two\"\"\nthree\"", true: "plain"}[dark[i]]
	}
	number := func(i int) string { return map[bool]string{false: "-1", true: "1"}[dark[i]] }
	clitest.File(t, dir, "plain.csv", clitest.CSV(rows, nil, class))
	clitest.File(t, dir, "plain0.csv", clitest.CSV(rows, nil, nil))
	clitest.File(t, dir, "first.csv", clitest.CSV(rows, number, nil))
	clitest.File(t, dir, "rows.libsvm", clitest.LIBSVM(rows, number))
	clitest.File(t, dir, "named.csv", "a,b,c,y\n"+clitest.CSV(rows, nil, class))
	clitest.File(t, dir, "targets.csv", "a,b,c,y,z\n"+clitest.CSV(rows, nil, func(i int) string { return fmt.Sprintf("%v,%v", rows[i][0]+rows[i][1], rows[i][2]) }))
	var texts, texts0 strings.Builder
	for i := range rows {
		texts0.WriteString(fmt.Sprintf("n%d,%v,%s\n", i, rows[i][0], []string{"a", "b"}[i%2]))
		texts.WriteString(fmt.Sprintf("%s,n%d,%v,%s\n", number(i), i, rows[i][0], []string{"a", "b"}[i%2]))
	}
	clitest.File(t, dir, "texts.csv", texts.String())
	clitest.File(t, dir, "texts0.csv", texts0.String())
	clitest.File(t, dir, "wide.csv", "1,2,3,4,5,6\n")
	var labelled [][]float64
	for i, row := range rows {
		labelled = append(labelled, append(slices.Clone(row), map[bool]float64{false: -1, true: 1}[dark[i]]))
	}
	npy(t, filepath.Join(dir, "rows.npy"), labelled)
	const byLast = "the last column is taken for the label, because the model takes one column less; if it is another one, say -label"
	for _, tc := range []struct{ train, predict, other, head, note string }{
		{"train.csv -label label -id who", "unlabelled.csv", "test.csv", "who,class,score old,score young", ""},
		{"train.csv -label label -id who", "turned.csv", "unlabelled.csv", "who,class,score old,score young", "are found by their names"},
		{"train.csv -label label -drop who", "unlabelled.csv -id who", "unlabelled.csv -id 1", "who,class,score old,score young", ""},
		{"train.csv -label label -drop who -head softmax -epochs 2", "unlabelled.csv", "test.csv", "row,class,probability old,probability young", ""},
		{"train.csv -label share,income -task regression -drop who,label", "unlabelled.csv", "test.csv", "row,share,income", ""},
		{"targets.csv -label y,z -task regression", "targets.csv", "targets.csv", "row,y,z", ""},
		{"targets.csv -label y -drop z -task regression", "targets.csv", "named.csv", "row,y", ""},
		{"plain.csv", "plain0.csv", "plain.csv", "row,class,score one, \"two\"\nthree,score plain", ""},
		{"named.csv", "named.csv", "targets.csv", "row,class,score one, \"two\"\nthree,score plain", ""},
		{"plain.csv", "plain.csv", "plain0.csv", "row,class,score one, \"two\"\nthree,score plain", byLast},
		{"first.csv -label first", "first.csv -label first", "plain0.csv", "row,class,score -1,score 1", ""},
		{"rows.libsvm", "rows.libsvm", "plain0.csv", "row,class,score -1,score 1", ""},
		{"rows.npy", "rows.npy", "rows.libsvm", "row,class,score -1,score 1", byLast},
		{"texts.csv -label 1 -id 2", "texts.csv", "texts0.csv", "column 2,class,score -1,score 1", ""},
	} {
		ob := clitest.Run(t, dir, "-save model -json"+small+" -train "+tc.train).Object(t)
		p, notes := predictCSV(t, dir, "-load model -predict "+tc.predict)
		if strings.Join(p.head, ",") != tc.head || (tc.note == "") != (len(notes) == 0) || tc.note != "" && !strings.Contains(notes[0], tc.note) {
			t.Errorf("%v: head %q, notes %q", tc, p.head, notes)
		}
		if other, _ := predictCSV(t, dir, "-load model -predict "+tc.other); !reflect.DeepEqual(other, p) {
			t.Errorf("%v: the two files give\n%v\n%v", tc, p.values[:2], other.values[:2])
		}
		file := strings.Fields(tc.train)[0]
		if ob["classes"] == nil || !strings.HasSuffix(file, ".csv") {
			continue
		}
		if file == "first.csv" {
			file += " -label first"
		}
		loaded := clitest.Run(t, dir, "-json -load model -test "+file).Object(t)
		truth, _ := predictCSV(t, dir, "-load model -predict "+file)
		if got := agreement(t, filepath.Join(dir, strings.Fields(file)[0]), truth.class, tc.train); math.Abs(got-loaded["accuracy"].(float64)) > 1e-9 {
			t.Errorf("%v: accuracy %v of the classes, -load -test %v", tc, got, loaded["accuracy"])
		}
	}
	clitest.Run(t, dir, "-train plain.csv -save model"+small).OK(t)
	clitest.Run(t, dir, "-load model -predict wide.csv -out o.csv").Fails(t, 1, "train", "wide.csv: the rows have 6 columns; the model takes 3, or 4 with the label")
	clitest.Run(t, dir, "-load model -predict plain.csv -id 1 -out o.csv").Fails(t, 2, "train", "-id: the model has no names of columns")
	clitest.Run(t, dir, "-train targets.csv -label y,z -task regression -save model"+small).OK(t)
	clitest.Run(t, dir, "-load model -predict targets.csv -label y -out o.csv").Fails(t, 2, "train", "-label does not apply to -predict")
	clitest.Run(t, dir, "-load model -predict targets.csv -id a -out o.csv").Fails(t, 1, "train", `the column "a"`, "the model learned from it")
	clitest.Run(t, dir, "-load model -predict none.csv -out o.csv").Fails(t, 1, "train", "none.csv")
	clitest.File(t, dir, "twice.csv", "a,b,row\n"+clitest.CSV(rows, nil, nil))
	clitest.Run(t, dir, "-train twice.csv -label row -task regression -save model"+small).OK(t)
	clitest.Run(t, dir, "-load model -predict twice.csv -out t.parquet").Fails(t, 1, "train", `-out t.parquet: two columns would be named "row"; write .csv`)
	if slices.Contains(clitest.Names(t, dir), "t.parquet") {
		t.Error("t.parquet is there")
	}
}

// agreement is how often the classes are those in the file.
func agreement(t *testing.T, path string, class []string, args string) float64 {
	t.Helper()
	o := data.Options{}
	switch {
	case strings.Contains(args, "-label label"):
		o.LabelNames = []string{"label"}
	case strings.Contains(args, "-label 1"), strings.Contains(args, "-label first"):
		o.Label = data.LabelFirst
	}
	f, err := data.ReadFrame(t.Context(), o, path)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, l := range f.Labels {
		if l == class[i] {
			right++
		}
	}
	return float64(right) / float64(len(f.Labels))
}

// TestPredictLeavesNothing: rows of several blocks are counted on; a prediction that fails, is interrupted or killed
// leaves the file as it was, and but for the killed one no other file.
func TestPredictLeavesNothing(t *testing.T) {
	dir := files(t)
	clitest.Run(t, dir, "-train header.csv -save model"+small).OK(t)
	var b strings.Builder
	b.WriteString("p,q,r\n")
	for i := range 20_000 { // 3 blocks
		fmt.Fprintf(&b, "%v,%v,.5\n", float64(i%97)/97, float64(i%89)/89)
	}
	clitest.File(t, dir, "long.csv", b.String())
	clitest.File(t, dir, "flaw.csv", b.String()+".1,big,.3\n")
	p, _ := predictCSV(t, dir, "-load model -predict long.csv")
	if len(p.ids) != 20_000 || p.ids[0] != "0" || p.ids[19_999] != "19999" || !slices.Equal(p.values[0], p.values[97*89]) {
		t.Errorf("%d rows, the last %s", len(p.ids), p.ids[len(p.ids)-1])
	}
	before := clitest.Names(t, dir)
	for _, format := range predictionKinds {
		was, err := os.ReadFile(filepath.Join(dir, "o"+format))
		if err != nil {
			t.Fatal(err)
		}
		clitest.Run(t, dir, "-load model -predict flaw.csv -out o"+format).Fails(t, 1, "train", `flaw.csv:20002: column "q" is "big", not a number; correct it, or leave it empty if it is missing`)
		clitest.Run(t, dir, "-load model -predict long.csv -out no/o"+format).Fails(t, 1, "train", "-out no/o"+format+": cannot be written", "see that the folder exists")
		clitest.Run(t, dir, "-load model -predict long.csv,flaw.csv -out new"+format).Fails(t, 1, "train", "flaw.csv:20002")
		clitest.Run(t, dir, "-load model -predict long.csv -out ."+format).OK(t) // an odd name, and a whole one
		os.Remove(filepath.Join(dir, "."+format))
		for _, sig := range []os.Signal{os.Interrupt, os.Kill} {
			slow := strings.TrimSuffix(strings.Repeat("long.csv,", 100), ",")
			cmd := clitest.Command(t, dir, "-load", "model", "-predict", slow, "-out", "o"+format)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for start := time.Now(); len(clitest.Names(t, dir)) == len(before); time.Sleep(time.Millisecond) {
				if time.Since(start) > 30*time.Second {
					t.Fatal("nothing is written")
				}
			}
			time.Sleep(20 * time.Millisecond)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			left := slices.DeleteFunc(clitest.Names(t, dir), func(n string) bool { return slices.Contains(before, n) })
			switch {
			case err == nil:
				t.Errorf("%s, %v: it was done before", format, sig)
			case sig == os.Interrupt && (len(left) > 0 || cmd.ProcessState.ExitCode() != 130 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "context canceled")):
				t.Errorf("%s: interrupted it leaves %v; stderr %q", format, left, stderr.String())
			case sig == os.Kill && (len(left) != 1 || !strings.HasSuffix(left[0], ".tmp")):
				t.Errorf("%s: killed it leaves %v", format, left)
			}
			for _, n := range left {
				os.Remove(filepath.Join(dir, n))
			}
		}
		if is, err := os.ReadFile(filepath.Join(dir, "o"+format)); err != nil || !bytes.Equal(is, was) {
			t.Errorf("o%s is another one (%v)", format, err)
		}
	}
	if names := clitest.Names(t, dir); !slices.Equal(names, before) {
		t.Errorf("the folder holds %v, was %v", names, before)
	}
}
