package calibrate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// Intervals are the radii of split conformal prediction. With the scores s of n held-out rows,
//
//	s = |y - mean|/std,    radius(level) = the ⌈(n+1)·level⌉-th smallest s,    interval = mean ± radius·std.
//
// If the held-out rows and a new row are exchangeable, for instance independent draws from one distribution, the
// interval covers the target of the new row with a probability of at least level, whatever the model. The probability
// is at most level + 1/(n+1) if no two scores are equal. It is over draws of the held-out rows and of the new row; for
// given held-out rows it varies by about √(level(1-level)/n). It holds for each target by itself. To cover k targets at
// once, use the level 1 - (1-level)/k.
//
// For more than 10000 rows, 10000 scores at equal distances in rank are kept, and a radius is the next larger one of
// them. The lower bound still holds, and the upper bound grows by 1/10000.
//
// Vovk, Gammerman and Shafer (2005), Algorithmic learning in a random world; Lei, G'Sell, Rinaldo, Tibshirani and
// Wasserman (2018), Distribution-free predictive inference for regression, theorem 2.2; Angelopoulos and Bates (2021),
// A gentle introduction to conformal prediction.
//
// FitIntervals and UnmarshalJSON make Intervals. They do not change and are safe for concurrent use.
type Intervals struct{ r ranks }

// FitIntervals learns radii from the residuals y - mean [n, k] of held-out rows, in the unit of y. With leave-one-out
// residuals it needs no held-out rows, and gives the intervals of the jackknife. They cover as often as asked in
// practice but have no guarantee, since the fit that predicts a new row has one row more.
//
// std [n, k] has the model's standard deviation of each prediction. It makes intervals wider where the model is less
// certain, and need not be right. nil: all intervals of a target have the same width.
//
// Errors: domain.ErrShape for other shapes and no rows; domain.ErrDomain for a number that is not finite, a std that is
// not above 0, and a score that overflows; domain.ErrParam for nil residuals.
func FitIntervals(residuals, std *mat.Dense) (*Intervals, error) {
	if err := checkStd(given{"residuals", residuals, notFinite}, std); err != nil {
		return nil, err
	}
	n, k := residuals.Dims()
	v := &Intervals{ranks{InStd: std != nil}}
	for j := range k {
		s := make([]float64, n)
		for i := range s {
			s[i] = math.Abs(residuals.At(i, j))
			if std != nil {
				s[i] /= std.At(i, j)
			}
			if !finite(s[i]) {
				return nil, fmt.Errorf("train: Intervals: the score of row %d, target %d is %v; scale the targets, or "+
					"raise std: %w", i, j, s[i], domain.ErrDomain)
			}
		}
		v.r.add(s)
	}
	return v, nil
}

// checkStd checks a matrix and the std that belongs to it, which may be nil.
func checkStd(of given, std *mat.Dense) error {
	if std == nil {
		return check("Intervals", of)
	}
	return check("Intervals", of, given{"std", std, notPositive})
}

// Rows returns the number of held-out rows n.
func (v *Intervals) Rows() int { return v.r.N }

// Targets returns the number of targets k.
func (v *Intervals) Targets() int { return len(v.r.Scores) }

// Scaled says whether the radii are in units of std.
func (v *Intervals) Scaled() bool { return v.r.InStd }

// Radius returns the radius for each target, in the unit of the target, or in units of std if FitIntervals had one.
// level is in (0, 1). Errors: domain.ErrParam for another level; domain.ErrShape if the level needs more than n rows,
// with the number that it needs.
func (v *Intervals) Radius(level float64) ([]float64, error) { return v.r.at("Intervals", level) }

// Bounds returns mean ± radius·std for new rows, with mean and std [m, k]; std is nil if FitIntervals had none. Errors:
// see Radius and FitIntervals; domain.ErrParam for a std where FitIntervals had none, and for nil where it had one.
func (v *Intervals) Bounds(level float64, mean, std *mat.Dense) (lower, upper *mat.Dense, err error) {
	radius, err := v.Radius(level)
	if err != nil {
		return nil, nil, err
	}
	if err := checkStd(given{"mean", mean, notFinite}, std); err != nil {
		return nil, nil, err
	}
	m, k := mean.Dims()
	if k != len(radius) {
		return nil, nil, fmt.Errorf("train: Intervals: mean has %d targets, the held-out rows had %d: %w", k,
			len(radius), domain.ErrShape)
	}
	if v.r.InStd != (std != nil) {
		return nil, nil, fmt.Errorf("train: Intervals: std must be given where FitIntervals had it, and nowhere "+
			"else: %w", domain.ErrParam)
	}
	lower, upper = mat.NewDense(m, k, nil), mat.NewDense(m, k, nil)
	for i := range m {
		for j, r := range radius {
			if std != nil {
				r *= std.At(i, j)
			}
			lower.Set(i, j, mean.At(i, j)-r)
			upper.Set(i, j, mean.At(i, j)+r)
		}
	}
	return lower, upper, nil
}

