package sgd

import (
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/internal/given"
	"gorgonia.org/tensor"
)

// rowWeight is the weight of row i of targets.
type rowWeight func(targets *tensor.Dense, i int) float64

// rowWeigher returns the weights of rows by class for a head that does not classify; nil: all are 1.
func rowWeigher(head layers.Head, weights []float64) rowWeight {
	if head.Classifies() || weights == nil {
		return nil
	}
	return func(targets *tensor.Dense, i int) float64 {
		k := len(weights)
		return weights[given.ClassOf(k, func(j int) float64 { return given.Cell(targets, i*k+j) })]
	}
}

// of is the weight of row i, 1 without weights.
func (w rowWeight) of(targets *tensor.Dense, i int) float64 {
	if w == nil {
		return 1
	}
	return w(targets, i)
}

// checkTensorClasses wants every row of the targets to be of one class.
func checkTensorClasses(who string, targets *tensor.Dense) error {
	n, k := targets.Shape()[0], targets.Shape()[1]
	for i := range n {
		if given.ClassOf(k, func(j int) float64 { return given.Cell(targets, i*k+j) }) < 0 {
			return given.NoClass(who, i)
		}
	}
	return nil
}
