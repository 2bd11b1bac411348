package data

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/stat"
)

// Look is a summary of a table: what its columns hold, and how Learn uses them.
type Look struct {
	Source     string        `json:"source"`
	Rows       int           `json:"rows"`
	Duplicates int           `json:"duplicates"` // rows that equal an earlier row, the label included
	Labels     []string      `json:"labels"`     // names of the columns of labels or targets
	Classes    []LevelLook   `json:"classes,omitempty"`
	Columns    []*ColumnLook `json:"columns"`
}

// LevelLook is a value and the number of rows that have it.
type LevelLook struct {
	Level string `json:"level"`
	Rows  int    `json:"rows"`
}

// ColumnLook is the summary of a column, or of a target of regression.
type ColumnLook struct {
	Name     string      `json:"name"`
	Kind     Kind        `json:"kind,omitempty"` // "" for a column that is left out
	Left     string      `json:"left,omitempty"` // why it is left out
	Missing  int         `json:"missing"`
	Distinct int         `json:"distinct"`
	Least    float64     `json:"least"` // for numbers, and for times in days since 1970
	Median   float64     `json:"median"`
	Most     float64     `json:"most"`
	Levels   []LevelLook `json:"levels,omitempty"` // the most frequent texts, at most 10
	Becomes  int         `json:"becomes"`          // the number of matrix columns
	// Tells measures how well the column alone predicts the label. For classes it is the share of rows whose class is
	// the most frequent one among the other rows with the same value, in the same of 32 ranges, or without a value. For
	// a single target it is the squared correlation, with the mean of the column in its gaps.
	Tells float64 `json:"tells"`
	// Bins are the numbers of rows in 20 ranges of equal width from Least to Most; nil for texts.
	Bins []int `json:"bins,omitempty"`
}

// Look summarises the rows by the columns that Learn made of them. Errors: domain.ErrParam for a nil frame or nil
// columns; ErrFormat for columns that do not belong to the frame; domain.ErrShape for another number of columns without
// names.
func (f *Frame) Look(c *Columns) (*Look, error) {
	if f == nil || c == nil {
		return nil, fmt.Errorf("data: Look: the frame or its columns are nil: %w", domain.ErrParam)
	}
	l := &Look{Source: f.Source, Rows: f.rows, Labels: f.LabelNames, Duplicates: f.duplicates()}
	if f.Labels != nil {
		l.Classes = levelsOf(f.Labels)
	}
	if _, err := c.findIn(f); err != nil {
		return nil, err
	}
	inputs, why := map[string]*Input{}, map[string]string{}
	for i := range c.Inputs {
		inputs[c.Inputs[i].Name] = &c.Inputs[i]
	}
	for _, left := range c.Left {
		why[left.Name] = left.Why
	}
	for j, name := range f.Names {
		col := &f.columns[j]
		if col.skipped() {
			continue
		}
		in := inputs[name]
		if in != nil && in.Kind == Time && in.Layout != "" {
			col = col.asTimes(in.Layout)
		}
		look := f.lookAt(name, col)
		if look.Left = why[name]; in != nil {
			look.Kind, look.Becomes = in.Kind, in.width()
		}
		l.Columns = append(l.Columns, look)
	}
	return l, nil
}

// asTimes turns texts into days since 1970; a text in another layout counts as missing.
func (c *Column) asTimes(layout string) *Column {
	out := &Column{Times: true}
	for i := range c.Len() {
		at, err := time.Parse(layout, c.text(i))
		if out.Numbers = append(out.Numbers, math.NaN()); err == nil {
			out.Numbers[i] = timeDays(at)
		}
	}
	return out
}

// LookTargets summarises the targets of regression like columns.
func (f *Frame) LookTargets() (all []*ColumnLook) {
	k := f.Targets()
	for t := range k {
		col := &Column{Numbers: make([]float64, f.rows)}
		for i := range col.Numbers {
			col.Numbers[i] = f.Y[i*k+t]
		}
		plain := Frame{rows: f.rows}
		name := ""
		if t < len(f.LabelNames) {
			name = f.LabelNames[t]
		}
		all = append(all, plain.lookAt(name, col))
	}
	return all
}

// levelsOf counts texts, the most frequent first.
func levelsOf(texts []string) []LevelLook {
	counts := map[string]int{}
	for _, t := range texts {
		counts[t]++
	}
	var all []LevelLook
	for _, t := range byCount(counts) {
		all = append(all, LevelLook{t, counts[t]})
	}
	return all
}

