package data

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// tableRows are the rows held of a file whose columns are features, labels and row names. The readers of CSV, arrays
// and registered tables share it. The features are numbers or, for Options.Columns and for a Frame, cells.
type tableRows struct {
	*source
	names      []string // of the columns, nil if the file has none
	targets    *targets
	at         roles // the roles of the columns
	x          []float64
	ids        []string
	rows, done int // rows held; rows taken
	want       int // the number of rows to hold

	cells  []Column // of all columns; nil: the features are in x
	looked []int    // the columns whose numbers or cells are collected
	lines  []int    // of the cells, where the file is text
	plan   *plan    // positions of the inputs of Options.Columns; nil for a Frame
	said   map[string]bool
}

// start decides what the columns of a table are. what names the table, or its line, for messages.
func (p *tableRows) start(what string, line, width int) (err error) {
	if p.at, err = p.o.rolesOf(p.names, width); err != nil {
		e := newError(p.name, line, ErrFormat, "%v", err)
		var missing *missingColumn
		if errors.As(err, &missing) {
			e.Column, e.Err = missing.name, ErrColumn
		}
		return e
	}
	p.targets.names, p.targets.places = p.names, p.at.labels
	d := len(p.at.features)
	p.looked = p.at.features
	switch {
	case d == 0:
		return p.fail(line, ErrFormat,
			"%s has no features beside the label; read it without a label if its one column is a feature", what)
	case !p.o.tables():
		if p.o.Dims > 0 && d != p.o.Dims {
			return p.fail(line, domain.ErrShape, "%s has %d features, want %d (label %v)", what, d, p.o.Dims, p.o.Label)
		}
		return nil
	}
	p.cells = make([]Column, width)
	if c := p.o.Columns; c != nil && !p.o.frames {
		if p.plan, err = c.find(namesFor(p.names, width), p.names != nil, p.at.feature); err != nil {
			return p.wrap(err)
		}
		for _, note := range p.plan.told {
			p.tell("%s", note)
		}
		p.looked, p.said = p.plan.inputs, map[string]bool{}
	}
	p.let()
	return nil
}

// reserve makes room in x for n more rows, or for all that are expected.
func (p *tableRows) reserve(n int) {
	d := len(p.at.features)
	if cap(p.x)-len(p.x) >= n*d {
		return
	}
	more := max(n*d, len(p.x))
	if rest := p.expected((p.done + p.rows) * d); rest > 0 {
		more = max(n*d, rest)
	}
	if left := max(n, p.want-p.rows); left < more/d {
		more = left * d
	}
	p.x = grown(p.x, more)
}

// column names column j for messages, counted from 1.
func (p *tableRows) column(j int) string { return columnName(p.names, j) }

// addText takes the text of a cell in column j. line or, if that is 0, row is its place for an error about a text that
// is not UTF-8.
func (p *tableRows) addText(line, row, j int, text string) error {
	c := &p.cells[j]
	c.add(text, func(t string) (float64, flaw) { return p.number(line, t) })
	if t := c.Texts; t == nil || int(t.Codes[len(t.Codes)-1]) < len(t.Distinct)-1 || utf8.ValidString(text) {
		return nil // texts that are there already were checked
	}
	what := p.column(j)
	if line == 0 {
		what = fmt.Sprintf("row %d, %s", row, what)
	}
	return p.notUTF8(line, what, text)
}

func (p *tableRows) inHand() (stored, d int) {
	d = len(p.at.features)
	if p.plan != nil {
		d = p.o.Columns.Dims()
	}
	return p.rows * d, d
}

func (p *tableRows) fixed() bool { return true }

// let releases the rows held.
func (p *tableRows) let() {
	p.done += p.rows
	p.x, p.ids, p.lines, p.rows = make([]float64, 0, len(p.x)), nil, nil, 0
	if p.cells != nil {
		p.cells = make([]Column, len(p.cells))
		for _, j := range p.looked {
			p.cells[j].Numbers = []float64{}
		}
	}
	p.targets.letGo()
}

// frame returns the rows held with their targets, and releases them.
func (p *tableRows) frame() *Frame {
	defer p.let()
	names := namesFor(p.names, len(p.cells))
	f := &Frame{Names: names, Named: p.names != nil, Y: p.targets.y, Labels: p.targets.labels,
		LabelNames: at(names, p.at.labels), IDs: p.ids, Source: p.name, Tell: p.o.Tell,
		columns: p.cells, rows: p.rows, lines: p.lines, said: p.said}
	if p.at.id >= 0 {
		f.idName = names[p.at.id]
	}
	return f
}

func (p *tableRows) take(_ int, sparse bool) (set *Set, err error) {
	if p.plan != nil {
		set, err = p.o.Columns.set(p.frame(), p.plan)
	} else {
		set = p.set(denseOf(p.x, p.rows, len(p.at.features)), p.targets)
		set.IDs = p.ids
		if p.names != nil {
			set.Names, set.LabelNames = at(p.names, p.at.features), at(p.names, p.at.labels)
		} else if len(p.at.labels) > 1 {
			for _, j := range p.at.labels {
				set.LabelNames = append(set.LabelNames, strconv.Itoa(j+1))
			}
		}
		p.let()
	}
	if err == nil && sparse {
		set.X, err = ops.CSROf(set.X.(*tensor.Dense))
	}
	if err != nil {
		return nil, err
	}
	return set, nil
}

// tell calls Tell with a note about the file.
func (s *source) tell(format string, args ...any) {
	if s.o.Tell != nil {
		s.o.Tell(s.name + ": " + fmt.Sprintf(format, args...))
	}
}
