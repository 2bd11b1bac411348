package data

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// Kind says what the cells of a column are.
type Kind string

// The kinds of columns.
const (
	Number   Kind = "number"
	Boolean  Kind = "boolean"  // 0 and 1, or two words such as no and yes
	Category Kind = "category" // texts, or numbers that ColumnOptions.Categorical declares to be names
	Time     Kind = "time"     // dates, with or without a time of day
)

// Columns says how the columns of a table become the columns of a matrix. Frame.Learn and Stream.Learn make it from
// training rows, and the file of a train.Model keeps it. It finds columns by name, or by position if the training rows
// had no names; rows without names have the columns of Inputs alone, in their order. Each kind becomes:
//
//   - Number: the number itself.
//   - Boolean: 0 or 1.
//   - Category: a column of 0 and 1 for each level.
//   - Time: days since 1970, and the sine and cosine of each of ColumnOptions.Cycles.
type Columns struct {
	Inputs  []Input  `json:"inputs"`  // in the order of the training rows
	Named   bool     `json:"named"`   // whether the inputs are found by name
	Width   int      `json:"width"`   // columns of the training table, the labels included
	Labels  []string `json:"labels"`  // names of the columns of labels or targets; nil if the rows had none
	Left    []Left   `json:"left"`    // columns that are left out
	ID      string   `json:"id"`      // the column whose texts name the rows; "" for none
	Unknown Unknown  `json:"unknown"` // how a level is treated that the training rows did not have
}

// Left is a column that is left out, and why.
type Left struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Input is a column that is used.
type Input struct {
	Name  string `json:"name"`
	Place int    `json:"place"` // position in the training table, from 0
	Kind  Kind   `json:"kind"`
	// Levels are the levels of a category that have a column, or the words for 0 and 1 of a boolean that is text.
	Levels []string `json:"levels,omitempty"`
	Other  bool     `json:"other,omitempty"`  // whether the rare levels of a category share a column
	Rare   []string `json:"rare,omitempty"`   // the rare levels, sorted; nil if there are none, or more than 10,000
	Gap    bool     `json:"gap,omitempty"`    // whether a further column is 1 for a missing value
	Strict bool     `json:"strict,omitempty"` // whether a missing value is an error
	// Fill is the number, boolean or time in place of a missing value. For a category it is the level, from 0, or -1
	// for none.
	Fill   float64  `json:"fill"`
	Layout string   `json:"layout,omitempty"` // the layout of package time for times that are text
	Cycles []string `json:"cycles,omitempty"` // the cycles of a time that have a sine and a cosine

	// Statistics of the training rows.
	Gaps     int     `json:"gaps"`     // missing values
	Distinct int     `json:"distinct"` // distinct values, for numbers and times counted up to 1000
	Least    float64 `json:"least"`    // the least and the largest number or time
	Most     float64 `json:"most"`
}

// cycles are what Cycles may name.
var cycles = []string{"weekday", "yearday", "hour"}

// Unknown says how a level is treated that the training rows did not have.
type Unknown string

const (
	// UnknownOther treats it as one of the rare levels or, if there are none, as no level: its columns are all 0. In a
	// boolean a number counts as itself, and another word as the more frequent one. Options.Tell or Frame.Tell reports it.
	UnknownOther Unknown = "other"
	// UnknownError returns an error that names the cell.
	UnknownError Unknown = "error"
)

// Missing says how a missing value is treated.
type Missing string

const (
	// MissingIndicator replaces it by the median. If the training rows miss values, a further column is 1 for a missing
	// value. For a category that column alone is 1.
	MissingIndicator Missing = "indicator"
	// MissingFill replaces it by the median or the most frequent level.
	MissingFill Missing = "fill"
	// MissingError returns an error that names the cell.
	MissingError Missing = "error"
)

// ColumnOptions says how Learn treats the columns of a table. The zero value decides by their cells. Keep, Drop and
// Categorical hold names, patterns of path.Match, or numbers from 1.
type ColumnOptions struct {
	Keep        []string // the columns to use; nil: all
	Drop        []string // the columns to leave out
	Categorical []string // columns of numbers that are names
	Missing     Missing  // "" is MissingIndicator
	Unknown     Unknown  // "" is UnknownOther
	// Rare is the least number of rows that a level of a category needs for a column of its own; 0 is a hundredth of
	// the rows, at most 10. Rarer levels share a column.
	Rare int
	// Levels is the largest number of levels of a category with columns of their own, the most frequent ones; 0 is 1000,
	// and 256 of more than 50,000 rows.
	Levels int
	// Cycles are the cycles of times that have a sine and a cosine, of weekday, yearday and hour; nil: those that the
	// training rows go through, as a year of days; empty: none. Times without a time of day have no hour.
	Cycles []string
}