// byCount are counted texts, the most frequent first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// lookAt looks at a column.
func (f *Frame) lookAt(name string, col *Column) *ColumnLook {
	look := &ColumnLook{Name: name}
	var there []int              // rows that have a value
	group := make([]int, f.rows) // the value of each row, or its range
	for i := range f.rows {
		if group[i] = -1; !col.gap(i) {
			there = append(there, i)
		}
	}
	look.Missing = f.rows - len(there)
	if len(there) == 0 {
		return look
	}
	if col.Texts != nil {
		texts := make([]string, 0, len(there))
		for _, i := range there {
			texts, group[i] = append(texts, col.text(i)), int(col.Texts.Codes[i])
		}
		look.Levels = levelsOf(texts)
		look.Distinct = len(look.Levels)
		look.Levels = look.Levels[:min(10, len(look.Levels))]
	} else {
		f.lookNumbers(look, col.Numbers, there, group)
	}
	switch {
	case f.Labels != nil:
		look.Tells = tellsClass(f.Labels, group)
	case f.Targets() == 1 && col.Texts == nil:
		look.Tells = squaredCorrelation(col.Numbers, f.Y, there)
	}
	return look
}

// lookNumbers summarises numbers, and groups them by value, or into 32 ranges with about as many rows each.
func (f *Frame) lookNumbers(look *ColumnLook, v []float64, there, group []int) {
	order := slices.Clone(there)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	look.Least, look.Median, look.Most = v[order[0]], v[order[(len(order)-1)/2]], v[order[len(order)-1]]
	look.Bins = make([]int, 20)
	for k, i := range order {
		if k == 0 || v[i] != v[order[k-1]] {
			look.Distinct++
		}
		group[i] = look.Distinct - 1
		bin := 0
		if look.Least < look.Most {
			bin = min(19, int(20*share(v[i], look.Least, look.Most)))
		}
		look.Bins[bin]++
	}
	if look.Distinct <= 32 {
		return
	}
	for k, i := range order {
		if group[i] = 32 * k / len(order); k > 0 && v[i] == v[order[k-1]] {
			group[i] = group[order[k-1]]
		}
	}
}

// tellsClass is the share of rows whose class is the most frequent among the other rows of their group.
func tellsClass(labels []string, group []int) float64 {
	counts := map[int]map[string]int{}
	for i, g := range group {
		of := counts[g]
		if of == nil {
			of = map[string]int{}
			counts[g] = of
		}
		of[labels[i]]++
	}
	right := 0
	for _, of := range counts {
		first, second := 0, 0 // the largest counts
		for _, n := range of {
			first, second = max(first, n), max(second, min(first, n))
		}
		if first-1 > second {
			right += first
		}
	}
	return float64(right) / float64(len(group))
}

// squaredCorrelation is the squared correlation of y and x, which has values in some rows and their mean in the others,
// and 0 if one is constant.
func squaredCorrelation(x, y []float64, there []int) float64 {
	var mx, my, xx, xy float64
	for k, i := range there { // Welford's update
		n := float64(k + 1)
		dx, dy := x[i]-mx, y[i]-my
		mx, my = mx+dx/n, my+dy/n
		xx, xy = xx+dx*(x[i]-mx), xy+dx*(y[i]-my)
	}
	yy := stat.Variance(y, nil) * float64(len(y)-1)
	if r := xy / math.Sqrt(xx) / math.Sqrt(yy); r-r == 0 {
		return r * r
	}
	return 0
}

// duplicates is the number of rows that equal an earlier row.
func (f *Frame) duplicates() (n int) {
	var h maphash.Hash
	seen := make(map[uint64]bool, f.rows)
	k := f.Targets()
	for i := range f.rows {
		h.Reset()
		for j := range f.columns {
			if c := &f.columns[j]; !c.skipped() {
				maphash.WriteComparable(&h, c.text(i))
			}
		}
		if f.Labels != nil {
			maphash.WriteComparable(&h, f.Labels[i])
		}
		for t := range k {
			maphash.WriteComparable(&h, f.Y[i*k+t])
		}
		sum := h.Sum64()
		if seen[sum] {
			n++
		}
		seen[sum] = true
	}
	return n
}
