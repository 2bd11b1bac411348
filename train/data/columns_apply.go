package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bochner-go/bochner/ops/domain"
)

// Set makes a Set of a frame: the matrix [n, c.Dims()] of its inputs, and its labels or targets. f.Tell reports missing
// values and levels that the training rows did not have, and numbers and times far outside their range. Errors:
// domain.ErrShape for a frame that is nil or empty, or has no names and another number of columns; ErrFormat for a
// missing column; ErrFormat, with the row and the column, for a cell of another kind than its column, for a missing
// value if Strict, and for an unknown level under UnknownError.
func (c *Columns) Set(f *Frame) (*Set, error) {
	if f == nil || f.rows == 0 {
		return nil, fmt.Errorf("data: Columns: the frame is nil or has no rows: %w", domain.ErrShape)
	}
	p, err := c.findIn(f)
	if err != nil {
		return nil, err
	}
	for _, note := range p.told {
		f.tell("%s", note)
	}
	return c.set(f, p)
}

// findIn is find for a frame.
func (c *Columns) findIn(f *Frame) (*plan, error) {
	p, err := c.find(f.Names, f.Named, func(j int) bool { return !f.columns[j].skipped() })
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", f.Source, err)
	}
	return p, nil
}

// set makes a Set of a frame whose inputs are where the plan says.
func (c *Columns) set(f *Frame, p *plan) (*Set, error) {
	d := c.Dims()
	if err := domain.CheckSize("data: "+f.Source, 8, f.rows, d); err != nil {
		return nil, err
	}
	x := make([]float64, f.rows*d)
	for k, at := 0, 0; k < len(c.Inputs); k++ {
		in := &c.Inputs[k]
		w := writer{in: in, c: c, f: f, cells: &f.columns[p.inputs[k]], x: x[at:], d: d, width: in.width()}
		if err := w.all(); err != nil {
			return nil, err
		}
		at += w.width
	}
	return &Set{X: denseOf(x, f.rows, d), Y: f.Y, Labels: f.Labels, Names: p.names, LabelNames: f.LabelNames, IDs: f.IDs,
		Source: f.Source, Columns: c, origin: f.origin}, nil
}

// writer writes an input into its columns of a matrix.
type writer struct {
	c       *Columns
	in      *Input
	f       *Frame
	cells   *Column
	x       []float64 // from the first of the columns on
	d       int
	width   int
	gaps    int    // missing values in a column that had none in the training rows
	unknown int    // levels that the training rows did not have
	level   string // the first of them
	far     int    // numbers and times that are farther from those of the training rows than these are from each other
	value   string // the first of them
}

func (w *writer) all() error {
	const few = 10 // distinct values; fewer say little of a range
	in, read := w.in, w.reader()
	least, most := in.Least-(in.Most-in.Least), in.Most+(in.Most-in.Least)
	if in.Kind != Number && in.Kind != Time || in.Distinct < few {
		least, most = math.Inf(-1), math.Inf(1)
	}
	for i := range w.f.rows {
		row := w.x[i*w.d : i*w.d+w.width]
		if !w.cells.gap(i) {
			if err := read(i, row); err != nil {
				return err
			}
			if row[0] < least || row[0] > most {
				if w.far++; w.far == 1 {
					w.value = w.cells.text(i)
				}
			}
			continue
		}
		switch {
		case in.Strict:
			return w.fail(i, "is empty; fill the value in")
		case in.Gap:
			row[w.width-1] = 1
		default:
			w.gaps++
		}
		w.fill(row)
	}
	if w.gaps > 0 && in.Gaps == 0 && w.f.first("gaps "+in.Name) {
		w.f.tell("column %s: %d values are missing, and none was in the training rows; %s takes their place", quote(in.Name), w.gaps, w.filling())
	}
	if w.unknown > 0 && w.f.first("levels "+in.Name) {
		w.f.tell("column %s: %d values, such as %s, were not in the training rows", quote(in.Name), w.unknown, quote(w.level))
	}
	if w.far > 0 && w.f.first("range "+in.Name) {
		w.f.tell("column %s: %d values, such as %s, are far outside the range of the training rows, %s to %s", quote(in.Name), w.far, w.value, w.shown(in.Least), w.shown(in.Most))
	}
	return nil
}

// filling names the value in place of a missing one.
func (w *writer) filling() string {
	if w.in.Kind == Category && w.in.Fill >= 0 {
		return quote(w.in.Levels[int(w.in.Fill)])
	}
	return w.shown(w.in.Fill)
}

// shown is a number or a time as text.
func (w *writer) shown(v float64) string {
	if w.in.Kind == Time {
		return dayTime(v).Format(time.DateOnly)
	}
	return fmt.Sprint(v)
}

// fill writes the value in place of a missing one.
func (w *writer) fill(row []float64) {
	switch in := w.in; in.Kind {
	case Category:
		if in.Fill >= 0 {
			row[int(in.Fill)] = 1
		}
	case Time:
		w.time(row, in.Fill)
	default:
		row[0] = in.Fill
	}
}

