package beam

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// Recipe says how a worker makes features of a file.
type Recipe struct {
	Model *train.Model // its columns, scaler, map and classes; the head is ignored
	Read  data.Options // how files are read; Dims and Columns are the model's
}

// shipped is a recipe on its way to a worker.
type shipped struct {
	Model []byte // as train.Model.MarshalBinary returns it
	Read  []byte // JSON
}

// ship makes the recipe ready to travel. Equal recipes travel as equal bytes.
func (r *Recipe) ship() (s shipped, err error) {
	m := r.Model
	switch {
	case m == nil:
		return s, fmt.Errorf("beam: the recipe has no model; Prepare and OfModel make recipes: %w", domain.ErrParam)
	case r.Read.Dims != m.Dims() || r.Read.Columns != m.Columns:
		return s, fmt.Errorf("beam: files are read with %d Dims and the model has %d, or with other Columns; give Read "+
			"the model's: %w", r.Read.Dims, m.Dims(), domain.ErrParam)
	}
	read := r.Read
	read.Columns = nil // the model has them
	if s.Read, err = json.Marshal(read); err != nil {
		return s, fmt.Errorf("beam: %w", err)
	}
	own := train.Model{Scaler: m.Scaler, Spec: m.Spec, Map: m.Map, Classes: m.Classes, Columns: m.Columns}
	if s.Model, err = own.MarshalBinary(); err != nil {
		err = fmt.Errorf("beam: %w", err)
	}
	return s, err
}

// fingerprint names the recipe in the sums that it makes.
func (s shipped) fingerprint() string {
	sum := sha256.Sum256(append(slices.Clone(s.Model), s.Read...))
	return "recipe " + hex.EncodeToString(sum[:])
}

// recipes are those that this process has drawn maps for, by their fingerprints.
var recipes = struct {
	sync.Mutex
	of map[string]*Recipe
}{of: map[string]*Recipe{}}

// recipe returns the recipe, whose map is drawn once in a process.
func (s shipped) recipe() (*Recipe, error) {
	name := s.fingerprint()
	recipes.Lock()
	defer recipes.Unlock()
	if r := recipes.of[name]; r != nil {
		return r, nil
	}
	r := &Recipe{Model: new(train.Model)}
	if err := errors.Join(r.Model.UnmarshalBinary(s.Model), json.Unmarshal(s.Read, &r.Read)); err != nil {
		return nil, fmt.Errorf("beam: %w", err)
	}
	r.Read.Columns = r.Model.Columns
	r.Read.Tell = func(note string) { log.Warn(context.Background(), note) }
	recipes.of[name] = r
	return r, nil
}

// Rows are the rows of local files on their way into the map: scaled, in its element type, with targets.
func (r *Recipe) Rows(files ...string) (data.Streamed, error) {
	m := r.Model
	s, err := data.OpenStream(data.StreamOptions{Options: r.Read, BlockRows: data.BlockRows(m.Dims(), m.Map.Features())}, files...)
	return data.Streamed{Stream: s, Scaler: m.Scaler, Classes: m.Classes, Dtype: m.Map.Dtype()}, err
}
