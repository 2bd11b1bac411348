package train

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// cardKey is the metadata key of the card.
const cardKey = "bochner"

// card is the metadata of a model file, a JSON object under cardKey. Other keys are the model's notes.
type card struct {
	Version string       `json:"version"`
	Spec    layers.Spec  `json:"spec"`
	Scaler  string       `json:"scaler"` // as in data.ParseScalers
	Head    string       `json:"head"`   // linear or softmax
	Outputs int          `json:"outputs"`
	Classes data.Classes `json:"classes"`
	Drawn   bool         `json:"drawn"` // whether the file holds the parameters of the map
	// Columns turns the rows of a table into numbers; nil: they are numbers.
	Columns *data.Columns `json:"columns,omitempty"`
	// Relevance is as in Model.
	Relevance []float64 `json:"relevance,omitempty"`
	// Uncertainty is as in Model; the posteriors are tensors.
	Uncertainty *Uncertainty `json:"uncertainty,omitempty"`
}

// Save writes the whole model to a safetensors file: the tensors map.*, head.*, scaler.*, posterior.* and laplace.*,
// and everything else, Notes included, as metadata. Package layers documents the tensors of maps and heads. The file
// replaces path by a rename once it is complete, and holds its own SHA-256. Errors: domain.ErrParam for parts that do
// not fit together or that a file cannot hold, and the errors of modelfile.Write.
func (m *Model) Save(path string) error { return m.save(path, true) }

// SaveSpec is Save without the parameters of the map. Load draws them again from the spec and its seed. The file is
// small, but relies on the draw to stay the same. Errors: as for Save; domain.ErrParam for a map that was tuned or
// fitted on data, for one whose weights are not what its Spec draws, and for one that draws far more numbers than the
// head has weights.
func (m *Model) SaveSpec(path string) error { return m.save(path, false) }

func (m *Model) save(path string, drawn bool) error {
	if err := m.valid(); err != nil {
		return err
	}
	var meta map[string]string
	var tensors map[string]*tensor.Dense
	err := error(nil)
	if !drawn {
		err = m.checkDraw()
	}
	if err == nil {
		meta, tensors, err = m.contents(drawn)
	}
	if err != nil {
		return fmt.Errorf("train: Save %s: %w", path, err)
	}
	return modelfile.Write(path, meta, tensors)
}

// MarshalBinary returns the bytes of the file that Save writes. It also takes a model without a Head, which is to be
// fitted elsewhere: of its map the bytes hold the parameters only if its Spec does not draw them. Errors: see Save.
func (m *Model) MarshalBinary() ([]byte, error) {
	if err := m.maps(); err != nil {
		return nil, err
	}
	meta, tensors, err := m.contents(m.Head != nil || m.checkDraw() != nil)
	if err != nil {
		return nil, fmt.Errorf("train: MarshalBinary: %w", err)
	}
	return modelfile.Encode(meta, tensors)
}

// contents returns the metadata and the tensors of a file.
func (m *Model) contents(drawn bool) (map[string]string, map[string]*tensor.Dense, error) {
	tensors := map[string]*tensor.Dense{}
	add := func(prefix string, of map[string]*tensor.Dense) {
		for name, t := range of {
			tensors[prefix+name] = t
		}
	}
	if drawn {
		add("map.", byName(m.Map))
	}
	if m.Head != nil {
		add("head.", byName(m.Head))
	}
	add("scaler.", m.Scaler.State())
	if u := m.Uncertainty; u != nil && u.Posterior != nil {
		add(posteriorPrefix, u.Posterior.Tensors())
	}
	if u := m.Uncertainty; u != nil && u.Laplace != nil {
		add(laplacePrefix, u.Laplace.Tensors())
	}
	c, err := m.card(tensors, drawn)
	if err == nil {
		err = finite(tensors)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", err, domain.ErrParam)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, nil, err
	}
	meta := map[string]string{cardKey: string(text)}
	for key, note := range m.Notes {
		if key == cardKey {
			return nil, nil, fmt.Errorf("the note %q is the model card's key; choose another: %w", key, domain.ErrParam)
		}
		meta[key] = note
	}
	return meta, tensors, nil
}

