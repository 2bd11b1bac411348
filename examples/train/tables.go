package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// tableFlags say how the columns of a table are read.
type tableFlags struct {
	cli.ReadingFlags
	label                     string
	columns, drop, categories string
	missing, unknown, dates   string
	id                        string
	rare                      int
	labelled                  bool // rows without a label are left out
	chosen                    bool // whether a flag chooses or makes columns
}

// columnFlags choose or make columns.
var columnFlags = []string{"columns", "drop", "categorical", "missing", "unknown", "rare", "dates", "id"}

func (t *tableFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&t.label, "label", "last", "where a row of a table or .npy keeps its label or target: last, first, the name of the column, or its `number` from 1; for -task regression also several, a,b")
	fs.BoolVar(&t.labelled, "drop-unlabelled", false, "leave out the rows whose label or target is empty or a mark of a missing value, such as NA")
	t.ReadingFlags.Register(fs)
	fs.StringVar(&t.columns, "columns", "", "the columns to learn from, a `list` of names, patterns such as x*, or numbers from 1 (default: all but the label)")
	fs.StringVar(&t.drop, "drop", "", "columns not to learn from, a `list` likewise")
	fs.StringVar(&t.categories, "categorical", "", "columns of numbers that are names, a `list` likewise")
	fs.StringVar(&t.missing, "missing", "indicator", "what takes the place of missing values: indicator (the median, and a column that says so), fill (the median, or the most frequent), error")
	fs.StringVar(&t.unknown, "unknown", "other", "what a category is that the training rows did not have: other (one of the rare), error")
	fs.IntVar(&t.rare, "rare", 0, "a category in fewer `rows` shares a column with others of them (default: a hundredth of the rows, at most 10)")
	fs.StringVar(&t.dates, "dates", "epoch", "what dates become: epoch (days), cyclic (also weekday, day of the year and hour)")
	fs.StringVar(&t.id, "id", "", "the `column` that names the rows, which -predict writes")
}

// options are the flags as a reader takes them.
func (t *tableFlags) options(task data.Task, given map[string]bool) (data.Options, data.ColumnOptions, error) {
	c := data.ColumnOptions{Keep: names(t.columns), Drop: names(t.drop), Categorical: names(t.categories), Missing: data.Missing(t.missing),
		Unknown: data.Unknown(t.unknown), Rare: t.rare, Cyclic: t.dates == "cyclic"}
	t.chosen = slices.ContainsFunc(columnFlags, func(f string) bool { return given[f] })
	o, err := t.Options()
	if err != nil {
		return o, c, err
	}
	o.Task, o.ID, o.DropUnlabelled = task, t.id, t.labelled
	switch t.label {
	case "none", "":
		return o, c, cli.Usage("-label %s: a model is fitted to labels; say last, first, or the name or number of a column", t.label)
	case "last":
	case "first":
		o.Label = data.LabelFirst
	default:
		if o.LabelNames = []string{t.label}; task == data.Regression {
			o.LabelNames = names(t.label)
		}
	}
	switch {
	case !slices.Contains([]string{"indicator", "fill", "error"}, t.missing):
		return o, c, cli.Usage("-missing %s: want indicator, fill or error", t.missing)
	case !slices.Contains([]string{"other", "error"}, t.unknown):
		return o, c, cli.Usage("-unknown %s: want other or error", t.unknown)
	case !slices.Contains([]string{"epoch", "cyclic"}, t.dates):
		return o, c, cli.Usage("-dates %s: want epoch or cyclic", t.dates)
	case t.rare < 0:
		return o, c, cli.Usage("-rare %d: want a number of rows", t.rare)
	}
	return o, c, nil
}

// names are the names of a list.
func names(text string) []string {
	if text == "" {
		return nil
	}
	return list(text)
}

// wants says whether files are to be read as tables of columns: by their names, or because a flag asks.
func (t *tableFlags) wants(files string) bool {
	return t.chosen || !slices.ContainsFunc(list(files), func(f string) bool {
		in, err := data.Files(f)
		return err != nil || slices.ContainsFunc(in, func(f string) bool { return !data.IsTable(f) })
	})
}

