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
	name        string
	scale       string    // of its columns and rows for the delta-Gaussian kernel
	sphere      string    // for the polynomial one
	train, test *data.Set // as they were read
}

var sources = []source{{name: "letter", scale: "minmax", sphere: "minmax,l2"}, {name: "ijcnn1", scale: "l2", sphere: "l2"},
	{name: "usps", scale: "minmax,l2", sphere: "minmax,l2"}}

var (
	made    = source{name: "made", scale: "minmax", sphere: "minmax,l2"}
	housing = source{name: "housing", scale: "minmax", sphere: "minmax,l2"}
)

// madeTrain is how many of the made rows are trained on, and tested on, unless a flag says otherwise.
const madeTrain = 1000

func names(of []source) []string { return frame.Each(of, func(s source) string { return s.name }) }

// read reads or makes what the parts need.
func (e *experiment) read() {
	if e.does("regression") {
		e.housing = try.Get(data.Read(filepath.Join(e.data, "housing", "housing.all.csv.gz"), data.Options{Task: data.Regression}))
	}
	if e.does("error") || e.does("couplings") || e.does("accuracy") {
		for i := range e.sources {
			e.sources[i].read(e.data, e.Seed)
		}
	}
}

// read reads a set from a folder of data, or makes it.
func (s *source) read(folder string, seed uint64) {
	if s.name == made.name {
		set := data.SyntheticHistograms(seed)
		train, test := data.Split(set.Rows(), .5, seed)
		s.train, s.test = set.Take(train), set.Take(test)
		return
	}
	file := func(part string) string {
		return filepath.Join(folder, s.name, fmt.Sprintf("%s.%s.libsvm.gz", s.name, part))
	}
	s.train = try.Get(data.Read(file("train"), data.Options{Form: data.FormDense}))
	s.test = try.Get(data.Read(file("test"), data.Options{Form: data.FormDense, Dims: s.train.Dims()}))
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