// card describes the model, if Load could make it from that card and those tensors.
func (m *Model) card(tensors map[string]*tensor.Dense, drawn bool) (card, error) {
	c := card{Version: modelfile.Version, Spec: m.Spec, Scaler: m.Scaler.Name(), Classes: m.Classes, Drawn: drawn,
		Columns: m.Columns, Relevance: m.Relevance, Uncertainty: m.Uncertainty}
	if len(m.Scaler.State()) == 0 {
		return c, fmt.Errorf("the scaler %q is not fitted; call its Fit on the training rows", m.Scaler.Name())
	}
	if h := m.Head; h != nil {
		c.Head, c.Outputs = h.Kind(), h.Features()
		if h.Classifies() && c.Classes == nil {
			return c, fmt.Errorf("a %s head predicts classes, and the model has none; set Classes", c.Head)
		}
	}
	for _, class := range c.Classes {
		if !utf8.ValidString(class) {
			return c, fmt.Errorf("the class %q is not UTF-8, which the file cannot hold; rename it", class)
		}
	}
	err := c.check(tensors)
	if h := m.Head; err == nil && (m.Spec.Dims != m.Map.Dims() ||
		h != nil && (h.Dims() != m.Map.Features() || h.Dtype() != m.Map.Dtype())) {
		err = fmt.Errorf("it states %d input columns, the map is %v, and the head %v", m.Spec.Dims, m.Map, h)
	}
	if err == nil {
		err = m.checkSpec()
	}
	if err != nil {
		err = fmt.Errorf("the model's Spec does not describe its Map and Head: %w", err)
	}
	return c, err
}

// checkSpec wants a map that its spec restores from its parameters, of the same kernel.
func (m *Model) checkSpec() error {
	of, err := m.Spec.Restore(byName(m.Map))
	if err != nil {
		return err
	}
	if want, have := described(of)[0], described(m.Map)[0]; want != have {
		return fmt.Errorf("the Map is %s, and the Spec of %s", have, want)
	}
	return nil
}

// checkDraw wants a map that its spec draws again. A layer that WithName or a composition made has other weights.
func (m *Model) checkDraw() error {
	t, err := m.Spec.Traits()
	if err != nil {
		return fmt.Errorf("the model's Spec does not describe its Map: %w", err)
	}
	fail := func(what string) error {
		return fmt.Errorf("the map%s, and a seed cannot bring it back; save the whole model: %w", what, domain.ErrParam)
	}
	for _, p := range m.Map.Params() {
		if p.Tuned {
			return fail("'s " + p.Name + " was tuned")
		}
	}
	if t.Fitted {
		return fail(" was fitted on data")
	}
	again, err := m.Spec.Build()
	if err != nil {
		return err
	}
	mine := byName(m.Map)
	for _, p := range again.Params() {
		if !sameDraw(mine[p.Name], p.Value) {
			return fail("'s " + p.Name + " is not what its Spec draws")
		}
	}
	return nil
}

// sameDraw says whether two tensors are the same draw. On another machine a draw is the same up to rounding.
func sameDraw(a, b *tensor.Dense) bool {
	if a == nil || a.Dtype() != b.Dtype() || !a.Shape().Eq(b.Shape()) {
		return false
	}
	drawn := ops.Float64s(b)
	largest := floats.Norm(drawn, math.Inf(1))
	return slices.EqualFunc(ops.Float64s(a), drawn, func(v, w float64) bool { return math.Abs(v-w) <= 1e-4*largest })
}

// Load reads a model that Save or SaveSpec wrote, and packs its head (layers.PackHead). Errors: modelfile.ErrCorrupt
// for a damaged file, modelfile.ErrFormat for another kind of file, one of a later minor version than this, and one
// with numbers that are not finite, and an error for a map that this version does not have.
func Load(path string) (*Model, error) {
	meta, tensors, err := modelfile.Read(path)
	if err != nil {
		return nil, err
	}
	m, err := fromFile(meta, tensors, true)
	if err != nil {
		return nil, fmt.Errorf("train: Load %s: %w", path, err)
	}
	return m, nil
}

// UnmarshalBinary makes m the model whose bytes MarshalBinary returned. Give it bytes of your own programs only: what
// a model without a Head states of its map is drawn whatever its size. Errors: as for Load, and an unchanged m.
func (m *Model) UnmarshalBinary(b []byte) error {
	meta, tensors, err := modelfile.Decode(b)
	if err == nil {
		var of *Model
		if of, err = fromFile(meta, tensors, false); err == nil {
			*m = *of
			return nil
		}
	}
	return fmt.Errorf("train: UnmarshalBinary: %w", err)
}

