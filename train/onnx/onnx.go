package onnx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/wholefile"
	"gorgonia.org/tensor"
)

// Opset is the version of the standard operators that files use.
const Opset = 17

const (
	irVersion = 8         // of the file format for opset 17
	mostBytes = 1<<31 - 1 // the largest protobuf message
)

// The names of the input and of the outputs.
const (
	Input         = "x"             // the rows [N, d] of Model.Scores, not scaled
	Scores        = "scores"        // Model.Scores [N, k]
	Class         = "class"         // Model.Predict, int64 [N]; for classification models
	Label         = "label"         // Model.PredictClasses, strings [N]
	Probabilities = "probabilities" // Model.Probabilities [N, k]
	Std           = "std"           // Distribution.Std of Model.PredictDistribution [N, k]
	FunctionStd   = "function_std"  // Distribution.FunctionStd of Model.PredictDistribution [N, k]
	Features      = "features"      // Model.Features [N, D]
)

// CardKey is the metadata key of the card of the model, a JSON object. A model file uses the same key.
const CardKey = "bochner"

// Options choose the element type and the outputs besides Scores and Class. The zero value is the default. An output
// that the model cannot have is an error.
type Options struct {
	// Dtype is the element type of input, weights and outputs: tensor.Float32, the default, or tensor.Float64.
	Dtype tensor.Dtype
	// Labels asks for the output Label. It needs a classification model.
	Labels bool
	// Probabilities asks for the output Probabilities. It needs Model.Uncertainty of a classification model, without a
	// Laplace approximation.
	Probabilities bool
	// Std asks for the outputs Std and FunctionStd. They need a Posterior in Model.Uncertainty, and add D² weights to
	// the file.
	Std bool
	// Features asks for the output Features.
	Features bool
}

// Everything returns the options for all outputs that the model can have, except Features.
func Everything(m *train.Model) Options {
	if m == nil {
		return Options{}
	}
	o := Options{Labels: m.Classes != nil}
	if u := m.Uncertainty; u != nil {
		o.Probabilities = m.Classes != nil && u.Calibration != nil && u.Laplace == nil
		o.Std = u.Posterior != nil
	}
	return o
}

// card is the metadata under CardKey. It shares its field names with the card of a model file.
type card struct {
	Version string       `json:"version"` // of the library
	Spec    layers.Spec  `json:"spec"`
	Scaler  string       `json:"scaler"`
	Head    string       `json:"head"`
	Outputs int          `json:"outputs"`
	Classes data.Classes `json:"classes"`
	// Names are the columns of the input if the model was fitted on a table; the levels of a category are columns.
	Names []string `json:"names,omitempty"`
	// Columns says how the rows of a table become the columns of the input.
	Columns *data.Columns `json:"columns,omitempty"`
}

// Export writes a model as one ONNX file; the package documentation describes it. The file is made in memory, which
// takes about twice its size, and written by one call of Write.
//
// Errors before anything is written: domain.ErrParam for nil arguments, a model without a scaler, map or head, an
// option that the model cannot meet, and a map, head, scaler or calibration without a form in standard operators;
// domain.ErrShape for parts that do not fit together, and for more than 2 GiB of weights; domain.ErrDomain for weights
// that are not finite or that float32 cannot hold; domain.ErrDtype for another element type. Then the errors of w.
func Export(w io.Writer, m *train.Model, o Options) error {
	if domain.IsNil(w) {
		return fmt.Errorf("train: onnx: the writer is nil; give a file, or use Save: %w", domain.ErrParam)
	}
	b, err := file(m, o)
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("train: onnx: %w", err)
	}
	return nil
}

// Save is Export to the file path, which is replaced whole or not at all. Errors: see Export and wholefile.Create.
func Save(path string, m *train.Model, o Options) error {
	b, err := file(m, o)
	if err != nil {
		return err
	}
	err = wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return fmt.Errorf("train: onnx: Save: %w", err)
	}
	return nil
}

// output is an output of the graph; columns 0: one number for each row.
type output struct {
	name    string
	elem    int64
	columns int
	doc     string
}

// output gives a tensor of the element type the name of an output.
func (g *graph) output(name string, v value, columns int, doc string) output {
	return output{g.named(name, v), g.elem, columns, doc}
}

// named gives a tensor another name.
func (g *graph) named(name string, v value) string {
	g.node("Identity", name, nil, v)
	return name
}

