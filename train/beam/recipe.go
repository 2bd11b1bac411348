package beam

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/modelfile"
	"gorgonia.org/tensor"
)

// Recipe says how a worker makes features of a file.
type Recipe struct {
	Model *train.Model // its columns, scaler, fitted, spec, map and classes; the head is not looked at
	Read  data.Options // how files are read; Dims and Columns are the model's
}

// card is the metadata of a recipe outside memory, under the key "recipe".
type card struct {
	Version int
	Spec    layers.Spec
	Scaler  string
	Classes data.Classes
	Read    data.Options
}

const recipeVersion = 2

// MarshalBinary is the recipe as the bytes of a model file, with their checksum: the spec, the state of the scaler, and of a map that was
// fitted on data or tuned also its parameters, which no seed brings back. Equal recipes are equal bytes. Errors: a model without a fitted
// scaler or a map, or one whose spec is of other columns (domain.ErrParam).
func (r *Recipe) MarshalBinary() ([]byte, error) {
	m := r.Model
	if m == nil || m.Scaler == nil || m.Map == nil || len(m.Scaler.State()) == 0 {
		return nil, fmt.Errorf("beam: a recipe needs a map and a fitted scaler; Prepare makes both: %w", domain.ErrParam)
	}
	if m.Spec.Dims != m.Map.Dims() || r.Read.Dims != m.Spec.Dims {
		return nil, fmt.Errorf("beam: the map has %d input columns, its spec %d, and files are read with %d: %w", m.Map.Dims(), m.Spec.Dims, r.Read.Dims, domain.ErrParam)
	}
	if m.Columns != r.Read.Columns {
		return nil, fmt.Errorf("beam: files are read by other Columns than the model's; give Read those of the model: %w", domain.ErrParam)
	}
	state, err := m.Spec.State()
	if err != nil {
		return nil, fmt.Errorf("beam: the spec does not describe the map: %w", err)
	}
	tensors := map[string]*tensor.Dense{}
	for name, t := range m.Scaler.State() {
		tensors["scaler."+name] = t
	}
	whole := len(state) > 0
	for _, p := range m.Map.Params() {
		whole = whole || p.Tuned
	}
	for _, p := range m.Map.Params() {
		if whole {
			tensors["map."+p.Name] = p.Value
		}
	}
	text, err := json.Marshal(card{recipeVersion, m.Spec, m.Scaler.Name(), m.Classes, r.Read})
	if err != nil {
		return nil, fmt.Errorf("beam: the spec cannot be shipped: %w", err)
	}
	return modelfile.Encode(map[string]string{"recipe": string(text)}, tensors)
}

// UnmarshalBinary takes what MarshalBinary returned, and draws the map. Errors: as for modelfile.Decode and of layers.Spec.Build;
// modelfile.ErrFormat for another version.
func (r *Recipe) UnmarshalBinary(b []byte) error {
	meta, tensors, err := modelfile.Decode(b)
	if err != nil {
		return fmt.Errorf("beam: recipe: %w", err)
	}
	var c card
	if err := json.Unmarshal([]byte(meta["recipe"]), &c); err != nil {
		return fmt.Errorf("beam: recipe: %v: %w", err, modelfile.ErrFormat)
	}
	if c.Version != recipeVersion {
		return fmt.Errorf("beam: the recipe has the version %d, this worker reads %d; build both from the same sources: %w", c.Version, recipeVersion, modelfile.ErrFormat)
	}
	parts := map[string]map[string]*tensor.Dense{"scaler": {}, "map": {}}
	for name, t := range tensors {
		part, rest, _ := strings.Cut(name, ".")
		if parts[part] == nil {
			return fmt.Errorf("beam: recipe: the tensor %q belongs to nothing: %w", name, modelfile.ErrFormat)
		}
		parts[part][rest] = t
	}
	m := &train.Model{Spec: c.Spec, Classes: c.Classes, Columns: c.Read.Columns}
	if m.Scaler, err = data.ParseScalers(c.Scaler); err == nil {
		err = m.Scaler.SetState(parts["scaler"])
	}
	if err == nil && len(parts["map"]) > 0 {
		m.Map, err = c.Spec.Restore(parts["map"])
	} else if err == nil {
		m.Map, err = c.Spec.Build()
	}
	if err != nil {
		return fmt.Errorf("beam: recipe: %w", err)
	}
	*r = Recipe{m, c.Read}
	return nil
}

// recipes are those that this process has drawn maps for, by their bytes.
var recipes = struct {
	sync.Mutex
	of map[string]*Recipe
}{of: map[string]*Recipe{}}

// recipeOf is the recipe of some bytes, whose map is drawn once in a process.
func recipeOf(b []byte) (*Recipe, error) {
	recipes.Lock()
	defer recipes.Unlock()
	if r := recipes.of[string(b)]; r != nil {
		return r, nil
	}
	r := new(Recipe)
	if err := r.UnmarshalBinary(b); err != nil {
		return nil, err
	}
	r.Read.Tell = func(note string) { log.Warn(context.Background(), note) }
	recipes.of[string(b)] = r
	return r, nil
}

// fingerprint names a recipe in the sums that were made by it.
func fingerprint(b []byte) string {
	sum := sha256.Sum256(b)
	return "recipe " + hex.EncodeToString(sum[:])
}

// Rows are the rows of local files on their way into the map: scaled, in its element type, with targets.
func (r *Recipe) Rows(files ...string) (data.Streamed, error) {
	m := r.Model
	s, err := data.OpenStream(data.StreamOptions{Options: r.Read, BlockRows: linear.BlockRows(m.Dims(), m.Map.Features())}, files...)
	return data.Streamed{Stream: s, Scaler: m.Scaler, Classes: m.Classes, Dtype: m.Map.Dtype()}, err
}
