package main

import (
	"context"
	"time"

	"github.com/alecthomas/kong"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
)

type evaluateCmd struct {
	modelFlags `embed:"" set:"files=Files of rows with labels or targets"`
	Labels     labelFlags `embed:"" group:"Tables"`

	Plot string `group:"Output" help:"Draw a picture to this PNG file (default none)."`
	JSON bool   `group:"Output" help:"Print one JSON object as the last line (default false)."`
}

// kernelErrorRows is how many test rows the kernel error is measured on.
const kernelErrorRows = 500

// kernelErrorSamples is how many samples these rows may have together where they are sets, except that one set may have
// more. A mean map computes the kernel of every pair of samples.
const kernelErrorSamples = 1 << 13

// Run scores a model.
func (c *evaluateCmd) Run(ctx context.Context, g given, node *kong.Node) error {
	defer program.EndSoon(ctx, "bochner")()
	start := time.Now()
	m, read, bags, err := c.open(g, node, program.File{Flag: "--plot", Path: c.Plot})
	if err != nil {
		return err
	}
	o, err := readFor(m, read, c.Labels)
	if err != nil {
		return err
	}
	set, err := readFiles(ctx, bags, c.Files, o)
	if err != nil {
		return err
	}
	r := new(result)
	r.TestRows = set.Rows()
	r.Seconds.Load = time.Since(start).Seconds()
	timed := &timedMap{Layer: m.Map}
	m.Map = timed
	tested, err := examplesOf(m, set)
	if err == nil {
		err = r.evaluate(ctx, m, tested)
	}
	if err == nil && c.Distribution {
		err = r.measureUncertainty(ctx, m, tested, c.Level)
	}
	if err != nil {
		return err
	}
	r.Seconds.Features, r.Seconds.Total = timed.spent.Seconds(), time.Since(start).Seconds()
	return r.show(c.Plot, c.JSON)
}

// evaluate scores the model on the test rows.
func (r *result) evaluate(ctx context.Context, m *train.Model, test data.Examples) (err error) {
	r.describe(m)
	r.test, err = score(ctx, m, test, func(x ops.Matrix) error {
		if r.Tuned != "none" || r.KernelError != nil { // a tuned map has left its kernel
			return nil
		}
		return r.measureKernel(m, x)
	})
	if err == nil {
		r.Scores = r.test.Scores
	}
	return err
}

// measureKernel compares exact and approximate kernel on some test rows.
func (r *result) measureKernel(m *train.Model, x ops.Matrix) error {
	k, err := m.Spec.Kernel()
	if err != nil {
		return err
	}
	n := min(x.Shape()[0], kernelErrorRows)
	if b, ok := x.(*ops.Bags); ok {
		for offsets := b.Offsets(); n > 1 && offsets[n] > kernelErrorSamples; {
			n--
		}
	}
	x = data.RowRange(x, 0, n)
	e, exact, approx, err := kernelError(k, m.Map, x)
	if err != nil {
		return err
	}
	r.KernelError, r.pairs = &e, notes.PairsOf(exact, approx)
	return nil
}

// kernelError compares the exact kernel of rows with the inner products of their features, and returns both matrices.
func kernelError(k spectral.Kernel, m report.Map, x ops.Matrix) (e report.GramError, exact, approx *mat.Dense, err error) {
	if exact, err = report.ExactGram(k, x); err == nil {
		approx, err = report.ApproxGram(m, x)
	}
	if err == nil {
		e, err = report.Compare(exact, approx)
	}
	return e, exact, approx, err
}

// evaluateOn scores the model on the training rows, which are in memory.
func (r *result) evaluateOn(ctx context.Context, m *train.Model, rows data.Source) error {
	learned, err := examplesOf(m, rows)
	if err != nil {
		return err
	}
	r.TrainRows = learned.X.Shape()[0]
	s, err := score(ctx, m, learned, nil)
	if err == nil {
		r.TrainAccuracy, r.TrainRMSE = s.Accuracy, s.RMSE
	}
	return err
}
