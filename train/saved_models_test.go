package train_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// testdata/models holds a small file of a model of every kind, a folder for each form of the files. Each carries rows and
// the scores that the model gave them when it was saved.
//
//	go test ./train -run SavedModels -write-models v0
//
// writes those of the folder v0 with the code as it is.
var writeModels = flag.String("write-models", "", "write a model of every kind to this folder of testdata/models, in place of those there")

const (
	savedRows   = "test.rows"   // rows, or bags of rows, as JSON
	savedScores = "test.scores" // what the model says of them
	savedTable  = "test.table"  // of a model with Columns the rows as they were before, a JSON object for each
	savedSure   = "test.sure"   // of a model with Uncertainty how sure it is of them
)

// TestSavedModels loads all of them, and wants the same predictions.
func TestSavedModels(t *testing.T) {
	if *writeModels != "" {
		writeSaved(t, filepath.Join("testdata", "models", *writeModels))
	}
	files := must(filepath.Glob(filepath.Join("testdata", "models", "*", "*.safetensors")))
	if len(files) < 180 {
		t.Errorf("%d files, want those that were saved", len(files))
	}
	for _, path := range files {
		m, err := train.Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		var want []float64
		if err := json.Unmarshal([]byte(m.Notes[savedScores]), &want); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		x := savedX(t, m.Notes[savedRows])
		if text := m.Notes[savedTable]; text != "" {
			set, err := m.Rows(savedFrame(t, text))
			if err != nil {
				t.Errorf("%s: %v", path, err)
			} else if got := set.X.(*tensor.Dense); !slices.EqualFunc(got.Float64s(), x.(*tensor.Dense).Float64s(), sameCell) {
				t.Errorf("%s: the table becomes\n%v, was\n%v", path, got, x)
			}
		}
		scores, err := m.Scores(x)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := scores.RawMatrix().Data
		if len(got) != len(want) || len(got) == 0 {
			t.Fatalf("%s: %d scores, want %d", path, len(got), len(want))
		}
		tolerance := 1e-12
		if runtime.GOARCH != "amd64" {
			tolerance = 1e-10 // a compiler that fuses products fits other last bits of a mixture of Gaussians
		}
		if m.Map.Dtype() == tensor.Float32 {
			tolerance = 1e-5 // instruction sets differ in the last bits of float32
		}
		sameNumbers(t, path+": score", got, want, tolerance)
		if m.Uncertainty == nil {
			continue
		}
		want = nil
		if err := json.Unmarshal([]byte(m.Notes[savedSure]), &want); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		sameNumbers(t, path+": uncertainty", sure(m, x), want, 1e-9)
	}
}

// sameNumbers compares numbers, to a tolerance in proportion to the largest.
func sameNumbers(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, %d when it was saved", what, len(got), len(want))
		return
	}
	size := 0.
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance*size) {
			t.Errorf("%s %d is %v, was %v when it was saved", what, i, got[i], v)
			break
		}
	}
}

// sure is how sure a model is of rows: deviations and intervals of targets, or probabilities and sets of classes.
func sure(m *train.Model, x ops.Matrix) []float64 {
	if m.Classes == nil {
		lower, upper, err := m.PredictIntervals(x, .9)
		if err != nil {
			panic(err)
		}
		std := must(m.PredictDistribution(x)).Std
		return slices.Concat(std.RawMatrix().Data, lower.RawMatrix().Data, upper.RawMatrix().Data)
	}
	out := must(m.Probabilities(x)).RawMatrix().Data
	for _, set := range must(m.PredictSets(x, .9)) {
		out = append(out, float64(len(set)))
	}
	return out
}

// sameCell compares two cells of a table: they are the same, but for a rounding where the compiler fuses products.
func sameCell(a, b float64) bool {
	return a == b || runtime.GOARCH != "amd64" && math.Abs(a-b) <= 0x1p-50*math.Abs(b)
}

// savedX reads rows or bags.
func savedX(t *testing.T, text string) ops.Matrix {
	t.Helper()
	var rows [][]float64
	if err := json.Unmarshal([]byte(text), &rows); err == nil {
		return stacked(rows)
	}
	rows = nil
	var bags [][][]float64
	if err := json.Unmarshal([]byte(text), &bags); err != nil {
		t.Fatal(err)
	}
	offsets := []int{0}
	for _, b := range bags {
		rows = append(rows, b...)
		offsets = append(offsets, len(rows))
	}
	return must(ops.NewBags(stacked(rows), offsets))
}

