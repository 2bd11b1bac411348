package main

import (
	"slices"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// read makes the problem of the flags.
func (e *experiment) read() {
	trainSet, testSet := e.sets()
	e.source = trainSet.Source
	e.against(trainSet, testSet)
	for _, set := range []*data.Set{trainSet, testSet} {
		frame.Normalise(set, e.norm)
	}
	e.Problem = frame.NewProblem(trainSet, testSet, layers.Spec{Dtype: e.dtype}.ElementType())
}

// against gives all classes but the one of -one the same label.
func (e *experiment) against(trainSet, testSet *data.Set) {
	switch {
	case e.one == "":
		return
	case !slices.Contains(trainSet.Labels, e.one):
		try.Fail("%s: no row has the class %q of -one", trainSet.Source, e.one)
	}
	for _, labels := range [][]string{trainSet.Labels, testSet.Labels} {
		for i, label := range labels {
			if label != e.one {
				labels[i] = "others"
			}
		}
	}
}

// sets reads or makes the training and the test rows, at most e.rows of each.
func (e *experiment) sets() (trainSet, testSet *data.Set) {
	trainSet = frame.Read(e.in, e.Seed)
	if e.view != "" {
		e.join(trainSet)
	}
	if e.test != "" {
		testSet = try.Get(data.Read(e.test, data.Options{Dims: trainSet.Dims()}))
	} else if trainSet.Rows() > 1 {
		testSet, trainSet = part(trainSet, trainSet.Rows()/2, e.Seed)
	}
	if trainSet.Rows() < 2 || testSet.Rows() == 0 {
		try.Fail("%s: there are too few rows; give 4 at least, or 2 and a -test file", trainSet.Source)
	}
	if e.rows > 0 {
		_, trainSet = part(trainSet, e.rows, e.Seed)
		_, testSet = part(testSet, e.rows, e.Seed)
	}
	return trainSet, testSet
}

// join puts the bins of -view beside the bins of a set. Each description is divided by its norm, and has its weight.
func (e *experiment) join(set *data.Set) {
	view := try.Get(data.Read(e.view, data.Options{}))
	if !slices.Equal(view.Labels, set.Labels) {
		try.Fail("%s: the labels are not those of %s; give the same rows in the same order", e.view, set.Source)
	}
	d := set.Dims()
	x := tensor.New(tensor.WithShape(set.Rows(), d+view.Dims()), tensor.Of(set.X.Dtype()))
	for _, of := range []struct {
		*data.Set
		at     int
		weight float64
	}{{set, 0, 1 - e.weight}, {view, d, e.weight}} {
		frame.Normalise(of.Set, e.norm)
		try.Do(ops.ColumnsInto(x, of.at, of.X, 0, of.Dims(), of.weight))
	}
	set.X = x
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
