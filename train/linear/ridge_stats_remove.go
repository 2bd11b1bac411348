package linear

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// removable is the share of a sum below which the result of Remove is rounding.
const removable = 1e-8

// Mass returns the sum of the weights of the rows, which is N without ClassWeights and Forget. Everything computed from
// the sums uses it as the number of rows.
func (s *RidgeStats) Mass() float64 { return s.mass }

// Forget multiplies the weight of every row so far by a factor in (0, 1]; the means stay as they are. Called with f
// before each block of rows, it gives the block of t calls ago the weight fᵗ, and Mass tends to the rows of a block
// over 1 - f. N still counts all rows.
//
// Errors, which leave the sums as they were: domain.ErrParam for another factor; domain.ErrDomain if Mass would fall
// below 1e-290.
func (s *RidgeStats) Forget(factor float64) error {
	if !(factor > 0 && factor <= 1) {
		return fmt.Errorf("train: RidgeStats.Forget: the factor %v is not above 0 and at most 1; 1 keeps all: %w", factor, domain.ErrParam)
	}
	if s.n == 0 {
		return nil
	}
	if !(s.mass*factor >= leastScale) {
		return fmt.Errorf("train: RidgeStats.Forget: the factor %v leaves the weight %v of all rows; begin anew: %w", factor, s.mass*factor, domain.ErrDomain)
	}
	s.mass *= factor
	s.rounded *= factor * factor
	for _, sums := range [][]float64{s.g, s.r, s.yy} {
		given.InParallel((len(sums)+ridgePiece-1)/ridgePiece, func(task int) {
			lo := task * ridgePiece
			floats.Scale(factor, sums[lo:min(lo+ridgePiece, len(sums))])
		})
	}
	return nil
}

// Remove subtracts rows that Add added, with features z [rows, D] and targets y [rows, k]: it undoes the update of
// Chan, Golub and LeVeque. Rows need not be removed in the blocks in which they were added. They leave with the weight
// that they would have if they were added now, so remove only rows that Forget has not touched. Removing the last row
// empties the sums. It holds a second D×D matrix meanwhile.
//
// Rounding is relative to the sums before: about 1e-15 of G, R and S. After removing all but two of two million rows,
// the sums of these two are known to 1e-9. A sliding window over rows of one scale loses a digit in some hundred turns.
//
// Errors, which leave the sums as they were: see Add; domain.ErrShape for more rows than there are, or other
// dimensions; domain.ErrDomain for rows that were not added, as far as the sums show it: the other rows would have no
// weight left, or a sum of squares Gⱼⱼ or S would be negative beyond rounding.
func (s *RidgeStats) Remove(z *tensor.Dense, y *mat.Dense) error {
	out := RidgeStats{ClassWeights: s.ClassWeights}
	if err := out.Add(z, y); err != nil {
		return err
	}
	if s.n < out.n || s.features != out.features || s.targets != out.targets {
		return fmt.Errorf("train: RidgeStats.Remove: cannot take %d rows of %d features and %d targets from %d rows of %d and %d: %w",
			out.n, out.features, out.targets, s.n, s.features, s.targets, domain.ErrShape)
	}
	left := s.mass - out.mass
	if s.n == out.n {
		return s.removeAll(&out, left)
	}
	if !(left > removable*out.mass) {
		return fmt.Errorf("train: RidgeStats.Remove: the rows weigh %v of %v, though others stay; take out rows that were added, and before Forget: %w", out.mass, s.mass, domain.ErrDomain)
	}
	// With δ the difference of the means of these rows and of the others, both means are a share of δ from the mean of
	// all.
	move := func(of, from []float64) (delta []float64) {
		delta = make([]float64, len(of))
		for j := range delta {
			delta[j] = (of[j] - from[j]) * (s.mass / left)
		}
		return delta
	}
	delta, deltaY := move(out.meanZ, s.meanZ), move(out.meanY, s.meanY)
	join, d, k := left/s.mass*out.mass, s.features, s.targets
	for j := range d {
		if !s.leaves(s.g[j*d+j], out.g[j*d+j]+join*delta[j]*delta[j], s.meanZ[j]) {
			return notAdded("feature", j)
		}
	}
	for t := range k {
		if !s.leaves(s.yy[t], out.yy[t]+join*deltaY[t]*deltaY[t], s.meanY[t]) {
			return notAdded("target", t)
		}
	}
	given.InParallel(d, func(i int) {
		for j, dj := range delta[:i+1] {
			s.g[i*d+j] -= out.g[i*d+j] + join*delta[i]*dj
		}
		s.g[i*d+i] = max(s.g[i*d+i], 0)
		for t, dt := range deltaY {
			s.r[i*k+t] -= out.r[i*k+t] + join*delta[i]*dt
		}
		s.meanZ[i] -= delta[i] * (out.mass / s.mass)
	})
	for t, dt := range deltaY {
		s.yy[t] = max(s.yy[t]-out.yy[t]-join*dt*dt, 0)
		s.meanY[t] -= dt * (out.mass / s.mass)
	}
	s.n, s.mass = s.n-out.n, left
	return nil
}

// leaves says whether the sum of squares before can contain the part less, for a column with the given mean.
func (s *RidgeStats) leaves(before, less, mean float64) bool {
	return before-less >= -removable*before-roundedSquares*s.mass*mean*mean
}

// roundedSquares is the share of the squares about 0 below which squares about the mean are rounding.
const roundedSquares = 0x1p-80

func notAdded(what string, j int) error {
	return fmt.Errorf("train: RidgeStats.Remove: without these rows the sum of squares of %s %d would be negative; take out rows that were added, and before Forget: %w", what, j, domain.ErrDomain)
}

// removeAll empties s if its rows are the rows of out.
func (s *RidgeStats) removeAll(out *RidgeStats, left float64) error {
	near := func(a, b, size float64) bool { return math.Abs(a-b) <= removable*size }
	if !near(left, 0, s.mass) {
		return fmt.Errorf("train: RidgeStats.Remove: all rows weigh %v and these %v; take out rows that were added, and before Forget: %w", s.mass, out.mass, domain.ErrDomain)
	}
	same := func(sum, of, mean, ofMean float64) bool {
		size := sum + s.mass*mean*mean
		return near(sum, of, size) && near(mean, ofMean, math.Sqrt(size/s.mass))
	}
	for j, m := range s.meanZ {
		if i := j*s.features + j; !same(s.g[i], out.g[i], m, out.meanZ[j]) {
			return fmt.Errorf("train: RidgeStats.Remove: feature %d of all rows has other sums than that of these; take out rows that were added: %w", j, domain.ErrDomain)
		}
	}
	for t, m := range s.meanY {
		if !same(s.yy[t], out.yy[t], m, out.meanY[t]) {
			return fmt.Errorf("train: RidgeStats.Remove: target %d of all rows has other sums than that of these; take out rows that were added: %w", t, domain.ErrDomain)
		}
	}
	*s = RidgeStats{Signature: s.Signature, ClassWeights: s.ClassWeights, Of: s.Of, Float32Products: s.Float32Products}
	return nil
}
