package main

import (
	"context"
	"flag"
	"slices"
	"strings"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/data"
)

// recipeFlags are the flags that a recipe is made from.
type recipeFlags struct {
	mapName, params, sampler, dtype, scale, task, survey string
	features                                             int
	seed                                                 uint64
	table                                                tableFlags
	given                                                map[string]bool // the flags that the user set
}

func (f *recipeFlags) register(fs *flag.FlagSet, label string) {
	fs.StringVar(&f.mapName, "map", "gaussian", "feature `map` (layers/maps.md)")
	fs.StringVar(&f.params, "params", "", "parameters of the map, `name=value,...`; those left out come from the data")
	fs.IntVar(&f.features, "features", 2048, "output `columns` of the map; those of an additive one follow from its parameters")
	fs.StringVar(&f.sampler, "sampler", "iid", "`sampler` of the frequencies (init/samplers.md)")
	fs.StringVar(&f.dtype, "dtype", "float64", "element `type`: float32, float64")
	fs.StringVar(&f.scale, "scale", "none", "scalers in order: none, l1, l2, minmax, cube (minmax, and later rows clipped to it; minmax is cube for a map of x >= 0 or x > -c), standard, auto (standard for real columns, 0/1 columns stay; the default of tables with names), as a `list` a,b")
	fs.Uint64Var(&f.seed, "seed", 1, "`seed` of the draw")
	f.table.register(fs, label)
	fs.StringVar(&f.task, "task", "classification", "classification, regression")
	fs.StringVar(&f.survey, "survey", "", "learn classes, scaler and parameters from these `files` alone, which this process reads (default: all)")
}

// recipe is the map and the scalers.
func (f *recipeFlags) recipe() (train.Recipe, error) {
	fail := func(err error) (train.Recipe, error) { return train.Recipe{}, usage("%v", err) }
	e, err := layers.Lookup(f.mapName)
	if err != nil {
		return fail(err)
	}
	spec := layers.Spec{Map: f.mapName, Seed: f.seed, Dtype: f.dtype, Name: f.mapName}
	if e.HasFeatures() {
		spec.Features = f.features
	}
	if e.HasSampler {
		spec.Sampler = f.sampler
	}
	if f.dtype != "float32" && f.dtype != "float64" {
		return train.Recipe{}, usage("-dtype %s: want float32 or float64", f.dtype)
	}
	if spec.Params, err = layers.ParseValues(f.mapName, f.params); err != nil {
		return fail(err)
	}
	if _, err := train.ScalersFor(spec, f.scale); err != nil {
		return fail(err)
	}
	return train.Recipe{Scale: f.scale, Spec: spec}, nil
}

// reading is how files are read, and their columns learned.
func (f *recipeFlags) reading() (data.Options, data.ColumnOptions, error) {
	switch f.task {
	case data.Classification.String():
		return f.table.options(data.Classification)
	case data.Regression.String():
		return f.table.options(data.Regression)
	}
	return data.Options{}, data.ColumnOptions{}, usage("-task %s: want classification or regression", f.task)
}

// prepare makes the recipe for files.
func (f *recipeFlags) prepare(ctx context.Context, files []string) (*beam.Recipe, error) {
	how, err := f.recipe()
	if err != nil {
		return nil, err
	}
	read, columns, err := f.reading()
	if err != nil {
		return nil, err
	}
	if f.survey != "" {
		if files, err = list(ctx, f.survey); err != nil {
			return nil, err
		}
	}
	isNamed, err := named(read, files)
	if err != nil {
		return nil, err
	}
	if isNamed && !f.given["scale"] {
		how.Scale = "auto"
	}
	if isNamed || slices.ContainsFunc(columnFlags, func(name string) bool { return f.given[name] }) {
		how.Columns = &columns
	}
	return beam.Prepare(ctx, how, read, files...)
}

// reads are the files that are read: these, and those of -survey.
func (f *recipeFlags) reads(ctx context.Context, files []string) ([]string, error) {
	if f.survey == "" {
		return files, nil
	}
	more, err := list(ctx, f.survey)
	return append(files, more...), err
}

// load makes the recipe of a saved model.
func (f *recipeFlags) load(ctx context.Context, path string, files []string) (*beam.Recipe, error) {
	read, _, err := f.reading()
	if err != nil {
		return nil, err
	}
	m, err := train.Load(path)
	if err != nil {
		return nil, err
	}
	return beam.OfModel(ctx, m, read, files[0])
}

func list(ctx context.Context, names string) ([]string, error) {
	return beam.List(ctx, strings.Split(names, ",")...)
}

func registerSubmit(fs *flag.FlagSet, o *submit.Options) {
	fs.DurationVar(&o.Timeout, "timeout", time.Hour, "`time` after which the job has failed")
	fs.BoolVar(&o.Processes, "processes", false, "put the workers into processes of their own, on this machine")
}
