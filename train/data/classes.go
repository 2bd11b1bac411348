package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Classes are the distinct classes of a training set, in order: class i is output i of a head.
type Classes []string

// NewClasses returns the distinct labels, sorted by value if all are numbers and otherwise as text.
func NewClasses(labels []string) Classes {
	seen := make(map[string]bool)
	values := make(map[string]float64)
	var c Classes
	for _, l := range labels {
		if seen[l] {
			continue
		}
		seen[l] = true
		c = append(c, l)
		if v, f := number(l); f == sound {
			values[l] = v
		}
	}
	if len(values) < len(c) {
		slices.Sort(c)
		return c
	}
	slices.SortFunc(c, func(a, b string) int {
		return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b))
	})
	return c
}

// Check returns an ErrTask for classes that look like targets: all are numbers or marks of missing values (see
// ReadFrame), there are at least 20 rows, and more than half as many classes as rows.
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
			return nil
		}
	}
	if one == "" {
		return nil
	}
	if missing != "" {
		missing = fmt.Sprintf(", and leave out the rows with %s (Options.DropUnlabelled, --drop-unlabelled)", quote(missing))
	}
	return fmt.Errorf("data: %d rows have %d distinct numbers as classes, such as %s; if these are targets, read them as regression (Options.Task, --task regression)%s: %w", rows, len(c), quote(one), missing, ErrTask)
}

// Index returns the number of the class of each label. Errors: ErrLabel, with the row, for a label that is not a class.
func (c Classes) Index(labels []string) ([]int, error) {
	at := make(map[string]int, len(c))
	for i, l := range c {
		at[l] = i
	}
	idx := make([]int, len(labels))
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
