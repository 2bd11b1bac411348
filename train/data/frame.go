package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops/domain"
)

// Frame is a table: named columns of numbers, booleans, texts and times, with gaps. Columns.Set turns it into a Set,
// which a map takes. ReadFrame reads one, and NewFrame makes an empty one for rows of a program.
type Frame struct {
	Names      []string  // names of the columns, "column 1" and so on if the file has none
	Named      bool      // whether the file has names
	Y          []float64 // targets [n, k] row by row, in regression; else nil
	Labels     []string  // class of each row, in classification; else nil
	LabelNames []string  // names of the label column or of the k target columns; nil without labels
	IDs        []string  // names of the rows, if Options.ID names their column
	Source     string    // the file
	// Tell receives notes of Learn and Columns about unexpected cells; nil: they are dropped.
	Tell func(note string)

	columns []Column
	idName  string // the column of IDs
	own     bool   // whether NewFrame made it, so that rows can be appended
	rows    int
	origin
	said map[string]bool // notes of Columns about earlier blocks of a file; nil for a whole frame
}

// isGap says whether a text marks a missing value.
func isGap(t string) bool {
	if len(t) > 4 {
		return false
	}
	switch strings.ToLower(t) {
	case "", "na", "n/a", "nan", "-nan", "#n/a", "<na>", "null", "none", `\n`, "?", "-", ".":
		return true
	}
	return t == "NaT" // as pandas writes a missing time; Nat is a name
}

// cellNumber is number, except that a whole number that float64 may have rounded is not a number.
func cellNumber(t string, number func(string) (float64, flaw)) (float64, flaw) {
	v, f := number(t)
	if f == sound && lossy(t, v) {
		f = noNumber
	}
	return v, f
}

// lossy says whether t is a whole number that float64 may have rounded to v.
func lossy(t string, v float64) bool {
	return math.Abs(v) >= 1<<53 && !strings.ContainsAny(t, ".,eE")
}

// NewFrame returns a frame without rows, with columns of the given names. Errors (domain.ErrParam): no name, an empty
// name, the same name twice.
func NewFrame(names ...string) (*Frame, error) {
	f := &Frame{Names: names, Named: true, columns: make([]Column, len(names)), own: true, Source: "data: Frame"}
	if len(names) == 0 {
		return nil, fmt.Errorf("data: NewFrame: there are no names; give one for each column: %w", domain.ErrParam)
	}
	seen := map[string]int{}
	for j, name := range names {
		if other, twice := seen[name]; twice || name == "" {
			return nil, fmt.Errorf("data: NewFrame: the name %q of column %d is empty or that of column %d: %w", name, j+1, other+1, domain.ErrParam)
		}
		seen[name] = j
	}
	return f, nil
}

// Append adds a row. A cell is a float64, an int, a bool, a string, a time.Time, or nil for a missing value; NaN counts
// as missing. A text that is a number counts as a number, and the marks of missing values in ReadFrame count as
// missing.
//
// Errors, which leave the frame as it was: domain.ErrShape for another number of cells; domain.ErrDtype for a cell of
// another type; domain.ErrDomain for a number that is infinite or that float64 cannot hold, an int of 2^53 or more in
// absolute value, and a text that is not UTF-8; domain.ErrParam for a frame that NewFrame did not make.
func (f *Frame) Append(row ...any) error {
	if f == nil || !f.own {
		return fmt.Errorf("data: Frame: rows are appended to a frame that NewFrame made: %w", domain.ErrParam)
	}
	if len(row) != len(f.Names) {
		return fmt.Errorf("data: Frame: row %d has %d cells, and there are %d columns: %w", f.rows, len(row), len(f.Names), domain.ErrShape)
	}
	for j, v := range row {
		if err := f.checkCell(j, v); err != nil {
			return err
		}
	}
	for j, v := range row {
		f.columns[j].append(v)
	}
	f.rows++
	return nil
}