// fromFile makes a model of the contents of a file. A file of Load must have a head.
func fromFile(meta map[string]string, tensors map[string]*tensor.Dense, head bool) (*Model, error) {
	text, ok := meta[cardKey]
	if !ok {
		if _, params := meta[paramsKey]; params {
			return nil, fmt.Errorf("a file of SaveParams, which LoadParams reads, and not a model of Model.Save: %w",
				modelfile.ErrFormat)
		}
		return nil, fmt.Errorf("a safetensors file, but not a model of bochner's: it has no metadata %q: %w",
			cardKey, modelfile.ErrFormat)
	}
	delete(meta, cardKey)
	var c card
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("the metadata %q is no model card: %v: %w", cardKey, err, modelfile.ErrFormat)
	}
	if err := c.readable(); err != nil {
		return nil, fmt.Errorf("%w: %w", err, modelfile.ErrFormat)
	}
	if _, err := layers.Lookup(c.Spec.Map); err != nil {
		return nil, err
	}
	if head && c.Head == "" {
		return nil, fmt.Errorf("the file has no head; fit one and save the model: %w", modelfile.ErrFormat)
	}
	if err := cmp.Or(c.check(tensors), finite(tensors)); err != nil {
		return nil, fmt.Errorf("%w: %w", err, modelfile.ErrFormat)
	}
	m, err := &Model{Spec: c.Spec, Classes: c.Classes, Columns: c.Columns, Relevance: c.Relevance,
		Uncertainty: c.Uncertainty, Notes: meta}, error(nil)
	if c.Drawn {
		m.Map, err = c.Spec.Restore(withPrefix(tensors, "map."))
	} else if m.Map, err = c.Spec.Build(); err == nil {
		layers.Keep(m.Map) // the head was fitted on its features
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, modelfile.ErrFormat)
	}
	if m.Scaler, err = data.ParseScalers(c.Scaler); err != nil {
		return nil, err
	}
	if err := m.Scaler.SetState(withPrefix(tensors, "scaler.")); err != nil || c.Head == "" {
		return m, err
	}
	m.Head, err = layers.NewHead(c.Head, m.Map.Features(), c.Outputs, layers.WithDtype(m.Map.Dtype()))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, modelfile.ErrFormat)
	}
	if m.Head.Classifies() && c.Classes == nil {
		return nil, fmt.Errorf("a %s head is stated, and no classes: %w", c.Head, modelfile.ErrFormat)
	}
	if err := m.Head.SetParams(withPrefix(tensors, "head.")); err != nil {
		return nil, err
	}
	if err := m.Uncertainty.restore(m.Head, tensors); err != nil {
		return nil, fmt.Errorf("%w: %w", err, modelfile.ErrFormat)
	}
	return m, layers.PackHead(m.Head)
}

// readable says whether this version of the library knows files of the card's version, if it has one. Patches change
// nothing.
func (c card) readable() error {
	if c.Version == "" {
		return nil
	}
	var file, own [2]int
	if _, err := fmt.Sscanf(c.Version, "%d.%d", &file[0], &file[1]); err != nil {
		return fmt.Errorf("the version %q is none of this library, such as %s", c.Version, modelfile.Version)
	}
	if _, err := fmt.Sscanf(modelfile.Version, "%d.%d", &own[0], &own[1]); err != nil {
		return err
	}
	if slices.Compare(file[:], own[:]) > 0 {
		return fmt.Errorf("the file is of the newer version %s, and this is %s; update the library, or save the model by %s",
			c.Version, modelfile.Version, modelfile.Version)
	}
	return nil
}

// finite wants finite numbers in all tensors.
func finite(tensors map[string]*tensor.Dense) error {
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		t := tensors[name]
		for i := range t.Shape().TotalSize() {
			if v := given.Cell(t, i); v-v != 0 {
				return fmt.Errorf("the tensor %q has %v at %d, not a finite number; fit the model again", name, v, i)
			}
		}
	}
	return nil
}

// Limits on the numbers that Load draws for a file without frequencies: freeDraw in any case, and drawPerWeight for
// each weight of the head, which is in the file. Without a limit, a few bytes could ask for any amount of memory.
const (
	freeDraw      = 1 << 22
	drawPerWeight = 1 << 15
)

