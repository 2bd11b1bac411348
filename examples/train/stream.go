package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// sampleRows is how many training rows the map's parameters come from, and the map itself where it is fitted.
const sampleRows = 10000

// trainStream is trainModel for rows that are read in blocks.
func trainStream(ctx context.Context, o *options) (*result, error) {
	start := time.Now()
	r := &result{head: o.head, tuned: o.tune}
	if err := o.checkWritable(); err != nil {
		return nil, err
	}
	m := &train.Model{Scaler: o.scaler, Spec: o.spec}
	rows, sample, err := o.openTrain(ctx, m, r)
	if err != nil {
		return nil, err
	}
	test, err := o.openTest(rows, sample)
	if err != nil {
		return nil, err
	}
	r.seconds.Load = time.Since(start).Seconds()
	timed, err := o.buildOn(m, sample)
	if err != nil {
		return nil, err
	}
	if err := r.checkBlocks(ctx, m, test); err != nil {
		return nil, err
	}
	if o.test == "" {
		fmt.Fprintf(os.Stderr, "no -test: %d of %d rows are set aside for it\n", r.testRows, r.trainRows+r.testRows)
	}
	size := problem(m.Spec, nil, r.trainRows, m.Map.Features(), len(m.Classes))
	if err := o.afford("a fit", size, o.cost(size)); err != nil {
		return nil, err
	}
	fit := time.Now()
	if o.head == "ridge" {
		err = o.ridgeBlocks(ctx, m, timed, rows, r)
	} else {
		done := o.showEpochs(m)
		r.history, err = train.FitRows(ctx, timed, m.Head, rows, o.fit)
		done()
	}
	if err != nil {
		return nil, err
	}
	r.seconds.Fit = (time.Since(fit) - timed.mapping).Seconds()
	if err := o.saveModel(m); err != nil {
		return nil, err
	}
	m.Map = timed
	if err := r.evaluateBlocks(ctx, m, test); err != nil {
		return nil, err
	}
	r.seconds.Features = timed.spent.Seconds()
	r.seconds.Total = time.Since(start).Seconds()
	return r, nil
}

// openTrain opens the training files, learns their classes and fits the scaler, and draws a sample, which is scaled.
func (o *options) openTrain(ctx context.Context, m *train.Model, r *result) (train.Rows, *data.Block, error) {
	fail := func(err error) (train.Rows, *data.Block, error) { return train.Rows{}, nil, err }
	so := data.StreamOptions{Options: data.Options{Label: o.label, Task: o.task}, Seed: o.Seed, BlockRows: train.BlockRows(1, max(1, o.spec.Features))}
	if o.head != "ridge" {
		so.Shuffle = o.shuffle
		so.BlockRows += (o.fit.Batch - so.BlockRows%o.fit.Batch) % o.fit.Batch // whole batches
	}
	s, err := data.OpenStream(so, list(o.train)...)
	if err != nil {
		return fail(err)
	}
	if o.test == "" {
		s, _ = s.Split(testShare, o.Seed)
	}
	v, err := s.Survey(ctx, sampleRows)
	if err != nil {
		return fail(err)
	}
	r.trainRows, m.Classes = v.Rows, v.Classes
	if o.task == data.Classification && len(v.Classes) < 2 {
		return fail(fmt.Errorf("%s: all rows have the class %q; a classifier needs two", o.train, v.Classes[0]))
	}
	if err := o.weigh(v.Counts); err != nil {
		return fail(err)
	}
	rows := train.Rows{Stream: s, Scaler: m.Scaler, Classes: v.Classes, Dtype: cli.Dtype(o.spec)}
	err = m.Scaler.FitBlocks(rows.Matrices(ctx))
	if errors.Is(err, data.ErrZeros) { // it moves zeros
		s.Dense()
		if v.Sample.X, err = v.Sample.Dense(); err == nil {
			err = m.Scaler.FitBlocks(rows.Matrices(ctx))
		}
	}
	if err == nil {
		err = v.Sample.Locate(m.Scaler.ApplyInPlace(v.Sample.X))
	}
	return rows, v.Sample, err
}

