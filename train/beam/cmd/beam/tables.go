package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/data"
)

// tableFlags say how the columns of tables are read, as the flags of examples/train do.
type tableFlags struct {
	label, header, delimiter  string
	columns, drop, categories string
	missing, unknown, dates   string
	rare                      int
	labelled                  bool
}

// columnFlags ask for columns to be learned.
var columnFlags = []string{"columns", "drop", "categorical", "missing", "unknown", "rare", "dates"}

func (t *tableFlags) register(fs *flag.FlagSet, label string) {
	fs.StringVar(&t.label, "label", label, "where a row of a table or .npy keeps its label or target: last, first, none, the name of the column, or its `number` from 1; for -task regression also several, a,b")
	fs.BoolVar(&t.labelled, "drop-unlabelled", false, "leave out the rows whose label or target is empty or a mark of a missing value, such as NA")
	fs.StringVar(&t.header, "header", "auto", "whether the first line of CSV names the columns: auto, yes, no")
	fs.StringVar(&t.delimiter, "delimiter", "auto", "what separates the fields of CSV: auto, tab, or a `character`")
	fs.StringVar(&t.columns, "columns", "", "the columns to learn from, a `list` of names, patterns such as x*, or numbers from 1 (default: all but the label)")
	fs.StringVar(&t.drop, "drop", "", "columns not to learn from, a `list` likewise")
	fs.StringVar(&t.categories, "categorical", "", "columns of numbers that are names, a `list` likewise")
	fs.StringVar(&t.missing, "missing", "indicator", "what takes the place of missing values: indicator (the median, and a column that says so), fill (the median, or the most frequent), error")
	fs.StringVar(&t.unknown, "unknown", "other", "what a category is that the training rows did not have: other (one of the rare), error")
	fs.IntVar(&t.rare, "rare", 0, "a category in fewer `rows` shares a column with others of them (default: a hundredth of the rows, at most 10)")
	fs.StringVar(&t.dates, "dates", "epoch", "what dates become: epoch (days), cyclic (also weekday, day of the year and hour)")
}

// options are the flags as a reader takes them.
func (t *tableFlags) options(task data.Task) (o data.Options, c data.ColumnOptions, err error) {
	o = data.Options{Task: task, DropUnlabelled: t.labelled, Tell: notes()}
	c = data.ColumnOptions{Keep: names(t.columns), Drop: names(t.drop), Categorical: names(t.categories), Missing: data.Missing(t.missing),
		Unknown: data.Unknown(t.unknown), Rare: t.rare, Cyclic: t.dates == "cyclic"}
	if o.Header, err = data.ParseHeader(t.header); err != nil {
		return o, c, usage("-header %s: want auto, yes or no", t.header)
	}
	switch d, size := utf8.DecodeRuneInString(t.delimiter); {
	case t.delimiter == "auto":
	case t.delimiter == "tab":
		o.Delimiter = '\t'
	case size == len(t.delimiter) && !strings.ContainsRune("\"\r\n", d) && d != utf8.RuneError:
		o.Delimiter = d
	default:
		return o, c, usage("-delimiter %s: want auto, tab, or one character", t.delimiter)
	}
	if o.Label, err = data.ParseLabel(t.label); err != nil {
		if o.LabelNames = []string{t.label}; task == data.Regression {
			o.LabelNames = names(t.label)
		}
	}
	switch {
	case t.label == "":
		return o, c, usage("-label: want last, first, none, or the name or number of a column")
	case !slices.Contains([]string{"indicator", "fill", "error"}, t.missing):
		return o, c, usage("-missing %s: want indicator, fill or error", t.missing)
	case !slices.Contains([]string{"other", "error"}, t.unknown):
		return o, c, usage("-unknown %s: want other or error", t.unknown)
	case !slices.Contains([]string{"epoch", "cyclic"}, t.dates):
		return o, c, usage("-dates %s: want epoch or cyclic", t.dates)
	case t.rare < 0:
		return o, c, usage("-rare %d: want a number of rows", t.rare)
	}
	return o, c, nil
}

// names are the names of a list.
func names(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// notes prints each note once.
func notes() func(note string) {
	told := map[string]bool{}
	return func(note string) {
		if !told[note] {
			told[note] = true
			fmt.Fprintf(os.Stderr, "beam: %s\n", note)
		}
	}
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
