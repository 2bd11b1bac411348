package data

import (
	"errors"
	"fmt"
	"math"
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
	first      int // the first line of CSV that is not blank
	row        fields
	bags       map[string]int // for Options.bags: the first row of each bag

	cells  []Column // of all columns; nil: the features are in x
	looked []int    // the columns whose numbers or cells are collected
	lines  []int    // of the cells, where the file is text
	plan   *plan    // positions of the inputs of Options.Columns; nil for a Frame
	said   map[string]bool
}

// fields are a row as it is read.
type fields struct {
	numbers []float64 // of fields that are finite numbers; NaN or an infinity for others
	texts   [][]byte  // of the others, trimmed; nil: their numbers as texts
	bytes   []byte    // the memory of texts
}

// text is the text of field j, which is no finite number.
func (f *fields) text(j int) []byte {
	if f.texts == nil {
		return strconv.AppendFloat(nil, f.numbers[j], 'g', -1, 64)
	}
	return f.texts[j]
}

// clear makes room for the texts of another row.
func (f *fields) clear() { f.bytes = f.bytes[:0] }

// set puts a number into field j or, if it is not finite, a text.
func (f *fields) set(j int, v float64, text string) {
	if f.numbers[j] = v; v-v != 0 {
		at := len(f.bytes)
		f.bytes = append(f.bytes, text...)
		f.texts[j] = f.bytes[at:]
	}
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
	p.row = fields{numbers: make([]float64, width), texts: make([][]byte, width)}
	p.bags = map[string]int{}
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

// add takes the row, unless it lacks a label. at is its line, or its number.
func (p *tableRows) add(at int) error {
	for _, j := range p.at.labels {
		if v := p.row.numbers[j]; v-v != 0 && p.targets.lacks(at, p.row.text(j)) {
			return nil
		}
	}
	features := p.addNumbers
	if p.cells != nil {
		features = p.addCells
	}
	if err := features(at); err != nil {
		return err
	}
	for _, j := range p.at.labels {
		if err := p.addLabel(at, j); err != nil {
			return err
		}
	}
	if p.at.id >= 0 {
		if err := p.addID(at); err != nil {
			return err
		}
	}
	p.rows++
	return p.allow(p.rows, len(p.at.features))
}

// addNumbers takes the features as numbers.
func (p *tableRows) addNumbers(at int) error {
	p.reserve(1)
	x := p.x[len(p.x):][:len(p.at.features)]
	for k, j := range p.at.features {
		if x[k] = p.row.numbers[j]; x[k]-x[k] != 0 {
			return p.noFeature(at, k, j)
		}
	}
	p.x = p.x[:len(p.x)+len(x)]
	return nil
}

// noFeature is the error for feature k in field j.
func (p *tableRows) noFeature(at, k, j int) error {
	text := string(p.row.text(j))
	if v, f := number(text); f == sound && lossy(text, v) {
		return p.lossyCell(at, p.column(j), text)
	}
	err := p.badCell(at, p.column(j), p.done+p.rows, k, text)
	if p.mayBeHeader(at, text) {
		err = fmt.Errorf("%w (the line is no header: a header has no number among its features)", err)
	}
	return err
}

// mayBeHeader says whether a line with that field may be a header.
func (p *tableRows) mayBeHeader(at int, field string) bool {
	_, f := number(field)
	return !p.byRow && at == p.first && f == noNumber
}

// addCells takes the fields as cells.
func (p *tableRows) addCells(at int) error {
	for _, j := range p.looked {
		if v := p.row.numbers[j]; v-v == 0 {
			p.cells[j].addNumber(v)
		} else if math.IsInf(v, 0) {
			return p.noFeature(at, j, j)
		} else if err := p.addText(at, j); err != nil {
			return err
		}
	}
	if !p.byRow {
		p.lines = append(p.lines, at)
	}
	return nil
}

// addText takes the text of field j as a cell.
func (p *tableRows) addText(at, j int) error {
	c, text := &p.cells[j], p.row.text(j)
	if c.Texts != nil {
		if code, known := c.Texts.at[string(text)]; known { // and so was checked
			c.Texts.Codes = append(c.Texts.Codes, code)
			return nil
		}
	}
	c.add(string(text), func(t string) (float64, flaw) { return p.number(at, t) })
	if c.Texts != nil && !utf8.Valid(text) {
		return p.notUTF8(at, p.column(j), string(text))
	}
	return nil
}

// addLabel takes field j as the label, or as one of the targets.
func (p *tableRows) addLabel(at, j int) error {
	if v := p.row.numbers[j]; v-v == 0 {
		return p.targets.addNumber(at, v)
	}
	text := p.row.text(j)
	err := p.targets.add(at, text)
	if err != nil && len(text) > 0 && p.mayBeHeader(at, string(text)) {
		err = fmt.Errorf("%w (if line %d is a header, say so)", err, at)
	}
	return err
}

// addID takes the name of the row or, for Options.bags, of its bag, whose rows have one label.
func (p *tableRows) addID(at int) error {
	id := string(p.row.text(p.at.id))
	if v := p.row.numbers[p.at.id]; v-v == 0 {
		id = formatLabel(v)
	}
	p.ids = append(p.ids, id)
	switch {
	case p.cells != nil && !utf8.ValidString(id):
		return p.notUTF8(at, p.column(p.at.id), id)
	case !p.o.bags:
		return nil
	}
	if id == "" {
		return p.fail(at, ErrFormat, "the bag has no name; drop the row or fill it in")
	}
	first, known := p.bags[id]
	if !known {
		p.bags[id] = p.rows
	} else if t := p.targets; t.labels != nil && t.labels[p.rows] != t.labels[first] || t.y != nil && t.y[p.rows] != t.y[first] {
		return p.fail(at, ErrFormat, "bag %s has the label %s and had another; a bag has one label", quote(id),
			quote(string(p.row.text(p.at.labels[0]))))
	}
	return nil
}

// none returns an error if the file has no rows.
func (p *tableRows) none() error {
	if p.done+p.rows == 0 {
		return p.targets.none("")
	}
	return nil
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
		columns: p.cells, rows: p.rows, origin: origin{lines: p.lines}, said: p.said}
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
