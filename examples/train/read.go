package main

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	_ "github.com/bochner-go/bochner/train/data/parquet" // reads .parquet
)

// testShare is the share of the rows that is set aside for testing where no test file is given.
const testShare = .2

// readRows gets the training and the test rows. Test rows of a table wait for the columns of its model.
func (o *options) readRows(ctx context.Context) (rows data.Source, test testRows, err error) {
	if o.train != "" && !o.bags && o.table.wants(o.train) {
		return o.readTable(ctx)
	}
	trainSet, testSet, err := o.readSets(ctx)
	return trainSet, testSetRows(testSet), err
}

// readTable is readRows for tables.
func (o *options) readTable(ctx context.Context) (data.Source, testRows, error) {
	f, err := data.ReadFrame(ctx, o.read, list(o.train)...)
	if err != nil {
		return nil, nil, err
	}
	if set := o.plain(f); set != nil {
		if o.test == "" {
			rows, held, err := o.setAside(set.Source, set.Rows(), set.Labels)
			if err != nil {
				return nil, nil, err
			}
			return set.Take(rows), testSetRows(set.Take(held)), nil
		}
		opts := o.read
		opts.Dims = set.Dims()
		testSet, err := data.ReadAll(ctx, opts, list(o.test)...)
		return set, testSetRows(testSet), err
	}
	o.scaleColumns(f)
	o.first = f
	if o.test != "" {
		return f, o.testFiles(ctx), nil
	}
	rows, held, err := o.setAside(f.Source, f.Rows(), f.Labels)
	if err != nil {
		return nil, nil, err
	}
	test := f.Take(held)
	return f.Take(rows), func(m *train.Model) (data.Examples, error) {
		set, err := m.Rows(test)
		if err != nil {
			return nil, err
		}
		return testSetRows(set)(m)
	}, nil
}

// testFiles are the test rows of a table, as the columns of a model make them.
func (o *options) testFiles(ctx context.Context) testRows {
	return func(m *train.Model) (data.Examples, error) {
		opts := o.read
		opts.Columns, opts.Dims = m.Columns, m.Dims()
		if o.table.label == "last" && m.Columns != nil {
			opts.LabelNames = nil // which Columns know
		}
		set, err := data.ReadAll(ctx, opts, list(o.test)...)
		if err != nil {
			return nil, err
		}
		return testSetRows(set)(m)
	}
}

// readSets is readRows for rows of numbers, or sets of samples.
func (o *options) readSets(ctx context.Context) (trainSet, testSet *data.Set, err error) {
	opts := o.read
	if o.train == "" {
		trainSet, err = cli.Made(o.bags, o.Seed)
	} else {
		trainSet, err = readFiles(ctx, o.bags, o.train, opts)
	}
	if err != nil {
		return nil, nil, err
	}
	if o.test == "" {
		rows, held, err := o.setAside(trainSet.Source, trainSet.Rows(), trainSet.Labels)
		if err != nil {
			return nil, nil, err
		}
		return trainSet.Take(rows), trainSet.Take(held), nil
	}
	if o.bags {
		opts.Dims = trainSet.Dims()
	}
	if testSet, err = readFiles(ctx, o.bags, o.test, opts); err != nil {
		return nil, nil, err
	}
	// A sparse file need not name its last columns, neither of the two.
	want, got := trainSet.Dims(), testSet.Dims()
	if want < got {
		opts.Dims = got
		if wider, err := data.ReadAll(ctx, opts, list(o.train)...); err == nil {
			trainSet, want = wider, got
		}
	}
	if want != got {
		opts.Dims = want
		testSet, err = data.ReadAll(ctx, opts, list(o.test)...)
	}
	return trainSet, testSet, err
}

// readFiles reads rows, or a file of sets of samples.
func readFiles(ctx context.Context, bags bool, names string, opts data.Options) (*data.Set, error) {
	if bags {
		return data.ReadBags(names, opts)
	}
	return data.ReadAll(ctx, opts, list(names)...)
}

// setAside takes a fifth of n rows for testing, of each class in classification.
func (o *options) setAside(source string, n int, labels []string) (rows, held []int, err error) {
	if n < 5 {
		return nil, nil, fmt.Errorf("%s: %d rows are too few to set a fifth aside; give -test", source, n)
	}
	rows, held = data.Split(n, testShare, o.Seed)
	if o.task == data.Classification {
		all := data.NewClasses(labels)
		if err := all.Check(n); err != nil { // a class a row: none can be set aside
			return nil, nil, fmt.Errorf("%s: %w", source, err)
		}
		classes, err := all.Index(labels)
		if err != nil {
			return nil, nil, err
		}
		rows, held = data.SplitStratified(classes, testShare, o.Seed)
	}
	if len(held) == 0 {
		return nil, nil, fmt.Errorf("%s: no row can be set aside for testing; give -test", source)
	}
	return rows, held, nil
}
