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
	"github.com/bochner-go/bochner/ops"
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
	if r == nil || r.Model == nil {
		return s, fmt.Errorf("beam: the recipe has no model; Prepare and OfModel make recipes: %w", domain.ErrParam)
	}
	m := r.Model
	if r.Read.Dims != m.Dims() || r.Read.Columns != m.Columns {
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

// read calls f with the rows of a file. An error names the file, and not its local copy alone.
func (r *Recipe) read(ctx context.Context, file string, f func(rows data.Streamed) error) error {
	local, done, err := fetch(ctx, file)
	if err != nil {
		return err
	}
	defer done()
	rows, err := r.Rows(local...)
	if err == nil {
		err = f(rows)
	}
	if err != nil && Remote(file) {
		return fmt.Errorf("%s: %w", file, err)
	}
	return err
}

// Rows are the rows of local files on their way into the map: scaled, in its element type, with targets.
func (r *Recipe) Rows(files ...string) (data.Streamed, error) {
	m := r.Model
	s, err := data.OpenStream(data.StreamOptions{Options: r.Read, BlockRows: data.BlockRows(m.Dims(), m.Map.Features())}, files...)
	return data.Streamed{Stream: s, Scaler: m.Scaler, Classes: m.Classes, Dtype: m.Map.Dtype()}, err
}

// Prepare reads files, in this process, for what workers must know beside the list of scalers and the spec: the width of
// the rows, their classes, what the scalers learn, the parameters that the spec leaves to the data, and the map where it is
// fitted on them. It is train.Recipe.FitMap on a stream of the files; the recipe's Fitter is ignored. The
// files are all that will be fitted, or some that stand for them: a class that is in none of these is an error of the
// worker that meets it. They are read once, and once more for each scaler that learns, in blocks.
//
// Where how.Columns is not nil, or read.Columns, the files are tables, whose columns and labels workers find by their names, and the
// files must have the columns that were learned from, in any order. read.Tell receives what this process makes of the files, and
// the log of the engine what workers do.
//
// The sample of rows that parameters and fitted maps come from is drawn by the spec's seed. It returns the errors
// of train.Recipe.FitMap.
func Prepare(ctx context.Context, how train.Recipe, read data.Options, files ...string) (*Recipe, error) {
	local, done, err := fetch(ctx, files...)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := data.OpenStream(data.StreamOptions{Options: read, Seed: how.Spec.Seed, BlockRows: data.BlockRows(1, max(1, how.Spec.Features))}, local...)
	if err != nil {
		return nil, err
	}
	m, err := how.FitMap(ctx, s)
	if err != nil {
		return nil, err
	}
	if c := m.Columns; c != nil && c.Labels != nil {
		read.Label, read.LabelNames = data.LabelLast, nil // which Columns know
	}
	return newRecipe(m, read, s.Sparse()), nil
}

// OfModel is the recipe of a model that is there, for files like the one that is named, which is read once: it tells whether rows are sparse.
func OfModel(ctx context.Context, m *train.Model, read data.Options, file string) (*Recipe, error) {
	local, done, err := fetch(ctx, file)
	if err != nil {
		return nil, err
	}
	defer done()
	read.Dims, read.Columns = m.Dims(), m.Columns
	s, err := data.OpenStream(data.StreamOptions{Options: read}, local...)
	if err != nil {
		return nil, err
	}
	v, err := s.Survey(ctx, 1)
	if err != nil {
		return nil, err
	}
	_, sparse := v.Sample.X.(*ops.CSR)
	return newRecipe(m, read, sparse && m.Scaler.KeepsZeros()), nil
}

// newRecipe reads files of the model's width, sparse or dense.
func newRecipe(m *train.Model, read data.Options, sparse bool) *Recipe {
	read.Dims, read.Columns, read.Form = m.Dims(), m.Columns, data.FormDense
	if m.Columns != nil {
		read.ID = "" // a name of a row is none of its features
	}
	if sparse {
		read.Form = data.FormSparse
	}
	return &Recipe{m, read}
}

// checkRead wants a recipe whose rows have what a fit needs.
func (r *Recipe) checkRead() error {
	if o := r.Read; o.LabelNames == nil && (o.Label == data.LabelNone || o.Columns != nil && o.Columns.Labels == nil) {
		return fmt.Errorf("beam: the recipe reads no labels, which a fit needs; prepare it with the label first or last: %w", domain.ErrParam)
	}
	return nil
}