// checkCell returns an error for a cell that no column can take.
func (f *Frame) checkCell(j int, v any) error {
	bad := func(value float64, reason, remedy string) error {
		return &domain.CellError{Who: "data: Frame: column " + quote(f.Names[j]), Row: f.rows, Col: j, Value: value, Reason: reason, Remedy: remedy}
	}
	switch v := v.(type) {
	case nil, bool, time.Time:
	case int:
		if math.Abs(float64(v)) >= 1<<53 {
			return bad(float64(v), "is 2^53 or more in absolute value, where float64 rounds", "give a string if it is a name")
		}
	case float64:
		if math.IsInf(v, 0) {
			return bad(v, "is not a finite number", "give nil where a value is missing")
		}
	case string:
		if value, flaw := number(v); flaw != sound && flaw != noNumber && !isGap(v) {
			reason, remedy := flaw.explain(v)
			return bad(value, reason, remedy)
		}
		if !utf8.ValidString(v) {
			return fmt.Errorf("data: Frame: row %d, column %s: the text %q is not UTF-8: %w", f.rows, quote(f.Names[j]), v, domain.ErrDomain)
		}
	default:
		return fmt.Errorf("data: Frame: row %d, column %s: a %T; want a float64, an int, a bool, a string, a time.Time or nil: %w",
			f.rows, quote(f.Names[j]), v, domain.ErrDtype)
	}
	return nil
}

// append takes a cell that checkCell allows. The first value of a column, if it is a time, makes it a column of times.
func (c *Column) append(v any) {
	switch v := v.(type) {
	case nil:
		c.addNumber(math.NaN())
	case bool:
		c.add(fmt.Sprint(v), number)
	case int:
		c.append(float64(v))
	case float64:
		if c.Times && v == v {
			c.toTexts()
		}
		c.addNumber(v)
	case string:
		text := strings.TrimSpace(v)
		if c.Times && !isGap(text) {
			c.toTexts()
		}
		c.add(text, number)
	case time.Time:
		if c.Texts == nil && !slices.ContainsFunc(c.Numbers, func(v float64) bool { return v == v }) {
			c.Times = true
		}
		if c.Times {
			c.addNumber(timeDays(v))
		} else {
			c.add(v.Format(time.RFC3339Nano), number)
		}
	}
}

// Rows returns the number of rows.
func (f *Frame) Rows() int { return f.rows }

// Targets returns the number of targets of a row, and 0 without targets.
func (f *Frame) Targets() int { return targetsOf(f.Y, f.LabelNames) }

// Take returns a copy of the rows idx, in that order, as a frame. It panics when an index is out of range.
func (f *Frame) Take(idx []int) *Frame {
	mustIndex("data: Frame.Take", f.rows, idx)
	out := *f
	out.own = false
	out.columns, out.rows = make([]Column, len(f.columns)), len(idx)
	for j := range f.columns {
		out.columns[j] = f.columns[j].take(idx)
	}
	out.Y, out.Labels, out.IDs = pick(f.Y, idx, f.Targets()), pick(f.Labels, idx, 1), pick(f.IDs, idx, 1)
	out.origin = f.origin.take(idx)
	return &out
}

// placeOf is the line of row i in the file or, if it is not known, 0 and a text with the number of the row.
func (f *Frame) placeOf(i int) (line int, row string) {
	_, at, line := f.of(f.Source, i)
	if line > 0 {
		return line, ""
	}
	return 0, fmt.Sprintf("row %d: ", at)
}

// where names row i in the file.
func (f *Frame) where(i int) string {
	line, row := f.placeOf(i)
	return strings.TrimSuffix(whereIn(strings.TrimPrefix(f.Source, "data: "), line)+": "+row, ": ")
}

// timeDays returns a time as days since 1970.
func timeDays(t time.Time) float64 { return float64(t.UnixMicro()) / 864e8 }

// dayTime returns the time that is a number of days after 1970.
func dayTime(days float64) time.Time { return time.UnixMicro(int64(math.Round(days * 864e8))).UTC() }
