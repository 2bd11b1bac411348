package linear

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// centredRows are the features of a block less their means, and scratch for their product.
type centredRows struct {
	d     int
	zc, t []float64
}

// centre copies features less their means into zc.
func (c *centredRows) centre(z *tensor.Dense, mean []float64) []float64 {
	n := z.Shape()[0]
	c.d = len(mean)
	c.zc = slices.Grow(c.zc[:0], n*c.d)[:n*c.d]
	return centre(c.zc, z, mean)
}

// addGram adds Zcᵀ C Zc v to out, both [D, k], for the weights C of the rows; nil: all are 1.
func (c *centredRows) addGram(out, v []float64, k int, weight []float64) {
	n := len(c.zc) / c.d
	if k == 0 {
		return
	}
	c.t = slices.Grow(c.t[:0], n*k)[:n*k]
	clear(c.t)
	gemm(false, n, k, c.d, 1, c.zc, c.d, v, k, c.t, k)
	for i, w := range weight {
		floats.Scale(w, c.t[i*k:(i+1)*k])
	}
	gemm(true, c.d, k, n, 1, c.zc, c.d, c.t, k, out, k)
}

// centred is the features of a block less their means over all rows, as float64.
func (s *RidgeStats) centred(dst []float64, z *tensor.Dense) []float64 {
	return centre(slices.Grow(dst[:0], z.DataSize())[:z.DataSize()], z, s.meanZ)
}

// centre puts features less their means into dst.
func centre(dst []float64, z *tensor.Dense, mean []float64) []float64 {
	if z.Dtype() == tensor.Float32 {
		subtractMean(dst, z.Float32s(), mean)
	} else {
		subtractMean(dst, z.Float64s(), mean)
	}
	return dst
}

// subtractMean puts rows of z less mean into dst, which may be z.
func subtractMean[T domain.Float](dst []float64, z []T, mean []float64) {
	d := len(mean)
	const piece = 16 // rows
	given.InParallel((len(dst)/d+piece-1)/piece, func(task int) {
		for at := task * piece * d; at < min(len(dst), (task+1)*piece*d); at += d {
			to, from := dst[at:at+d], z[at:at+d]
			for j, m := range mean {
				to[j] = float64(from[j]) - m
			}
		}
	})
}

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
