package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	_ "github.com/bochner-go/bochner/train/data/parquet"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// object is the JSON form. What was not asked for is left out.
type object struct {
	Map           string            `json:"map"`
	Params        layers.Values     `json:"params"`
	Features      int               `json:"features"`
	Sampler       string            `json:"sampler,omitempty"`
	Seed          uint64            `json:"seed"`
	Dtype         string            `json:"dtype"`
	Rows          int               `json:"rows"`
	InputDim      int               `json:"input_dim"`
	KernelError   *report.GramError `json:"kernel_error,omitempty"`
	MeanSigned    *report.Bias      `json:"mean_signed_error,omitempty"`
	Split         *splitReport      `json:"split,omitempty"`
	ByDistance    []distancePoint   `json:"by_distance,omitempty"`
	Sweep         []sweepPoint      `json:"sweep,omitempty"`
	SweepExponent *exponent         `json:"sweep_exponent,omitempty"`
	Samplers      []samplerReport   `json:"samplers,omitempty"` // with -sampler all
	Note          string            `json:"note,omitempty"`     // on rows that are not what the kernel expects
	Seconds       seconds           `json:"seconds"`
	PeakRSS       int64             `json:"peak_rss_bytes"`
	Version       string            `json:"version"`
}

type seconds struct {
	Load     float64 `json:"load"`
	Features float64 `json:"features"`
	Kernel   float64 `json:"kernel"`
	Report   float64 `json:"report"`
	Total    float64 `json:"total"`
}

func (o *options) run(ctx context.Context) error {
	start := time.Now()
	inputs := []cli.File{{Flag: "in", Path: o.in}}
	outputs := []cli.File{{Flag: "out", Path: o.out}, {Flag: "kernel", Path: o.kernel}, {Flag: "plot", Path: o.plot}}
	if err := cli.CheckFiles(inputs, outputs); err != nil {
		return err
	}
	set, err := o.read()
	if err != nil {
		return err
	}
	x, err := o.prepare(ctx, set)
	if err != nil {
		return err
	}
	if o.spec.Features, err = o.spec.Columns(); err != nil {
		return err
	}
	ob := &object{Map: o.spec.Map, Params: o.spec.Params, Features: o.spec.Features, Sampler: cli.SamplerOf(o.spec), Seed: o.Seed, Dtype: o.spec.ElementType().String(),
		Rows: set.Rows(), InputDim: set.Dims(), Version: train.Version}
	ob.Seconds.Load = time.Since(start).Seconds()
	timed := func(to *float64, f func() error) error {
		t := time.Now()
		err := f()
		*to = time.Since(t).Seconds()
		return err
	}
	if o.out != "" {
		if err := timed(&ob.Seconds.Features, func() error { return o.writeFeatures(ctx, x) }); err != nil {
			return err
		}
	}
	if o.kernel != "" {
		if err := timed(&ob.Seconds.Kernel, func() error { return o.writeKernel(ctx, x) }); err != nil {
			return err
		}
	}
	if o.report {
		if ob.Note, err = normalisation(o.spec, x); err != nil {
			return err
		}
		if err := timed(&ob.Seconds.Report, func() error { return o.reportOn(ctx, x, ob) }); err != nil {
			return err
		}
	}
	ob.Seconds.Total, ob.PeakRSS = time.Since(start).Seconds(), cli.PeakRSS()
	if o.json {
		return json.NewEncoder(os.Stdout).Encode(ob)
	}
	ob.print()
	return nil
}

// read gets the rows.
func (o *options) read() (*data.Set, error) {
	switch {
	case o.in == "":
		return cli.Made(o.bags, o.Seed)
	case o.bags:
		return data.ReadBags(o.in, data.Options{Label: data.LabelNone})
	}
	// Labels are not looked at, but a target such as 3.5 must not be an error.
	return data.Read(o.in, o.reading)
}

