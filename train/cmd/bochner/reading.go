package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	_ "github.com/bochner-go/bochner/train/data/parquet" // reads .parquet
)

// csvFlags say how CSV is read.
type csvFlags struct {
	Header    string `default:"auto" enum:"auto,yes,no" help:"Whether the first line of CSV names the columns: auto, yes or no (default auto)."`
	Delimiter string `default:"auto" help:"What separates the fields of CSV: auto, tab or a character (default auto)."`
}

// labelFlags say where the labels or targets are.
type labelFlags struct {
	Label          []string `default:"last" help:"The column of the label or target: last, first, its name or its number from 1; for regression also several (default last)."`
	DropUnlabelled bool     `help:"Leave out rows whose label is empty or a mark of a missing value, such as NA (default false)."`
}

// columnFlags say what becomes of the columns of a table.
type columnFlags struct {
	Drop        []string `placeholder:"COLUMNS" help:"Columns to leave out: names, patterns such as x*, or numbers from 1 (default none)."`
	Categorical []string `placeholder:"COLUMNS" help:"Columns of numbers that are names of categories, likewise (default none)."`
}

// tableFlags say how rows to learn from are read.
type tableFlags struct {
	Labels  labelFlags  `embed:"" group:"Tables"`
	CSV     csvFlags    `embed:"" group:"Tables"`
	Columns columnFlags `embed:"" group:"Tables"`
	ID      string      `placeholder:"NAME" group:"Tables" help:"The column that names the rows in predictions (default none)."`
}

// options are the flags as a reader takes them for a task of --task; see csvFlags.options.
func (f tableFlags) options(files []string, task string) (data.Options, error) {
	o, err := f.CSV.options(files)
	if err != nil {
		return o, err
	}
	of := data.Classification
	if strings.HasSuffix(task, "regression") {
		of = data.Regression
	}
	if err := f.Labels.set(&o, of); err != nil {
		return o, err
	}
	for _, name := range f.Columns.Drop {
		if slices.Contains(f.Labels.Label, name) {
			return o, program.Usage("--label %s and --drop %s: a column is the label or left out; give one of the two", name, name)
		}
	}
	o.ID = f.ID
	return o, nil
}

// options are the flags as a reader takes them. Notes are printed on stderr, each once. files are checked for what the
// flags cannot apply to.
func (f csvFlags) options(files []string) (o data.Options, err error) {
	if o.Header, err = data.ParseHeader(f.Header); err != nil {
		return o, err
	}
	if o.Delimiter, err = program.Delimiter("--delimiter", f.Delimiter); err != nil {
		return o, err
	}
	o.Tell = program.TellOnce("note:")
	if f.Header == "auto" && f.Delimiter == "auto" {
		return o, nil
	}
	in, err := data.Files(files...)
	if err != nil || slices.ContainsFunc(in, func(f string) bool { return data.IsTable(f) && filepath.Ext(f) != ".parquet" }) {
		return o, nil // the reader says what is wrong
	}
	return o, program.Usage("--header and --delimiter do not apply to %s, which is not CSV", strings.Join(files, ","))
}

// set puts the labels into the options of a reader.
func (f labelFlags) set(o *data.Options, task data.Task) error {
	o.Task, o.DropUnlabelled = task, f.DropUnlabelled
	switch label := strings.Join(f.Label, ","); {
	case label == "none" || label == "":
		return program.Usage("--label %s: a model is fitted to labels; say last, first, or the name or number of a column", label)
	case label == "last":
	case label == "first":
		o.Label = data.LabelFirst
	case task == data.Classification && len(f.Label) > 1:
		return program.Usage("--label %s: there is one label; several targets go with --task regression", label)
	default:
		o.LabelNames = f.Label
	}
	return nil
}

// last says whether the flag is not given.
func (f labelFlags) last() bool { return len(f.Label) == 1 && f.Label[0] == "last" }

// tables says whether all files are tables of columns, by their names.
func tables(files []string) bool {
	in, err := data.Files(files...)
	return err != nil || !slices.ContainsFunc(in, func(f string) bool { return !data.IsTable(f) })
}

// plain makes a set of a table that needs no columns: it has no names, and all its cells are numbers. Its model finds
// columns by their places.
func plain(f *data.Frame) *data.Set {
	if f.Named {
		return nil
	}
	return numbers(f)
}

// numbers makes a set of a table whose cells are all numbers, nil of another.
func numbers(f *data.Frame) *data.Set {
	c, err := f.Plain()
	if err != nil {
		return nil
	}
	set, err := c.Set(f)
	if err != nil {
		return nil // Learn says why
	}
	set.Columns, set.Names, set.LabelNames = nil, nil, nil
	return set
}

// readFiles reads rows, or a file of sets of samples.
func readFiles(ctx context.Context, bags bool, files []string, o data.Options) (*data.Set, error) {
	switch {
	case bags && len(files) > 1:
		return nil, program.Usage("%s: sets of samples are read from one file", strings.Join(files, ","))
	case bags:
		return data.ReadBags(files[0], o)
	}
	return data.ReadAll(ctx, o, files...)
}

// readFor is how rows for a model are read: as its file says, where the flags do not.
func readFor(m *train.Model, read data.Options, label labelFlags) (data.Options, error) {
	o := m.Options()
	o.Header, o.Delimiter, o.Tell = read.Header, read.Delimiter, read.Tell
	if label.last() && m.Columns != nil {
		o.DropUnlabelled = label.DropUnlabelled
		return o, nil
	}
	return o, label.set(&o, o.Task)
}
