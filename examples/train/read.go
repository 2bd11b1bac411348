package main

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train/data"
	_ "github.com/bochner-go/bochner/train/data/parquet" // reads .parquet
)

// testShare is the share of the rows that is set aside for testing where no test file is given.
const testShare = .2

// read gets the training and the test rows.
func (o *options) read(ctx context.Context) (trainSet, testSet *data.Set, err error) {
	opts := data.Options{Label: o.label, Task: o.task}
	if o.train == "" {
		trainSet, err = cli.Made(o.bags, o.Seed)
	} else {
		trainSet, err = readFiles(ctx, o.bags, o.train, opts)
	}
	if err != nil {
		return nil, nil, err
	}
	if o.test == "" {
		return o.setAside(trainSet)
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

// setAside takes a fifth of the rows for testing, of each class in classification.
func (o *options) setAside(set *data.Set) (trainSet, testSet *data.Set, err error) {
	if set.Rows() < 5 {
		return nil, nil, fmt.Errorf("%s: %d rows are too few to set a fifth aside; give -test", set.Source, set.Rows())
	}
	rows, held := data.Split(set.Rows(), testShare, o.Seed)
	if o.task == data.Classification {
		classes, err := data.NewClasses(set.Labels).Index(set.Labels)
		if err != nil {
			return nil, nil, err
		}
		rows, held = data.SplitStratified(classes, testShare, o.Seed)
	}
	if len(held) == 0 {
		return nil, nil, fmt.Errorf("%s: no row can be set aside for testing; give -test", set.Source)
	}
	return set.Take(rows), set.Take(held), nil
}
