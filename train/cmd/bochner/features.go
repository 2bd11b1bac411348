package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

type featuresCmd struct {
	File string `arg:"" optional:"" help:"File of rows (default synthetic data); for a map of bags CSV with a column bag."`

	Label string   `group:"Tables" default:"none" help:"A column to leave out: last, first, its name or its number from 1 (default none)."`
	CSV   csvFlags `embed:"" group:"Tables"`

	Maps mapFlags `embed:"" group:"Map"`

	Out    string `group:"Output" placeholder:"FILE" help:"Write the features to this file, .npy or .csv (default none)."`
	Kernel string `group:"Output" placeholder:"FILE" help:"Write the exact kernel matrix to this file, .npy or .csv (default none)."`
	JSON   bool   `group:"Output" help:"Print one JSON object as the last line (default false)."`

	Report bool   `group:"Output" help:"Compare the exact with the approximate kernel (default true without --out and --kernel)."`
	Seeds  int    `group:"Report" default:"30" help:"Draws for each mean and its standard error (default 30)."`
	Rows   *int   `group:"Report" placeholder:"N" help:"Rows to compare on, at most (default 1000; 100 of bags)."`
	Sweep  string `group:"Report" default:"128,256,512,1024,2048,4096,8192" help:"Numbers of features at which the error is measured, or none (default 128 to 8192)."`
	Plot   string `group:"Report" placeholder:"FILE" help:"Draw the error against the features to this PNG file (default none)."`

	read     data.Options
	bags     bool // the rows are sets of samples
	scale    string
	sweep    []int
	samplers []string
	spec     layers.Spec
}

// bagRows is how many bags the report compares by default: the exact kernels look at the densities of each pair, or at
// all pairs of samples.
const bagRows = 100

// plan checks the flags, before any rows are read.
func (c *featuresCmd) plan(g given, node *kong.Node) (err error) {
	rows := 1000
	if c.bags = ofBags(c.Maps.Map); c.bags {
		rows = bagRows
	}
	c.Rows = cmp.Or(c.Rows, &rows)
	scale, name := defaultMap(c.bags, c.File == "")
	spec := layers.Spec{Map: name, Seed: 1}
	c.scale = cmp.Or(c.Maps.Scale, scale, "none")
	table := g.first(node, []string{"Tables"})
	switch {
	case table != "" && c.bags:
		return program.Usage("--%s does not apply to --map %s, whose files name the columns", table, c.Maps.Map)
	case table != "" && c.File == "":
		return program.Usage("--%s does not apply to synthetic data; name a file", table)
	}
	if c.read, err = c.CSV.options([]string{c.File}); err != nil {
		return err
	}
	if c.read.Label, err = data.ParseLabel(c.Label); err != nil {
		c.read.LabelNames = []string{c.Label}
	}
	for _, f := range []program.File{{Flag: "--out", Path: c.Out}, {Flag: "--kernel", Path: c.Kernel}} {
		if ext := filepath.Ext(f.Path); f.Path != "" && ext != ".npy" && ext != ".csv" {
			return program.Usage("%s %s: want a name that ends in .npy or .csv", f.Flag, f.Path)
		}
	}
	c.Report = c.Report || c.Out == "" && c.Kernel == ""
	all := deref(c.Maps.Sampler) == "all"
	switch name := g.first(node, []string{"Report"}); {
	case name != "" && !c.Report:
		return program.Usage("--%s belongs to --report", name)
	case all && !c.Report:
		return program.Usage("--sampler all belongs to --report; features are written for one sampler")
	case all && c.Out != "":
		return program.Usage("--sampler all does not apply to --out; features are written for one sampler")
	case c.Seeds < 2 || *c.Rows < 2:
		return program.Usage("--seeds %d --rows %d: want at least 2 of each", c.Seeds, *c.Rows)
	case c.Sweep == "none" && c.Plot != "":
		return program.Usage("--plot draws the error of the --sweep; it does not apply to --sweep none")
	}
	if err := c.setSweep(); err != nil {
		return err
	}
	flags := c.Maps
	if all {
		iid := "iid"
		flags.Sampler = &iid
	}
	if c.spec, err = flags.spec(spec, c.scale, false); err != nil {
		return &program.UsageError{Err: err}
	}
	e, err := layers.Lookup(c.spec.Map)
	if err != nil {
		return err
	}
	if name := g.first(node, []string{"Report"}, "rows"); !e.Sampled && name != "" {
		return program.Usage("--%s does not apply to --map %s, which draws no frequencies", name, c.spec.Map)
	}
	switch c.samplers = []string{c.spec.Sampler}; {
	case !e.Sampled:
		c.sweep = nil
	case all:
		c.samplers = nil
		for _, s := range spectral.Samplers() {
			c.samplers = append(c.samplers, s.String())
		}
	}
	swept := c.spec
	for _, swept.Features = range c.sweep {
		if err := probe(swept); c.Report && err != nil {
			return program.Usage("--sweep: %w", err)
		}
	}
	return program.CheckFiles(program.Files("FILE", c.File), []program.File{{Flag: "--out", Path: c.Out}, {Flag: "--kernel", Path: c.Kernel}, {Flag: "--plot", Path: c.Plot}})
}

