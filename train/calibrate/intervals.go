package calibrate

import (
	"encoding/json"
	"fmt"
	"math"

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
// FitIntervals, IntervalsOfResiduals and UnmarshalJSON make Intervals. They do not change and are safe for concurrent
// use.
type Intervals struct {
	scaled  bool
	targets []ranked
}

// FitIntervals learns radii from targets y [n, k] of held-out rows and their predicted means [n, k], in the unit of y.
// std [n, k] has the model's standard deviation of each prediction. It makes intervals wider where the model is less
// certain, and need not be right. nil: all intervals of a target have the same width.
//
// Errors: domain.ErrShape for other shapes and no rows; domain.ErrDomain for a number that is not finite, a std that is
// not above 0, and a score that overflows; domain.ErrParam for nil y or mean.
func FitIntervals(y, mean, std *mat.Dense) (*Intervals, error) {
	const who = "Intervals"
	if err := matrix(who, "y", y); err != nil {
		return nil, err
	}
	if err := matrix(who, "mean", mean); err != nil {
		return nil, err
	}
	if err := alike(who, "y", "mean", y, mean); err != nil {
		return nil, err
	}
	n, k := y.Dims()
	r := mat.NewDense(n, k, nil)
	for i := range n {
		for j, v := range y.RawRowView(i) {
			r.Set(i, j, v-mean.At(i, j))
		}
	}
	return IntervalsOfResiduals(r, std)
}

// IntervalsOfResiduals is FitIntervals by the residuals y - mean [n, k]. With leave-one-out residuals it needs no
// held-out rows, and gives the intervals of the jackknife. They cover as often as asked in practice but have no
// guarantee, since the fit that predicts a new row has one row more. Errors: see FitIntervals.
func IntervalsOfResiduals(residuals, std *mat.Dense) (*Intervals, error) {
	const who = "Intervals"
	if err := matrix(who, "residuals", residuals); err != nil {
		return nil, err
	}
	if std != nil {
		if err := checkStd(who, residuals, "residuals", std); err != nil {
			return nil, err
		}
	}
	n, k := residuals.Dims()
	v := &Intervals{scaled: std != nil, targets: make([]ranked, k)}
	for j := range k {
		s := make([]float64, n)
		for i := range s {
			s[i] = math.Abs(residuals.At(i, j))
			if std != nil {
				s[i] /= std.At(i, j)
			}
			if !finite(s[i]) {
				return nil, fmt.Errorf("train: %s: the score of row %d, target %d is %v; scale the targets, or raise std: %w", who, i, j, s[i], domain.ErrDomain)
			}
		}
		v.targets[j] = rank(s)
	}
	return v, nil
}

// checkStd wants a number above 0 for each of m.
func checkStd(who string, m *mat.Dense, name string, std *mat.Dense) error {
	if err := matrix(who, "std", std); err != nil {
		return err
	}
	if err := alike(who, name, "std", m, std); err != nil {
		return err
	}
	n, _ := std.Dims()
	for i := range n {
		for j, v := range std.RawRowView(i) {
			if !(v > 0) {
				return fmt.Errorf("train: %s: std[%d,%d] = %v is not above 0: %w", who, i, j, v, domain.ErrDomain)
			}
		}
	}
	return nil
}

// Rows returns the number of held-out rows n.
func (v *Intervals) Rows() int {
	if len(v.targets) == 0 {
		return 0
	}
	return v.targets[0].rows
}

// Targets returns the number of targets k.
func (v *Intervals) Targets() int { return len(v.targets) }

// Scaled says whether the radii are in units of std.
func (v *Intervals) Scaled() bool { return v.scaled }

// Radius returns the radius for each target, in the unit of the target, or in units of std if FitIntervals had one.
// level is in (0, 1). Errors: domain.ErrParam for another level; domain.ErrShape if the level needs more than n rows,
// with the number that it needs.
func (v *Intervals) Radius(level float64) ([]float64, error) {
	if len(v.targets) == 0 {
		return nil, errNoIntervals
	}
	radius := make([]float64, len(v.targets))
	for j, r := range v.targets {
		var err error
		if radius[j], err = r.at("Intervals", level); err != nil {
			return nil, err
		}
	}
	return radius, nil
}

var errNoIntervals = fmt.Errorf("train: Intervals: they have not been fitted; use FitIntervals or UnmarshalJSON: %w", domain.ErrParam)

// Bounds returns mean ± radius·std for new rows, with mean and std [m, k]; std is nil if FitIntervals had none. Errors:
// see Radius and FitIntervals; domain.ErrParam for a std where FitIntervals had none, and for nil where it had one.
func (v *Intervals) Bounds(level float64, mean, std *mat.Dense) (lower, upper *mat.Dense, err error) {
	const who = "Intervals"
	radius, err := v.Radius(level)
	if err != nil {
		return nil, nil, err
	}
	if err := matrix(who, "mean", mean); err != nil {
		return nil, nil, err
	}
	m, k := mean.Dims()
	if k != len(radius) {
		return nil, nil, fmt.Errorf("train: %s: mean has %d targets, the held-out rows had %d: %w", who, k, len(radius), domain.ErrShape)
	}
	if v.scaled != (std != nil) {
		return nil, nil, fmt.Errorf("train: %s: std must be given where FitIntervals had it, and nowhere else: %w", who, domain.ErrParam)
	}
	if std != nil {
		if err := checkStd(who, mean, "mean", std); err != nil {
			return nil, nil, err
		}
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

// rankedText is the JSON of Intervals and Sets.
type rankedText struct {
	Method string      `json:"method,omitempty"`
	Seed   uint64      `json:"seed,omitempty"`
	Scaled bool        `json:"scaled,omitempty"`
	Rows   int         `json:"rows"`
	Scores [][]float64 `json:"scores"`
}

// MarshalJSON writes the scores, at most 10000 for each target. Errors: domain.ErrParam for intervals that have not
// been fitted.
func (v *Intervals) MarshalJSON() ([]byte, error) {
	if len(v.targets) == 0 {
		return nil, errNoIntervals
	}
	t := rankedText{Scaled: v.scaled, Rows: v.Rows()}
	for _, r := range v.targets {
		t.Scores = append(t.Scores, r.kept)
	}
	return json.Marshal(t)
}

// UnmarshalJSON reads and checks what MarshalJSON wrote; an error leaves v as it was. Errors: domain.ErrParam for
// scores that are not sorted, negative or not as many as stated; the errors of encoding/json.
func (v *Intervals) UnmarshalJSON(text []byte) error {
	var t rankedText
	if err := strictly("Intervals", text, &t); err != nil {
		return err
	}
	ok := len(t.Scores) > 0 && t.Method == "" && t.Seed == 0
	targets := make([]ranked, len(t.Scores))
	for j, s := range t.Scores {
		targets[j] = ranked{t.Rows, s}
		ok = ok && targets[j].usable(0, math.MaxFloat64)
	}
	if !ok {
		return fmt.Errorf("train: Intervals: the JSON has no sorted scores of %d rows; write it by MarshalJSON: %w", t.Rows, domain.ErrParam)
	}
	*v = Intervals{t.Scaled, targets}
	return nil
}
