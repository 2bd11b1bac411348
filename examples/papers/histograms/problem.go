package main

import (
	"fmt"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// A problem is the data of the experiment: histograms whose rows sum to 1, and classes.
type problem struct {
	x, xTest      *tensor.Dense // [n, d], training and test rows
	y             *mat.Dense    // [n, classes], +1 and -1
	labels, truth []int         // class numbers of the training and of the test rows
	classes       int
	source        string
}

// read makes the problem of the flags.
func (o *options) read() (*problem, error) {
	trainSet, testSet, err := o.sets()
	if err != nil {
		return nil, err
	}
	classes := data.NewClasses(trainSet.Labels)
	if len(classes) < 2 {
		return nil, fmt.Errorf("%s: all rows have the class %q; a classifier needs two", trainSet.Source, classes[0])
	}
	p := &problem{classes: len(classes), source: trainSet.Source}
	if p.labels, err = classes.Index(trainSet.Labels); err != nil {
		return nil, trainSet.Locate(err)
	}
	if p.truth, err = classes.Index(testSet.Labels); err != nil {
		return nil, testSet.Locate(err)
	}
	if p.y, err = train.OneVersusRest(p.labels, len(classes)); err != nil {
		return nil, err
	}
	if p.x, err = o.rowsOf(trainSet); err != nil {
		return nil, err
	}
	p.xTest, err = o.rowsOf(testSet)
	return p, err
}

// sets reads or makes the training and the test rows, at most o.rows of each.
func (o *options) sets() (trainSet, testSet *data.Set, err error) {
	if o.in == "" {
		trainSet = cli.MakeHistograms(o.seed)
	} else if trainSet, err = data.Read(o.in, data.Options{}); err != nil {
		return nil, nil, err
	}
	if o.test != "" {
		if testSet, err = data.Read(o.test, data.Options{Dims: trainSet.Dims()}); err != nil {
			return nil, nil, err
		}
	} else if trainSet.Rows() > 1 {
		testSet, trainSet = part(trainSet, trainSet.Rows()/2, o.seed)
	}
	if trainSet.Rows() < 2 || testSet.Rows() == 0 {
		return nil, nil, fmt.Errorf("%s: there are too few rows; give 4 at least, or 2 and a -test file", trainSet.Source)
	}
	if o.rows > 0 {
		_, trainSet = part(trainSet, o.rows, o.seed)
		_, testSet = part(testSet, o.rows, o.seed)
	}
	return trainSet, testSet, nil
}

// part draws n rows of a set, each class in proportion and with one row at least, and returns the others as well.
func part(set *data.Set, n int, seed uint64) (others, some *data.Set) {
	if n >= set.Rows() {
		return nil, set
	}
	classes, _ := data.NewClasses(set.Labels).Index(set.Labels) // its own labels
	keep, rest := data.SplitStratified(classes, 1-float64(n)/float64(set.Rows()), seed)
	return set.Take(rest), set.Take(keep)
}

// rowsOf is the histograms of a set, divided by their sum, in the element type of the maps.
func (o *options) rowsOf(set *data.Set) (*tensor.Dense, error) {
	histograms := layers.Spec{Map: "exp-semigroup", Params: layers.Values{"beta": 1.0}}
	if err := cli.CheckRows(histograms, set.X); err != nil {
		return nil, set.Locate(err)
	}
	l1, err := data.ParseScalers("l1")
	if err != nil {
		return nil, err
	}
	if err := l1.Fit(set.X); err != nil {
		return nil, set.Locate(err)
	}
	if err := l1.ApplyInPlace(set.X); err != nil {
		return nil, set.Locate(err)
	}
	x, err := set.Dense()
	if err != nil {
		return nil, err
	}
	part, err := (&data.Set{X: x, Source: set.Source}).As(layers.Spec{Dtype: o.dtype}.ElementType())
	if err != nil {
		return nil, err
	}
	return part.(*tensor.Dense), nil
}