// setSweep reads --sweep.
func (c *featuresCmd) setSweep() error {
	if c.Sweep == "none" {
		return nil
	}
	for _, text := range strings.Split(c.Sweep, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return program.Usage("--sweep %s: want numbers of features, comma-separated, or none", c.Sweep)
		}
		if err := checkFeatures("--sweep", n); err != nil {
			return err
		}
		c.sweep = append(c.sweep, n)
	}
	return nil
}

// mapped is the JSON form of what was found out. What was not asked for is left out.
type mapped struct {
	notes.MapCard
	Rows     int `json:"rows"`
	InputDim int `json:"input_dim"`
	kernelReport
	Samplers []samplerReport `json:"samplers,omitempty"` // with --sampler all
	Note     string          `json:"note,omitempty"`     // on rows that are not what the kernel expects
	Seconds  mappingSeconds  `json:"seconds"`
	PeakRSS  int64           `json:"peak_rss_bytes"`
	Version  string          `json:"version"`
}

type mappingSeconds struct {
	Load     float64 `json:"load"`
	Features float64 `json:"features"`
	Kernel   float64 `json:"kernel"`
	Report   float64 `json:"report"`
	Total    float64 `json:"total"`
}

// Run maps the rows, writes what is asked for, and reports.
func (c *featuresCmd) Run(ctx context.Context, g given, node *kong.Node) error {
	if err := c.plan(g, node); err != nil {
		return err
	}
	start := time.Now()
	set, err := c.rows(ctx)
	if err != nil {
		return err
	}
	x, err := c.prepare(ctx, set)
	if err != nil {
		return err
	}
	if c.spec.Features, err = c.spec.Columns(); err != nil {
		return err
	}
	ob := &mapped{MapCard: notes.MapOf(c.spec), Rows: set.Rows(), InputDim: set.Dims(), Version: modelfile.Version}
	ob.Seconds.Load = time.Since(start).Seconds()
	for _, step := range []struct {
		asked   bool
		seconds *float64
		do      func() error
	}{
		{c.Out != "", &ob.Seconds.Features, func() error { return c.writeFeatures(ctx, x) }},
		{c.Kernel != "", &ob.Seconds.Kernel, func() error { return c.writeKernel(ctx, x) }},
		{c.Report, &ob.Seconds.Report, func() error { return c.reportOn(ctx, x, ob) }},
	} {
		if !step.asked {
			continue
		}
		began := time.Now()
		if err := step.do(); err != nil {
			return err
		}
		*step.seconds = time.Since(began).Seconds()
	}
	ob.Seconds.Total, ob.PeakRSS = time.Since(start).Seconds(), program.PeakRSS()
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(ob)
	}
	ob.print()
	return nil
}

// rows gets the rows. Those of a table with texts, dates or gaps are the columns that are learned from it, scaled.
func (c *featuresCmd) rows(ctx context.Context) (*data.Set, error) {
	switch {
	case c.File == "" && c.bags:
		return data.SyntheticBags(c.spec.Seed)
	case c.File == "":
		return data.SyntheticHistograms(c.spec.Seed), nil
	case c.bags:
		return data.ReadBags(c.File, data.Options{Label: data.LabelNone})
	case !tables([]string{c.File}):
		return data.Read(c.File, c.read)
	}
	table, err := data.ReadFrame(ctx, c.read, c.File)
	if err != nil {
		return nil, err
	}
	if set := numbers(table); set != nil {
		return set, nil
	}
	if c.Label == "none" {
		c.read.Tell(c.File + ": all columns are features; if one is a label, leave it out by --label")
	}
	columns, err := table.Learn(data.ColumnOptions{})
	if err != nil {
		return nil, err
	}
	c.scale = cmp.Or(c.Maps.Scale, "auto")
	return columns.Set(table)
}

// prepare scales the rows and finishes the spec for them. Labels are ignored.
func (c *featuresCmd) prepare(ctx context.Context, set *data.Set) (ops.Matrix, error) {
	set.Labels, set.Y = nil, nil
	var x ops.Matrix
	recipe, done := train.Recipe{Scale: c.scale, Spec: c.spec, Afford: affordScaling}, errors.New("no map is to be drawn yet")
	recipe.Ready = func(s *train.Start) (err error) {
		c.spec = s.Model.Spec
		if x, err = s.Model.Prepare(set.X); err == nil {
			err = done
		}
		return err
	}
	if _, err := recipe.FitMap(ctx, set); !errors.Is(err, done) {
		return nil, err
	}
	return x, nil
}