func stacked(rows [][]float64) *tensor.Dense {
	var v []float64
	for _, r := range rows {
		v = append(v, r...)
	}
	return tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(v))
}

// unstacked is the rows lo to hi of x.
func unstacked(x *tensor.Dense, lo, hi int) (rows [][]float64) {
	d := x.Shape()[1]
	for i := lo; i < hi; i++ {
		rows = append(rows, x.Float64s()[i*d:(i+1)*d])
	}
	return rows
}

// savedModel is a model to be written.
type savedModel struct {
	what string // what the file's name adds to the map's
	plan
	axes int // of samples, of a map of sets; 0 is 2
}

// savedModels are models of every map in its default, of tuned ones, and of the parameters that change its form.
func savedModels() []savedModel {
	var es []savedModel
	for _, e := range layers.Entries() {
		es = append(es, savedModel{plan: plan{entry: e, head: "ridge", dtype: "float64", features: 16}})
		if e.Tunable {
			es = append(es, savedModel{what: "all", plan: plan{entry: e, head: "softmax", dtype: "float32", tune: "all", features: 16}})
		}
	}
	of := func(name, what, sampler string, params layers.Values, scale string) {
		es = append(es, savedModel{what: what, plan: plan{entry: must(layers.Lookup(name)), head: "linear", dtype: "float64", regress: true,
			sampler: sampler, params: params, scaled: scale, features: 16}})
	}
	tuned := func(name, what, tune string, params layers.Values) {
		of(name, what, "", params, "")
		es[len(es)-1].tune = tune
	}
	for _, s := range []string{"orthogonal", "coupled", "antithetic", "structured", "halton", "sobol"} {
		of("gaussian", s, s, nil, "")
	}
	of("laplacian", "sobol", "sobol", nil, "standard")
	of("gaussian", "phase", "", layers.Values{"phase": true}, "cube")
	of("chi2", "uniform", "", layers.Values{"order": 2., "window": "uniform", "negative": "split", "gamma": .5}, "minmax,l1")
	of("intersection", "optimal", "", layers.Values{"order": 3., "period": "optimal", "negative": "sign"}, "none")
	of("exp-chi2", "orthogonal", "orthogonal", layers.Values{"order": 2., "phase": true}, "minmax,l1")
	of("exp-semigroup", "halton", "halton", nil, "minmax,l1")
	of("skewed-chi2", "antithetic", "antithetic", nil, "minmax")
	for _, c := range []string{"iid", "joint", "shared-coupled"} {
		of("delta-gaussian", c, "", layers.Values{"coupling": c}, "minmax")
	}
	of("delta-gaussian", "sigmas", "", layers.Values{"sigmas": "1:2:3", "weights": "1:-.5:.25"}, "minmax")
	of("sphere-polynomial", "eps", "", layers.Values{"eps": .01, "p": 2.}, "minmax,l2")
	of("arc-cosine", "order0", "", layers.Values{"order": 0.}, "minmax,l2")
	of("nystrom", "chi2", "", layers.Values{"kernel": "chi2", "gamma": .5, "select": "rpcholesky", "landmarks": 20.}, "minmax,l1")
	of("add-kpca", "intersection", "", layers.Values{"kernel": "intersection", "components": 2.}, "minmax,l1")
	for _, k := range []string{"exp-semigroup", "reciprocal-semigroup"} {
		of(k, "normalised", "", layers.Values{"way": "normalised"}, "minmax,l1")
		of(k, "levy", "", layers.Values{"way": "levy", "order": 2.}, "minmax,l1")
		tuned(k, "normalised-each", "bandwidth-each", layers.Values{"way": "normalised"})
		tuned(k, "levy-all", "all", layers.Values{"way": "levy"})
	}
	for _, k := range []string{"gaussian", "laplacian", "skewed-chi2", "chi2", "exp-chi2", "delta-gaussian"} {
		tuned(k, "each", "bandwidth-each", nil)
	}
	of("gaussian", "structured-phase-bandwidth", "structured", layers.Values{"phase": true}, "minmax,l1")
	es[len(es)-1].tune = "bandwidth"
	of("jensen-shannon", "order", "", layers.Values{"order": 6., "gamma": .5}, "minmax,l1")
	for _, k := range []string{"linear", "laplacian", "cauchy", "matern", "skewed-chi2", "exp-semigroup", "reciprocal-semigroup",
		"exp-jensen-shannon"} {
		of("nystrom", k, "", layers.Values{"kernel": k}, "minmax,l1")
		es[len(es)-1].features = 6
	}
	of("nystrom", "split", "", layers.Values{"kernel": "intersection", "negative": "split"}, "standard")
	of("chi2", "sign", "", layers.Values{"negative": "sign"}, "standard")
	of("intersection", "split", "", layers.Values{"negative": "split"}, "standard")
	sets := func(name, what string, axes int, params layers.Values) {
		of(name, what, "", params, "")
		es[len(es)-1].axes = axes
	}
	sets("hdd-js", "one", 1, layers.Values{"basis": "fourier", "functions": 5.})
	sets("l2-density", "three", 3, layers.Values{"basis": "fourier", "functions": 5.})
	sets("hdd-hellinger", "four", 4, nil)
	sets("mean-map", "landmarks", 2, layers.Values{"landmarks": 6.})
	sets("mean-map", "exp-chi2", 2, layers.Values{"kernel": "exp-chi2"})
	sets("hdd-js", "quantile", 2, layers.Values{"rule": "quantile"})
	sets("hdd-tv", "quantile", 2, layers.Values{"rule": "quantile", "lambdas": 5.})
	sets("hdd-js", "drawn", 2, layers.Values{"rule": "drawn"})
	sets("hdd-tv", "four", 4, nil)
	of("exp-intersection", "series", "", layers.Values{"order": 1.}, "minmax,l1")
	sets("mean-map", "exp-intersection", 2, layers.Values{"kernel": "exp-intersection"})
	return es
}

