package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
)

// mostKept is the largest number of scores that are kept for a target.
const mostKept = 10000

// ranked are sorted conformal scores: all of them, or, for more than mostKept rows, the ⌈j·rows/mostKept⌉-th for j = 1,
// 2, ..., mostKept.
type ranked struct {
	rows int
	kept []float64
}

// rank sorts scores, which it overwrites.
func rank(scores []float64) ranked {
	slices.Sort(scores)
	n := len(scores)
	if n <= mostKept {
		return ranked{n, scores}
	}
	r := ranked{n, make([]float64, mostKept)}
	for j := range r.kept {
		r.kept[j] = scores[((j+1)*n+mostKept-1)/mostKept-1]
	}
	return r
}

// at is the ⌈(rows+1)·level⌉-th smallest score, or the next larger one that was kept.
func (r ranked) at(who string, level float64) (float64, error) {
	if !(level > 0 && level < 1) {
		return 0, fmt.Errorf("train: %s: level = %v is not between 0 and 1; 0.9 covers nine rows of ten: %w", who, level, domain.ErrParam)
	}
	q := place(r.rows, level)
	if q > r.rows {
		return 0, fmt.Errorf("train: %s: the level %v needs the scores of %d rows at least, and there are %d; hold more rows out, or lower the level: %w", who, level, rowsFor(level), r.rows, domain.ErrShape)
	}
	return r.kept[(q-1)*len(r.kept)/r.rows], nil
}

// place is ceil((n+1)·level), where a level counts to 12 digits: 0.55·20 is 11.
func place(n int, level float64) int {
	return int(math.Ceil(float64(n+1) * level * (1 - 1e-12)))
}

// rowsFor is the least n with place(n, level) <= n.
func rowsFor(level float64) int {
	n := max(int(math.Min(level/(1-level), 1e15))-1, 1)
	for place(n, level) > n {
		n++
	}
	return n
}

// usable says whether r is what rank makes of scores from least to most.
func (r ranked) usable(least, most float64) bool {
	return r.rows > 0 && len(r.kept) == min(r.rows, mostKept) && finite(r.kept...) && slices.IsSorted(r.kept) && r.kept[0] >= least && r.kept[len(r.kept)-1] <= most
}