func (o ColumnOptions) complete() (ColumnOptions, error) {
	o.Missing, o.Unknown = cmp.Or(o.Missing, MissingIndicator), cmp.Or(o.Unknown, UnknownOther)
	fail := func(format string, args ...any) (ColumnOptions, error) {
		return o, fmt.Errorf("data: ColumnOptions: "+format+": %w", append(args, domain.ErrParam)...)
	}
	switch {
	case !slices.Contains([]Missing{MissingIndicator, MissingFill, MissingError}, o.Missing):
		return fail("Missing = %q is unknown, want indicator, fill or error", o.Missing)
	case !slices.Contains([]Unknown{UnknownOther, UnknownError}, o.Unknown):
		return fail("Unknown = %q is unknown, want other or error", o.Unknown)
	case o.Rare < 0 || o.Levels < 0:
		return fail("Rare = %d or Levels = %d is negative", o.Rare, o.Levels)
	}
	for _, cycle := range o.Cycles {
		if !slices.Contains(cycles, cycle) {
			return fail("Cycles = %q, want some of %s", o.Cycles, strings.Join(cycles, ", "))
		}
	}
	for _, p := range slices.Concat(o.Keep, o.Drop, o.Categorical) {
		if _, err := path.Match(p, ""); err != nil {
			return fail("%q is no pattern: %v", p, err)
		}
	}
	return o, nil
}

// named returns the first name, pattern or number in list that matches column j, and "" if none does. A number that is
// the name of a column is not a position.
func named(list, names []string, j int) string {
	oneWord := strings.NewReplacer("/", "\x00") // which path.Match has for a border
	for _, p := range list {
		ok, _ := path.Match(oneWord.Replace(p), oneWord.Replace(names[j]))
		if ok || p == names[j] || p == fmt.Sprint(j+1) && !slices.Contains(names, p) {
			return p
		}
	}
	return ""
}

// width is the number of matrix columns of an input.
func (in *Input) width() int {
	w := 1 + 2*len(in.Cycles)
	if in.Kind == Category {
		w = len(in.Levels)
		if in.Other {
			w++
		}
	}
	if in.Gap {
		w++
	}
	return w
}

// names are the names of the matrix columns of an input.
func (in *Input) names() (all []string) {
	switch in.Kind {
	case Category:
		for _, l := range in.Levels {
			all = append(all, in.Name+"="+l)
		}
		if in.Other {
			all = append(all, in.Name+"=(other)")
		}
	default:
		all = append(all, in.Name)
	}
	for _, cycle := range in.Cycles {
		all = append(all, in.Name+" sin("+cycle+")", in.Name+" cos("+cycle+")")
	}
	if in.Gap {
		all = append(all, in.Name+"=(missing)")
	}
	return all
}

// Dims returns the number of columns of the matrix.
func (c *Columns) Dims() (d int) {
	for i := range c.Inputs {
		d += c.Inputs[i].width()
	}
	return d
}

// Names returns the names of the columns of the matrix, such as "sex=female".
func (c *Columns) Names() (all []string) {
	for i := range c.Inputs {
		all = append(all, c.Inputs[i].names()...)
	}
	return all
}

// Validate checks that c could come from Learn. Errors: domain.ErrParam.
func (c *Columns) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("data: Columns: "+format+": %w", append(args, domain.ErrParam)...)
	}
	if len(c.Inputs) == 0 {
		return fail("there are no inputs")
	}
	seen := map[string]bool{}
	for _, in := range c.Inputs {
		switch in.Kind {
		case Category:
			if len(in.Levels) == 0 && !in.Other {
				return fail("the category %q has no levels", in.Name)
			}
		case Boolean:
			if len(in.Levels) != 0 && len(in.Levels) != 2 {
				return fail("the boolean %q has %d words, want 2", in.Name, len(in.Levels))
			}
		case Number, Time:
			if len(in.Levels) != 0 {
				return fail("%q is a %s and has levels", in.Name, in.Kind)
			}
		default:
			return fail("the kind %q of %q is unknown", in.Kind, in.Name)
		}
		switch {
		case seen[in.Name] || in.Name == "":
			return fail("the name %q is empty or there twice", in.Name)
		case in.Place < 0 || in.Place >= c.Width:
			return fail("%q is column %d of a table of %d", in.Name, in.Place+1, c.Width)
		case in.Fill-in.Fill != 0 || in.Kind == Category && (in.Fill != float64(int(in.Fill)) || in.Fill < -1 || int(in.Fill) >= len(in.Levels)):
			return fail("the value %v in place of those missing in %q is no number or level", in.Fill, in.Name)
		}
		for _, cycle := range in.Cycles {
			if in.Kind != Time || !slices.Contains(cycles, cycle) {
				return fail("%q is a %s and has the cycle %q", in.Name, in.Kind, cycle)
			}
		}
		seen[in.Name] = true
	}
	if c.Unknown != UnknownOther && c.Unknown != UnknownError {
		return fail("Unknown = %q, want other or error", c.Unknown)
	}
	return nil
}

