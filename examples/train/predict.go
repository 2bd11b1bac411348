package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// checkPredict refuses what does not go with -predict, or lacks it.
func (o *options) checkPredict(given map[string]bool) error {
	switch {
	case o.spreadsheet && (o.predict == "" || filepath.Ext(o.out) != ".csv"):
		return cli.Usage("-spreadsheet goes with -predict and an -out that ends with .csv")
	case o.predict == "" && o.out == "":
		return nil
	case o.predict == "":
		return cli.Usage("-out does nothing without -predict, the rows to predict")
	case o.out == "":
		return cli.Usage("-predict needs -out, the file to write: .csv, .jsonl, .npy or .parquet")
	case o.load == "":
		return cli.Usage("-predict needs -load, the model")
	case !slices.Contains(predictionKinds, filepath.Ext(o.out)):
		return cli.Usage("-out %s: want a name that ends with %s", o.out, strings.Join(predictionKinds, ", "))
	}
	for _, f := range []string{"test", "plot", "json"} {
		if given[f] {
			return cli.Usage("-%s does not apply to -predict, whose rows need no labels; use -load -test", f)
		}
	}
	return nil
}

// predictFile writes what a saved model predicts of the rows of files. It reads them in blocks.
func predictFile(ctx context.Context, o *options) error {
	start := time.Now()
	m, err := train.Load(o.load)
	if err != nil {
		return err
	}
	if e, err := layers.Lookup(m.Spec.Map); err == nil && e.Bags {
		return fmt.Errorf("-predict: the model's map %s takes sets of samples; use -load -test", m.Spec.Map)
	}
	if o.distribution && m.Uncertainty == nil {
		return noDistribution(o.load)
	}
	opts, err := o.predictOptions(m)
	if err != nil {
		return err
	}
	s, err := data.OpenStream(data.StreamOptions{Options: opts, BlockRows: linear.BlockRows(1, m.Map.Features())}, list(o.predict)...)
	if err != nil {
		return err
	}
	by := predictedBy(m, opts.ID)
	by.spreadsheet = o.spreadsheet
	if o.distribution {
		by.withDistribution(o.level)
	}
	w, err := newPredictions(o.out, by)
	if err != nil {
		return fmt.Errorf("-out %s: %w", o.out, err)
	}
	rows, err := predictBlocks(by, s.Blocks(ctx, 0), w)
	if err != nil {
		w.abort()
		return err
	}
	if err := w.commit(); err != nil {
		return fmt.Errorf("-out %s: %w", o.out, err)
	}
	fmt.Fprintf(os.Stderr, "%d rows in %.2f seconds: %s\n", rows, time.Since(start).Seconds(), o.out)
	return nil
}

// predictBlocks writes what the model predicts of blocks of rows, and counts these.
func predictBlocks(by predicted, blocks iter.Seq2[*data.Block, error], w predictions) (rows int, err error) {
	for b, err := range blocks {
		if err != nil {
			return rows, err
		}
		scores, err := by.predict(b.X)
		if err != nil {
			return rows, b.Locate(err)
		}
		if err := w.write(b, rows, scores); err != nil {
			return rows, fmt.Errorf("-out: %w", err)
		}
		rows += b.Rows()
	}
	return rows, nil
}

// predictOptions are how rows are read that need no labels: a table's by the names of its columns; of others the label is
// left out where there is one.
func (o *options) predictOptions(m *train.Model) (data.Options, error) {
	opts := o.readFor(m)
	quiet := data.Options{Label: data.LabelNone, Header: opts.Header, Delimiter: opts.Delimiter}
	file, err := data.Files(list(o.predict)...)
	if err != nil {
		return opts, err
	}
	table := data.IsTable(file[0])
	switch {
	case m.Columns != nil && o.labelled:
		return opts, cli.Usage("-label does not apply to -predict: the model knows the columns that it looks at")
	case m.Columns == nil && o.table.id != "":
		return opts, cli.Usage("-id: the model has no names of columns")
	case m.Columns == nil && !table && !strings.Contains(filepath.Base(file[0]), ".npy"): // LIBSVM text
		opts.Label, opts.LabelNames = data.LabelNone, nil
		return opts, nil
	}
	first, err := data.PeekFrame(quiet, file[0], 1)
	if err != nil {
		return opts, err
	}
	width, targets := len(first.Names), 1
	if m.Columns != nil {
		opts.Label, opts.LabelNames, opts.ID = data.LabelNone, nil, o.idIn(m.Columns, first)
		return opts, nil
	}
	if m.Classes == nil {
		targets = m.Head.Features()
	}
	switch {
	case width == m.Dims():
		opts.Label, opts.LabelNames = data.LabelNone, nil
	case width != m.Dims()+targets:
		return opts, fmt.Errorf("%s: the rows have %d columns; the model takes %d, or %d with the label", file[0], width, m.Dims(), m.Dims()+targets)
	case !o.labelled:
		opts.Tell(file[0] + ": the last column is taken for the label, because the model takes one column less; if it is another one, say -label")
	}
	return opts, nil
}

