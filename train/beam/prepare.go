package beam

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

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
