package data

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// Classes are the distinct classes of a training set, in order: class i is output i of a head.
type Classes []string

// NewClasses returns the distinct labels, sorted by value if all are numbers and otherwise as text.
func NewClasses(labels []string) Classes {
	values, numbers := make(map[string]float64), true
	for _, l := range labels {
		if _, seen := values[l]; !seen {
			v, f := number(l)
			values[l], numbers = v, numbers && f == sound
		}
	}
	c := slices.Sorted(maps.Keys(values))
	if numbers {
		slices.SortStableFunc(c, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	}
	return c
}

// Check returns an ErrTask for labels that are not classes: there are at least 20 rows, and more than half as many
// classes as rows. If all are numbers or marks of missing values (see ReadFrame), they look like targets.
func (c Classes) Check(rows int) error {
	if rows < 20 || 2*len(c) <= rows {
		return nil
	}
	one, missing := "", ""
	for _, l := range c {
		switch _, f := number(l); {
		case f == sound:
			one = cmp.Or(one, l)
		case isGap(l):
			missing = l
		default:
			return newError("", 0, ErrTask, "%d rows have %d distinct classes, such as %s; name the column of the label (Options.LabelNames, --label)", rows, len(c), quote(l))
		}
	}
	if one == "" {
		return nil
	}
	if missing != "" {
		missing = fmt.Sprintf(", and leave out the rows with %s (Options.DropUnlabelled, --drop-unlabelled)", quote(missing))
	}
	return newError("", 0, ErrTask, "%d rows have %d distinct numbers as classes, such as %s; if these are targets, read them as regression (Options.Task, --task regression)%s", rows, len(c), quote(one), missing)
}

// Index returns the number of the class of each label. Errors: ErrLabel, with the row, for a label that is not a class.
func (c Classes) Index(labels []string) ([]int, error) {
	at, idx := placesByName(c), make([]int, len(labels))
	for row, l := range labels {
		i, ok := at[l]
		if !ok {
			return nil, fmt.Errorf("data: row %d has the label %s, which is none of %s: %w", row, quote(l), c.list(), ErrLabel)
		}
		idx[row] = i
	}
	return idx, nil
}

// list names the classes for a message, at most ten of them.
func (c Classes) list() string {
	names := quoted(c[:min(len(c), 10)])
	if len(names) < len(c) {
		names = append(names, "...")
	}
	return fmt.Sprintf("the %d known classes (%s)", len(c), strings.Join(names, ", "))
}

// OneVersusRest returns regression targets [n, classes] for class numbers 0..classes-1: +1 in the column of the class
// of a row and -1 elsewhere. Errors: domain.ErrShape without labels, domain.ErrParam for fewer than 2 classes and for
// more than memory holds, domain.ErrDomain for a label out of range.
func OneVersusRest(labels []int, classes int) (*mat.Dense, error) {
	if len(labels) == 0 {
		return nil, fmt.Errorf("data: OneVersusRest: there are no labels; give one a row: %w", domain.ErrShape)
	}
	if classes < 2 {
		return nil, fmt.Errorf("data: OneVersusRest: classes = %d, want at least 2: %w", classes, domain.ErrParam)
	}
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, fmt.Errorf("data: OneVersusRest: row %d has the label %d, which is not in 0..%d; number the classes from 0: %w", i, l, classes-1, domain.ErrDomain)
		}
	}
	if err := domain.CheckSize("data: OneVersusRest", 8, len(labels), classes); err != nil {
		return nil, err
	}
	cells := slices.Repeat([]float64{-1}, len(labels)*classes)
	for i, l := range labels {
		cells[i*classes+l] = 1
	}
	return mat.NewDense(len(labels), classes, cells), nil
}

// BalancedWeights returns class weights that give all classes the same total weight: n/(k n_c) for class c, which has
// n_c of the n rows, of k classes. Summed over the rows, the weights give n. Errors: domain.ErrShape for no classes,
// domain.ErrDomain for a class without rows.
func BalancedWeights(counts []int) ([]float64, error) {
	n := 0
	for c, rows := range counts {
		if rows < 1 {
			return nil, fmt.Errorf("data: BalancedWeights: class %d has %d rows, and no weight makes up for none; "+
				"leave it out: %w", c, rows, domain.ErrDomain)
		}
		n += rows
	}
	if n == 0 {
		return nil, fmt.Errorf("data: BalancedWeights: there are no classes: %w", domain.ErrShape)
	}
	out := make([]float64, len(counts))
	for c, rows := range counts {
		out[c] = float64(n) / (float64(len(counts)) * float64(rows))
	}
	return out, nil
}
