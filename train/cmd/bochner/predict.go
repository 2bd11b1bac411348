package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/predictions"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

type predictCmd struct {
	modelFlags `embed:"" set:"files=Files of rows, which need no labels; of a model of sets of samples one file"`
	Out        string `required:"" help:"The file to write: .csv, .jsonl, .npy (the numbers alone) or .parquet."`

	Label []string `group:"Tables" default:"last" help:"The column to leave out as the label, if the columns have no names: last, first or a number from 1 (default last, if the rows have a label)."`
	ID    string   `group:"Tables" help:"The column that names the rows (default the model's)."`

	Spreadsheet bool `group:"Output" help:"Put ' before texts in CSV that a spreadsheet would compute (default false)."`
}

// Run writes what a model predicts. It reads rows in blocks, and sets of samples at once.
func (c *predictCmd) Run(ctx context.Context, g given, node *kong.Node) error {
	defer program.EndSoon(ctx, "bochner")()
	start := time.Now()
	o := predictions.Options{Spreadsheet: c.Spreadsheet}
	if err := o.Check(c.Out); err != nil {
		return program.Usage("--out %w", err)
	}
	m, read, bags, err := c.open(g, node, program.File{Flag: "--out", Path: c.Out})
	if err != nil {
		return err
	}
	if c.Distribution {
		o.Level = c.Level
	}
	var rows iter.Seq2[*data.Set, error]
	if rows, o.ID, err = c.rows(ctx, m, read, bags); err != nil {
		return err
	}
	n, err := predictions.Write(c.Out, m, rows, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d %s in %.2f seconds: %s\n", n, rowsName(bags), time.Since(start).Seconds(), c.Out)
	return nil
}

// rows are the rows in blocks, or sets of samples in one block without their labels, and the column of their names.
func (c *predictCmd) rows(ctx context.Context, m *train.Model, read data.Options, bags bool) (rows iter.Seq2[*data.Set, error], id string, err error) {
	if bags {
		set, err := readFiles(ctx, true, c.Files, data.Options{Label: data.LabelNone})
		return func(yield func(*data.Set, error) bool) { yield(set, nil) }, "bag", err
	}
	so := data.StreamOptions{BlockRows: data.BlockRows(1, m.Map.Features())}
	if so.Options, err = predictOptions(m, read, labelFlags{Label: c.Label}, c.ID, c.Files); err != nil {
		return nil, "", err
	}
	s, err := data.OpenStream(so, c.Files...)
	if err != nil {
		return nil, "", err
	}
	return s.Blocks(ctx, 0), so.ID, nil
}

// predictOptions are how rows are read that need no labels: a table's by the names of its columns; of others the label is
// left out where there is one.
func predictOptions(m *train.Model, read data.Options, labels labelFlags, id string, files []string) (data.Options, error) {
	opts, err := readFor(m, read, labels)
	if err != nil {
		return opts, err
	}
	quiet := data.Options{Label: data.LabelNone, Header: opts.Header, Delimiter: opts.Delimiter}
	file, err := data.Files(files...)
	if err != nil {
		return opts, err
	}
	table := data.IsTable(file[0])
	switch {
	case m.Columns != nil && !labels.last():
		return opts, program.Usage("--label does not apply: the model knows the columns that it uses")
	case m.Columns == nil && id != "":
		return opts, program.Usage("--id: the model has no names of columns")
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
		opts.Label, opts.LabelNames, opts.ID = data.LabelNone, nil, idIn(m.Columns, first, id, read.Tell)
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
	case labels.last():
		opts.Tell(file[0] + ": treating the last column as the label, because the model takes one column less; if it is another one, say --label")
	}
	return opts, nil
}

// idIn is the column of a file that names its rows: the one of --id, else the model's where the file has it.
func idIn(c *data.Columns, first *data.Frame, id string, tell func(string)) string {
	if n, err := strconv.Atoi(id); err == nil && n >= 1 && n <= len(first.Names) && first.Named && !slices.Contains(first.Names, id) {
		return first.Names[n-1]
	}
	if id != "" || c.ID == "" {
		return id
	}
	if c.Named {
		if !slices.Contains(first.Names, c.ID) {
			tell(fmt.Sprintf("%s: there is no column %q, which names the rows; they are numbered from 0", first.Source, c.ID))
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
