package beam

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

func init() {
	register.DoFn2x1[context.Context, string, error](&featuresFn{})
}

// Features adds to a pipeline the steps that write the features of the rows of files (List) to a folder, local or
// remote: for each file one of its name with .npy in place of the extensions, [rows, D] in the element type of the map,
// in the order of the rows, without labels; files of a recipe with Columns may lack these. A file appears under its
// name when it is whole. Errors: as for train.Model.MarshalBinary and FeatureFiles.
func Features(s beam.Scope, r *Recipe, files []string, folder string) error {
	if r != nil && r.Read.Columns != nil { // features need no labels
		own := *r
		own.Read.Label, own.Read.LabelNames = data.LabelNone, nil
		r = &own
	}
	shipped, err := r.ship()
	if err != nil {
		return err
	}
	if _, err := FeatureFiles(files, folder); err != nil {
		return err
	}
	s = s.Scope("bochner.Features")
	beam.ParDo0(s, &featuresFn{Recipe: shipped, Folder: folder}, spread(s, files))
	return nil
}

// FeatureFiles returns the names of the files that Features writes for files (List) to a folder. Errors: domain.ErrParam
// for files that would get the same name, and for a name that is one of the files.
func FeatureFiles(files []string, folder string) ([]string, error) {
	inputs, taken := map[string]string{}, map[string]string{}
	for _, file := range files {
		inputs[behind(file)] = file
	}
	var names []string
	for _, file := range files {
		name := featuresName(folder, file)
		if other, twice := taken[name]; twice {
			return nil, fmt.Errorf("beam: the features of %s and %s would both be %s; map them to two folders: %w",
				other, file, name, domain.ErrParam)
		}
		if input, is := inputs[behind(name)]; is {
			return nil, fmt.Errorf("beam: the features of %s would overwrite %s; name another folder: %w", file, input,
				domain.ErrParam)
		}
		taken[name], names = file, append(names, name)
	}
	return names, nil
}

// behind is the name of a file behind links, if there is one.
func behind(name string) string {
	if Remote(name) {
		return name
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if whole, err := filepath.Abs(name); err == nil {
		name = whole
	}
	return name
}

// featuresName is the name of the features of a file.
func featuresName(folder, file string) string {
	stem := path.Base(filepath.ToSlash(file))
	if packed := path.Ext(stem); packed == ".gz" || packed == ".zst" || packed == ".zstd" {
		stem = strings.TrimSuffix(stem, packed)
	}
	stem = strings.TrimSuffix(stem, path.Ext(stem)) + ".npy"
	if Remote(folder) {
		return strings.TrimSuffix(folder, "/") + "/" + stem
	}
	return filepath.Join(folder, stem)
}

// featuresFn maps files to files.
type featuresFn struct {
	Recipe shipped
	Folder string

	recipe *Recipe
}

func (f *featuresFn) Setup() (err error) {
	f.recipe, err = f.Recipe.recipe()
	return err
}

func (f *featuresFn) ProcessElement(ctx context.Context, file string) error {
	return f.recipe.read(ctx, file, func(rows data.Streamed) error {
		return deliver(ctx, featuresName(f.Folder, file), func(to string) error { return f.recipe.write(ctx, rows.Stream, to) })
	})
}

// write writes the features of all rows of a stream to a local file.
func (r *Recipe) write(ctx context.Context, stream *data.Stream, to string) error {
	m := r.Model
	file, err := data.NewMatrixFile(to, data.AnyRows, m.Map.Features(), m.Map.Dtype())
	if err != nil {
		return err
	}
	var z *tensor.Dense
	for b, err := range stream.Blocks(ctx, 0) {
		if err == nil {
			err = b.Locate(inTurn(ctx, func() (err error) {
				z, err = r.features(z, b)
				return err
			}))
		}
		if err == nil {
			err = file.Write(z)
		}
		if err != nil {
			return file.Close(err)
		}
	}
	return file.Close(nil)
}

// features maps a block, into dst where that is of its length.
func (r *Recipe) features(dst *tensor.Dense, b *data.Set) (*tensor.Dense, error) {
	var err error
	if b.X, err = r.Model.Scaler.ApplyInPlace(b.X); err != nil {
		return nil, err
	}
	x, err := b.As(r.Model.Map.Dtype())
	if err != nil {
		return nil, err
	}
	if dst != nil && dst.Shape()[0] != b.Rows() {
		dst = nil
	}
	z, err := layers.Transform(r.Model.Map, dst, x)
	return z, r.Model.Scaler.Locate(err)
}
