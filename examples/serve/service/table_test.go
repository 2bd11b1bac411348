package service

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// passengers are rows of a table, with gaps: age, sex, child, ticket, day.
func passengers(n int, seed uint64) [][]any {
	rng := rand.New(rand.NewPCG(seed, 2))
	rows := make([][]any, n)
	for i := range rows {
		age := math.Round(10*rng.Float64()*80) / 10
		rows[i] = []any{age, []any{"female", "male", "other"}[rng.IntN(3)], i % 2, []string{"no", "yes"}[rng.IntN(2)], fmt.Sprintf("2026-%02d-%02d", 1+rng.IntN(12), 1+rng.IntN(28))}
		if i%7 == 3 {
			rows[i][0] = nil
		}
		if i%11 == 5 {
			rows[i][1] = nil
		}
	}
	return rows
}

var passengerNames = []string{"age", "sex", "child", "ticket", "day"}

func frameOf(names []string, rows [][]any) *data.Frame {
	f := must(data.NewFrame(names...))
	for _, row := range rows {
		do(f.Append(row...))
	}
	return f
}

// fates are so many passengers, with labels.
func fates(n int) *data.Frame {
	f := frameOf(passengerNames, passengers(n, 1))
	for i := range n {
		f.Labels = append(f.Labels, []string{"lost", "saved", "unknown"}[i%3])
	}
	f.LabelNames = []string{"fate"}
	return f
}

// tableRecipe fits small models of tables.
func tableRecipe(o data.ColumnOptions) train.Recipe {
	return train.Recipe{Scale: "auto", Columns: &o, Spec: layers.Spec{Features: 32, Seed: 5}}
}

// tableModel is a model of classes of passengers.
func tableModel(o data.ColumnOptions) *train.Model { return fitted(tableRecipe(o), fates(60)) }

// numericModel is a model of a target of numbers and booleans.
func numericModel(o data.ColumnOptions) *train.Model {
	rng := rand.New(rand.NewPCG(1, 3))
	f := must(data.NewFrame("x", "flag", "y"))
	f.LabelNames = []string{"target"}
	for i := range 40 {
		row := []any{rng.Float64(), i % 2, rng.NormFloat64()}
		if i == 3 && o.Missing == "" {
			row[0] = nil
		}
		do(f.Append(row...))
		f.Y = append(f.Y, rng.Float64())
	}
	return fitted(tableRecipe(o), f)
}

// objects are rows as objects, their keys in an order of their own and with keys of others.
func objects(names []string, rows [][]any, extra map[string]any) string {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []string
	for _, row := range rows {
		var parts []string
		for j, name := range names {
			parts = append(parts, fmt.Sprintf("%s : %s", must(json.Marshal(name)), must(json.Marshal(row[j]))))
		}
		for k, v := range extra {
			parts = append(parts, fmt.Sprintf("%s:%s", must(json.Marshal(k)), must(json.Marshal(v))))
		}
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		all = append(all, "{"+strings.Join(parts, " ,\n")+"}")
	}
	return `{"rows": [` + strings.Join(all, ",") + `]}`
}

func arrays(rows any) string { return string(must(json.Marshal(map[string]any{"rows": rows}))) }

// inProcess is what a model predicts for the rows of a table.
func inProcess(m *train.Model, names []string, rows [][]any) map[string]any {
	return predictions(m, must(m.Rows(frameOf(names, rows))).X)
}

// TestTable: rows and objects in any order give what the model gives in process, to the bit, and what is unlike the
// training rows is reported.
func TestTable(t *testing.T) {
	m := tableModel(data.ColumnOptions{})
	r := runServer(t, m, nil)
	rows := passengers(29, 7)
	want := inProcess(m, passengerNames, rows)
	r.answers(t, "?scores=true", typeJSON, arrays(rows), want)
	r.answers(t, "?scores=true", typeJSON, objects(passengerNames, rows, nil), want)
	r.answers(t, "?scores=true", typeJSON, objects(passengerNames, rows, map[string]any{"fate": nil}), want)
	r.answers(t, "?scores=true", typeJSON, objects(passengerNames, rows, map[string]any{"Äge \U0001F600": []any{map[string]any{"a": 1}, "]", nil}}), want,
		`body: the keys "Äge 😀" are not columns of the model and are ignored`)
	r.answers(t, "?scores=true", typeJSON, `{"rows": [{"\u0061ge": 31, "s\u0065x": "\u0066emale", "child": 0, "ticket": "\u0079es", "day": "2026\u002d01-31"}]}`,
		inProcess(m, passengerNames, [][]any{{31., "female", 0, "yes", "2026-01-31"}}))

	one := func(cells ...any) [][]any { return [][]any{cells} }
	means := func(sent, meant [][]any, notes ...string) {
		t.Helper()
		r.answers(t, "?scores=true", typeJSON, arrays(sent), inProcess(m, passengerNames, meant), notes...)
	}
	for _, rows := range map[string][2][][]any{
		"texts that are numbers": {one("31.5", " male ", "1", "yes", "2026-01-31"), one(31.5, "male", 1, "yes", "2026-01-31")},
		"booleans":               {one(31.5, "male", true, true, "2026-01-31"), one(31.5, "male", 1, "yes", "2026-01-31")},
		"marks of gaps":          {one("n/a", "?", false, "NO", "2026-01-31"), one(nil, nil, 0, "no", "2026-01-31")},
		"0 and 1 for words":      {one(1e1, "male", 1.0, 0, "2026-01-31"), one(10, "male", 1, "no", "2026-01-31")},
	} {
		means(rows[0], rows[1])
	}
	unknown, gap := one(31, "x", 1, "yes", "2026-01-31"), one(31, "male", nil, "yes", "2026-01-31")
	means(unknown, unknown, `body: column "sex": 1 values, such as "x", were not in the training rows`)
	means(gap, gap,
		`body: column "child": 1 values are missing, and none was in the training rows; 0 takes their place`)
}

