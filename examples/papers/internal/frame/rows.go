package frame

import (
	"github.com/bochner-go/bochner/examples/internal/try"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Read reads a file, or makes histograms where none is given.
func Read(file string, seed uint64) *data.Set {
	if file == "" {
		return data.SyntheticHistograms(seed)
	}
	return try.Get(data.Read(file, data.Options{}))
}

// Normalise divides the rows of a set of histograms by a norm, l1 or l2, in place.
func Normalise(set *data.Set, norm string) {
	try.Do(set.Locate(ops.CheckRows(spectral.ExpSemigroup{Beta: 1}.Domain(), "map exp-semigroup", set.X)))
	Scale(norm, set)
}

// Scale scales sets in place, by what the first of them says.
func Scale(list string, sets ...*data.Set) {
	scaler := try.Get(data.ParseScalers(list))
	try.Do(sets[0].Locate(scaler.Fit(sets[0].X)))
	for _, s := range sets {
		x, err := scaler.ApplyInPlace(s.X)
		try.Do(s.Locate(err))
		s.X = x
	}
}

// Some draws n of the rows of a set; 0 is all.
func Some(s *data.Set, n int, seed uint64) *data.Set {
	if n == 0 || n >= s.Rows() {
		return s
	}
	_, rows := data.Split(s.Rows(), float64(n)/float64(s.Rows()), seed)
	return s.Take(rows)
}

// A Problem is rows of classes to learn from and to be tested on.
type Problem struct {
	X, XTest *tensor.Dense
	N        int        // of classes
	Y        *mat.Dense // [n, N] of the training rows, +1 and -1
	Truth    []int      // class numbers of the test rows
}

// NewProblem numbers the classes of the training rows, of which one alone is an error, and makes dense rows of an
// element type.
func NewProblem(trainSet, testSet *data.Set, dt tensor.Dtype) Problem {
	classes := data.NewClasses(trainSet.Labels)
	n := len(classes)
	if n < 2 {
		try.Fail("%s: all rows have the class %q; a classifier needs two", trainSet.Source, classes[0])
	}
	labels, err := classes.Index(trainSet.Labels)
	try.Do(trainSet.Locate(err))
	truth, err := classes.Index(testSet.Labels)
	try.Do(testSet.Locate(err))
	return Problem{X: as(trainSet, dt), XTest: as(testSet, dt), N: n, Y: try.Get(data.OneVersusRest(labels, n)), Truth: truth}
}

// as returns the rows of a set as a dense matrix of an element type.
func as(set *data.Set, dt tensor.Dtype) *tensor.Dense {
	dense := &data.Set{X: try.Get(set.Dense()), Source: set.Source}
	return try.Get(dense.As(dt)).(*tensor.Dense)
}

// Scores are the outputs of a linear head on the features of rows.
func Scores(l layers.Layer, f *linear.Fit, x ops.Matrix) *mat.Dense {
	head := try.Get(f.Head("linear", layers.WithDtype(l.Dtype())))
	return try.Get((&train.Model{Map: l, Head: head}).ScoresPrepared(x))
}

// KernelError is ‖K - ZZᵀ‖_F / ‖K‖_F for the features Z of rows.
func KernelError(exact *mat.Dense, m report.Map, x ops.Matrix) float64 {
	return try.Get(report.Compare(exact, try.Get(report.ApproxGram(m, x)))).RelativeFrobenius
}