func (w *writer) fail(i int, format string, args ...any) error {
	line, row := w.f.placeOf(i)
	e := newError(strings.TrimPrefix(w.f.Source, "data: "), line, ErrFormat, row+"column %s "+format, append([]any{quote(w.in.Name)}, args...)...)
	e.Column = w.in.Name
	return e
}

// reader returns a function that writes the value of row i, which is not missing.
func (w *writer) reader() func(i int, row []float64) error {
	in, c := w.in, w.cells
	switch in.Kind {
	case Category:
		return w.category()
	case Time:
		return func(i int, row []float64) error {
			if c.Times {
				w.time(row, c.Numbers[i])
				return nil
			}
			at, err := time.Parse(in.Layout, c.text(i))
			if err != nil || in.Layout == "" {
				return w.fail(i, "is %s, and a time is written as %s", quote(c.text(i)), cmp.Or(spelt(in.Layout), "a timestamp"))
			}
			w.time(row, timeDays(at))
			return nil
		}
	}
	if c.Texts == nil && !c.Times && len(in.Levels) == 0 {
		return func(i int, row []float64) error {
			if row[0] = c.Numbers[i]; in.Kind == Boolean && row[0] != 0 && row[0] != 1 {
				return w.unseen(i)
			}
			return nil
		}
	}
	return func(i int, row []float64) (err error) {
		row[0], err = w.scalar(i)
		return err
	}
}

// scalar is the number or boolean of row i.
func (w *writer) scalar(i int) (float64, error) {
	in, t := w.in, w.cells.text(i)
	v, flaw := number(t)
	switch {
	case len(in.Levels) == 2 && strings.EqualFold(t, in.Levels[0]) || in.Kind == Boolean && strings.EqualFold(t, "false"):
		return 0, nil
	case len(in.Levels) == 2 && strings.EqualFold(t, in.Levels[1]) || in.Kind == Boolean && strings.EqualFold(t, "true"):
		return 1, nil
	case len(in.Levels) == 2 && (flaw != sound || v != 0 && v != 1):
		return in.Fill, w.unseen(i)
	case in.Kind == Boolean && flaw == sound && v != 0 && v != 1:
		return v, w.unseen(i)
	case flaw == noNumber || w.cells.Times:
		return 0, w.fail(i, "is %s, not a number; correct it, or leave it empty if it is missing", quote(t))
	case flawOf(t) != "":
		return 0, w.fail(i, "is %s, which %s; correct it, or leave it empty if it is missing", quote(t), flawOf(t))
	}
	return v, nil
}

// category writes levels.
func (w *writer) category() func(i int, row []float64) error {
	in, levels, cells := w.in, placesByName(w.in.Levels), *w.cells
	cells.toTexts()
	places := make([]int, len(cells.Texts.Distinct)) // of the distinct texts; -1 for none
	for code, text := range cells.Texts.Distinct {
		places[code] = -1
		if k, ok := levels[text]; ok {
			places[code] = k
		}
	}
	return func(i int, row []float64) error {
		if k := places[cells.Texts.Codes[i]]; k >= 0 {
			row[k] = 1
			return nil
		}
		if in.Other {
			row[len(in.Levels)] = 1
		}
		if w.rare(i) {
			return nil
		}
		return w.unseen(i)
	}
}

// unseen counts a level that the training rows did not have, or refuses it.
func (w *writer) unseen(i int) error {
	if w.c.Unknown == UnknownError {
		text := w.cells.text(i)
		if w.cells.Texts != nil {
			text = quote(text)
		}
		switch in := w.in; {
		case in.Kind == Category:
			return w.fail(i, "is %s, which is none of the levels of the training rows, %s", text, listed(in.Levels, 10))
		case in.Levels == nil:
			return w.fail(i, "is %s, and in the training rows it is 0 or 1", text)
		default:
			return w.fail(i, "is %s, and in the training rows it is %s or %s", text, in.Levels[0], in.Levels[1])
		}
	}
	if w.unknown++; w.unknown == 1 {
		w.level = w.cells.text(i)
	}
	return nil
}

// rare says whether the level of row i is known to be a rare level of the training rows.
func (w *writer) rare(i int) bool {
	if w.in.Other && w.in.Rare == nil {
		return true
	}
	_, found := slices.BinarySearch(w.in.Rare, w.cells.text(i))
	return found
}

// time writes a time.
func (w *writer) time(row []float64, days float64) {
	row[0] = days
	for k, cycle := range w.in.Cycles {
		turn := days - math.Floor(days)
		switch cycle {
		case "weekday":
			turn = math.Mod(math.Floor(days)+4, 7) / 7 // 1970 began on a Thursday
		case "yearday":
			turn = float64(dayTime(days).YearDay()-1) / 365.25
		}
		row[1+2*k], row[2+2*k] = math.Sincos(2 * math.Pi * turn)
	}
}
