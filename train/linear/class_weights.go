package linear

import (
	"slices"

	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// rowWeights returns the weight of each row of y by its class. With several columns the class is the column that is 1
// where the others are -1; with one column -1 is the first class and 1 the second.
func rowWeights(who string, weights []float64, y *mat.Dense, row func(i int) int) ([]float64, error) {
	n, k := y.Dims()
	if err := given.CheckWeights(who, weights, max(2, k)); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i := range out {
		c := given.ClassOf(k, func(j int) float64 { return y.At(i, j) })
		if c < 0 {
			return nil, given.NoClass(who, row(i))
		}
		out[i] = weights[c]
	}
	return out, nil
}

// weights are the weights of the rows by their classes; nil class weights: all are 1.
func (s *source) weights(ofClasses []float64) ([]float64, error) {
	y, err := s.targets()
	if err != nil || ofClasses == nil {
		return slices.Repeat([]float64{1}, s.n), err
	}
	return rowWeights(s.who, ofClasses, y, rowNames{index: s.index}.at)
}
