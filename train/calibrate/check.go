package calibrate

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// matrix wants finite numbers, at least one row of them.
func matrix(who, name string, m *mat.Dense) error {
	if m == nil {
		return fmt.Errorf("train: %s: %s is nil: %w", who, name, domain.ErrParam)
	}
	n, k := m.Dims()
	if n == 0 || k == 0 {
		return fmt.Errorf("train: %s: %s is [%d,%d]; give at least one row and one column: %w", who, name, n, k, domain.ErrShape)
	}
	for i := range n {
		for j, v := range m.RawRowView(i) {
			if v-v != 0 {
				return fmt.Errorf("train: %s: %s[%d,%d] = %v is not a finite number; drop the row: %w", who, name, i, j, v, domain.ErrDomain)
			}
		}
	}
	return nil
}

// alike wants b to have the shape of a.
func alike(who, nameA, nameB string, a, b *mat.Dense) error {
	n, k := a.Dims()
	if m, l := b.Dims(); n != m || k != l {
		return fmt.Errorf("train: %s: %s is [%d,%d] and %s is [%d,%d]; give one number for each other: %w", who, nameA, n, k, nameB, m, l, domain.ErrShape)
	}
	return nil
}

// scoresOf wants a row of scores, one a class, for each label.
func scoresOf(who, name string, m *mat.Dense, labels []int) error {
	if err := matrix(who, name, m); err != nil {
		return err
	}
	n, k := m.Dims()
	if k < 2 {
		return fmt.Errorf("train: %s: %s has 1 column; give one a class, of two classes s and -s: %w", who, name, domain.ErrShape)
	}
	if len(labels) != n {
		return fmt.Errorf("train: %s: %s has %d rows and there are %d labels; give one a row: %w", who, name, n, len(labels), domain.ErrShape)
	}
	for i, l := range labels {
		if l < 0 || l >= k {
			return fmt.Errorf("train: %s: row %d has the label %d, which is not in 0..%d; number the classes as the columns: %w", who, i, l, k-1, domain.ErrDomain)
		}
	}
	return nil
}

// sumTolerance is how far the sum of a row of probabilities may be from 1. The sums of float32 heads with thousands of
// classes are within it.
const sumTolerance = 1e-4

// distribution wants numbers in [0, 1] with the sum 1.
func distribution(who string, row int, p []float64) error {
	sum := 0.0
	for j, v := range p {
		if !(v >= 0 && v <= 1+sumTolerance) {
			return fmt.Errorf("train: %s: p[%d,%d] = %v is no probability; Calibration.Probabilities makes some of scores: %w", who, row, j, v, domain.ErrDomain)
		}
		sum += v
	}
	if math.Abs(sum-1) > sumTolerance {
		return fmt.Errorf("train: %s: the sum of row %d of p is %v, not 1; Calibration.Probabilities makes probabilities of scores: %w", who, row, sum, domain.ErrDomain)
	}
	return nil
}

// distributions wants a row of probabilities for each label.
func distributions(who string, p *mat.Dense, labels []int) error {
	if err := scoresOf(who, "p", p, labels); err != nil {
		return err
	}
	for i := range labels {
		if err := distribution(who, i, p.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}

// top is the index of the largest number, the first of equals.
func top(row []float64) int {
	best := 0
	for j, v := range row {
		if v > row[best] {
			best = j
		}
	}
	return best
}

// finite says whether all numbers are finite.
func finite(x ...float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}
