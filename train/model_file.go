package train

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
	"gorgonia.org/tensor"
)

// card is the metadata of a model file, a JSON object under the key "bochner".
type card struct {
	Version string       `json:"version"`
	Spec    layers.Spec  `json:"spec"`
	Scaler  string       `json:"scaler"` // as in data.ParseScalers
	Head    string       `json:"head"`   // linear or softmax
	Outputs int          `json:"outputs"`
	Classes data.Classes `json:"classes"`
	Drawn   bool         `json:"drawn"` // whether the file holds the map's parameters
}

// Save writes the whole model to a safetensors file: the tensors map.*, head.* and scaler.*, and the rest as metadata. The
// file is written beside path and renamed, and holds a SHA-256 of itself.
func (m *Model) Save(path string) error { return m.save(path, true) }

// SaveSpec is Save without the parameters of the map, which Load then draws again from the spec and its seed: a small file,
// at the price of trusting that the draw stays the same. A map that was tuned is an error (domain.ErrParam).
func (m *Model) SaveSpec(path string) error {
	for _, p := range m.Map.Params() {
		if p.Tuned {
			return fmt.Errorf("train: SaveSpec: the map's %s was tuned, and a seed cannot bring it back; use Save: %w", p.Name, domain.ErrParam)
		}
	}
	return m.save(path, false)
}

func (m *Model) save(path string, drawn bool) error {
	c := card{Version: Version, Spec: m.Spec, Scaler: m.Scaler.Name(), Outputs: m.Head.Features(), Classes: m.Classes, Drawn: drawn, Head: "linear"}
	if _, ok := m.Head.(*layers.SoftmaxHead); ok {
		c.Head = "softmax"
	}
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("train: Save %s: %w", path, err)
	}
	tensors := map[string]*tensor.Dense{}
	add := func(prefix string, l layers.Layer) {
		for _, p := range l.Params() {
			tensors[prefix+p.Name] = p.Value
		}
	}
	if drawn {
		add("map.", m.Map)
	}
	add("head.", m.Head)
	for name, t := range m.Scaler.State() {
		tensors["scaler."+name] = t
	}
	return modelfile.Write(path, map[string]string{"bochner": string(text)}, tensors)
}

// Load reads a model that Save or SaveSpec wrote. Errors: a damaged file (modelfile.ErrCorrupt), another kind of file
// (modelfile.ErrFormat), a map that this version does not have.
func Load(path string) (*Model, error) {
	meta, tensors, err := modelfile.Read(path)
	if err != nil {
		return nil, err
	}
	m, err := fromFile(meta, tensors)
	if err != nil {
		return nil, fmt.Errorf("train: Load %s: %w", path, err)
	}
	return m, nil
}

func fromFile(meta map[string]string, tensors map[string]*tensor.Dense) (*Model, error) {
	text, ok := meta["bochner"]
	if !ok {
		return nil, fmt.Errorf("a safetensors file, but not a model of bochner's: it has no metadata %q: %w", "bochner", modelfile.ErrFormat)
	}
	var c card
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("the metadata %q is no model card: %v: %w", "bochner", err, modelfile.ErrFormat)
	}
	err := c.check(tensors)
	if err != nil {
		return nil, err
	}
	m := &Model{Spec: c.Spec, Classes: c.Classes}
	if c.Drawn {
		m.Map, err = c.Spec.Restore(withPrefix(tensors, "map."))
	} else {
		m.Map, err = c.Spec.Build()
	}
	if err != nil {
		return nil, err
	}
	opts := []layers.Option{layers.WithDtype(m.Map.Dtype())}
	switch c.Head {
	case "linear":
		m.Head, err = layers.NewLinearHead(m.Map.Features(), c.Outputs, opts...)
	case "softmax":
		m.Head, err = layers.NewSoftmaxHead(m.Map.Features(), c.Outputs, opts...)
	default:
		return nil, fmt.Errorf("head %q is neither linear nor softmax: %w", c.Head, modelfile.ErrFormat)
	}
	if err != nil {
		return nil, err
	}
	if err := m.Head.SetParams(withPrefix(tensors, "head.")); err != nil {
		return nil, err
	}
	if m.Classes != nil && len(m.Classes) != c.Outputs {
		return nil, fmt.Errorf("%d classes for %d outputs: %w", len(m.Classes), c.Outputs, modelfile.ErrFormat)
	}
	if m.Scaler, err = data.ParseScalers(c.Scaler); err != nil {
		return nil, err
	}
	return m, m.Scaler.SetState(withPrefix(tensors, "scaler."))
}

// check compares the sizes that the card states with the tensors that are there, before anything of that size is allocated.
func (c card) check(tensors map[string]*tensor.Dense) error {
	features := c.Spec.Features
	if features == 0 { // the linear map
		features = c.Spec.Dims
	}
	w, ok := tensors["head.W"]
	if !ok || !w.Shape().Eq(tensor.Shape{features, c.Outputs}) {
		return fmt.Errorf("the card states %d features and %d outputs, and the head's weights are not of that shape: %w", features, c.Outputs, modelfile.ErrFormat)
	}
	cells := 0
	for _, t := range withPrefix(tensors, "map.") {
		cells = max(cells, t.Shape().TotalSize())
	}
	if c.Drawn && cells > 0 && (c.Spec.Dims < 1 || c.Spec.Dims > 2*cells/features) {
		return fmt.Errorf("the card states %d input columns, and the map's frequencies are not of that size: %w", c.Spec.Dims, modelfile.ErrFormat)
	}
	return nil
}

// withPrefix selects the tensors whose names start with prefix, without it.
func withPrefix(tensors map[string]*tensor.Dense, prefix string) map[string]*tensor.Dense {
	out := map[string]*tensor.Dense{}
	for name, t := range tensors {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			out[rest] = t
		}
	}
	return out
}