// check compares the card with itself and with its tensors, before anything of a stated size is allocated.
func (c card) check(tensors map[string]*tensor.Dense) error {
	scaler, err := data.ParseScalers(c.Scaler)
	if err != nil {
		return err
	}
	dims, lists := c.Spec.Dims, scaler.Lists()
	features, err := c.Spec.Columns()
	if err != nil {
		return err
	}
	if err := c.checkHead(features, tensors); err != nil {
		return err
	}
	if cols := tensors["scaler.cols"]; cols != nil && cols.Shape().TotalSize() == 1 &&
		given.Cell(cols, 0)*float64(lists) != float64(dims) {
		return fmt.Errorf("%d input columns are stated, and the scaler was fitted on %v", dims, given.Cell(cols, 0))
	}
	if c.Columns != nil {
		if err := c.Columns.Validate(); err != nil {
			return err
		}
		if d := c.Columns.Dims(); d*lists != dims {
			return fmt.Errorf("%d input columns are stated, and the columns of a table make %d", dims/lists, d)
		}
	}
	if r := c.Relevance; r != nil && (len(r) != dims || slices.ContainsFunc(r, func(v float64) bool { return !(v >= 0 && v <= 1) })) {
		return fmt.Errorf("the relevance of %d columns is stated, and there are %d, of 0 to 1 each", len(r), dims)
	}
	if err := c.Uncertainty.checkFile(c, tensors); err != nil {
		return err
	}
	if c.Head == "" && !c.Drawn {
		return nil
	}
	return c.checkSize(features, tensors)
}

// checkHead compares what the card says of the head with its tensors.
func (c card) checkHead(features int, tensors map[string]*tensor.Dense) error {
	w := tensors["head.W"]
	if c.Head == "" {
		if c.Outputs != 0 || w != nil || c.Uncertainty != nil {
			return fmt.Errorf("no head is stated, but outputs, weights or an uncertainty of one")
		}
		return nil
	}
	if features < 1 || c.Outputs < 1 || w == nil || !w.Shape().Eq(tensor.Shape{features, c.Outputs}) {
		return fmt.Errorf("%d features and %d outputs are stated, and the head's weights are not of that shape",
			features, c.Outputs)
	}
	if dt := c.Spec.Dtype; dt != w.Dtype().String() && (dt != "" || w.Dtype() != tensor.Float64) {
		return fmt.Errorf("the element type %q is stated, and the head's weights are %v", dt, w.Dtype())
	}
	if c.Classes != nil && len(c.Classes) != c.Outputs {
		return fmt.Errorf("there are %d classes and %d outputs", len(c.Classes), c.Outputs)
	}
	return nil
}

// checkSize refuses a map that takes more numbers than are in the file or, without the map's tensors, may be drawn.
func (c card) checkSize(features int, tensors map[string]*tensor.Dense) error {
	size, err := c.Spec.Size()
	if err != nil {
		return err
	}
	if !c.Drawn {
		if most := freeDraw + drawPerWeight*float64(c.Outputs)*float64(features); !(size <= most) {
			return fmt.Errorf("%d input columns are stated, %.0f numbers for the frequencies, and a file without the map's "+
				"frequencies may have at most %.0f of these; save the whole model", c.Spec.Dims, size, most)
		}
		return nil
	}
	held := 0
	for _, t := range withPrefix(tensors, "map.") {
		held += t.Shape().TotalSize()
	}
	if !(size <= float64(held)) {
		return fmt.Errorf("%d input columns are stated, and the map's frequencies are not of that size: %d numbers, want %.0f",
			c.Spec.Dims, held, size)
	}
	return nil
}

// byName are the parameters of a layer.
func byName(l layers.Layer) map[string]*tensor.Dense {
	out := map[string]*tensor.Dense{}
	for _, p := range l.Params() {
		out[p.Name] = p.Value
	}
	return out
}

// withPrefix selects the tensors whose names start with prefix, and cuts it off.
func withPrefix(tensors map[string]*tensor.Dense, prefix string) map[string]*tensor.Dense {
	out := map[string]*tensor.Dense{}
	for name, t := range tensors {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			out[rest] = t
		}
	}
	return out
}
