package calibrate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// SetMethod is the conformal score of a class y of a row with the probabilities p, the larger the less y is like the
// row.
type SetMethod int

const (
	// LeastAmbiguous is s = 1 - p_y: of all sets with the coverage those with the fewest classes in the mean, where p
	// is true. Sadinle, Lei and Wasserman (2019), Least ambiguous set-valued classifiers with bounded error levels.
	LeastAmbiguous SetMethod = iota
	// Adaptive is s = the sum of p_y and of all probabilities before it, the largest first: sets that grow where a row
	// is hard. Romano, Sesia and Candès (2020), Classification with valid and adaptive coverage, without their
	// randomisation. Of a head that is mostly right nearly all scores are close to 1, and sets are several times larger
	// than they need be: AdaptiveRandomised is the one to use.
	Adaptive
	// AdaptiveRandomised is the same less u·p_y, with u uniform in [0, 1), as that paper has it: smaller sets. u is a
	// hash of the row and the seed, so that a row always has the same set.
	AdaptiveRandomised
)

var setNames = []string{"least-ambiguous", "adaptive", "adaptive-randomised"}

func (m SetMethod) String() string {
	if m < 0 || int(m) >= len(setNames) {
		return fmt.Sprintf("SetMethod(%d)", int(m))
	}
	return setNames[m]
}

// ParseSetMethod is the method of a name: least-ambiguous, adaptive or adaptive-randomised. Errors: domain.ErrParam.
func ParseSetMethod(name string) (SetMethod, error) {
	if i := slices.Index(setNames, name); i >= 0 {
		return SetMethod(i), nil
	}
	return 0, fmt.Errorf("train: Sets: there is no method %q; give one of %q: %w", name, setNames, domain.ErrParam)
}

// Sets are sets of classes by split conformal prediction: those whose score is at most the ceil((n+1)·level)-th
// smallest score of the true classes of n held-out rows.
//
// Where the held-out rows and a new one are exchangeable, the set has the class of the new row with a probability of at
// least level, whatever the model, and of at most level + 1/(n+1) where no two scores are equal, over draws of the
// held-out rows and of the new row. Isotonic calibration makes equal scores. A set may be empty: the row is like none
// of the held-out ones. Of more than 10000 rows 10000 scores are kept, as Intervals has them. Angelopoulos and Bates
// (2021), A gentle introduction to conformal prediction, theorem 1 and appendix D.
//
// FitSets and UnmarshalJSON make one; it does not change and is safe for concurrent use.
type Sets struct {
	method SetMethod
	seed   uint64 // of AdaptiveRandomised
	scores ranked
}

// FitSets learns the threshold of sets from probabilities p [n, k] of held-out rows and their classes. The seed is that
// of AdaptiveRandomised. The rows must be others than those that a Calibration was fitted to, or the guarantee is lost.
// Errors: see NLL, and domain.ErrParam for an unknown method.
func FitSets(method SetMethod, p *mat.Dense, labels []int, seed uint64) (*Sets, error) {
	if method < 0 || int(method) >= len(setNames) {
		return nil, fmt.Errorf("train: Sets: %v is none of LeastAmbiguous, Adaptive and AdaptiveRandomised: %w", method, domain.ErrParam)
	}
	if err := distributions("Sets", p, labels); err != nil {
		return nil, err
	}
	v := &Sets{method: method}
	if method == AdaptiveRandomised {
		v.seed = seed
	}
	scores := make([]float64, len(labels))
	for i, l := range labels {
		order, s := v.row(p.RawRowView(i))
		scores[i] = s[slices.Index(order, l)]
	}
	v.scores = rank(scores)
	return v, nil
}

// row are the classes of a row, the most probable first, and the score of each.
func (v *Sets) row(p []float64) (order []int, scores []float64) {
	order, scores = make([]int, len(p)), make([]float64, len(p))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] > p[b]:
			return -1
		case p[a] < p[b]:
			return 1
		default:
			return 0
		}
	})
	u, sum := 0.0, 0.0
	if v.method == AdaptiveRandomised {
		u = uniform(v.seed, p)
	}
	for j, c := range order {
		sum += p[c]
		if scores[j] = sum - u*p[c]; v.method == LeastAmbiguous {
			scores[j] = 1 - p[c]
		}
	}
	return order, scores
}