// MarshalJSON writes the scores, at most 10000 for each target. Errors: domain.ErrParam for intervals that have not
// been fitted.
func (v *Intervals) MarshalJSON() ([]byte, error) { return v.r.marshal("Intervals") }

// UnmarshalJSON reads and checks what MarshalJSON wrote; an error leaves v as it was. Errors: domain.ErrParam for
// scores that are not sorted, negative or not as many as stated; the errors of encoding/json.
func (v *Intervals) UnmarshalJSON(text []byte) error {
	return v.r.unmarshal("Intervals", text, 0, math.MaxFloat64, func(r *ranks) bool {
		return len(r.Scores) > 0 && r.Kind == "" && r.Seed == 0
	})
}

// mostKept is the largest number of scores that are kept for a target.
const mostKept = 10000

// ranks are the sorted conformal scores of each target, or of the classes: all of them, or, for more than mostKept rows,
// the ⌈j·rows/mostKept⌉-th for j = 1, 2, ..., mostKept.
type ranks struct {
	Kind   string      `json:"method,omitempty"` // of Sets
	Seed   uint64      `json:"seed,omitempty"`   // of AdaptiveRandomised
	InStd  bool        `json:"scaled,omitempty"` // of Intervals in units of std
	N      int         `json:"rows"`
	Scores [][]float64 `json:"scores"`
}

// add adds the scores of a target, which it sorts.
func (r *ranks) add(scores []float64) {
	slices.Sort(scores)
	n := len(scores)
	kept := scores
	if n > mostKept {
		kept = make([]float64, mostKept)
		for j := range kept {
			kept[j] = scores[((j+1)*n+mostKept-1)/mostKept-1]
		}
	}
	r.N, r.Scores = n, append(r.Scores, kept)
}

// at is for each target the ⌈(rows+1)·level⌉-th smallest score, or the next larger one that was kept.
func (r *ranks) at(who string, level float64) ([]float64, error) {
	if r.N == 0 {
		return nil, notFitted(who)
	}
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("train: %s: level = %v is not between 0 and 1; 0.9 covers nine rows of ten: %w", who,
			level, domain.ErrParam)
	}
	q := place(r.N, level)
	if q > r.N {
		return nil, fmt.Errorf("train: %s: the level %v needs the scores of %d rows at least, and there are %d; "+
			"hold more rows out, or lower the level: %w", who, level, rowsFor(level), r.N, domain.ErrShape)
	}
	out := make([]float64, len(r.Scores))
	for j, kept := range r.Scores {
		out[j] = kept[(q-1)*len(kept)/r.N]
	}
	return out, nil
}

func notFitted(who string) error {
	return fmt.Errorf("train: %s: they have not been fitted; use Fit%s or UnmarshalJSON: %w", who, who, domain.ErrParam)
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

func (r *ranks) marshal(who string) ([]byte, error) {
	if r.N == 0 {
		return nil, notFitted(who)
	}
	return json.Marshal(*r)
}

// unmarshal reads what marshal wrote, of scores from least to most.
func (r *ranks) unmarshal(who string, text []byte, least, most float64, ok func(r *ranks) bool) error {
	var t ranks
	if err := strictly(who, text, &t); err != nil {
		return err
	}
	good := t.N > 0 && ok(&t)
	for _, s := range t.Scores {
		good = good && len(s) == min(t.N, mostKept) && finite(s...) && slices.IsSorted(s)
		good = good && s[0] >= least && s[len(s)-1] <= most
	}
	if !good {
		return fmt.Errorf("train: %s: the JSON has no sorted scores from %.0f to %.3g of %d rows; write it by "+
			"MarshalJSON: %w", who, least, most, t.N, domain.ErrParam)
	}
	*r = t
	return nil
}
