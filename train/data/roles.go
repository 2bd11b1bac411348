package data

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bochner-go/bochner/ops/domain"
)

// roles say what the columns of a table are, by their numbers from 0.
type roles struct {
	features, labels []int // features in increasing order
	id               int   // -1 for none
}

// feature says whether column j is a feature.
func (r roles) feature(j int) bool {
	_, is := slices.BinarySearch(r.features, j)
	return is
}

// rolesOf says what the columns of a table are; names is nil if it has none.
func (o Options) rolesOf(names []string, width int) (roles, error) {
	r := roles{id: -1}
	var err error
	if r.labels, err = o.labelPlaces(names, width); err != nil {
		return r, err
	}
	if o.ID != "" {
		if r.id, err = placeOf(o.ID, names, width); err != nil {
			return r, fmt.Errorf("the column of the rows' names: %w", err)
		}
		if slices.Contains(r.labels, r.id) {
			return r, fmt.Errorf("the column %s is to be both the label and the name of the row", quote(o.ID))
		}
	}
	r.features = make([]int, 0, width)
	for j := range width {
		if !slices.Contains(r.labels, j) && j != r.id && !(o.bags && names[j] == bagLabel) {
			r.features = append(r.features, j)
		}
	}
	return r, nil
}

// labelPlaces are the columns of labels or targets.
func (o Options) labelPlaces(names []string, width int) (at []int, err error) {
	if o.Label == LabelNone && o.LabelNames == nil {
		return nil, nil
	}
	wanted := o.LabelNames
	if c := o.Columns; wanted == nil && c != nil && c.Labels != nil {
		wanted = c.Labels
		if !c.Named {
			at = c.labelPlaces()
			if slices.ContainsFunc(at, func(j int) bool { return j >= width }) || width != c.Width {
				return nil, fmt.Errorf("the table has %d columns, and the training rows had %d, the labels among them", width, c.Width)
			}
			return at, nil
		}
	}
	if wanted == nil {
		switch o.Label {
		case LabelLast:
			return []int{width - 1}, nil
		case LabelFirst:
			return []int{0}, nil
		}
	}
	for _, name := range wanted {
		j, err := placeOf(name, names, width)
		if err != nil {
			return nil, fmt.Errorf("the label: %w", err)
		}
		if slices.Contains(at, j) {
			return nil, fmt.Errorf("the label: column %s is there twice", quote(name))
		}
		at = append(at, j)
	}
	return at, nil
}

// namesOf says whether the fields of a first line are names: all names in the options are among them, as texts.
func (o Options) namesOf(first []string) bool {
	wanted, at := slices.Clone(o.LabelNames), placesByName(first)
	if c := o.Columns; c != nil && c.Named {
		for _, in := range c.Inputs {
			wanted = append(wanted, in.Name)
		}
	}
	for _, name := range wanted {
		if _, is := at[name]; !is {
			return false
		}
		if _, err := strconv.Atoi(name); err == nil {
			return false
		}
	}
	return len(wanted) > 0
}

// placeOf is the column with that name or, if no column has it, with that number from 1.
func placeOf(name string, names []string, width int) (int, error) {
	if j := slices.Index(names, name); j >= 0 {
		return j, nil
	}
	n, err := strconv.Atoi(name)
	if err == nil && n >= 1 && n <= width {
		return n - 1, nil
	}
	missing := &missingColumn{name: name}
	switch {
	case err == nil:
		missing.text = fmt.Sprintf("there is no column %d; the table has %d", n, width)
	case names == nil:
		missing.text = fmt.Sprintf("no column is named %s: the file has no header; say the number of the column, from 1", quote(name))
	default:
		missing.text = fmt.Sprintf("no column is named %s%s; the columns are %s", quote(name), domain.Guess(name, names), listed(names, 20))
	}
	return 0, missing
}

// columnName names a column for messages, counted from 1.
func columnName(names []string, j int) string {
	if names == nil {
		return fmt.Sprintf("column %d", j+1)
	}
	return fmt.Sprintf("column %d (%s)", j+1, quote(names[j]))
}

// namesFor returns the names of width columns, made up if names is nil.
func namesFor(names []string, width int) []string {
	if names != nil {
		return names
	}
	names = make([]string, 0, width)
	for j := range width {
		names = append(names, fmt.Sprintf(madeUp, j+1))
	}
	return names
}

// at returns the elements at the given indices.
func at(list []string, places []int) []string {
	var out []string
	for _, j := range places {
		out = append(out, list[j])
	}
	return out
}
