package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// BalancedWeights are class weights under which all classes together weigh the same: n/(k n_c) for a class of n_c of the n rows, of k classes.
// Their sum over the rows is n. Errors: domain.ErrShape for no classes, domain.ErrDomain for one without rows.
func BalancedWeights(counts []int) ([]float64, error) {
	n := 0
	for c, rows := range counts {
		if rows < 1 {
			return nil, fmt.Errorf("train: BalancedWeights: class %d has %d rows, and no weight makes up for none; leave it out: %w", c, rows, domain.ErrDomain)
		}
		n += rows
	}
	if n == 0 {
		return nil, fmt.Errorf("train: BalancedWeights: there are no classes: %w", domain.ErrShape)
	}
	out := make([]float64, len(counts))
	for c, rows := range counts {
		out[c] = float64(n) / (float64(len(counts)) * float64(rows))
	}
	return out, nil
}

// checkWeights wants a weight above 0 for each of k classes.
func checkWeights(who string, weights []float64, k int) error {
	if len(weights) != k {
		return fmt.Errorf("train: %s: %d ClassWeights for %d classes; give one of each: %w", who, len(weights), k, domain.ErrParam)
	}
	for c, w := range weights {
		if !(w > 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("train: %s: ClassWeights[%d] = %v, want a number above 0: %w", who, c, w, domain.ErrParam)
		}
	}
	return nil
}

// rowWeights are the weights of the rows of y, by class: the column that is 1 where the others are -1, or of one column the number -1 or 1, in
// this order.
func rowWeights(who string, weights []float64, y *mat.Dense, row func(i int) int) ([]float64, error) {
	n, k := y.Dims()
	if err := checkWeights(who, weights, max(2, k)); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i := range out {
		c := classOf(k, func(j int) float64 { return y.At(i, j) })
		if c < 0 {
			return nil, noClass(who, row(i))
		}
		out[i] = weights[c]
	}
	return out, nil
}

// weights are those of the rows, by class; all are 1 where there are none.
func (s *source) weights(ofClasses []float64) ([]float64, error) {
	y, err := s.targets()
	if err != nil || ofClasses == nil {
		return slices.Repeat([]float64{1}, s.n), err
	}
	return rowWeights(s.who, ofClasses, y, rowNames{index: s.index}.at)
}

// classOf is the class of a row of k targets of -1 and 1, or -1 where they are of no class.
func classOf(k int, target func(j int) float64) int {
	class := -1
	for j := range k {
		switch v := target(j); {
		case v == 1 && class < 0:
			class = j
		case v != -1:
			return -1
		}
	}
	if k == 1 {
		return class + 1
	}
	return class
}

// rowWeight is the weight of row i of targets.
type rowWeight func(targets *tensor.Dense, i int) float64

// rowWeigher weighs the rows of a linear head's classes; nil: all are 1.
func rowWeigher(head layers.Head, weights []float64) rowWeight {
	if head.Classifies() || weights == nil {
		return nil
	}
	return func(targets *tensor.Dense, i int) float64 {
		k := len(weights)
		return weights[classOf(k, func(j int) float64 { return cell(targets, i*k+j) })]
	}
}

// of is the weight, 1 where there is none.
func (w rowWeight) of(targets *tensor.Dense, i int) float64 {
	if w == nil {
		return 1
	}
	return w(targets, i)
}

func noClass(who string, row int) error {
	return fmt.Errorf("train: %s: the targets of row %d are of no class, and there are ClassWeights; OneVersusRest makes them: %w", who, row, domain.ErrDomain)
}

// checkTensorClasses wants every row of the targets of a linear head to be of a class.
func checkTensorClasses(who string, targets *tensor.Dense) error {
	n, k := targets.Shape()[0], targets.Shape()[1]
	for i := range n {
		if classOf(k, func(j int) float64 { return cell(targets, i*k+j) }) < 0 {
			return noClass(who, i)
		}
	}
	return nil
}
