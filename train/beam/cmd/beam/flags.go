package main

import (
	"context"
	"encoding/json"
	"flag"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

// recipeFlags say how rows are read and what features are made of them.
type recipeFlags struct {
	recipe, load, survey           string
	task, label, header, delimiter string
	unlabelled                     bool
}

func (f *recipeFlags) register(fs *flag.FlagSet, label string) {
	fs.StringVar(&f.recipe, "recipe", "", "a train.Recipe as `JSON`: the scalers, the map (its spec, as layers/maps.md has "+
		"it) and how columns are learned (data.ColumnOptions); what is left out comes from the data (default: "+
		`{"scale":"none","spec":{"map":"gaussian","features":1024}}, and for tables with names the scalers "auto")`)
	fs.StringVar(&f.load, "load", "", "the columns, scaler, map and classes of this model `file` in place of -recipe")
	fs.StringVar(&f.survey, "survey", "", "learn classes, scaler and parameters from these `files` alone, which this "+
		"process reads (default: all)")
	fs.StringVar(&f.task, "task", "classification", "classification, regression")
	fs.StringVar(&f.label, "label", label, "where a row of a table or .npy keeps its label or target: last, first, none, "+
		"the name of the column, or its `number` from 1; for -task regression also several, a,b")
	fs.StringVar(&f.header, "header", "auto", "whether the first line of CSV names the columns: auto, yes, no")
	fs.StringVar(&f.delimiter, "delimiter", "auto", "what separates the fields of CSV: auto, tab, or a `character`")
	fs.BoolVar(&f.unlabelled, "drop-unlabelled", false, "leave out the rows whose label or target is empty or a mark of a "+
		"missing value, such as NA")
}

// options returns how files are read.
func (f *recipeFlags) options() (o data.Options, err error) {
	o = data.Options{DropUnlabelled: f.unlabelled, Tell: program.TellOnce("beam:")}
	switch f.task {
	case data.Classification.String():
	case data.Regression.String():
		o.Task = data.Regression
	default:
		return o, usage("-task %s: want classification or regression", f.task)
	}
	if o.Header, err = data.ParseHeader(f.header); err != nil {
		return o, usage("-header %s: want auto, yes or no", f.header)
	}
	if o.Delimiter, err = program.Delimiter("-delimiter", f.delimiter); err != nil {
		return o, err
	}
	if f.label == "" {
		return o, usage("-label: want last, first, none, or the name or number of a column")
	}
	if o.Label, err = data.ParseLabel(f.label); err != nil {
		if o.LabelNames = []string{f.label}; o.Task == data.Regression {
			o.LabelNames = strings.Split(f.label, ",")
		}
	}
	return o, nil
}

// how returns the recipe of the flag.
func (f *recipeFlags) how() (r train.Recipe, err error) {
	if f.recipe == "" {
		return r, nil
	}
	d := json.NewDecoder(strings.NewReader(f.recipe))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, usage("-recipe: %v", err)
	}
	return r, nil
}

// reads returns the files that are read besides the command's own.
func (f *recipeFlags) reads(ctx context.Context) (files []string, err error) {
	if f.load != "" {
		if f.recipe != "" || f.survey != "" {
			return nil, usage("-recipe and -survey do not apply to -load: the model has learned what they say")
		}
		files = append(files, f.load)
	}
	if f.survey != "" {
		more, err := list(ctx, f.survey)
		return append(files, more...), err
	}
	return files, nil
}

// prepare makes the recipe for files.
func (f *recipeFlags) prepare(ctx context.Context, files []string) (*beam.Recipe, error) {
	read, err := f.options()
	if err != nil {
		return nil, err
	}
	if f.load != "" {
		m, err := train.Load(f.load)
		if err != nil {
			return nil, err
		}
		return beam.OfModel(ctx, m, read, files[0])
	}
	how, err := f.how()
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
	if isNamed && how.Columns == nil {
		how.Columns = new(data.ColumnOptions)
	}
	return beam.Prepare(ctx, how, read, files...)
}

// named says whether local files are tables whose columns have names, by the first.
func named(o data.Options, files []string) (bool, error) {
	if slices.ContainsFunc(files, func(f string) bool { return beam.Remote(f) || !data.IsTable(f) }) {
		return false, nil
	}
	o.Tell = nil
	first, err := data.PeekFrame(o, files[0], 1000)
	return err == nil && first.Named, err
}
