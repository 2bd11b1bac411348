package frame

import (
	"fmt"

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
func Read(file string, seed uint64) (*data.Set, error) {
	if file == "" {
		return data.SyntheticHistograms(seed), nil
	}
	return data.Read(file, data.Options{})
}

// Normalise divides the rows of a set of histograms by a norm, l1 or l2, in place.
func Normalise(set *data.Set, norm string) error {
	if err := ops.CheckRows(spectral.ExpSemigroup{Beta: 1}.Domain(), "map exp-semigroup", set.X); err != nil {
		return set.Locate(err)
	}
	return Scale(norm, set)
}

// Scale scales sets in place, by what the first of them says.
func Scale(list string, sets ...*data.Set) error {
	scaler, err := data.ParseScalers(list)
	if err != nil {
		return err
	}
	if err := scaler.Fit(sets[0].X); err != nil {
		return sets[0].Locate(err)
	}
	for _, s := range sets {
		if s.X, err = scaler.ApplyInPlace(s.X); err != nil {
			return s.Locate(err)
		}
	}
	return nil
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
func NewProblem(trainSet, testSet *data.Set, dt tensor.Dtype) (p Problem, err error) {
	classes := data.NewClasses(trainSet.Labels)
	if p.N = len(classes); p.N < 2 {
		return p, fmt.Errorf("%s: all rows have the class %q; a classifier needs two", trainSet.Source, classes[0])
	}
	labels, err := classes.Index(trainSet.Labels)
	if err != nil {
		return p, trainSet.Locate(err)
	}
	if p.Truth, err = classes.Index(testSet.Labels); err != nil {
		return p, testSet.Locate(err)
	}
	if p.X, err = as(trainSet, dt); err != nil {
		return p, err
	}
	if p.XTest, err = as(testSet, dt); err != nil {
		return p, err
	}
	p.Y, err = data.OneVersusRest(labels, p.N)
	return p, err
}

// as returns the rows of a set as a dense matrix of an element type.
func as(set *data.Set, dt tensor.Dtype) (*tensor.Dense, error) {
	x, err := set.Dense()
	if err != nil {
		return nil, err
	}
	rows, err := (&data.Set{X: x, Source: set.Source}).As(dt)
	if err != nil {
		return nil, err
	}
	return rows.(*tensor.Dense), nil
}

// Scores are the outputs of a linear head on the features of rows.
func Scores(l layers.Layer, f *linear.Fit, x ops.Matrix) (*mat.Dense, error) {
	head, err := layers.NewLinearHead(l.Features(), len(f.B), layers.WithDtype(l.Dtype()))
	if err != nil {
		return nil, err
	}
	if err := head.SetWeights(f.W.RawMatrix().Data, f.B); err != nil {
		return nil, err
	}
	return (&train.Model{Map: l, Head: head}).ScoresPrepared(x)
}

// KernelError is ‖K - ZZᵀ‖_F / ‖K‖_F for the features Z of rows.
func KernelError(exact *mat.Dense, m report.Map, x ops.Matrix) (float64, error) {
	approx, err := report.ApproxGram(m, x)
	if err != nil {
		return 0, err
	}
	e, err := report.Compare(exact, approx)
	return e.RelativeFrobenius, err
}
