package cli

import (
	"fmt"

	"github.com/bochner-go/bochner/layers"
)

// Split is what a map of two signs tells of itself.
type Split struct {
	Plus  float64 `json:"plus"` // the masses
	Minus float64 `json:"minus"`
	Error float64 `json:"error"` // the largest difference of the kernel that is estimated from the one that is meant
}

// SplitOf is the split of a map of two signs, or nil.
func SplitOf(l layers.Layer) *Split {
	if w, ok := l.(interface{ Unwrap() layers.Layer }); ok {
		return SplitOf(w.Unwrap())
	}
	g, ok := l.(*layers.GORFLayer)
	if !ok {
		return nil
	}
	p := g.Split()
	return &Split{p.Plus.Mass, p.Minus.Mass, p.Error}
}

func (s *Split) String() string {
	off := "exact"
	if s.Error > 0 {
		off = fmt.Sprintf("at most %.2g off the kernel", s.Error)
	}
	return fmt.Sprintf("masses %.4g and %.4g, %s", s.Plus, s.Minus, off)
}
