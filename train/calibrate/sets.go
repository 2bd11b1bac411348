package calibrate

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// The methods of FitSets: conformal scores s(y) of a class y for a row with probabilities p. A larger score says that y
// suits the row less. An empty one is LeastAmbiguous.
const (
	// LeastAmbiguous is s = 1 - p_y. If p is the true distribution, its sets have the fewest classes on average of all
	// sets with the same coverage. Sadinle, Lei and Wasserman (2019), Least ambiguous set-valued classifiers with
	// bounded error levels.
	LeastAmbiguous = "least-ambiguous"
	// Adaptive is s = p_y plus the probabilities of all more probable classes. Its sets grow for rows that are hard to
	// classify. Romano, Sesia and Candès (2020), Classification with valid and adaptive coverage, without their
	// randomisation. For a head that is mostly right nearly all scores are close to 1, and the sets are several times
	// larger than with AdaptiveRandomised.
	Adaptive = "adaptive"
	// AdaptiveRandomised is the score of Adaptive less u·p_y, with u uniform in [0, 1), as in that paper. u is a hash
	// of the probabilities and the seed, so that a row always has the same set.
	AdaptiveRandomised = "adaptive-randomised"
)

// known says whether there is such a method of sets.
func known(method string) bool {
	return method == LeastAmbiguous || method == Adaptive || method == AdaptiveRandomised
}

// Sets makes sets of classes by split conformal prediction. A set holds the classes whose score is at most the
// ⌈(n+1)·level⌉-th smallest score of the true classes of n held-out rows.
//
// If the held-out rows and a new row are exchangeable, the set holds the class of the new row with a probability of at
// least level, whatever the model, and of at most level + 1/(n+1) if no two scores are equal. The probability is over
// draws of the held-out rows and of the new row. Isotonic calibration makes equal scores. A set may be empty: the row
// is unlike the held-out rows. For more than 10000 rows, 10000 scores are kept, as in Intervals. Angelopoulos and Bates
// (2021), A gentle introduction to conformal prediction, theorem 1 and appendix D.
//
// FitSets and UnmarshalJSON make Sets. They do not change and are safe for concurrent use.
type Sets struct{ r ranks }

// FitSets learns the scores of the true classes from probabilities p [n, k] of held-out rows and their labels.
// AdaptiveRandomised uses the seed. A guarantee needs rows that the Calibration was not fitted to. Errors: see NLL;
// domain.ErrParam for an unknown method.
func FitSets(method string, p *mat.Dense, labels []int, seed uint64) (*Sets, error) {
	if method = cmp.Or(method, LeastAmbiguous); !known(method) {
		return nil, fmt.Errorf("train: Sets: there is no method %q; give one of %q, %q and %q: %w", method,
			LeastAmbiguous, Adaptive, AdaptiveRandomised, domain.ErrParam)
	}
	if err := distributions("Sets", p, labels); err != nil {
		return nil, err
	}
	v := &Sets{ranks{Kind: method}}
	if method == AdaptiveRandomised {
		v.r.Seed = seed
	}
	scores := make([]float64, len(labels))
	for i, l := range labels {
		order, s := v.row(p.RawRowView(i))
		scores[i] = s[slices.Index(order, l)]
	}
	v.r.add(scores)
	return v, nil
}

// row returns the classes of a row, the most probable first, and the score of each.
func (v *Sets) row(p []float64) (order []int, scores []float64) {
	order, scores = make([]int, len(p)), make([]float64, len(p))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	u, sum := 0.0, 0.0
	if v.r.Kind == AdaptiveRandomised {
		u = uniform(v.r.Seed, p)
	}
	for j, c := range order {
		sum += p[c]
		if scores[j] = sum - u*p[c]; v.r.Kind == LeastAmbiguous {
			scores[j] = 1 - p[c]
		}
	}
	return order, scores
}

// uniform returns a number in [0, 1): the FNV-1a hash of seed and x (Fowler, Noll and Vo), mixed by the last step of
// SplitMix64.
func uniform(seed uint64, x []float64) float64 {
	text := binary.LittleEndian.AppendUint64(nil, seed)
	for _, v := range x {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
	}
	hash := fnv.New64a()
	hash.Write(text)
	h := hash.Sum64()
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return float64((h^h>>31)>>11) * 0x1p-53
}

// Rows returns the number of held-out rows n.
func (v *Sets) Rows() int { return v.r.N }

// Method returns the conformal score of the sets.
func (v *Sets) Method() string { return v.r.Kind }

// Threshold returns the largest score of a class in a set. level is in (0, 1). Errors: domain.ErrParam for another
// level; domain.ErrShape if the level needs more than n rows, with the number that it needs.
func (v *Sets) Threshold(level float64) (float64, error) {
	t, err := v.r.at("Sets", level)
	if err != nil {
		return 0, err
	}
	return t[0], nil
}

// All returns the sets for all rows of p [m, k], the most probable class first. Errors: see Threshold; domain.ErrDomain
// for numbers that are not probabilities; domain.ErrParam for nil; domain.ErrShape for no rows.
func (v *Sets) All(level float64, p *mat.Dense) ([][]int, error) {
	t, err := v.Threshold(level)
	if err != nil {
		return nil, err
	}
	if err := checkProbabilities("Sets", p); err != nil {
		return nil, err
	}
	m, _ := p.Dims()
	sets := make([][]int, m)
	for i := range sets {
		order, scores := v.row(p.RawRowView(i))
		sets[i] = []int{}
		for j, s := range scores {
			if s <= t {
				sets[i] = append(sets[i], order[j])
			}
		}
	}
	return sets, nil
}

// MarshalJSON writes the scores, at most 10000. Errors: domain.ErrParam for sets that have not been fitted.
func (v *Sets) MarshalJSON() ([]byte, error) { return v.r.marshal("Sets") }

// UnmarshalJSON reads and checks what MarshalJSON wrote; an error leaves v as it was. Errors: domain.ErrParam for an
// unknown method and for scores that are not sorted, not in [0, 1] or not as many as stated; the errors of
// encoding/json.
func (v *Sets) UnmarshalJSON(text []byte) error {
	return v.r.unmarshal("Sets", text, -2*sumTolerance, 1+2*sumTolerance, func(r *ranks) bool {
		return len(r.Scores) == 1 && known(r.Kind) && !r.InStd && (r.Seed == 0 || r.Kind == AdaptiveRandomised)
	})
}
