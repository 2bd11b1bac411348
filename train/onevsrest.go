package train

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// OneVersusRest makes regression targets of class numbers 0..classes-1: [n, classes], +1 in the column of the row's class
// and -1 elsewhere. ArgMax undoes it. Errors: domain.ErrShape without labels, domain.ErrParam for fewer than 2 classes
// and for more than memory holds, domain.ErrDomain for a label out of range.
func OneVersusRest(labels []int, classes int) (*mat.Dense, error) {
	if len(labels) == 0 {
		return nil, fmt.Errorf("train: OneVersusRest: there are no labels; give one a row: %w", domain.ErrShape)
	}
	if classes < 2 {
		return nil, fmt.Errorf("train: OneVersusRest: classes = %d, want at least 2: %w", classes, domain.ErrParam)
	}
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, fmt.Errorf("train: OneVersusRest: row %d has the label %d, which is not in 0..%d; number the classes from 0: %w", i, l, classes-1, domain.ErrDomain)
		}
	}
	if err := domain.CheckSize("train: OneVersusRest", 8, len(labels), classes); err != nil {
		return nil, err
	}
	y := mat.NewDense(len(labels), classes, nil)
	for i, l := range labels {
		row := y.RawRowView(i)
		for j := range row {
			row[j] = -1
		}
		row[l] = 1
	}
	return y, nil
}

// ArgMax is the column of the largest score of each row, the first of equals. NaN is never the largest; a row of
// nothing but NaN gives -1, which is no class. Scores without rows, or nil, give an empty slice.
func ArgMax(scores *mat.Dense) []int {
	if scores == nil {
		return []int{}
	}
	n, _ := scores.Dims()
	best := make([]int, n)
	for i := range best {
		best[i] = argMax(scores.RawRowView(i))
	}
	return best
}

func argMax(row []float64) int {
	best := -1
	for j, v := range row {
		if v == v && (best < 0 || v > row[best]) {
			best = j
		}
	}
	return best
}