// uniform is a number in [0, 1) by a hash of x, of Fowler, Noll and Vo, mixed by the last step of SplitMix64.
func uniform(seed uint64, x []float64) float64 {
	h := uint64(14695981039346656037)
	add := func(v uint64) {
		for range 8 {
			h = (h ^ v&0xff) * 1099511628211
			v >>= 8
		}
	}
	add(seed)
	for _, v := range x {
		add(math.Float64bits(v))
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return float64((h^h>>31)>>11) * 0x1p-53
}

// Rows is n.
func (v *Sets) Rows() int { return v.scores.rows }

// Method is how classes are scored.
func (v *Sets) Method() SetMethod { return v.method }

// Threshold is the largest score of a class in a set. level is between 0 and 1. Errors: domain.ErrParam for another
// level; domain.ErrShape where n rows are too few for it, which names how many it needs.
func (v *Sets) Threshold(level float64) (float64, error) {
	if v.scores.rows == 0 {
		return 0, errNoSets
	}
	return v.scores.at("Sets", level)
}

var errNoSets = fmt.Errorf("train: Sets: they have not been fitted; use FitSets or UnmarshalJSON: %w", domain.ErrParam)

// Set is the set of a row of probabilities [k], the most probable class first. Errors: see Threshold;
// domain.ErrDomain for numbers that are no probabilities.
func (v *Sets) Set(level float64, p []float64) ([]int, error) {
	t, err := v.Threshold(level)
	if err != nil {
		return nil, err
	}
	return v.set(t, 0, p)
}

func (v *Sets) set(threshold float64, row int, p []float64) ([]int, error) {
	if err := distribution("Sets", row, p); err != nil {
		return nil, err
	}
	order, scores := v.row(p)
	set := []int{}
	for j, s := range scores {
		if s <= threshold {
			set = append(set, order[j])
		}
	}
	return set, nil
}

// All are the sets of all rows of p [m, k]. Errors: see Set, and domain.ErrParam for nil.
func (v *Sets) All(level float64, p *mat.Dense) ([][]int, error) {
	t, err := v.Threshold(level)
	if err != nil {
		return nil, err
	}
	if err := matrix("Sets", "p", p); err != nil {
		return nil, err
	}
	m, _ := p.Dims()
	sets := make([][]int, m)
	for i := range sets {
		if sets[i], err = v.set(t, i, p.RawRowView(i)); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// MarshalJSON writes the scores, at most 10000. Errors: domain.ErrParam for sets that have not been fitted.
func (v *Sets) MarshalJSON() ([]byte, error) {
	if v.scores.rows == 0 {
		return nil, errNoSets
	}
	return json.Marshal(rankedText{Method: v.method.String(), Seed: v.seed, Rows: v.scores.rows, Scores: [][]float64{v.scores.kept}})
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it: v is what it was where that fails. Errors:
// domain.ErrParam, and what encoding/json returns.
func (v *Sets) UnmarshalJSON(text []byte) error {
	var t rankedText
	if err := strictly("Sets", text, &t); err != nil {
		return err
	}
	m, err := ParseSetMethod(t.Method)
	if err != nil {
		return err
	}
	ok := len(t.Scores) == 1 && !t.Scaled && (t.Seed == 0 || m == AdaptiveRandomised)
	if !ok || !(ranked{t.Rows, t.Scores[0]}).usable(-2*sumTolerance, 1+2*sumTolerance) {
		return fmt.Errorf("train: Sets: the JSON has no sorted scores in [0, 1] of %d rows; write it by MarshalJSON: %w", t.Rows, domain.ErrParam)
	}
	*v = Sets{m, t.Seed, ranked{t.Rows, t.Scores[0]}}
	return nil
}