// writeSaved writes them in place of those that are there.
func writeSaved(t *testing.T, dir string) {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	others := savedTrees(t)
	maps.Copy(others, savedTables(t))
	for name, m := range others {
		if err := m.Save(filepath.Join(dir, name+".safetensors")); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for _, e := range savedModels() {
		name := strings.Trim(e.entry.Name+"-"+e.what, "-")
		m := e.noted(t)
		if err := m.Save(filepath.Join(dir, name+".safetensors")); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e.tune == "" && !e.entry.Fitted {
			if err := m.SaveSpec(filepath.Join(dir, name+"-spec.safetensors")); err != nil {
				t.Logf("%s: no file of the spec alone: %v", name, err)
			}
		}
	}
}

// noted fits the model and notes what it says of some rows.
func (e savedModel) noted(t *testing.T) *train.Model {
	const n = 5
	var m *train.Model
	var rows any
	var x ops.Matrix
	if e.entry.Bags {
		set := twoShapes(40, cmp.Or(e.axes, 2), 3)
		params := layers.Values{"points": 8., "functions": 6.}
		switch e.entry.Name {
		case "mean-map":
			params = layers.Values{"sigma": .1, "inner": 16.}
		case "hdd-js", "hdd-tv":
			params["lambdas"] = 2.
		}
		maps.Copy(params, e.params)
		m = bagModel(t, e.entry.Name, e.dtype, e.head, e.tune, params, set)
		b := set.X.(*ops.Bags)
		var bags [][][]float64
		for i := range 2 {
			bags = append(bags, unstacked(b.Samples(), b.Offsets()[i], b.Offsets()[i+1]))
		}
		rows, x = bags, b.Slice(0, 2)
	} else {
		dims := modelDims
		if e.sampler == "structured" {
			dims = 20
		}
		all, labels, y := counts(60, dims, 1)
		m = must(e.fit(all, labels, y, 2))
		test, _, _ := counts(n, dims, 1)
		rows, x = unstacked(test, 0, n), test
	}
	note(m, rows, x)
	return m
}

// note writes rows x and what the model says of them to its notes.
func note(m *train.Model, rows any, x ops.Matrix) {
	scores := must(m.Scores(x))
	m.Notes = map[string]string{
		savedRows:   string(must(json.Marshal(rows))),
		savedScores: string(must(json.Marshal(scores.RawMatrix().Data))),
	}
	if m.Uncertainty != nil {
		m.Notes[savedSure] = string(must(json.Marshal(sure(m, x))))
	}
}

// savedFrame reads rows of a table, the names in alphabetical order.
func savedFrame(t *testing.T, text string) *data.Frame {
	t.Helper()
	var rows []map[string]any
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(rows[0]))
	f := must(data.NewFrame(names...))
	for _, row := range rows {
		cells := make([]any, len(names))
		for j, name := range names {
			cells[j] = row[name]
		}
		if err := f.Append(cells...); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// savedTables is a model of a table with columns of every kind.
func savedTables(t *testing.T) map[string]*train.Model {
	var rows []map[string]any
	for i := range 60 {
		row := map[string]any{"age": float64(20 + i*7%41), "income": nil, "colour": []any{"red", "green", "blue", nil}[i%4], "member": []any{"no", "yes"}[i/3%2],
			"flag": float64(i % 2), "zip": float64(1000 + i%3), "since": fmt.Sprintf("2020-%02d-11", i%12+1), "seen": fmt.Sprintf("2020-05-%02d %02d:30:00", i%28+1, i%24)}
		if i%5 > 0 {
			row["income"] = float64(i) * 1.5
		}
		if i == 59 {
			row["colour"] = "mauve" // rare
		}
		rows = append(rows, row)
	}
	f := savedFrame(t, string(must(json.Marshal(rows))))
	for i := range 60 {
		f.Labels = append(f.Labels, []string{"a", "b", "c"}[i*i%7%3])
	}
	f.LabelNames = []string{"class"}
	m, _, err := train.Recipe{Scale: "auto", Spec: layers.Spec{Map: "gaussian", Features: 16},
		Columns: &data.ColumnOptions{Categorical: []string{"zip"}, Rare: 2, Cyclic: true}}.Fit(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	test := rows[:5]
	test[1]["colour"], test[2]["age"], test[3]["zip"] = "purple", nil, 77. // that the training rows did not have
	text := must(json.Marshal(test))
	x := must(m.Rows(savedFrame(t, string(text)))).X.(*tensor.Dense)
	note(m, unstacked(x, 0, 5), x)
	m.Notes[savedTable] = string(text)
	return map[string]*train.Model{"table": m}
}

// savedTrees are models of trees of every kind of layer, of the head that no other has, and ones that know how sure they
// are.
func savedTrees(t *testing.T) map[string]*train.Model {
	all, labels, y := counts(60, modelDims, 1)
	test, _, _ := counts(5, modelDims, 1)
	gaussian := layers.Spec{Map: "gaussian", Features: 16}
	models := map[string]*train.Model{}
	for name, r := range map[string]train.Recipe{
		"tree-tuned": {Scale: "standard", Spec: treeOf("gaussian")},
		"tree-fitted": {Scale: "none", Spec: layers.Spec{Map: "sequential", Parts: []layers.Spec{
			{Map: "normalise", Params: layers.Values{"norm": "l1"}},
			{Map: "concat", Params: layers.Values{"weights": "1:0.5"}, Parts: []layers.Spec{
				{Map: "nystrom", Features: 6, Params: layers.Values{"kernel": "exp-chi2"}},
				{Map: "chi2"},
			}},
		}}},
		"head-huber":   {Scale: "standard", Spec: gaussian, Fitter: sgd.MiniBatch{Head: "huber"}},
		"sure-targets": {Scale: "standard", Spec: gaussian, Uncertainty: &train.UncertaintyOptions{}},
		"sure-classes": {Scale: "standard", Spec: gaussian, Uncertainty: &train.UncertaintyOptions{Laplace: true}},
	} {
		set := &data.Set{X: all, Y: mat.Col(nil, 0, y)}
		if name == "sure-classes" {
			set = &data.Set{X: all, Labels: labels}
		}
		m, _, err := r.Fit(context.Background(), set)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		note(m, unstacked(test, 0, 5), test)
		models[name] = m
	}
	return models
}
