package main

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
)

// signs describes a map of two signs, or a map that is unbiased for an approximation of its kernel.
type signs struct {
	Plus  float64 `json:"plus"` // the masses
	Minus float64 `json:"minus"`
	Error float64 `json:"error"` // the largest difference of the kernel that is estimated from the one that is meant
}

// splitOf is the split of a map of two signs, or of spherical random features, and the kernel that such a map is
// unbiased for. Both are nil for other maps, which are unbiased for their own kernel.
func splitOf(l layers.Layer) (s *signs, expectation func(x, z []float64) float64) {
	of, ok := layers.Unwrap(l).(interface{ Split() *spectral.Split })
	if !ok || of.Split() == nil {
		return nil, nil
	}
	split := of.Split()
	plus, minus := split.Masses()
	return &signs{plus, minus, split.Error}, split.At
}

func (s *signs) String() string {
	off := "exact"
	if s.Error > 0 {
		off = fmt.Sprintf("at most %.2g off the kernel", s.Error)
	}
	return fmt.Sprintf("masses %.4g and %.4g, %s", s.Plus, s.Minus, off)
}
