package data

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Table is a file whose columns another package decodes, such as train/data/parquet.
type Table interface {
	// Columns returns the names of the columns, in order.
	Columns() []string
	// Next decodes up to most further rows into one Column for each column, all of one length; it returns io.EOF when
	// there are none. An error about a cell names its row, from 0, and its column. A missing value is a gap.
	Next(most int) ([]Column, error)
	Close() error
}

// Column holds some cells of a column: numbers, or else texts.
type Column struct {
	Numbers []float64 // NaN for a gap
	Texts   []string
	Gaps    []bool // which cells have no value; nil: all have one
	Times   bool   // whether the numbers are days since 1970

	// If length is not 0, it is the number of cells, of which cell i is Numbers[i*stride].
	length, stride int
}

// Len returns the number of cells.
func (c Column) Len() int { return cmp.Or(c.length, max(len(c.Numbers), len(c.Texts))) }

// number is cell i, a number.
func (c Column) number(i int) float64 { return c.Numbers[i*max(c.stride, 1)] }

// tables are the formats that packages have registered, by extension.
var tables = map[string]func(f *os.File) (Table, error){}

// RegisterTable makes files with an extension such as ".parquet" readable by Read and OpenStream. Call it in init
// functions; it is not safe for concurrent use. open reads the file from its start, and Table.Close closes it. It
// panics for an extension without its dot and for a nil open.
func RegisterTable(extension string, open func(f *os.File) (Table, error)) {
	if !strings.HasPrefix(extension, ".") || open == nil {
		panic(fmt.Sprintf("data: RegisterTable: the extension %q is to begin with a dot, and open not to be nil", extension))
	}
	tables[extension] = open
}

// tableFile reads the rows of a Table.
type tableFile struct {
	tableRows
	t    Table
	read int // rows, with those that are left out
}

func newTable(f *os.File, path string, o Options, open func(f *os.File) (Table, error)) (rows, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	s := &source{name: path, o: o, meter: &meter{total: info.Size()}}
	t, err := open(f)
	if err != nil {
		return nil, s.wrap(err)
	}
	names := t.Columns()
	p, err := newTableFile(s, t, "the table", names, len(names))
	if err != nil {
		t.Close()
		return nil, err
	}
	s.shut = append(s.shut, func() { t.Close() })
	return p, nil
}

// newTableFile reads a table of so many columns.
func newTableFile(s *source, t Table, what string, names []string, width int) (rows, error) {
	p := &tableFile{tableRows: tableRows{source: s, names: names, targets: newTargets(s, "row")}, t: t}
	if err := p.start(what, 0, width); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *tableFile) more(most int) (int, error) {
	had := p.rows
	p.want = had + most
	for p.rows-had < most {
		columns, err := p.t.Next(most - (p.rows - had))
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, p.placed(err)
		}
		if err := p.add(p.labelled(columns)); err != nil {
			return 0, err
		}
	}
	if p.done+p.rows == 0 {
		return 0, p.targets.none("")
	}
	return p.rows - had, nil
}

// labelled are the columns without the rows that lack a label.
func (p *tableFile) labelled(columns []Column) []Column {
	if !p.o.DropUnlabelled {
		return columns
	}
	n := columns[0].Len()
	keep := make([]int, 0, n)
	for i := range n {
		if !slices.ContainsFunc(p.at.labels, func(j int) bool { return p.targets.lacks(p.read+i, []byte(columns[j].text(i))) }) {
			keep = append(keep, i)
		}
	}
	p.read += n
	out := make([]Column, len(columns))
	for j, c := range columns {
		out[j].Times = c.Times
		if c.Numbers == nil {
			out[j].Texts = pick(c.Texts, keep)
		}
		for _, i := range keep {
			if c.Numbers != nil {
				out[j].Numbers = append(out[j].Numbers, c.number(i))
			}
		}
		if c.Gaps != nil {
			out[j].Gaps = pick(c.Gaps, keep)
		}
	}
	return out
}