// plan says where the columns of a table are.
type plan struct {
	inputs []int // the column of each input
	told   []string
	names  []string // of the columns of the matrix
}

// find finds the inputs in a table with the given names. feature says which columns are neither labels nor IDs.
func (c *Columns) find(names []string, isNamed bool, feature func(j int) bool) (*plan, error) {
	p := &plan{names: c.Names()}
	switch {
	case c.Named && !isNamed:
		return p, c.findInOrder(p, len(names), feature)
	case !c.Named:
		return p, c.findPlaces(p, len(names), feature)
	}
	at := placesByName(names)
	familiar := map[string]bool{c.ID: true} // to the training rows
	for _, l := range c.Left {
		familiar[l.Name] = true
	}
	for _, name := range c.Labels {
		familiar[name] = true
	}
	var missing []string
	ordered, last := true, -1
	for _, in := range c.Inputs {
		j, ok := at[in.Name]
		if ok && !feature(j) {
			return nil, c.noFeature(in.Name)
		}
		if !ok {
			missing = append(missing, in.Name)
			continue
		}
		p.inputs = append(p.inputs, j)
		ordered, last = ordered && j > last, j
		familiar[in.Name] = true
	}
	if missing != nil {
		are := "is no column"
		if len(missing) > 1 {
			are = "are no columns"
		}
		return nil, fmt.Errorf("there %s %s; the columns are %s: %w", are, listed(missing, 10), listed(names, 20), ErrFormat)
	}
	var extra []string
	for j, name := range names {
		if feature(j) && !familiar[name] {
			extra = append(extra, name)
		}
	}
	if extra != nil {
		p.told = append(p.told, fmt.Sprintf("the training rows did not have the columns %s, which are ignored", listed(extra, 10)))
	}
	if !ordered {
		p.told = append(p.told, "the columns are in another order than in the training rows, and are found by their names")
	}
	return p, nil
}

// findInOrder matches the features of a table without names to the inputs, in order.
func (c *Columns) findInOrder(p *plan, width int, feature func(j int) bool) error {
	for j := range width {
		if feature(j) {
			p.inputs = append(p.inputs, j)
		}
	}
	if len(p.inputs) != len(c.Inputs) {
		return fmt.Errorf("%d columns have no names, and the model has %d (%s); name them, or leave all others out: %w",
			len(p.inputs), len(c.Inputs), c.list(), ErrFormat)
	}
	p.told = append(p.told, fmt.Sprintf("the columns have no names, and are taken in the order of the model, %s", c.list()))
	return nil
}

// noFeature is the error for an input that is a label or an ID in the table.
func (c *Columns) noFeature(name string) error {
	return fmt.Errorf("the column %s is read as a label or as the name of the row, and the model learned from it; "+
		"its labels are %s: %w", quote(name), cmp.Or(strings.Join(quoted(c.Labels), ", "), "in no column"), ErrFormat)
}

// findPlaces finds the inputs of a table without names, with or without the labels.
func (c *Columns) findPlaces(p *plan, width int, feature func(j int) bool) error {
	labels := c.labelPlaces()
	switch width {
	case c.Width:
		labels = nil
	case c.Width - len(labels):
	default:
		return fmt.Errorf("the table has %d columns, and the training rows had %d: %w", width, c.Width, domain.ErrShape)
	}
	slices.Sort(labels)
	for _, in := range c.Inputs {
		before, _ := slices.BinarySearch(labels, in.Place) // labels
		j := in.Place - before
		if !feature(j) {
			return c.noFeature(in.Name)
		}
		p.inputs = append(p.inputs, j)
	}
	return nil
}

// labelPlaces are the columns of labels of a table without names.
func (c *Columns) labelPlaces() (at []int) {
	for _, name := range c.Labels {
		var j int
		if _, err := fmt.Sscanf(name, madeUp, &j); err == nil {
			at = append(at, j-1)
		}
	}
	return at
}

// madeUp is the name of a column without a name.
const madeUp = "column %d"

// listed are the first names for a message.
func listed(names []string, most int) string { return strings.Join(cut(quoted(names), most), ", ") }

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return out
}

// cut shortens a list for a message.
func cut(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("... (%d)", len(list)))
}

// list names the inputs for a message.
func (c *Columns) list() string {
	var names []string
	for _, in := range c.Inputs {
		names = append(names, in.Name)
	}
	return listed(names, 10)
}

// UnmarshalJSON reads columns and validates them. Errors: as for Validate and encoding/json; c is then as before.
func (c *Columns) UnmarshalJSON(text []byte) error {
	type plain Columns
	read := new(Columns)
	if err := json.Unmarshal(text, (*plain)(read)); err != nil {
		return err
	}
	if err := read.Validate(); err != nil {
		return err
	}
	*c = *read
	return nil
}
