package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// generate writes normal rows with the target sin ‖x‖ and noise, and a recipe of Gaussian features for them.
func (o *overhead) generate(ctx context.Context) error {
	folder := filepath.Join(o.dir, "rows")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for f := range o.files {
		n := o.rows*(f+1)/o.files - o.rows*f/o.files
		name := filepath.Join(folder, fmt.Sprintf("part-%04d.%s", f, o.format))
		if err := o.writeRows(name, n, rand.New(spectral.Stream(1, name[len(folder):]))); err != nil {
			return err
		}
	}
	spec := layers.Spec{Map: "gaussian", Features: o.features, Sampler: "iid", Seed: 1, Name: "gaussian"}
	r, err := beam.Prepare(ctx, train.Recipe{Scale: "standard", Spec: spec}, data.Options{Task: data.Regression}, filepath.Join(folder, "part-0000."+o.format))
	if err != nil {
		return err
	}
	shipped, err := r.MarshalBinary()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.dir, recipeFile), shipped, 0o644)
}

// writeRows writes n rows, the target last.
func (o *overhead) writeRows(name string, n int, rng *rand.Rand) error {
	file, err := data.NewMatrixFile(name, n, o.dims+1, tensor.Float64)
	if err != nil {
		return err
	}
	row := make([]float64, o.dims+1)
	t := tensor.New(tensor.WithShape(1, len(row)), tensor.WithBacking(row))
	for range n {
		square := 0.
		for j := range o.dims {
			row[j] = rng.NormFloat64()
			square += row[j] * row[j]
		}
		row[o.dims] = math.Sin(math.Sqrt(square)) + .1*rng.NormFloat64()
		if err := file.Write(t); err != nil {
			return file.Close(err)
		}
	}
	return file.Close(nil)
}
