package train_test

import (
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
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// testdata/models holds a small file of a model of every kind, a folder for each form of the files. Each carries rows
// and the scores that the model gave them when it was saved.
//
//	go test ./train -run SavedModels -write-models v0
//
// writes the models of the folder v0 with the current code.
var writeModels = flag.String("write-models", "", "folder of testdata/models to write a model of every kind to")

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
		x := savedX(t, m.Notes[savedRows])
		if text := m.Notes[savedTable]; text != "" {
			set, err := m.Rows(savedFrame(t, text))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			sameNumbers(t, path+": cell", set.X.(*tensor.Dense).Float64s(), x.(*tensor.Dense).Float64s(), 0x1p-50)
		}
		tolerance := 1e-12
		if runtime.GOARCH != "amd64" {
			tolerance = 1e-10 // a compiler that fuses products fits other last bits of a mixture of Gaussians
		}
		if m.Map.Dtype() == tensor.Float32 {
			tolerance = 1e-5 // instruction sets differ in the last bits of float32
		}
		want := fromJSON[[]float64](t, m.Notes[savedScores])
		sameNumbers(t, path+": score", must(m.Scores(x)).RawMatrix().Data, want, tolerance)
		if m.Uncertainty != nil {
			sameNumbers(t, path+": uncertainty", sure(m, x), fromJSON[[]float64](t, m.Notes[savedSure]), max(tolerance, 1e-9))
		}
	}
}

func fromJSON[T any](t *testing.T, text string) (v T) {
	t.Helper()
	noError(t, json.Unmarshal([]byte(text), &v))
	return v
}

// sameNumbers compares numbers, to a tolerance in proportion to the largest; NaN is NaN.
func sameNumbers(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	size := 0.
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i, v := range want {
		if len(got) != len(want) || !(math.Abs(got[i]-v) <= tolerance*size || got[i] == v) {
			t.Errorf("%s %d of %v is not as it was when it was saved, in %v", what, i, got, want)
			return
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

// savedX reads rows or bags.
func savedX(t *testing.T, text string) ops.Matrix {
	t.Helper()
	if !strings.HasPrefix(text, "[[[") {
		return must(data.FromSlices(fromJSON[[][]float64](t, text)))
	}
	offsets, bags := []int{0}, fromJSON[[][][]float64](t, text)
	rows := slices.Concat(bags...)
	for i, b := range bags {
		offsets = append(offsets, offsets[i]+len(b))
	}
	return must(ops.NewBags(must(data.FromSlices(rows)), offsets))
}

// savedCases are models of every map in its default, of tuned ones, of the forms that files keep in their own way, and of
// trees and heads. A line of testdata/forms.txt is a form: the map, what the file's name adds to it, and what is not as
// in modelOf. The size of rows is their features, and that of sets the coordinates of their samples.
func savedCases() (all []modelCase) {
	epochs := sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 2, Batch: 64, LearnRate: .05}}
	softmax := epochs
	softmax.Head = "softmax"
	add := func(c modelCase, what string) { c.what, c.n = what, 60; all = append(all, c) }
	for _, e := range layers.Entries() {
		c := modelOf(e, 16, "float64", "")
		c.Fitter = linear.RidgeOptions{Select: linear.SelectLOO}
		if add(c, ""); e.Tunable {
			c = modelOf(e, 16, "float32", "all")
			c.Fitter = softmax
			add(c, "all")
		}
	}
	for line := range strings.Lines(string(must(os.ReadFile(filepath.Join("testdata", "forms.txt"))))) {
		f := strings.Fields(line)
		c := modelOf(must(layers.Lookup(f[0])), 16, "float64", "")
		c.Fitter, c.targets = epochs, !c.bags
		for _, set := range f[2:] {
			switch key, v, _ := strings.Cut(set, ":"); key {
			case "sampler":
				if c.Spec.Sampler = v; v == "structured" {
					c.dims = 20
				}
			case "dtype":
				c.Spec.Dtype = v
			case "tune":
				c.Spec.Tune = v
			case "params":
				c.Spec.Params = must(layers.ParseValues(f[0], v))
			case "scale":
				c.Scale = v
			case "size":
				if size := must(strconv.Atoi(v)); c.bags {
					c.dims = size
				} else {
					c.Spec.Features = size
				}
			}
		}
		add(c, f[1])
	}
	for i := range all {
		if c := &all[i]; c.bags {
			params := layers.Values{"points": 8., "functions": 6.}
			switch c.Spec.Map {
			case "mean-map":
				params = layers.Values{"sigma": .1, "inner": 16.}
			case "hdd-js", "hdd-tv":
				params["lambdas"] = 2.
			}
			maps.Copy(params, c.Spec.Params)
			c.Spec.Params = params
		}
	}
	for name, r := range map[string]train.Recipe{
		"tree-tuned":  {Scale: "standard", Spec: treeOf("gaussian", "all")},
		"tree-frozen": {Scale: "standard", Spec: treeOf("gaussian", "")},
		"tree-periodic": {Scale: "standard", Spec: layers.Spec{Map: "sequential", Parts: []layers.Spec{
			{Map: "periodic", Params: layers.Values{"frequencies": 5., "width": 3.}, Tune: "all"},
			{Map: "dense", Features: 6, Tune: "all"},
		}}},
		"tree-fitted": {Scale: "none", Spec: layers.Spec{Map: "sequential", Parts: []layers.Spec{
			{Map: "normalise", Params: layers.Values{"norm": "l1"}},
			{Map: "concat", Params: layers.Values{"weights": "1:0.5"}, Parts: []layers.Spec{
				{Map: "nystrom", Features: 6, Params: layers.Values{"kernel": "exp-chi2"}}, {Map: "chi2"}}},
		}}},
		"tree-product": {Scale: "standard", Spec: layers.Spec{Map: "product",
			Params: layers.Values{"from": "0:2", "to": "2:7", "weights": "1:0.5"}, Parts: []layers.Spec{
				{Map: "gaussian", Features: 6, Tune: "bandwidth"}, {Map: "gaussian", Features: 4}}}},
		"head-huber":    {Fitter: sgd.MiniBatch{Head: "huber"}},
		"scaled-ranks":  {Scale: "robust,quantile,quantile-uniform", Spec: layers.Spec{Map: "gaussian", Features: 16}},
		"scaled-beside": {Scale: "l1|quantile,minmax|none", Spec: layers.Spec{Map: "gaussian", Features: 16}},
		"sure-targets":  {Uncertainty: &train.UncertaintyOptions{}},
		"sure-classes":  {Uncertainty: &train.UncertaintyOptions{Laplace: true}},
		"sure-tree": {Scale: "standard", Spec: treeOf("gaussian", "all"), Fitter: softmax,
			Uncertainty: &train.UncertaintyOptions{Laplace: true}},
	} {
		if r.Scale == "" {
			r.Scale, r.Spec = "standard", layers.Spec{Map: "gaussian", Features: 16}
		}
		add(modelCase{Recipe: r, dims: modelDims, targets: r.Uncertainty == nil || !r.Uncertainty.Laplace}, name)
	}
	return all
}

// writeSaved writes them in place of those that are there.
func writeSaved(t *testing.T, dir string) {
	noError(t, errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)))
	write := func(name string, m *train.Model, rows any, x ops.Matrix) {
		note := func(key string, v any) { m.Notes[key] = string(must(json.Marshal(v))) }
		if m.Notes == nil {
			m.Notes = map[string]string{}
		}
		note(savedRows, rows)
		note(savedScores, must(m.Scores(x)).RawMatrix().Data)
		if m.Uncertainty != nil {
			note(savedSure, sure(m, x))
		}
		if err := m.Save(filepath.Join(dir, name+".safetensors")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := m.SaveSpec(filepath.Join(dir, name+"-spec.safetensors")); err != nil {
			t.Logf("%s: no file of the spec alone: %v", name, err)
		}
	}
	rowsOf := func(x *tensor.Dense) [][]float64 { return slices.Collect(slices.Chunk(x.Float64s(), x.Shape()[1])) }
	for _, c := range savedCases() {
		m, x := c.fit(t), c.rows(5, 1).X
		if m.Map == nil {
			continue
		}
		name := strings.Trim(c.Spec.Map+"-"+c.what, "-")
		if c.Spec.Name != "map" {
			name = c.what
		}
		if b, bags := x.(*ops.Bags); bags {
			var all [][][]float64
			for i := range 2 {
				all = append(all, rowsOf(ops.Rows(b.Samples(), b.Offsets()[i], b.Offsets()[i+1])))
			}
			write(name, m, all, b.Slice(0, 2))
			continue
		}
		write(name, m, rowsOf(x.(*tensor.Dense)), x)
	}
	m, text := savedTableModel(t)
	x := must(m.Rows(savedFrame(t, text))).X.(*tensor.Dense)
	m.Notes = map[string]string{savedTable: text}
	write("table", m, rowsOf(x), x)
}

