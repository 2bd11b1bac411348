package onnx

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func must[T any](v T, err error) T {
	mustDo(err)
	return v
}

func mustDo(err error) {
	if err != nil {
		panic(err)
	}
}

// saved is a model of a file in ../testdata/models, with the rows that its notes have.
type saved struct {
	name string
	m    *train.Model
	x    *tensor.Dense
}

// savedModels are the models of rows in ../testdata/models: of every map, in all its forms, tuned and frozen.
func savedModels(t *testing.T) (all []saved) {
	t.Helper()
	for _, path := range must(filepath.Glob(filepath.Join("..", "testdata", "models", "*", "*.safetensors"))) {
		if strings.HasSuffix(path, "-spec.safetensors") {
			continue // another file has the same map
		}
		m := must(train.Load(path))
		var rows [][]float64
		if json.Unmarshal([]byte(m.Notes["test.rows"]), &rows) != nil {
			continue // sets of samples
		}
		all = append(all, saved{strings.TrimSuffix(filepath.Base(path), ".safetensors"), m, rowsOfText(rows)})
	}
	if len(all) < 80 {
		t.Fatalf("%d models, want those that were saved", len(all))
	}
	return all
}

// rowsOfText is a matrix whose numbers float32 holds.
func rowsOfText(rows [][]float64) *tensor.Dense {
	var v []float64
	for _, r := range rows {
		for _, u := range r {
			v = append(v, float64(float32(u)))
		}
	}
	return tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(v))
}

// exported is the file of a model.
func exported(t *testing.T, m *train.Model, o Options) *onnxFile {
	t.Helper()
	var b bytes.Buffer
	mustDo(Export(&b, m, o))
	return parse(t, b.Bytes())
}

// off is the largest difference, and the largest number that is wanted.
func off(t *testing.T, got array, want []float64) (d, largest float64) {
	t.Helper()
	if len(got.v) != len(want) {
		t.Fatalf("%d numbers of shape %v, want %d", len(got.v), got.shape, len(want))
	}
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		if e := math.Abs(got.v[i] - w); !(e <= d) {
			d = e
		}
	}
	return d, largest
}

// input is x for the evaluator.
func input(x *tensor.Dense, dt tensor.Dtype) array {
	return array{elem: element(dt), shape: slices.Clone([]int(x.Shape())), v: slices.Clone(ops.Float64s(x))}
}

// wanted are the outputs of a model by name, as its own methods give them.
func wanted(m *train.Model, x *tensor.Dense, o Options) map[string][]float64 {
	cells := func(a *mat.Dense) []float64 { return a.RawMatrix().Data }
	out := map[string][]float64{Scores: cells(must(m.Scores(x)))}
	if m.Classes != nil {
		for _, c := range must(m.Predict(x)) {
			out[Class] = append(out[Class], float64(c))
		}
	}
	if o.Features {
		out[Features] = ops.Float64s(must(m.Features(x)))
	}
	if o.Probabilities {
		out[Probabilities] = cells(must(m.Probabilities(x)))
	}
	if o.Std {
		d := must(m.PredictDistribution(x))
		out[Std], out[FunctionStd] = cells(d.Std), cells(d.FunctionStd)
	}
	return out
}

// tolerance is how far an output may be off in an element type, by the largest number that is wanted and the largest
// angle. An angle is rounded by 2⁻²⁴ of its size in each of the products and sums that make it, and a feature is off by
// as much. Features of float32 models are themselves rounded at each step. The scores are off by some 1e-7 Σ|w||z|.
func tolerance(m *train.Model, name string, dt tensor.Dtype, largest, angle float64) float64 {
	coarse := dt == tensor.Float32 || m.Map.Dtype() == tensor.Float32
	features := max(2e-6, 2.4e-7*angle)
	switch {
	case name == Class || name == Label:
		return 0
	case !coarse:
		return 1e-11 * largest
	case name == Features:
		return features * largest
	case name == Probabilities && m.Uncertainty.Calibration.Method() == calibrate.Isotonic:
		return 1e-4 // its lines are steep
	case name == Probabilities || m.Head.Classifies():
		return 5 * features
	case name == Std || name == FunctionStd:
		return 1e-4 * largest
	}
	sum := 0. // of the weights of a score
	for _, p := range m.Head.Params() {
		if p.Name == "W" {
			w := mat.NewDense(m.Head.Dims(), m.Head.Features(), ops.Float64s(p.Value))
			for j := range m.Head.Features() {
				sum = max(sum, mat.Norm(w.ColView(j), 1))
			}
		}
	}
	return 2e-6*largest + features/10*sum
}

// largestAngle is the largest number of which a graph took the sine.
func largestAngle(f *onnxFile, known map[string]array) (angle float64) {
	for _, n := range f.nodes {
		if n.kind != "Sin" && n.kind != "Cos" {
			continue
		}
		for _, v := range known[n.in[0]].v {
			angle = max(angle, math.Abs(v))
		}
	}
	return angle
}