// openTest is the rows to test on: those of -test, or those that the training rows leave.
func (o *options) openTest(rows train.Rows, sample *data.Block) (train.Rows, error) {
	opts := data.Options{Label: o.label, Task: o.task, Dims: rows.Stream.Dims(), Form: data.FormDense}
	if _, sparse := sample.X.(*ops.CSR); sparse {
		opts.Form = data.FormSparse
	}
	names := o.test
	if names == "" {
		names = o.train
	}
	s, err := data.OpenStream(data.StreamOptions{Options: opts, BlockRows: train.BlockRows(1, max(1, o.spec.Features))}, list(names)...)
	if err == nil && o.test == "" {
		_, s = s.Split(testShare, o.Seed)
	}
	rows.Stream = s
	return rows, err
}

// buildOn makes map and head, on a sample of the rows.
func (o *options) buildOn(m *train.Model, sample *data.Block) (*timedMap, error) {
	draw := time.Now()
	x, err := sample.As(cli.Dtype(o.spec))
	if err == nil {
		err = cli.Fit(&m.Spec, x)
	}
	if err == nil {
		err = cli.CheckRows(m.Spec, x)
	}
	if err != nil {
		return nil, sample.Locate(err)
	}
	if m.Map, err = cli.Build(m.Spec, x); err != nil {
		return nil, err
	}
	if m.Spec.Features == 0 {
		m.Spec.Features = m.Map.Features()
	}
	timed := &timedMap{Layer: m.Map, spent: time.Since(draw)}
	m.Head, err = o.newHead(m)
	return timed, err
}

// checkBlocks counts the test rows, and finds what is wrong with them before the model is fitted.
func (r *result) checkBlocks(ctx context.Context, m *train.Model, test train.Rows) error {
	for b, err := range test.Blocks(ctx) {
		if err != nil {
			return err
		}
		r.testRows += b.X.Shape()[0]
		if r.tuned != "" { // the map may end up with another domain
			continue
		}
		if err := cli.CheckRows(m.Spec, b.X); err != nil {
			return b.Locate(err)
		}
	}
	if r.testRows == 0 {
		return fmt.Errorf("%s: no row is left to test on; give -test", test.Stream.Files()[0])
	}
	return nil
}

func (o *options) ridgeBlocks(ctx context.Context, m *train.Model, timed *timedMap, rows train.Rows, r *result) error {
	if o.cg {
		return o.ridgeCG(ctx, m, timed, rows.Blocks(ctx), r)
	}
	ro := o.ridgeOptions()
	bar := cli.NewProgress("ridge, rows")
	defer bar.Close()
	ro.Progress = func(done, _ int) { bar.Step((done-1)%r.trainRows+1, r.trainRows, "") }
	fit, err := train.FitRidgeBlocks(ctx, timed, rows.Blocks(ctx), ro)
	if err != nil {
		return err
	}
	r.lambda = &fit.Lambda
	return m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B)
}

// evaluateBlocks scores the model on the test rows.
func (r *result) evaluateBlocks(ctx context.Context, m *train.Model, test train.Rows) error {
	r.describe(m)
	r.test = new(scores)
	first := r.tuned == "" // a tuned map is no longer that of the kernel
	for b, err := range test.Blocks(ctx) {
		if err != nil {
			return err
		}
		raw, err := m.ScoresPrepared(b.X)
		if err != nil {
			return b.Locate(err)
		}
		if m.Classes != nil {
			r.test.guess, r.test.truth = append(r.test.guess, train.ArgMax(raw)...), append(r.test.truth, train.ArgMax(b.Y)...)
		} else {
			for i := range b.X.Shape()[0] {
				r.test.predicted, r.test.target = append(r.test.predicted, raw.At(i, 0)), append(r.test.target, b.Y.At(i, 0))
			}
		}
		if first {
			if err := r.measureKernel(m, b.X); err != nil {
				return err
			}
			first = false
		}
	}
	return r.test.measure()
}