// TestTableArray: an .npy body of numbers and booleans, with NaN for a gap; one of texts is refused.
func TestTableArray(t *testing.T) {
	m := numericModel(data.ColumnOptions{})
	r := runServer(t, m, nil)
	nan := math.NaN()
	names := []string{"x", "flag", "y"}
	r.answers(t, "?scores=true", typeNPY, asNPY(2, 3, []float64{nan, 1, 2, .5, 0, 1}), inProcess(m, names, [][]any{{nil, 1, 2}, {.5, 0, 1}}))
	r.answers(t, "?scores=true", typeNPY, asNPY(1, 3, []float64{.5, 1, nan}), inProcess(m, names, [][]any{{.5, 1, nil}}),
		fmt.Sprintf(`body: column "y": 1 values are missing, and none was in the training rows; %v takes their place`, m.Columns.Inputs[2].Fill))
	strict := runServer(t, numericModel(data.ColumnOptions{Missing: data.MissingError}), nil)
	texts := runServer(t, tableModel(data.ColumnOptions{}), nil)
	closed := runServer(t, numericModel(data.ColumnOptions{Unknown: data.UnknownError}), nil)
	r.answers(t, "?scores=true", typeNPY, asNPY(1, 3, []float64{.5, 7, 2}), inProcess(m, names, [][]any{{.5, 7, 2}}),
		`body: column "flag": 1 values, such as "7", were not in the training rows`)
	for _, tc := range []struct {
		r      *running
		body   string
		status int
		texts  []string
	}{
		{r, asNPY(1, 4, make([]float64, 4)), 422, []string{"4 columns", "send the 3 columns that /model lists"}},
		{closed, asNPY(2, 3, []float64{1, 0, 1, 1, 2, 1}), 422, []string{`row 1: column "flag" is 2, and in the training rows it is 0 or 1`}},
		{r, asNPY(2, 3, []float64{1, 0, 1, math.Inf(1), 1, 1}), 422, []string{`column "x"`, "x[1,0] = +Inf is not a finite number"}},
		{r, asNPY(51, 3, make([]float64, 153)), 413, []string{"more than 50 rows"}},
		{strict, asNPY(2, 3, []float64{1, 0, 1, nan, 1, 1}), 422, []string{`row 1: column "x" is empty; fill the value in`}},
		{texts, asNPY(1, 5, make([]float64, 5)), 415, []string{`the column "sex" of the model is a category`, "send application/json"}},
	} {
		tc.r.refuses(t, "", typeNPY, tc.body, tc.status, tc.texts...)
	}
}