// plain makes a set of a table that needs no columns: it has no names, and all its cells are numbers. Its model finds
// columns by their places.
func (o *options) plain(f *data.Frame) *data.Set {
	if f.Named || o.table.chosen {
		return nil
	}
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

// scaleColumns chooses the scaler of a table with names or texts, where no flag does.
func (o *options) scaleColumns(f *data.Frame) {
	if _, err := f.Plain(); !o.scaled && (f.Named || err != nil) {
		o.Scale = "auto"
	}
}

// showColumns says what was made of the columns of a table, and what might serve rows such as the first better.
func (o *options) showColumns(c *data.Columns, first *data.Frame) {
	if c == nil || first == nil {
		return
	}
	counts := map[data.Kind]int{}
	for _, in := range c.Inputs {
		counts[in.Kind]++
	}
	var kinds []string
	for _, k := range []struct {
		kind data.Kind
		many string
	}{{data.Number, "numbers"}, {data.Boolean, "booleans"}, {data.Category, "categories"}, {data.Time, "times"}} {
		switch n := counts[k.kind]; {
		case n == 1:
			kinds = append(kinds, fmt.Sprint("1 ", k.kind))
		case n > 1:
			kinds = append(kinds, fmt.Sprintf("%d %s", n, k.many))
		}
	}
	text := fmt.Sprintf("label %s; columns: %s become %d", strings.Join(c.Labels, ", "), strings.Join(kinds, ", "), c.Dims())
	if o.Scale == "auto" {
		how := ": real numbers are standardised, 0 and 1 stay"
		if s, err := train.ScalersFor(o.spec, "auto"); err == nil && s.Name() != "auto" {
			how = " is " + s.Name() + " for -map " + o.Map
		}
		text += "; -scale auto" + how
	}
	fmt.Fprintln(os.Stderr, cli.Shown(text))
	if o.Scale == "auto" && histograms(c, first) {
		fmt.Fprintln(os.Stderr, "the rows look like histograms; -scale l1 -map exp-chi2 may serve them better")
	}
}

// histograms says whether the rows are counts, or sum to the same.
func histograms(c *data.Columns, f *data.Frame) bool {
	for _, in := range c.Inputs {
		if in.Kind != data.Number || in.Least < 0 {
			return false
		}
	}
	if len(c.Inputs) < 8 {
		return false
	}
	quiet := *f
	quiet.Tell = nil
	set, err := c.Set(&quiet)
	if err != nil {
		return false
	}
	x, d := set.X.(*tensor.Dense).Float64s(), set.Dims()
	counts, sums := true, true
	first := 0.
	for i := range set.Rows() {
		sum := 0.
		for _, v := range x[i*d : (i+1)*d] {
			sum += v
			counts = counts && v == float64(int64(v))
		}
		if i == 0 {
			first = sum
		}
		sums = sums && sum > 0 && sum > first*.999 && sum < first*1.001
	}
	return sums || counts && zeros(x) > .3
}

// zeros is the share of zeros.
func zeros(x []float64) float64 {
	n := 0
	for _, v := range x {
		if v == 0 {
			n++
		}
	}
	return float64(n) / float64(len(x))
}

// checkText refuses flags of CSV where there is none.
func (o *options) checkText() error {
	files := cmp.Or(o.train, o.test, o.predict)
	if files == "" || o.bags || o.read.Header == data.HeaderAuto && o.read.Delimiter == 0 {
		return nil
	}
	in, err := data.Files(list(files)...)
	if err != nil || slices.ContainsFunc(in, func(f string) bool { return data.IsTable(f) && filepath.Ext(f) != ".parquet" }) {
		return nil // the reader says what is wrong
	}
	return cli.Usage("-header and -delimiter do not apply to %s, which is not CSV", files)
}

// hint adds what may help where a label is not found.
func (o *options) hint(err error) error {
	var place *data.Error
	switch {
	case !errors.Is(err, data.ErrColumn) || errors.As(err, &place) && place.Column == o.read.ID:
		return err
	case o.load != "":
		return fmt.Errorf("%w; rows without labels are for -predict", err)
	case o.task == data.Classification && strings.Contains(o.table.label, ","):
		return fmt.Errorf("%w; several targets go with -task regression", err)
	}
	return err
}

// learnStream learns the columns of files that are read in blocks, where they are a table that needs it.
func (o *options) learnStream(ctx context.Context, s *data.Stream) (*data.Frame, error) {
	if !o.table.wants(o.train) {
		return nil, nil
	}
	quiet := o.read
	quiet.Tell = nil
	first, err := data.PeekFrame(quiet, s.Files()[0], 1000)
	if err != nil {
		return nil, err
	}
	if o.plain(first) != nil {
		return nil, nil
	}
	o.scaleColumns(first)
	_, err = s.Learn(ctx, o.columns)
	return first, err
}
