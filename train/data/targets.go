package data

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// OneVersusRest returns regression targets [n, classes] for class numbers 0..classes-1: +1 in the column of the class
// of a row and -1 elsewhere. Errors: domain.ErrShape without labels, domain.ErrParam for fewer than 2 classes and for
// more than memory holds, domain.ErrDomain for a label out of range.
func OneVersusRest(labels []int, classes int) (*mat.Dense, error) {
	if len(labels) == 0 {
		return nil, fmt.Errorf("data: OneVersusRest: there are no labels; give one a row: %w", domain.ErrShape)
	}
	if classes < 2 {
		return nil, fmt.Errorf("data: OneVersusRest: classes = %d, want at least 2: %w", classes, domain.ErrParam)
	}
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, fmt.Errorf("data: OneVersusRest: row %d has the label %d, which is not in 0..%d; number the classes from 0: %w", i, l, classes-1, domain.ErrDomain)
		}
	}
	if err := domain.CheckSize("data: OneVersusRest", 8, len(labels), classes); err != nil {
		return nil, err
	}
	y := mat.NewDense(len(labels), classes, nil)
	cells := y.RawMatrix().Data
	for j := range classes {
		cells[j] = -1
	}
	for i := 1; i < len(labels); i++ { // copied, which is faster than set
		copy(cells[i*classes:], cells[:classes])
	}
	for i, l := range labels {
		cells[i*classes+l] = 1
	}
	return y, nil
}
