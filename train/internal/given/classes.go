package given

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// CheckWeights wants a weight above 0 for each of k classes.
func CheckWeights(who string, weights []float64, k int) error {
	if len(weights) != k {
		return fmt.Errorf("train: %s: %d ClassWeights for %d classes; give one of each: %w",
			who, len(weights), k, domain.ErrParam)
	}
	for c, w := range weights {
		if !(w > 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("train: %s: ClassWeights[%d] = %v, want a number above 0: %w", who, c, w, domain.ErrParam)
		}
	}
	return nil
}

// ClassOf is the class of a row of targets of -1 and 1, or -1 where they are of no class.
func ClassOf(y []float64) int {
	class := -1
	for j, v := range y {
		switch {
		case v == 1 && class < 0:
			class = j
		case v != -1:
			return -1
		}
	}
	if len(y) == 1 {
		return class + 1
	}
	return class
}

// RowWeights returns the weight of each row of y by its class. With several columns the class is the column that is 1
// where the others are -1; with one column -1 is the first class and 1 the second. nil weights are all 1 and give nil.
func RowWeights(who string, weights []float64, y *mat.Dense, row func(i int) int) ([]float64, error) {
	n, k := y.Dims()
	if weights == nil {
		return nil, nil
	}
	if err := CheckWeights(who, weights, max(2, k)); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i := range out {
		c := ClassOf(y.RawRowView(i))
		if c < 0 {
			return nil, NoClass(who, row(i))
		}
		out[i] = weights[c]
	}
	return out, nil
}

func NoClass(who string, row int) error {
	return fmt.Errorf("train: %s: the targets of row %d are of no class, and there are ClassWeights; OneVersusRest "+
		"makes them: %w", who, row, domain.ErrDomain)
}

func ArgMax(row []float64) int {
	best := -1
	for j, v := range row {
		if v == v && (best < 0 || v > row[best]) {
			best = j
		}
	}
	return best
}
