package linear

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// The share of the mean squared norm below which the spread of rows is rounding: for centred rows, and for a centred
// kernel matrix, whose entries are squares already.
const (
	roundedRows   = 0x1p-92
	roundedKernel = 0x1p-40
	// The same for targets, whose mean is exact to their last digit.
	roundedTargets = 0x1p-104
)

// penaltyScale is s of FitRidge for rows with the spread Σ ‖z - z̄‖²/n and the squared norm mean of z̄. If the rows do
// not vary, s is their mean squared norm, and W is 0 for any lambda.
func penaltyScale(who string, spread, mean, rounded float64) (float64, error) {
	s := spread
	if !(spread > rounded*mean) {
		s += mean
	}
	return s, checkScale(who, s)
}

// leastScale is the least scale at which squares of numbers that are smaller by half the digits keep all their digits.
const leastScale = 1e-290

// checkScale refuses features whose squares overflow or underflow.
func checkScale(who string, s float64) error {
	switch {
	case s == 0:
		return fmt.Errorf("train: %s: every feature of every row is 0, or its square is, so there is nothing to "+
			"fit; check the scale of the data against the map's bandwidth: %w", who, domain.ErrDomain)
	case !(s >= leastScale && s <= math.MaxFloat64):
		return fmt.Errorf("train: %s: the mean squared norm of a feature row is %v, where squares overflow or lose "+
			"digits; scale the data: %w", who, s, domain.ErrDomain)
	}
	return nil
}

// checkSquares refuses targets whose sums of squares by column overflow: they choose lambda.
func checkSquares(sums []float64) error {
	for t, v := range sums {
		if v-v != 0 {
			return fmt.Errorf("train: Ridge: the squares of target %d overflow, and lambda is chosen by them; "+
				"scale the features or the targets, or give one lambda: %w", t, domain.ErrDomain)
		}
	}
	return nil
}

// rowSpread accumulates the mean of rows, block by block, and their squared distances from it.
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

// join adds rows with a mass, a mean and the sum of their squared distances from that mean.
func (s *rowSpread) join(mass float64, mean []float64, squares float64) {
	if s.mean == nil {
		s.mean = make([]float64, len(mean))
	}
	all := s.mass + mass
	delta := moveMean(s.mean, mean, mass/all)
	s.squares += squares + s.mass/all*mass*floats.Dot(delta, delta)
	s.mass = all
}

// scale is s of the rows so far.
func (s *rowSpread) scale(who string) (float64, error) {
	return penaltyScale(who, s.squares/s.mass, floats.Dot(s.mean, s.mean), roundedRows)
}

// addMatrix adds the rows of z, with their weights; nil: all are 1.
func (s *rowSpread) addMatrix(z ops.Matrix, w []float64) {
	switch x := z.(type) {
	case *ops.CSR:
		if x.Dtype() == tensor.Float32 {
			addSparseSpread(s, x, x.Float32s(), w)
		} else {
			addSparseSpread(s, x, x.Float64s(), w)
		}
	case *tensor.Dense:
		if d := x.Shape()[1]; x.Dtype() == tensor.Float32 {
			addSpread(s, x.Float32s(), w, d)
		} else {
			addSpread(s, x.Float64s(), w, d)
		}
	}
}

// addSparseSpread is addSpread for sparse rows. A cell that is not stored is 0, and its distance is the mean of its
// column.
func addSparseSpread[T domain.Float](s *rowSpread, z *ops.CSR, values []T, w []float64) {
	n, d, ptr, cols := z.Rows(), z.Cols(), z.Pointers(), z.Columns()
	mass, mean, stored := 0., make([]float64, d), make([]float64, d)
	for i := range n {
		weight := weightAt(w, i)
		mass += weight
		for t := ptr[i]; t < ptr[i+1]; t++ {
			mean[cols[t]] += weight * float64(values[t])
			stored[cols[t]] += weight
		}
	}
	squares := 0.
	for j := range mean {
		mean[j] /= mass
		squares += max(0, mass-stored[j]) * mean[j] * mean[j]
	}
	for i := range n {
		row := 0.
		for t := ptr[i]; t < ptr[i+1]; t++ {
			e := float64(values[t]) - mean[cols[t]]
			row += e * e
		}
		squares += weightAt(w, i) * row
	}
	s.join(mass, mean, squares)
}