// TestTableRefusals: what is wrong with a row of a table is a 4xx with the row, the column and the remedy.
func TestTableRefusals(t *testing.T) {
	r := runServer(t, tableModel(data.ColumnOptions{Unknown: data.UnknownError}), func(o *options) { o.MaxBody = 1 << 17 })
	const good = `[1,"male",0,"no","2026-01-31"]`
	row := func(cells string) string { return `{"rows": [` + good + `,[` + cells + `]]}` }
	object := func(text string) string { return `{"rows": [{` + text + `}]}` }
	for _, tc := range []struct {
		body   string
		status int
		texts  []string
	}{
		{`{"rows": [7]}`, 400, []string{`7 where a row should be`, `send {"rows": [{"age": ..., ...}, ...]}`}},
		{row(`1,"male",0,"no"`), 422, []string{"row 1 has 4 cells, the model takes 5"}},
		{row(`1,"male",0,"no","2026-01-31",1`), 422, []string{"row 1 has more than the 5 cells"}},
		{row(`"old","male",0,"no","2026-01-31"`), 422, []string{`row 1: column "age" is "old", not a number; correct it, or leave it empty if it is missing; send null where a value is missing`}},
		{row(`"1e999","male",0,"no","2026-01-31"`), 422, []string{`column "age"`, "x[1,0] = +Inf (the text \"1e999\") is too large"}},
		{row(`NaN,"male",0,"no","2026-01-31"`), 422, []string{`column "age"`, "x[1,0] = NaN is not a finite number; send null"}},
		{row(`9007199254740993,"male",0,"no","2026-01-31"`), 422, []string{`row 1: column "age" is "9007199254740993", 2^53 or more`}},
		{row(`"9007199254740993","male",0,"no","2026-01-31"`), 422, []string{`row 1: column "age" is "9007199254740993", which is 2^53 or more`}},
		{row(`1,male,0,"no","2026-01-31"`), 400, []string{`row 1: column "sex" is "male", which is not a value in JSON`}},
		{row(`1,[1],0,"no","2026-01-31"`), 422, []string{`row 1: column "sex" is an array or an object; want`}},
		{row(`1,"x",0,"no","2026-01-31"`), 422, []string{`row 1: column "sex" is "x", which is none of the levels of the training rows, "female", "male"`}},
		{row(`1,"1e999",0,"no","2026-01-31"`), 422, []string{`column "sex": x[1,1] = +Inf`, "too large"}},
		{row(`1,"male",2,"no","2026-01-31"`), 422, []string{`row 1: column "child" is 2, and in the training rows it is 0 or 1`}},
		{row(`1,"male","maybe","no","2026-01-31"`), 422, []string{`row 1: column "child" is "maybe", not a number; correct it, or leave it empty if it is missing; send null where a value is missing; a boolean is true, false, 0 or 1`}},
		{row(`1,"male",0,"maybe","2026-01-31"`), 422, []string{`row 1: column "ticket" is "maybe", and in the training rows it is no or yes`}},
		{row(`1,"male",0,"no","31.1.2026"`), 422, []string{`row 1: column "day" is "31.1.2026", and a time is written as year-month-day`}},
		{object(`"age":1,"child":0,"day":"2026-01-31","fate":"lost"`), 422, []string{`row 0 does not have the keys "sex", "ticket"; send null where a value is missing`}},
		{object(``), 422, []string{`"age", "sex", "child", "ticket", "day"`}},
		{object(`"age":1,"sex":"male","age":2`), 400, []string{`row 0 has the key "age" twice`}},
		{object(`"age":1,"z":tru`), 400, []string{"in literal true"}},
		{object(`"age":1,"z":` + strings.Repeat("[", 5000)), 400, []string{"looking for beginning of value"}},
		{row(`1,"\ud83d",0,"no","2026-01-31"`), 400, []string{`or half of a \u pair`}},
		{row("1,\"a\nb\",0,\"no\",\"2026-01-31\""), 400, []string{"in string literal"}},
		{row("1,\"\xff\xfe\",0,\"no\",\"2026-01-31\""), 400, []string{"has a byte that is not UTF-8"}},
		{`{"rows": [` + strings.Repeat(good+",", 51) + `]}`, 413, []string{"more than 50 rows"}},
	} {
		r.refuses(t, "", typeJSON, tc.body, tc.status, tc.texts...)
	}
	strict := runServer(t, numericModel(data.ColumnOptions{Missing: data.MissingError}), nil)
	strict.refuses(t, "", typeJSON, `{"rows": [[1,1,1],[1,null,1]]}`, 422,
		`row 1: column "flag" is empty; fill the value in`)
	plain := runServer(t, newModel("gaussian", 3, 1), nil)
	plain.refuses(t, "", typeJSON, `{"rows": [{"age": 1}]}`, 400,
		"row 0 is an object, and the columns of the model have no names; send its 5 numbers as [1, 2, ...]")
}

// TestTableTargets: several targets are named, and a cell that the kernel does not take is named by its column.
func TestTableTargets(t *testing.T) {
	f := frameOf([]string{"a", "b"}, [][]any{{1, "x"}, {2, "y"}, {3, "x"}, {4, "y"}, {5, "x"}, {6.5, "y"}})
	f.Y, f.LabelNames = make([]float64, 12), []string{"up", "down"}
	for i := range f.Y {
		f.Y[i] = float64(i % 5)
	}
	m := fitted(train.Recipe{Scale: "none", Spec: layers.Spec{Map: "exp-semigroup", Features: 32, Seed: 5}}, f)
	r := runServer(t, m, nil)
	if got := r.current.Load().card.Targets; !slices.Equal(got, f.LabelNames) {
		t.Errorf("the targets are %q", got)
	}
	r.answers(t, "?scores=true", typeJSON, `{"rows": [{"b": "y", "a": 3}]}`, inProcess(m, []string{"a", "b"}, [][]any{{3, "y"}}))
	r.refuses(t, "", typeJSON, `{"rows": [[1,"x"],[-2,"y"]]}`, 422, `column "a": x[1,0] = -2 is negative`)
}
