// Command bochner fits models on explicit feature maps of kernels, evaluates them, and predicts with them.
//
//	bochner fit --train FILES [--test FILES] [--map NAME | --auto 60s] [--save MODEL]
//	bochner predict MODEL FILES --out FILE
//	bochner evaluate MODEL FILES
//	bochner look FILES | MODEL
//	bochner features [FILE] [--out FILE] [--kernel FILE] [--report]
//	bochner maps
//	bochner export MODEL --onnx FILE
//	bochner convert FILES --out FILE
//
// Each command lists its flags with --help. fit without flags trains on synthetic data and draws fit.png.
//
// Files are LIBSVM text, CSV, TSV or NumPy arrays, each also packed by gzip or zstd, or Parquet; a folder stands for the
// files in it. Columns of a table may be numbers, booleans, categories and dates, with gaps. What each becomes is
// learned from the training rows, saved with the model, and applied by name.
//
// A model has three parts, fitted on the training rows alone: scalers (--scale), a feature map (--map, see bochner
// maps), and a head (--head). --tune learns parameters of the map too, --cv chooses parameters by cross-validation, and
// --auto finds a model by itself. Options that have no flag are fields of a recipe, a JSON file that --save-recipe
// writes and --recipe reads (train.Recipe).
//
// With --json the last line of stdout is one JSON object; notes and progress go to stderr. The exit status is 0, 2 for a
// wrong flag, 1 for bad data or a failure, 128 + n where signal n ended it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
)

type commands struct {
	Fit      fitCmd      `cmd:"" help:"Fit a model to rows with labels or targets, and report how good it is."`
	Predict  predictCmd  `cmd:"" help:"Write what a model predicts for rows, which need no labels."`
	Evaluate evaluateCmd `cmd:"" help:"Score a model on rows with labels or targets."`
	Look     lookCmd     `cmd:"" help:"Show what is in a table and what a model would make of it, or what is in a model file."`
	Features featuresCmd `cmd:"" help:"Map rows to features, and compare these with the exact kernel."`
	Maps     mapsCmd     `cmd:"" help:"Print the feature maps and their parameters, in Markdown."`
	Export   exportCmd   `cmd:"" help:"Write a model in another format."`
	Convert  convertCmd  `cmd:"" help:"Write rows once as numbers, which are read faster than text."`

	Version kong.VersionFlag `help:"Print the version of the program and of Go."`
}

// given are the flags of the command line, by name and without dashes.
type given map[string]*kong.Flag

// first is the first flag of some groups that is given, in the order of --help; "" for none. The names of excepted flags
// do not count.
func (g given) first(node *kong.Node, groups []string, except ...string) string {
	for _, f := range node.Flags {
		if g[f.Name] != nil && f.Group != nil && slices.Contains(groups, f.Group.Key) && !slices.Contains(except, f.Name) {
			return f.Name
		}
	}
	return ""
}

func main() { program.Main("bochner", run) }

func run(ctx context.Context, args []string) error {
	helped := false
	parser, err := kong.New(new(commands), kong.Name("bochner"),
		kong.Description("Models on explicit feature maps of kernels. Without flags, bochner fit trains on synthetic data."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}), kong.Exit(func(int) { helped = true }),
		kong.Writers(os.Stdout, os.Stderr), kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Vars{"version": fmt.Sprintf("bochner %s, %s %s/%s", modelfile.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)})
	if err != nil {
		return err
	}
	k, err := parser.Parse(args)
	switch {
	case helped:
		return flag.ErrHelp
	case err != nil:
		return program.Usage("%w; --help lists the commands and their flags", err)
	}
	g := given{}
	for _, p := range k.Path {
		if p.Flag != nil {
			g[p.Flag.Name] = p.Flag
		}
	}
	return g.wrongColumn(k.Run(g, k.Selected()))
}

// wrongColumn turns an error about a missing column into a usage error if a flag names the column.
func (g given) wrongColumn(err error) error {
	var at *data.Error
	if !errors.As(err, &at) || !errors.Is(at, data.ErrColumn) && !errors.Is(at, ops.ErrParam) {
		return err
	}
	for _, name := range []string{"label", "id", "drop", "categorical"} {
		if f := g[name]; f != nil {
			named, several := f.Target.Interface().([]string)
			if several && slices.Contains(named, at.Column) || f.Target.String() == at.Column {
				return program.Usage("--%s: %w", name, err)
			}
		}
	}
	return err
}
