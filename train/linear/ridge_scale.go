package linear

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
)

// The share of the mean squared norm below which the spread of rows is rounding: of rows less their mean, and of a kernel matrix less the
// means of its rows, which are squares already.
const (
	roundedRows   = 0x1p-92
	roundedKernel = 0x1p-40
)

// penaltyScale is s of FitRidge for rows of a spread Σ ‖z - z̄‖²/n about a mean of the square ‖z̄‖². Rows that do not vary have their mean squared norm
// instead, under which W is 0 for any lambda.
func penaltyScale(who string, spread, mean, rounded float64) (float64, error) {
	s := spread
	if !(spread > rounded*mean) {
		s += mean
	}
	return s, checkScale(who, s)
}

// leastScale is where the squares of numbers that are smaller by half the digits still have all of theirs.
const leastScale = 1e-290

// checkScale refuses features whose squares leave the range of numbers, to either side.
func checkScale(who string, s float64) error {
	switch {
	case s == 0:
		return fmt.Errorf("train: %s: every feature of every row is 0, or its square is, so there is nothing to fit; check the scale of the data against the map's bandwidth: %w", who, domain.ErrDomain)
	case !(s >= leastScale && s <= math.MaxFloat64):
		return fmt.Errorf("train: %s: the mean squared norm of a feature row is %v, where squares overflow or lose digits; scale the data: %w", who, s, domain.ErrDomain)
	}
	return nil
}

// checkSquares refuses targets whose squares, added up by column, overflow: lambda is chosen by them.
func checkSquares(sums []float64) error {
	for t, v := range sums {
		if v-v != 0 {
			return fmt.Errorf("train: Ridge: the squares of target %d overflow, and lambda is chosen by them; scale the features or the targets, or give one lambda: %w", t, domain.ErrDomain)
		}
	}
	return nil
}

// rowSpread adds up the mean of rows, block by block, and their squared distances from it.
type rowSpread struct {
	mass    float64 // the sum of the weights
	mean    []float64
	squares float64
}

// addSpread adds the rows of z, of d columns, with their weights; nil: all are 1.
func addSpread[T domain.Float](s *rowSpread, z []T, w []float64, d int) {
	rows := len(z) / d
	mass := float64(rows)
	if w != nil {
		mass = floats.Sum(w)
	}
	mean := columnMeans(z, w, mass, rows, d, d)
	of := make([]float64, rows)
	given.InParallel(rows, func(i int) {
		for j, v := range z[i*d : (i+1)*d] {
			e := float64(v) - mean[j]
			of[i] += e * e
		}
		of[i] *= weightAt(w, i)
	})
	s.join(mass, mean, floats.Sum(of))
}

// join takes in rows of the given mass, mean and squared distances from it.
func (s *rowSpread) join(mass float64, mean []float64, squares float64) {
	if s.mean == nil {
		s.mean = make([]float64, len(mean))
	}
	all := s.mass + mass
	for j, m := range mean {
		delta := m - s.mean[j]
		s.mean[j] += delta * (mass / all)
		s.squares += s.mass / all * mass * delta * delta
	}
	s.squares += squares
	s.mass = all
}

// scale is s of the rows so far.
func (s *rowSpread) scale(who string) (float64, error) {
	return penaltyScale(who, s.squares/s.mass, floats.Dot(s.mean, s.mean), roundedRows)
}