// idIn is the column of a file that names its rows: that of -id, else that of the model where the file has it.
func (o *options) idIn(c *data.Columns, first *data.Frame) string {
	if n, err := strconv.Atoi(o.table.id); err == nil && n >= 1 && n <= len(first.Names) && first.Named && !slices.Contains(first.Names, o.table.id) {
		return first.Names[n-1]
	}
	if o.table.id != "" || c.ID == "" {
		return o.table.id
	}
	if c.Named {
		if !slices.Contains(first.Names, c.ID) {
			o.read.Tell(fmt.Sprintf("%s: there is no column %q, which names the rows; they are numbered from 0", first.Source, c.ID))
			return ""
		}
		return c.ID
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(name, "column "))
		return n
	}
	n := number(c.ID)
	for _, l := range c.Labels {
		if len(first.Names) < c.Width && number(l) < n {
			n--
		}
	}
	return strconv.Itoa(n)
}

// predictionKinds are the endings of files of predictions.
var predictionKinds = []string{".csv", ".jsonl", ".npy", ".parquet"}

// predictions is a file of predictions while it is written. It appears under its name when it is whole.
type predictions interface {
	write(b *data.Block, at int, scores *mat.Dense) error
	commit() error
	abort()
}

// predicted are the columns of a prediction.
type predicted struct {
	model       *train.Model
	names       []string // of the scores
	id          string   // the name of the column that names the rows
	spreadsheet bool     // texts are quoted that a spreadsheet would compute
	level       float64  // of intervals and sets; 0: the model predicts no distribution
}

// predictedBy are the columns that a model predicts of rows that a column names, or "" for their numbers.
func predictedBy(m *train.Model, id string) predicted {
	p := predicted{model: m, id: cmp.Or(id, "row")}
	if c := m.Columns; c != nil && !c.Named && id != "" {
		p.id = cmp.Or(c.ID, id)
	}
	what := "score "
	if m.Head.Classifies() {
		what = "probability "
	}
	for k := range m.Head.Features() {
		switch {
		case m.Classes != nil:
			p.names = append(p.names, what+m.Classes[k])
		case m.Columns != nil && len(m.Columns.Labels) == m.Head.Features():
			p.names = append(p.names, m.Columns.Labels[k])
		case m.Head.Features() == 1:
			p.names = append(p.names, "target")
		default:
			p.names = append(p.names, "target "+strconv.Itoa(k+1))
		}
	}
	return p
}

func newPredictions(path string, p predicted) (predictions, error) {
	switch filepath.Ext(path) {
	case ".csv":
		return newCSVPredictions(path, p)
	case ".jsonl":
		return newJSONPredictions(path, p)
	case ".npy":
		return newNPYPredictions(path, p)
	}
	return newParquetPredictions(path, p)
}

// class is the class of a row of scores.
func (p predicted) class(scores *mat.Dense, i int) string {
	best, row := 0, scores.RawRowView(i)
	for k := range p.model.Classes {
		if row[k] > row[best] {
			best = k
		}
	}
	return p.model.Classes[best]
}

// name is what names row i of a block: its ID, or its number among all rows, from 0.
func name(b *data.Block, at, i int) string {
	if b.IDs != nil {
		return b.IDs[i]
	}
	return strconv.Itoa(at + i)
}