// savedFrame reads rows of a table, the names in alphabetical order.
func savedFrame(t *testing.T, text string) *data.Frame {
	t.Helper()
	rows := fromJSON[[]map[string]any](t, text)
	names := slices.Sorted(maps.Keys(rows[0]))
	f := must(data.NewFrame(names...))
	for _, row := range rows {
		cells := make([]any, len(names))
		for j, name := range names {
			cells[j] = row[name]
		}
		noError(t, f.Append(cells...))
	}
	return f
}

// savedTableModel is a model of a table with columns of every kind, and some rows as JSON.
func savedTableModel(t *testing.T) (*train.Model, string) {
	var rows []map[string]any
	for i := range 60 {
		row := map[string]any{"age": float64(20 + i*7%41), "income": nil, "flag": float64(i % 2),
			"colour": []any{"red", "green", "blue", nil}[i%4], "member": []any{"no", "yes"}[i/3%2],
			"zip": float64(1000 + i%3), "since": fmt.Sprintf("2020-%02d-11", i%12+1),
			"seen": fmt.Sprintf("2020-05-%02d %02d:30:00", i%28+1, i%24)}
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
	r := train.Recipe{Scale: "auto", Spec: layers.Spec{Map: "gaussian", Features: 16, Tune: "none"},
		Columns: &data.ColumnOptions{Categorical: []string{"zip"}, Rare: 2, Cycles: []string{"weekday", "yearday"}}}
	m, _ := must2(r.Fit(t.Context(), f))
	test := rows[:5]
	test[1]["colour"], test[2]["age"], test[3]["zip"] = "purple", nil, 77. // that the training rows did not have
	return m, string(must(json.Marshal(test)))
}
