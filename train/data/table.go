package data

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
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

// tables are the formats that packages have registered, by extension.
var tables = map[string]func(f *os.File) (Table, error){}

// writers are the formats that Convert writes, by extension.
var writers = map[string]func(path string, names []string, like []Column) (TableWriter, error){".npy": newArray}

// RegisterTable makes files with an extension such as ".parquet" readable by Read and OpenStream, and writable by
// Convert. Call it in init functions; it is not safe for concurrent use. open reads the file from its start, and
// Table.Close closes it. create gets the names of the columns, and columns like those to come, without cells. It panics
// for an extension without its dot, and for a nil open or create.
func RegisterTable(extension string, open func(f *os.File) (Table, error),
	create func(path string, names []string, like []Column) (TableWriter, error)) {
	if !strings.HasPrefix(extension, ".") || open == nil || create == nil {
		panic(fmt.Sprintf("data: RegisterTable: the extension %q is to begin with a dot, and open and create not to be nil",
			extension))
	}
	tables[extension], writers[extension] = open, create
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
	p, err := newTableFile(s, t, "the table", len(t.Columns()))
	if err != nil {
		t.Close()
		return nil, err
	}
	s.shut = append(s.shut, func() { t.Close() })
	return p, nil
}

// newTableFile reads a table of so many columns.
func newTableFile(s *source, t Table, what string, width int) (rows, error) {
	p := &tableFile{tableRows: tableRows{source: s, names: t.Columns(), targets: newTargets(s, "row")}, t: t}
	if err := p.start(what, 0, width); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *tableFile) more(most int) (int, error) {
	p.want = most
	for p.rows < most {
		columns, err := p.t.Next(most - p.rows)
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
	return p.rows, nil
}

// labelled are the columns without the rows that lack a label.
func (p *tableFile) labelled(columns []Column) []Column {
	if !p.o.DropUnlabelled {
		return columns
	}
	n := columns[0].Len()
	keep := make([]int, 0, n)
	for i := range n {
		lacks := func(j int) bool { return p.targets.lacks(p.read+i, []byte(columns[j].text(i))) }
		if !slices.ContainsFunc(p.at.labels, lacks) {
			keep = append(keep, i)
		}
	}
	p.read += n
	out := make([]Column, len(columns))
	for j := range columns {
		out[j] = columns[j].take(keep)
	}
	return out
}

// add takes a piece of every column.
func (p *tableFile) add(columns []Column) error {
	at, n := p.done+p.rows, columns[0].Len()
	if n == 0 { // none has a label
		return nil
	}
	if err := p.allow(p.rows+n, len(p.at.features)); err != nil {
		return err
	}
	add := p.addNumbers
	if p.cells != nil {
		add = p.addCells
	}
	if err := add(columns, at, n); err != nil {
		return err
	}
	for i := range n {
		for _, j := range p.at.labels {
			if err := p.targets.addCell(at+i, &columns[j], i); err != nil {
				return err
			}
		}
		if p.at.id >= 0 {
			p.ids = append(p.ids, columns[p.at.id].text(i))
		}
	}
	p.rows += n
	return nil
}

// addNumbers takes the features of n rows from row on as numbers.
func (p *tableFile) addNumbers(columns []Column, row, n int) error {
	if j := slices.IndexFunc(columns, func(c Column) bool { return c.Times }); j >= 0 {
		return p.fail(0, ErrFormat, "the column %s is of dates or times; write it as a double", quote(p.names[j]))
	}
	p.reserve(n)
	d := len(p.at.features)
	x := p.x[len(p.x) : len(p.x)+n*d]
	for k, j := range p.at.features {
		c := &columns[j]
		if c.Texts != nil {
			return p.badCell(0, p.column(j), row, k, c.text(0), 0, noNumber)
		}
		if c.stride > 0 {
			continue
		}
		for i, v := range c.Numbers {
			x[i*d+k] = v
		}
	}
	for i := range n {
		to := x[i*d : (i+1)*d]
		c := columns[0]
		if c.stride > 0 { // the cells of all columns, row by row
			cells := c.Numbers[i*c.stride:][:c.stride]
			for k, j := range p.at.features {
				to[k] = cells[j]
			}
		}
		if k := notFiniteAt(to); k >= 0 {
			flaw := notFinite
			if c.stride == 0 && math.IsNaN(to[k]) {
				flaw = missing
			}
			return p.badCell(0, p.column(p.at.features[k]), row+i, k, "-", to[k], flaw)
		}
	}
	p.x = p.x[:len(p.x)+n*d]
	return nil
}

// addCells takes the cells of n rows from row on.
func (p *tableFile) addCells(columns []Column, row, n int) error {
	for _, j := range p.looked {
		from, to := &columns[j], &p.cells[j]
		if from.Texts == nil {
			for i := range n {
				if v := from.number(i); math.IsInf(v, 0) {
					return p.badCell(0, p.column(j), row+i, j, "-", v, notFinite)
				}
			}
			to.Times = to.Times || from.Times
			to.join(from)
			continue
		}
		for i := range n {
			if err := p.addText(0, row+i, j, from.text(i)); err != nil {
				return err
			}
		}
	}
	return nil
}
