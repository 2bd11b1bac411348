package main

import (
	"context"
	"fmt"
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
	"gonum.org/v1/gonum/mat"
)

// checkPredict refuses what does not go with -predict, or lacks it.
func (o *options) checkPredict(given map[string]bool) error {
	switch {
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
	if err := cli.CheckWritable("out", o.out); err != nil {
		return err
	}
	m, err := train.Load(o.load)
	if err != nil {
		return err
	}
	if e, err := layers.Lookup(m.Spec.Map); err == nil && e.Bags {
		return fmt.Errorf("-predict: the model's map %s takes sets of samples; use -load -test", m.Spec.Map)
	}
	opts, err := o.predictOptions(m)
	if err != nil {
		return err
	}
	s, err := data.OpenStream(data.StreamOptions{Options: opts, BlockRows: o.blockRows()}, list(o.predict)...)
	if err != nil {
		return err
	}
	w, err := newPredictions(o.out, m)
	if err != nil {
		return err
	}
	rows := 0
	for b, err := range s.Blocks(ctx, 0) {
		if err == nil {
			var scores *mat.Dense
			if scores, err = m.Scores(b.X); err == nil {
				err = w.write(b, rows, scores)
			}
			err = b.Locate(err)
		}
		if err != nil {
			w.abort()
			return err
		}
		rows += b.Rows()
	}
	if err := w.commit(); err != nil {
		return fmt.Errorf("-out %s: %w", o.out, err)
	}
	fmt.Fprintf(os.Stderr, "%d rows in %.2f seconds: %s\n", rows, time.Since(start).Seconds(), o.out)
	return nil
}

// predictOptions are how rows are read that need no labels: a table's by the names of its columns; of others the label is
// left out where there is one.
func (o *options) predictOptions(m *train.Model) (data.Options, error) {
	opts := o.readFor(m)
	file := list(o.predict)[0]
	labels := opts.LabelNames
	if opts.LabelNames = nil; m.Columns != nil {
		opts.Label = data.LabelNone
		opts.ID = o.table.id
		if opts.ID == "" && m.Columns.ID != "" {
			quiet := opts
			quiet.Tell = nil
			if first, err := data.PeekFrame(quiet, file, 1); err == nil && slices.Contains(first.Names, m.Columns.ID) {
				opts.ID = m.Columns.ID
			}
		}
		return opts, nil
	}
	if o.table.id != "" {
		return opts, cli.Usage("-id: the model has no names of columns")
	}
	if in, err := data.Files(file); err != nil || !data.IsTable(in[0]) && !strings.Contains(filepath.Base(in[0]), ".npy") {
		opts.Label = data.LabelNone // LIBSVM text
		return opts, nil
	}
	quiet := data.Options{Label: data.LabelNone, Header: opts.Header, Delimiter: opts.Delimiter}
	first, err := data.PeekFrame(quiet, file, 1)
	if err != nil {
		return opts, err
	}
	if len(first.Names) == m.Dims() {
		opts.Label = data.LabelNone
	} else {
		opts.LabelNames = labels
	}
	return opts, nil
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
	model *train.Model
	names []string // of the scores
	id    string   // the name of the column that names the rows
}

func newPredictions(path string, m *train.Model) (predictions, error) {
	p := predicted{model: m, id: "row"}
	if m.Columns != nil && m.Columns.ID != "" {
		p.id = m.Columns.ID
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
	for k, v := range row {
		if v > row[best] {
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
