package main

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// testRows are the rows to test a model on, as it takes them: scaled, with targets, of classes as OneVersusRest.
type testRows func(m *train.Model) (data.Examples, error)

// open gets the training rows, and a function that opens the test rows once the training rows have been read.
func (o *options) open(ctx context.Context) (data.Source, func() (testRows, error), error) {
	if o.stream {
		s, held, err := o.openTrain(ctx)
		return s, func() (testRows, error) { return o.openTest(s, held) }, err
	}
	rows, test, err := o.readRows(ctx)
	return rows, func() (testRows, error) { return test, nil }, err
}

// testSetRows are the rows of a set, which are scaled once for each model.
func testSetRows(set *data.Set) testRows {
	return func(m *train.Model) (data.Examples, error) {
		b, err := preparedRows(m, set)
		return b, set.Locate(err)
	}
}

func preparedRows(m *train.Model, set *data.Set) (b data.Pairs, err error) {
	b.Locate = set.Locate
	if m.Classes == nil {
		b.Y = mat.NewDense(set.Rows(), set.Targets(), set.Y)
	} else {
		labels, err := m.Classes.Index(set.Labels)
		if err != nil {
			return b, err
		}
		if b.Y, err = data.OneVersusRest(labels, len(m.Classes)); err != nil {
			return b, err
		}
	}
	b.X, err = m.Prepare(set.X)
	return b, err
}

// openTrain opens the training files to be read in blocks, and without -test the part of them that is set aside.
func (o *options) openTrain(ctx context.Context) (s, held *data.Stream, err error) {
	so := data.StreamOptions{Options: o.read, Seed: o.Seed, BlockRows: o.blockRows()}
	if o.onGraph() {
		so.Shuffle = o.shuffle
		so.BlockRows += (o.fit.Batch - so.BlockRows%o.fit.Batch) % o.fit.Batch // whole batches
	}
	s, err = data.OpenStream(so, list(o.train)...)
	if err == nil && o.test == "" {
		s, held = s.Split(testShare, o.Seed)
	}
	if err == nil {
		o.first, err = o.learnStream(ctx, s)
	}
	return s, held, err
}

func (o *options) blockRows() int { return linear.BlockRows(1, max(1, o.spec.Features)) }

// openTest is the rows of -test, or the rows that the training rows leave. The training rows have been read.
func (o *options) openTest(rows, held *data.Stream) (testRows, error) {
	s, err := held, error(nil)
	if o.test == "" {
		s = held.InOrder()
	} else {
		opts := rows.Options().Options
		opts.Dims, opts.Form = rows.Dims(), data.FormDense
		if rows.Sparse() {
			opts.Form = data.FormSparse
		}
		if opts.Columns != nil && o.table.label == "last" {
			opts.LabelNames = nil // which Columns know
		}
		s, err = data.OpenStream(data.StreamOptions{Options: opts, BlockRows: o.blockRows()}, list(o.test)...)
	}
	return func(m *train.Model) (data.Examples, error) {
		return data.Streamed{Stream: s, Scaler: m.Scaler, Classes: m.Classes, Dtype: m.Spec.ElementType()}, nil
	}, err
}

// checkTest counts the test rows, and finds what is wrong with them before the model is fitted.
func (r *result) checkTest(ctx context.Context, o *options, m *train.Model, rows data.Examples) error {
	for b, err := range rows.Blocks(ctx, 0) {
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
		return fmt.Errorf("%s: no row is left to test on; give -test", list(o.train)[0])
	}
	return nil
}

// score is what a model predicts of rows, and how good that is; watch sees each block.
func score(ctx context.Context, m *train.Model, rows data.Examples, watch func(x ops.Matrix) error) (*scores, error) {
	s := new(scores)
	for b, err := range rows.Blocks(ctx, 0) {
		if err != nil {
			return nil, err
		}
		raw, err := m.ScoresPrepared(b.X)
		if err == nil {
			err = watch(b.X)
		}
		if err != nil {
			return nil, b.Locate(err)
		}
		if m.Classes != nil {
			s.guess, s.truth = append(s.guess, train.ArgMax(raw)...), append(s.truth, train.ArgMax(b.Y)...)
			continue
		}
		for i := range b.X.Shape()[0] {
			s.predicted, s.target = append(s.predicted, raw.RawRowView(i)...), append(s.target, b.Y.RawRowView(i)...)
		}
	}
	return s, s.measure()
}
