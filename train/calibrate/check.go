package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// given is a matrix that a caller gives, and what is wrong with a number of it; empty: nothing.
type given struct {
	name  string
	m     *mat.Dense
	wrong func(v float64) string
}

func notFinite(v float64) string {
	if v-v != 0 {
		return "is not a finite number; drop the row"
	}
	return ""
}

func notPositive(v float64) string {
	if !(v > 0) {
		return "is not above 0"
	}
	return notFinite(v)
}

func notBound(v float64) string {
	if v != v {
		return "is no bound"
	}
	return ""
}

// check wants matrices of one shape with at least one row, and numbers that are not wrong.
func check(who string, list ...given) error {
	for _, g := range list {
		if g.m == nil {
			return fmt.Errorf("train: %s: %s is nil: %w", who, g.name, domain.ErrParam)
		}
		n, k := g.m.Dims()
		if n == 0 || k == 0 {
			return fmt.Errorf("train: %s: %s is [%d,%d]; give at least one row and one column: %w", who, g.name, n, k,
				domain.ErrShape)
		}
		if a, b := list[0].m.Dims(); n != a || k != b {
			return fmt.Errorf("train: %s: %s is [%d,%d] and %s is [%d,%d]; give one number for each other: %w", who,
				list[0].name, a, b, g.name, n, k, domain.ErrShape)
		}
		for i := range n {
			for j, v := range g.m.RawRowView(i) {
				if wrong := g.wrong(v); wrong != "" {
					return fmt.Errorf("train: %s: %s[%d,%d] = %v %s: %w", who, g.name, i, j, v, wrong, domain.ErrDomain)
				}
			}
		}
	}
	return nil
}

// classified wants a row of numbers, one a class, for each label.
func classified(who, name string, m *mat.Dense, labels []int) error {
	if err := check(who, given{name, m, notFinite}); err != nil {
		return err
	}
	n, k := m.Dims()
	if k < 2 {
		return fmt.Errorf("train: %s: %s has 1 column; give one a class, of two classes s and -s: %w", who, name,
			domain.ErrShape)
	}
	if len(labels) != n {
		return fmt.Errorf("train: %s: %s has %d rows and there are %d labels; give one a row: %w", who, name, n,
			len(labels), domain.ErrShape)
	}
	for i, l := range labels {
		if l < 0 || l >= k {
			return fmt.Errorf("train: %s: row %d has the label %d, which is not in 0..%d; number the classes as "+
				"the columns: %w", who, i, l, k-1, domain.ErrDomain)
		}
	}
	return nil
}

// sumTolerance is how far the sum of a row of probabilities may be from 1. The sums of float32 heads with thousands of
// classes are within it.
const sumTolerance = 1e-4

// checkProbabilities wants rows of numbers in [0, 1] with the sum 1.
func checkProbabilities(who string, p *mat.Dense) error {
	if err := check(who, given{"p", p, notFinite}); err != nil {
		return err
	}
	for i := range p.RawMatrix().Rows {
		sum := 0.0
		for j, v := range p.RawRowView(i) {
			if !(v >= 0 && v <= 1+sumTolerance) {
				return fmt.Errorf("train: %s: p[%d,%d] = %v is no probability; Calibration.Probabilities makes some of "+
					"scores: %w", who, i, j, v, domain.ErrDomain)
			}
			sum += v
		}
		if math.Abs(sum-1) > sumTolerance {
			return fmt.Errorf("train: %s: the sum of row %d of p is %v, not 1; Calibration.Probabilities makes "+
				"probabilities of scores: %w", who, i, sum, domain.ErrDomain)
		}
	}
	return nil
}

// distributions wants a row of probabilities for each label.
func distributions(who string, p *mat.Dense, labels []int) error {
	if err := classified(who, "p", p, labels); err != nil {
		return err
	}
	return checkProbabilities(who, p)
}

// finite says whether all numbers are finite.
func finite(x ...float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 })
}
