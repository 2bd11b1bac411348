package beam

import (
	"context"
	"errors"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// Prepare reads files, in this process, for what workers must know beside the spec and the list of scalers: the width of the rows, their
// classes, what the scalers learn, the parameters that the spec leaves to the data, and the map where it is fitted on them. The files are all
// that will be fitted, or some that stand for them: a class that is in none of these is an error of the worker that meets it. They are read
// once, and once more for each scaler that learns, in blocks. The model is that of `examples/train -stream` up to its head.
//
// The sample of rows that parameters and fitted maps come from is drawn by the spec's seed. Errors: those of data.Stream.Survey,
// data.Chain.FitBlocks and layers.Spec.Fit; data.ErrLabel for one class alone.
func Prepare(ctx context.Context, spec layers.Spec, scaler *data.Chain, read data.Options, files ...string) (*Recipe, error) {
	local, done, err := fetch(ctx, files...)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := data.OpenStream(data.StreamOptions{Options: read, Seed: spec.Seed, BlockRows: train.BlockRows(1, max(1, spec.Features))}, local...)
	if err != nil {
		return nil, err
	}
	v, err := s.Survey(ctx, layers.SampleRows)
	if err != nil {
		return nil, err
	}
	if v.Classes != nil && read.Label != data.LabelNone && len(v.Classes) < 2 {
		return nil, fmt.Errorf("beam: %s: all rows have the class %q, and a classifier needs two; name more files, or read targets: %w", files[0], v.Classes[0], data.ErrLabel)
	}
	if err := fitScaler(ctx, scaler, s, v.Sample); err != nil {
		return nil, err
	}
	m := &train.Model{Scaler: scaler, Spec: spec, Classes: v.Classes}
	if err := fitMap(m, v.Sample); err != nil {
		return nil, v.Sample.Locate(err)
	}
	return newRecipe(m, read, v.Sample), nil
}

// OfModel is the recipe of a model that is there, for files like the one that is named, which is read once: it tells whether rows are sparse.
func OfModel(ctx context.Context, m *train.Model, read data.Options, file string) (*Recipe, error) {
	local, done, err := fetch(ctx, file)
	if err != nil {
		return nil, err
	}
	defer done()
	read.Dims = m.Dims()
	s, err := data.OpenStream(data.StreamOptions{Options: read}, local...)
	if err != nil {
		return nil, err
	}
	v, err := s.Survey(ctx, 1)
	if err != nil {
		return nil, err
	}
	if !m.Scaler.KeepsZeros() {
		if v.Sample.X, err = v.Sample.Dense(); err != nil {
			return nil, err
		}
	}
	return newRecipe(m, read, v.Sample), nil
}

// newRecipe reads files of the width and the form of a sample.
func newRecipe(m *train.Model, read data.Options, sample *data.Block) *Recipe {
	read.Dims, read.Form = m.Dims(), data.FormDense
	if _, sparse := sample.X.(*ops.CSR); sparse {
		read.Form = data.FormSparse
	}
	return &Recipe{m, read}
}

// fitScaler fits to all rows and scales the sample; where the scaler moves zeros, rows become dense.
func fitScaler(ctx context.Context, scaler *data.Chain, s *data.Stream, sample *data.Block) error {
	rows := train.Rows{Stream: s}
	err := scaler.FitBlocks(rows.Matrices(ctx))
	if errors.Is(err, data.ErrZeros) {
		s.Dense()
		if sample.X, err = sample.Dense(); err == nil {
			err = scaler.FitBlocks(rows.Matrices(ctx))
		}
	}
	if err != nil {
		return err
	}
	return sample.Locate(scaler.ApplyInPlace(sample.X))
}

// fitMap finishes the spec, looks at the domain, and builds the map.
func fitMap(m *train.Model, sample *data.Block) error {
	dtype := tensor.Float64
	if m.Spec.Dtype == tensor.Float32.String() {
		dtype = tensor.Float32
	}
	x, err := sample.As(dtype)
	if err != nil {
		return err
	}
	m.Spec.Dims = x.Shape()[1]
	if err := m.Spec.FillDefaults(x); err != nil {
		return err
	}
	k, err := m.Spec.Kernel()
	if err != nil {
		return err
	}
	if err := ops.CheckRows(k.Domain(), "map "+m.Spec.Map, x); err != nil {
		return err
	}
	if m.Map, err = m.Spec.Fit(x); err != nil {
		return err
	}
	m.Spec.Features = m.Map.Features()
	return nil
}

// checkRead wants a recipe whose rows have what a fit needs.
func (r *Recipe) checkRead() error {
	if r.Read.Label == data.LabelNone {
		return fmt.Errorf("beam: the recipe reads no labels, which a fit needs; prepare it with the label first or last: %w", domain.ErrParam)
	}
	return nil
}