// near compares an output of a graph with what the model gives.
func near(t *testing.T, s saved, name string, dt tensor.Dtype, f *onnxFile, known map[string]array, want []float64) {
	t.Helper()
	d, largest := off(t, known[name], want)
	if most := tolerance(s.m, name, dt, largest, largestAngle(f, known)); !(d <= most) {
		t.Errorf("%s: %.2g off, want at most %.2g; the largest is %.2g", name, d, most, largest)
	}
}

// TestEveryForm evaluates the graphs of all models, with all outputs.
func TestEveryForm(t *testing.T) {
	for _, s := range allModels(t) {
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			t.Run(s.name+"/"+dt.String(), func(t *testing.T) {
				o := everything(s.m, dt)
				f := exported(t, s.m, o)
				checkStructure(t, f, s.m, dt)
				known := evaluate(t, f, input(s.x, dt))
				for name, want := range wanted(s.m, s.x, o) {
					near(t, s, name, dt, f, known, want)
				}
				if o.Labels {
					if got, want := known[Label].texts, must(s.m.PredictClasses(s.x)); !slices.Equal(got, want) {
						t.Errorf("the labels are %q, want %q", got, want)
					}
				}
			})
		}
	}
}

// allModels are models of every map and method.
func allModels(t *testing.T) []saved {
	return slices.Concat(savedModels(t), uncertainModels(t), otherModels())
}

// everything are the options for all outputs of a model.
func everything(m *train.Model, dt tensor.Dtype) Options {
	o := Everything(m)
	o.Features, o.Dtype = true, dt
	return o
}

// The operators that files may have, with the least and the most inputs, from the operator schemas of opset 17.
var operators = map[string][2]int{
	"Abs": {1, 1}, "Neg": {1, 1}, "Exp": {1, 1}, "Log": {1, 1}, "Sqrt": {1, 1}, "Sin": {1, 1}, "Cos": {1, 1}, "Relu": {1, 1},
	"Tanh": {1, 1}, "Sigmoid": {1, 1}, "Identity": {1, 1}, "Sign": {1, 1}, "Add": {2, 2}, "Sub": {2, 2}, "Mul": {2, 2}, "Div": {2, 2},
	"Max": {1, 99}, "Min": {1, 99}, "Pow": {2, 2}, "Equal": {2, 2}, "Greater": {2, 2}, "GreaterOrEqual": {2, 2}, "Where": {3, 3},
	"Clip": {1, 3}, "Floor": {1, 1}, "Cast": {1, 1}, "Unsqueeze": {2, 2}, "Reshape": {2, 2}, "MatMul": {2, 2}, "Gemm": {2, 3}, "Concat": {1, 99}, "Transpose": {1, 1},
	"Gather": {2, 2}, "Slice": {3, 5}, "ReduceSum": {1, 2}, "ReduceMax": {1, 1}, "Softmax": {1, 1}, "LogSoftmax": {1, 1}, "ArgMax": {1, 1},
}

// checkStructure holds a file to what the format asks of it.
func checkStructure(t *testing.T, f *onnxFile, m *train.Model, dt tensor.Dtype) {
	t.Helper()
	if f.ir != 8 || f.opset != 17 {
		t.Errorf("ir version %d and opset %d", f.ir, f.opset)
	}
	if x := f.inputs[Input]; len(f.inputs) != 1 || x.elem != element(dt) || !slices.Equal(x.dims, []int64{-1, int64(m.Dims())}) {
		t.Errorf("inputs %v", f.inputs)
	}
	if s := f.outputs[Scores]; f.order[0] != Scores || s.elem != element(dt) || !slices.Equal(s.dims, []int64{-1, int64(m.Head.Features())}) {
		t.Errorf("outputs %v", f.outputs)
	}
	used := map[string]bool{}
	for _, n := range f.nodes {
		if count, ok := operators[n.kind]; !ok || len(n.in) < count[0] || len(n.in) > count[1] {
			t.Errorf("node %s: operator %s with %d inputs", n.name, n.kind, len(n.in))
		}
		for _, name := range n.in {
			used[name] = true
		}
	}
	for name := range f.tensors {
		if !used[name] {
			t.Errorf("nothing uses the tensor %s", name)
		}
	}
	for _, n := range f.nodes {
		if _, out := f.outputs[n.out]; !out && !used[n.out] {
			t.Errorf("nothing uses what node %s makes", n.name)
		}
	}
	var c card
	if err := json.Unmarshal([]byte(f.metadata[CardKey]), &c); err != nil || c.Version != modelfile.Version || c.Spec.Map != m.Spec.Map ||
		!slices.Equal(c.Classes, m.Classes) || c.Head != m.Head.Kind() {
		t.Errorf("card %s: %v", f.metadata[CardKey], err)
	}
	for key, note := range m.Notes {
		if f.metadata[key] != note {
			t.Errorf("note %s is %q", key, f.metadata[key])
		}
	}
}
