package linear

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
)

// Merge adds the rows of other, which stays as it is. Up to rounding the result is the same as adding all blocks to one
// RidgeStats. A nil or empty other adds nothing. Errors (domain.ErrShape): another D, k or ClassWeights, and another Of
// or Signature if both have one.
func (s *RidgeStats) Merge(other *RidgeStats) error {
	if other == nil || other.n == 0 {
		return nil
	}
	if err := s.mergeable(other); err != nil {
		return err
	}
	if s.n == 0 {
		s.ClassWeights = slices.Clone(other.ClassWeights)
		s.reset(other.features, other.targets)
	}
	if s.Signature == nil {
		s.Signature = slices.Clone(other.Signature)
	}
	if s.Of == "" {
		s.Of = other.Of
	}
	before, rows, all := s.mass, other.mass, s.mass+other.mass
	join := before / all * rows
	move := func(mean, to []float64) []float64 {
		delta := make([]float64, len(mean))
		for j := range delta {
			delta[j] = to[j] - mean[j]
			mean[j] += delta[j] * (rows / all)
		}
		return delta
	}
	delta, deltaY := move(s.meanZ, other.meanZ), move(s.meanY, other.meanY)
	given.InParallel(s.features, func(i int) {
		for j, dj := range delta[:i+1] {
			s.g[i*s.features+j] += other.g[i*s.features+j] + join*delta[i]*dj
		}
		for j, dj := range deltaY {
			s.r[i*s.targets+j] += other.r[i*s.targets+j] + join*delta[i]*dj
		}
	})
	for j, dj := range deltaY {
		s.yy[j] += other.yy[j] + join*dj*dj
	}
	s.n += other.n
	s.mass += other.mass
	s.rounded += other.rounded
	return nil
}

// mergeable says why the rows of other, which is not empty, cannot join the rows of s.
func (s *RidgeStats) mergeable(other *RidgeStats) error {
	switch {
	case s.Of != "" && other.Of != "" && s.Of != other.Of:
		return fmt.Errorf("train: Ridge: cannot merge sums over %.60q into those over %.60q; fit both with one map: %w", other.Of, s.Of, domain.ErrShape)
	case (s.n > 0 || s.ClassWeights != nil) && !slices.Equal(s.ClassWeights, other.ClassWeights):
		return fmt.Errorf("train: Ridge: cannot merge sums of rows with the class weights %v into those with %v; fit both with the same: %w", other.ClassWeights, s.ClassWeights, domain.ErrShape)
	case s.n == 0:
		return nil
	case s.features != other.features || s.targets != other.targets:
		return fmt.Errorf("train: Ridge: cannot merge sums of %d features and %d targets into those of %d and %d; fit both with one map: %w",
			other.features, other.targets, s.features, s.targets, domain.ErrShape)
	case s.Signature != nil && other.Signature != nil && !slices.Equal(s.Signature, other.Signature):
		return s.otherSigns()
	}
	return nil
}
