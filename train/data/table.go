package data

import (
	"fmt"
	"io"
	"math"
	"os"
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
	t Table
}

func newTable(f *os.File, path string, o Options, open func(f *os.File) (Table, error)) (rows, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	s := &source{name: path, o: o, byRow: true, meter: &meter{total: info.Size()}}
	t, err := open(f)
	if err != nil {
		return nil, s.wrap(err)
	}
	s.shut = append(s.shut, func() { t.Close() })
	p := &tableFile{tableRows{source: s, names: t.Columns(), targets: newTargets(s)}, t}
	if err := p.start("the table", 0, len(p.names)); err != nil {
		t.Close()
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
		if err := p.addAll(columns); err != nil {
			return 0, err
		}
	}
	return p.rows, p.none()
}

// addAll takes further rows.
func (p *tableFile) addAll(columns []Column) error {
	for j, c := range columns {
		switch {
		case c.Times && p.cells == nil:
			return p.fail(0, ErrFormat, "the column %s is of dates or times; write it as a double", quote(p.names[j]))
		case c.Times && !p.cells[j].skipped():
			p.cells[j].Times = true
		}
	}
	for i := range columns[0].Len() {
		p.row.clear()
		for j := range columns {
			c := &columns[j]
			switch {
			case c.Texts != nil, c.Times && !p.at.feature(j):
				p.row.set(j, math.NaN(), c.text(i))
			case c.Numbers[i]-c.Numbers[i] != 0:
				p.row.set(j, c.Numbers[i], c.text(i))
			default:
				p.row.numbers[j] = c.Numbers[i]
			}
		}
		if err := p.add(p.done + p.rows); err != nil {
			return err
		}
	}
	return nil
}