// file is the whole ONNX file of a model.
func file(m *train.Model, o Options) (_ []byte, err error) {
	defer caught(&err)
	dt := cmp.Or(o.Dtype, tensor.Float32)
	if dt != tensor.Float32 && dt != tensor.Float64 {
		fail(domain.ErrDtype, "the element type %v is neither float32 nor float64", dt)
	}
	checkModel(m)
	o.check(m)
	meta := metadata(m)
	g := newGraph(dt)
	for _, name := range []string{Input, Scores, Class, Label, Probabilities, Std, FunctionStd, Features} {
		g.name(name)
	}
	x := g.scaler(m.Scaler, Input)
	z := g.within("map", func() value { return g.layer(m.Map, x) })
	outs := g.outputs(m, z, o)
	var graph message
	graph = append(graph, g.nodes...)
	graph.text(graphName, "bochner")
	graph = append(graph, g.tensors...)
	graph.text(graphDoc, fmt.Sprintf("scaler %s, %s map %d -> %d, %s head", m.Scaler.Name(), m.Spec.Map, m.Map.Dims(),
		m.Map.Features(), m.Head.Kind()))
	graph.put(graphInput, valueMessage(Input, g.elem, m.Dims(), "rows, not scaled"))
	for _, out := range outs {
		graph.put(graphOutput, valueMessage(out.name, out.elem, out.columns, out.doc))
	}
	b := modelMessage(modelfile.Version, graph, meta)
	if len(b) > mostBytes {
		fail(domain.ErrShape, "the file would have %d bytes, and ONNX files have %d at most; use fewer features", len(b),
			mostBytes)
	}
	return b, nil
}

// checkModel wants a complete model whose parts fit together.
func checkModel(m *train.Model) {
	switch {
	case m == nil:
		fail(domain.ErrParam, "the model is nil; fit one by Recipe.Fit, or load one")
	case m.Scaler == nil || domain.IsNil(m.Map) || domain.IsNil(m.Head):
		fail(domain.ErrParam, "the model lacks its Scaler, Map or Head; fit one by Recipe.Fit")
	case m.Map.Features() != m.Head.Dims():
		fail(domain.ErrShape, "the map makes %d features and the head takes %d", m.Map.Features(), m.Head.Dims())
	case m.Classes != nil && len(m.Classes) != m.Head.Features():
		fail(domain.ErrParam, "the head has %d outputs and there are %d Classes; name one for each", m.Head.Features(),
			len(m.Classes))
	}
	if cols := m.Scaler.State()["cols"]; cols != nil && int(ops.Float64s(cols)[0])*m.Scaler.Lists() != m.Map.Dims() {
		fail(domain.ErrShape, "the scaler was fitted on %v columns and the map takes %d", ops.Float64s(cols)[0], m.Map.Dims())
	}
	if m.Columns != nil && m.Columns.Dims() != m.Dims() {
		fail(domain.ErrShape, "the columns of a table make %d and the model takes %d", m.Columns.Dims(), m.Dims())
	}
}

// metadata are the card and the notes of a model.
func metadata(m *train.Model) map[string]string {
	c := card{Version: modelfile.Version, Spec: m.Spec, Scaler: m.Scaler.Name(),
		Head: m.Head.Kind(), Outputs: m.Head.Features(),
		Classes: m.Classes, Columns: m.Columns}
	if m.Columns != nil {
		c.Names = m.Columns.Names()
	}
	if i := slices.IndexFunc(m.Classes, func(s string) bool { return !utf8.ValidString(s) }); i >= 0 {
		fail(domain.ErrParam, "the class %q is not UTF-8, which the file cannot hold; rename it", m.Classes[i])
	}
	text, err := json.Marshal(c)
	if err != nil {
		fail(err, "the card of the model")
	}
	meta := map[string]string{CardKey: string(text)}
	for key, note := range m.Notes {
		switch {
		case key == CardKey:
			fail(domain.ErrParam, "the note %q has the key of the model's card; choose another", key)
		case !utf8.ValidString(key) || !utf8.ValidString(note):
			fail(domain.ErrParam, "the note %q is not UTF-8, which the file cannot hold; leave it out",
				strings.ToValidUTF8(key, "?"))
		}
		meta[key] = note
	}
	return meta
}