// writeFeatures maps block after block, so that only one block of features is in memory.
func (c *featuresCmd) writeFeatures(ctx context.Context, x ops.Matrix) error {
	l, err := build(c.spec, x)
	if err != nil {
		return err
	}
	return writeBlocks(ctx, "features, rows", c.Out, x, l.Features(), x.Dtype(), blockRows, func(block ops.Matrix) (*tensor.Dense, error) {
		return layers.Transform(l, nil, block)
	})
}

// writeKernel computes the exact kernel block after block, each block of rows against all. The file holds what
// spectral.Gram(k, x, nil) computes, to the last bit, and so symmetric: an entry below the diagonal is computed as its
// mirror image.
func (c *featuresCmd) writeKernel(ctx context.Context, x ops.Matrix) error {
	k, err := c.spec.Kernel()
	if err != nil {
		return err
	}
	if _, ok := x.(*ops.Bags); ok {
		g, err := report.ExactGram(k, x)
		if err != nil {
			return err
		}
		all := tensor.New(tensor.WithShape(x.Shape()[0], x.Shape()[0]), tensor.WithBacking(g.RawMatrix().Data))
		return writeBlocks(ctx, "kernel, rows", c.Kernel, all, x.Shape()[0], tensor.Float64, blockRows, func(some ops.Matrix) (*tensor.Dense, error) {
			return some.(*tensor.Dense), nil
		})
	}
	n, row, size := x.Shape()[0], 0, min(blockRows, max(1, spreadCells/x.Shape()[1]))
	return writeBlocks(ctx, "kernel, rows", c.Kernel, x, n, tensor.Float64, size, func(some ops.Matrix) (*tensor.Dense, error) {
		block, err := (&data.Set{X: some}).Dense()
		if err != nil {
			return nil, err
		}
		rows := block.Shape()[0]
		out := mat.NewDense(rows, n, nil)
		for col, others := range data.Blocks(x, size) {
			other, err := (&data.Set{X: others}).Dense()
			if err != nil {
				return nil, err
			}
			a, b := block, other
			switch {
			case col < row:
				a, b = other, block
			case col == row:
				b = nil
			}
			g, err := spectral.Gram(k, a, b)
			if err != nil {
				return nil, err
			}
			to := out.Slice(0, rows, col, col+other.Shape()[0]).(*mat.Dense)
			if col < row {
				to.Copy(g.T())
			} else {
				to.Copy(g)
			}
		}
		row += rows
		return tensor.New(tensor.WithShape(rows, n), tensor.WithBacking(out.RawMatrix().Data)), nil
	})
}

// blockRows is how many rows are mapped, or compared with others, at once. Rows that are compared have at most
// spreadCells cells together.
const (
	blockRows   = 512
	spreadCells = 1 << 24
)

// writeBlocks writes the rows that f makes of each block of so many rows of x.
func writeBlocks(ctx context.Context, what, path string, x ops.Matrix, cols int, dt tensor.Dtype, size int, f func(block ops.Matrix) (*tensor.Dense, error)) error {
	n := x.Shape()[0]
	file, err := data.NewMatrixFile(path, n, cols, dt)
	if err != nil {
		return err
	}
	bar := program.NewProgress(what)
	defer bar.Close()
	for at, block := range data.Blocks(x, size) {
		if err := context.Cause(ctx); err != nil {
			return file.Close(err)
		}
		rows, err := f(block)
		if err != nil {
			return file.Close(fmt.Errorf("in the block of rows that starts at row %d: %w", at, err))
		}
		if err := file.Write(rows); err != nil {
			return file.Close(err)
		}
		bar.Step(at+block.Shape()[0], n, "")
	}
	return file.Close(nil)
}

func (ob *mapped) print() {
	fmt.Printf("map       %v, %d -> %d features, %s\n", layers.Spec{Map: ob.Map, Params: ob.Params}, ob.InputDim, ob.Features, ob.Dtype)
	fmt.Printf("%s      %d\n", rowsName(ofBags(ob.Map)), ob.Rows)
	if ob.Note != "" {
		fmt.Printf("note      %s\n", ob.Note)
	}
	reports := ob.Samplers
	if ob.KernelError != nil {
		reports = []samplerReport{{Sampler: ob.Sampler, kernelReport: ob.kernelReport}}
	}
	for _, r := range reports {
		r.print()
	}
	fmt.Printf("seconds   %.2f load, %.2f features, %.2f kernel, %.2f report, %.2f total; peak memory %d MB\n",
		ob.Seconds.Load, ob.Seconds.Features, ob.Seconds.Kernel, ob.Seconds.Report, ob.Seconds.Total, ob.PeakRSS>>20)
}