// add takes a piece of every column.
func (p *tableFile) add(columns []Column) error {
	d, at, n := len(p.at.features), p.done+p.rows, columns[0].Len()
	if n == 0 { // none has a label
		return nil
	}
	if err := p.allow(p.rows+n, d); err != nil {
		return err
	}
	if p.cells == nil {
		if err := p.plain(columns, at); err != nil {
			return err
		}
	}
	for i := range n {
		for _, j := range p.at.labels {
			if err := p.targets.addCell(at+i, columns[j], i); err != nil {
				return err
			}
		}
	}
	if p.cells != nil {
		p.rows += n
		return p.cells.columns(columns, at)
	}
	if p.at.id >= 0 {
		for i := range n {
			p.ids = append(p.ids, columns[p.at.id].text(i))
		}
	}
	p.reserve(n)
	x := p.x[len(p.x) : len(p.x)+n*d]
	for k, j := range p.at.features {
		c := columns[j]
		if c.Numbers == nil {
			return p.badCell(0, columnName(p.names, j), at, k, c.Texts[0], 0, noNumber)
		}
		if c.stride > 0 {
			continue
		}
		for i, v := range c.Numbers {
			x[i*d+k] = v
		}
	}
	for i := range n {
		row := x[i*d : (i+1)*d]
		if c := columns[0]; c.stride > 0 { // the cells of all columns, row by row
			cells := c.Numbers[i*c.stride:][:c.stride]
			for k, j := range p.at.features {
				row[k] = cells[j]
			}
		}
		if k := notFiniteAt(row); k >= 0 {
			return p.badCell(0, columnName(p.names, p.at.features[k]), at+i, k, "-", row[k], notFinite)
		}
	}
	p.x, p.rows = p.x[:len(p.x)+n*d], p.rows+n
	return nil
}

// plain returns an error for columns that cannot be used as numbers and labels directly.
func (p *tableFile) plain(columns []Column, row int) error {
	for j, c := range columns {
		if i := slices.Index(c.Gaps, true); i >= 0 {
			return p.fail(0, ErrFormat, "row %d has no value in %s; drop the row or fill the value in", row+i, columnName(p.names, j))
		}
		if c.Times {
			return p.fail(0, ErrFormat, "the column %s is of dates or times; write it as a double", quote(p.names[j]))
		}
	}
	return nil
}

// text is cell i as a label, "" for a gap.
func (c Column) text(i int) string {
	switch {
	case c.Gaps != nil && c.Gaps[i]:
		return ""
	case c.Numbers == nil:
		return c.Texts[i]
	case c.Times:
		return dayTime(c.number(i)).Format(time.RFC3339Nano)
	}
	return strconv.FormatFloat(c.number(i), 'g', -1, 64)
}

// columns takes a piece of every column, whose rows begin at row.
func (t *tableCells) columns(columns []Column, row int) error {
	for _, j := range t.looked {
		from, to := columns[j], &t.cells[j]
		for i := range from.Len() {
			if from.Numbers == nil {
				text := from.text(i)
				to.add(text, cellNumber)
				if d := to.texts; d != nil && d.fresh() && !utf8.ValidString(text) {
					return t.s.notUTF8(0, fmt.Sprintf("row %d, %s", row+i, columnName(t.names, j)), text)
				}
				continue
			}
			v := from.number(i)
			if math.IsInf(v, 0) {
				return t.s.badCell(0, columnName(t.names, j), row+i, j, "-", v, notFinite)
			}
			to.times = to.times || from.Times
			switch {
			case to.texts == nil:
				to.numbers = append(to.numbers, v)
			case v != v:
				to.texts.add("")
			default:
				to.texts.add(to.format(v))
			}
		}
	}
	if t.at.id >= 0 {
		for i := range columns[t.at.id].Len() {
			t.ids = append(t.ids, columns[t.at.id].text(i))
		}
	}
	return nil
}
