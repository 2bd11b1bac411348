package beam_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// tableIn writes rows of a table with columns in an order, each by its name.
func tableIn(t *testing.T, path string, rows int, columns ...string) string {
	t.Helper()
	text := strings.Join(columns, ",") + "\n"
	for i := range rows {
		cells := map[string]string{"age": fmt.Sprint(20 + i*7%50), "job": []string{"cook", "smith", "clerk", "?"}[i%4], "paid": fmt.Sprintf("%d.5", i*i%11),
			"class": []string{"poor", "rich"}[i*i%11/6], "note": "none", "born": fmt.Sprintf("19%02d-03-04", 40+i%50)}
		for j, name := range columns {
			if j > 0 {
				text += ","
			}
			text += cells[name]
		}
		text += "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tableRecipe learns the columns of files.
func tableRecipe(t *testing.T, files ...string) *beam.Recipe {
	t.Helper()
	how := train.Recipe{Scale: "auto", Columns: new(data.ColumnOptions), Spec: layers.Spec{Map: "gaussian", Features: 32, Sampler: "iid", Seed: 5, Name: "gaussian"}}
	return must(beam.Prepare(t.Context(), how, data.Options{LabelNames: []string{"class"}}, files...))
}

// TestFitTables: workers find columns by their names, in any order and among others, and make the model of one process
// over files that are alike.
func TestFitTables(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	alike := []string{tableIn(t, in("a.csv"), 60, "age", "class", "job", "paid", "born"), tableIn(t, in("b.csv"), 33, "age", "class", "job", "paid", "born")}
	other := []string{alike[0], tableIn(t, in("c.csv"), 33, "note", "born", "paid", "job", "age", "class")}
	r := tableRecipe(t, alike[0])
	want := alone(t, r, linear.RidgeOptions{Lambdas: []float64{1e-2}}, alike)
	for _, files := range [][]string{alike, other} {
		for _, processes := range []bool{false, true} {
			save := filepath.Join(t.TempDir(), "model.safetensors")
			runs(t, submit.Options{Processes: processes}, func(s sdk.Scope) error { return beam.Fit(s, r, files, 1e-2, save) })
			m := same(t, save, want)
			if !reflect.DeepEqual(m.Columns, r.Model.Columns) || !slices.Equal(m.Columns.Labels, []string{"class"}) {
				t.Errorf("the model has the columns %+v, want %+v", m.Columns, r.Model.Columns)
			}
		}
	}
	var told []string
	r.Read.Tell = func(note string) { told = append(told, note) }
	alone(t, r, linear.RidgeOptions{Lambdas: []float64{1e-2}}, other[1:])
	for _, note := range []string{`"note", which are ignored`, "in another order"} {
		if !slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, note) && strings.Contains(s, "c.csv") }) {
			t.Errorf("told %q, want %q", told, note)
		}
	}
	lacks := tableIn(t, in("d.csv"), 9, "age", "class", "paid", "born")
	err := run(t, submit.Options{}, func(s sdk.Scope) error { return beam.Fit(s, r, []string{alike[0], lacks}, 0, in("m")) })
	for _, part := range []string{"d.csv", `there is no column "job"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}
}

// TestFeaturesOfTables: features need no labels, of a recipe and of a saved model, and no order of the columns.
func TestFeaturesOfTables(t *testing.T) {
	dir := t.TempDir()
	r := tableRecipe(t, tableIn(t, filepath.Join(dir, "a.csv"), 40, "age", "class", "job", "born"))
	later := tableIn(t, filepath.Join(dir, "later.csv"), 12, "born", "job", "age")
	m := *r.Model
	of := must(beam.OfModel(t.Context(), &m, data.Options{Label: data.LabelNone}, later))
	f := must(data.ReadFrame(t.Context(), data.Options{Label: data.LabelNone}, later))
	want := must(m.Features(must(m.Rows(f)).X))
	for name, r := range map[string]*beam.Recipe{"a recipe": r, "a model": of} {
		out := t.TempDir()
		runs(t, submit.Options{}, func(s sdk.Scope) error { return beam.Features(s, r, []string{later}, out) })
		got, err := data.Read(filepath.Join(out, "later.npy"), data.Options{Label: data.LabelNone})
		if err != nil || !slices.Equal(got.X.(*tensor.Dense).Float64s(), want.Float64s()) {
			t.Errorf("%s: the features differ, %v", name, err)
		}
	}
}
