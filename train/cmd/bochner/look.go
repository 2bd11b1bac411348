package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

type lookCmd struct {
	Files      []string `arg:"" help:"Tables: CSV, TSV or Parquet; or one model file of bochner fit."`
	Task       string   `group:"Tables" default:"classification" enum:"classification,regression" help:"classification or regression (default classification)."`
	tableFlags `embed:""`

	Plot string `group:"Output" default:"look.png" help:"Draw a picture to this PNG file (default look.png)."`
	JSON bool   `group:"Output" help:"Print one JSON object as the last line (default false)."`
}

// Run prints a first look at a table, and draws it, or prints what a model holds.
func (c *lookCmd) Run(ctx context.Context, g given, node *kong.Node) error {
	if len(c.Files) == 1 && strings.HasSuffix(c.Files[0], modelExt) {
		if name := g.first(node, []string{"Tables", "Output"}, "json"); name != "" {
			return program.Usage("--%s is for tables, and %s is a model", name, c.Files[0])
		}
		return lookModel(c.Files[0], c.JSON)
	}
	if err := program.CheckFiles(program.Files("FILES", c.Files...), []program.File{{Flag: "--plot", Path: c.Plot}}); err != nil {
		return err
	}
	read, err := c.options(c.Files, c.Task)
	if err != nil {
		return err
	}
	defer program.EndSoon(ctx, "bochner")()
	f, err := data.ReadFrame(ctx, read, c.Files...)
	if err != nil {
		return err
	}
	if f.Labels != nil {
		if doubt := data.NewClasses(f.Labels).Check(f.Rows()); doubt != nil {
			read.Tell(fmt.Sprintf("%s: %v", f.Source, doubt))
			read.Task = data.Regression
			if targets, err := data.ReadFrame(ctx, read, c.Files...); err == nil {
				f = targets
			}
		}
	}
	notes := f.Tell
	f.Tell = func(note string) {
		if notes != nil && !strings.Contains(note, "is left out: ") { // which the table says
			notes(note)
		}
	}
	columns, err := f.Learn(data.ColumnOptions{Drop: c.Columns.Drop, Categorical: c.Columns.Categorical})
	if err != nil {
		return err
	}
	f.Tell = notes
	l, err := f.Look(columns)
	if err != nil {
		return err
	}
	targets := f.LookTargets()
	if c.Plot != "" {
		if err := drawLook(c.Plot, l, targets); err != nil {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(struct {
			*data.Look
			Targets []*data.ColumnLook `json:"targets,omitempty"`
		}{l, targets})
	}
	if err := printLook(l, targets); err != nil {
		return err
	}
	showColumns(columns, f, "", true)
	return nil
}

// lookColumns is how many columns a screen has.
const lookColumns = 40

// printLook prints the look.
func printLook(l *data.Look, targets []*data.ColumnLook) error {
	fmt.Printf("%s: %d rows, %d columns", program.Shown(l.Source), l.Rows, len(l.Columns))
	if l.Duplicates > 0 {
		fmt.Printf(", duplicate rows: %d", l.Duplicates)
	}
	fmt.Println()
	if l.Classes != nil {
		classes := fmt.Sprintf("%d classes, %s", len(l.Classes), shares(l.Classes, l.Rows, 6))
		if len(l.Classes) == 1 {
			classes = fmt.Sprintf("1 class, %s; a classifier needs two", shares(l.Classes, l.Rows, 6))
		}
		fmt.Printf("label %s: %s\n", program.Shown(strings.Join(l.Labels, ", ")), classes)
	}
	for _, t := range targets {
		fmt.Printf("target %s: %s\n", program.Shown(t.Name), span(t))
	}
	fmt.Println()
	return lookTable("column\tkind\tmissing\tdistinct\tvalues\tbecomes", l.Columns, func(c *data.ColumnLook) string {
		values := span(c)
		if c.Levels != nil {
			values = shares(c.Levels, l.Rows-c.Missing, 3)
		}
		becomes := fmt.Sprint(c.Becomes)
		if c.Left != "" {
			becomes = "left out: " + program.Shown(c.Left)
		}
		return fmt.Sprintf("%s\t%s\t%d\t%d\t%s\t%s", short(c.Name, 24), cmp.Or(c.Kind, "-"), c.Missing, c.Distinct, values, becomes)
	})
}

// lookTable prints a line for each column that there is room for, with tabs between its cells.
func lookTable[C any](header string, columns []C, line func(c C) string) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, header)
	for _, c := range columns[:min(lookColumns, len(columns))] {
		fmt.Fprintln(w, line(c))
	}
	if more := len(columns) - lookColumns; more > 0 {
		fmt.Fprintf(w, "... %d more\n", more)
	}
	return w.Flush()
}

// span is the range of numbers or times.
func span(c *data.ColumnLook) string {
	if c.Distinct == 0 {
		return "none"
	}
	return fmt.Sprintf("%s to %s, median %s", cell(c, c.Least), cell(c, c.Most), cell(c, c.Median))
}

// cell is a number of a column as text.
func cell(c *data.ColumnLook, v float64) string {
	if c.Kind == data.Time {
		return time.Unix(int64(math.Round(v*86400)), 0).UTC().Format(time.DateOnly)
	}
	return fmt.Sprintf("%.4g", v)
}

// shares are the most frequent levels.
func shares(levels []data.LevelLook, n, most int) string {
	var all []string
	for _, l := range levels {
		all = append(all, fmt.Sprintf("%s %.1f %%", short(l.Level, 20), 100*float64(l.Rows)/float64(n)))
	}
	return listOf(all, most)
}

// listOf is the first of some texts, and how many more there are.
func listOf(all []string, most int) string {
	if more := len(all) - most; more > 0 {
		all = append(slices.Clone(all[:most]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}

// short is a text of at most so many letters.
func short(text string, most int) string {
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > most {
		return program.Shown(string(letters[:most-1])) + "…"
	}
	return program.Shown(string(letters))
}