// prepare scales the rows and finishes the spec for them. Labels are ignored.
func (o *options) prepare(ctx context.Context, set *data.Set) (ops.Matrix, error) {
	set.Labels, set.Y = nil, nil
	var x ops.Matrix
	recipe, done := o.Recipe(o.spec), errors.New("no map is to be drawn yet")
	recipe.Ready = func(s *train.Start) (err error) {
		o.spec = s.Model.Spec
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
func (o *options) writeFeatures(ctx context.Context, x ops.Matrix) error {
	l, err := cli.Build(o.spec, x)
	if err != nil {
		return err
	}
	return writeBlocks(ctx, "features, rows", o.out, x, l.Features(), x.Dtype(), blockRows, func(block ops.Matrix) (*tensor.Dense, error) {
		return layers.Transform(l, nil, block)
	})
}

// writeKernel computes the exact kernel block after block, each block of rows against all. The file holds what
// spectral.Gram(k, x, nil) computes, to the last bit, and so symmetric: an entry below the diagonal is computed as its
// mirror image.
func (o *options) writeKernel(ctx context.Context, x ops.Matrix) error {
	k, err := o.spec.Kernel()
	if err != nil {
		return err
	}
	if _, ok := x.(*ops.Bags); ok {
		g, err := report.ExactGram(k, x)
		if err != nil {
			return err
		}
		all := tensor.New(tensor.WithShape(x.Shape()[0], x.Shape()[0]), tensor.WithBacking(g.RawMatrix().Data))
		return writeBlocks(ctx, "kernel, rows", o.kernel, all, x.Shape()[0], tensor.Float64, blockRows, func(some ops.Matrix) (*tensor.Dense, error) {
			return some.(*tensor.Dense), nil
		})
	}
	n, row, size := x.Shape()[0], 0, min(blockRows, max(1, spreadCells/x.Shape()[1]))
	return writeBlocks(ctx, "kernel, rows", o.kernel, x, n, tensor.Float64, size, func(some ops.Matrix) (*tensor.Dense, error) {
		block, err := dense(some)
		if err != nil {
			return nil, err
		}
		rows := block.Shape()[0]
		out := mat.NewDense(rows, n, nil)
		for col, others := range data.Blocks(x, size) {
			other, err := dense(others)
			if err != nil {
				return nil, err
			}
			var g mat.Matrix
			switch {
			case col < row:
				g, err = spectral.Gram(k, other, block)
			case col == row:
				g, err = spectral.Gram(k, block, nil)
			default:
				g, err = spectral.Gram(k, block, other)
			}
			if err != nil {
				return nil, err
			}
			if col < row {
				g = g.T()
			}
			out.Slice(0, rows, col, col+other.Shape()[0]).(*mat.Dense).Copy(g)
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

// dense spreads a block out where it is sparse: exact kernels take dense rows.
func dense(block ops.Matrix) (*tensor.Dense, error) {
	if s, ok := block.(*ops.CSR); ok {
		return s.Dense(nil)
	}
	return block.(*tensor.Dense), nil
}

// writeBlocks writes the rows that f makes of each block of so many rows of x.
func writeBlocks(ctx context.Context, what, path string, x ops.Matrix, cols int, dt tensor.Dtype, size int, f func(block ops.Matrix) (*tensor.Dense, error)) error {
	n := x.Shape()[0]
	file, err := data.NewMatrixFile(path, n, cols, dt)
	if err != nil {
		return err
	}
	bar := cli.NewProgress(what)
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

func (ob *object) print() {
	fmt.Printf("map       %s %v, %d -> %d features, %s\n", ob.Map, ob.Params.Short(), ob.InputDim, ob.Features, ob.Dtype)
	name := "rows"
	if e, err := layers.Lookup(ob.Map); err == nil && e.Bags {
		name = "bags"
	}
	fmt.Printf("%s      %d\n", name, ob.Rows)
	if ob.Note != "" {
		fmt.Printf("note      %s\n", ob.Note)
	}
	reports := ob.Samplers
	if ob.KernelError != nil {
		reports = []samplerReport{{Sampler: ob.Sampler, KernelError: ob.KernelError, MeanSigned: ob.MeanSigned, Split: ob.Split, ByDistance: ob.ByDistance, Sweep: ob.Sweep, SweepExponent: ob.SweepExponent}}
	}
	for _, r := range reports {
		r.print()
	}
	fmt.Printf("seconds   %.2f load, %.2f features, %.2f kernel, %.2f report, %.2f total; peak memory %d MB\n",
		ob.Seconds.Load, ob.Seconds.Features, ob.Seconds.Kernel, ob.Seconds.Report, ob.Seconds.Total, ob.PeakRSS>>20)
}
