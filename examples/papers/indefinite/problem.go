package main

import (
	"fmt"
	"path/filepath"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// A source is a data set of the paper, or the made one.
type source struct {
	name   string
	scale  string // of its columns and rows for the delta-Gaussian kernel
	sphere string // for the polynomial one
}

var sources = []source{{"letter", "minmax", "minmax,l2"}, {"ijcnn1", "l2", "l2"}, {"usps", "minmax,l2", "minmax,l2"}}

var (
	made    = source{"made", "minmax", "minmax,l2"}
	housing = source{"housing", "minmax", "minmax,l2"}
)

// madeTrain is how many of the made rows are trained on, and tested on, unless a flag says otherwise.
const madeTrain = 1000

func sourceNames() []string { return frame.Each(sources, func(s source) string { return s.name }) }

// pair are the training and the test rows of a set, as they were read.
type pair struct{ train, test *data.Set }

// read reads or makes what the parts need.
func (e *experiment) read() {
	e.sets = map[string]pair{}
	if e.does("regression") {
		e.housing = try.Get(data.Read(filepath.Join(e.data, "housing", "housing.all.csv.gz"), data.Options{Task: data.Regression}))
	}
	if !e.does("error") && !e.does("couplings") && !e.does("accuracy") {
		return
	}
	for _, s := range e.sources {
		e.sets[s.name] = s.read(e.data, e.Seed)
	}
}

// read reads a set from a folder of data, or makes it.
func (s source) read(folder string, seed uint64) pair {
	if s == made {
		set := data.SyntheticHistograms(seed)
		train, test := data.Split(set.Rows(), .5, seed)
		return pair{set.Take(train), set.Take(test)}
	}
	file := func(part string) string {
		return filepath.Join(folder, s.name, fmt.Sprintf("%s.%s.libsvm.gz", s.name, part))
	}
	train := try.Get(data.Read(file("train"), data.Options{Form: data.FormDense}))
	return pair{train, try.Get(data.Read(file("test"), data.Options{Form: data.FormDense, Dims: train.Dims()}))}
}

// scaled are copies of the sets, scaled by what the first of them says.
func scaled(list string, sets ...*data.Set) []*data.Set {
	var out []*data.Set
	for _, s := range sets {
		one := *s
		one.X = s.X.(*tensor.Dense).Clone().(*tensor.Dense)
		out = append(out, &one)
	}
	frame.Scale(list, out...)
	return out
}

// scaling is how the rows of a set are scaled for a kernel.
func (s source) scaling(k *kernel) string {
	if k.name == polynomial {
		return s.sphere
	}
	return s.scale
}
