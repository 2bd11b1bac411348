package data

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// Table is a file whose columns another package decodes, such as train/data/parquet.
type Table interface {
	// Columns are the names of the columns, in order.
	Columns() []string
	// Next decodes up to most further rows, a Column for each column, all of one length; io.EOF when there are none. What is wrong with
	// a cell it says by row, from 0, and column.
	Next(most int) ([]Column, error)
	Close() error
}

// Column is some cells of a column: numbers, or texts where it is not of numbers.
type Column struct {
	Numbers []float64
	Texts   []string
}

// tables are the formats that packages have registered, by extension.
var tables = map[string]func(f *os.File) (Table, error){}

// RegisterTable makes files of the extension, as in ".parquet", readable by Read and OpenStream. It is for the init functions of packages
// and not safe for concurrent use. open reads the file from its beginning, and closes it with the table.
// It panics for an extension without its dot and for a nil open.
func RegisterTable(extension string, open func(f *os.File) (Table, error)) {
	if !strings.HasPrefix(extension, ".") || open == nil {
		panic(fmt.Sprintf("data: RegisterTable: the extension %q is to begin with a dot, and open not to be nil", extension))
	}
	tables[extension] = open
}

// tableFile is a Table as rows.
type tableFile struct {
	*source
	t               Table
	names           []string
	targets         *targets
	from, to, label int
	x               []float64
	rows, done      int // in hand; taken
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
	p := &tableFile{source: s, t: t, names: t.Columns(), targets: newTargets(s, "row")}
	p.from, p.to, p.label = o.Label.split(len(p.names))
	d := p.to - p.from
	switch {
	case d < 1:
		err = s.fail(0, ErrFormat, "the table has %d columns, and no features; read it with LabelNone if the one is a feature", len(p.names))
	case o.Dims > 0 && d != o.Dims:
		err = s.fail(0, domain.ErrShape, "the table has %d features, want %d (label %v)", d, o.Dims, o.Label)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	s.shut = append(s.shut, func() { t.Close() })
	return p, nil
}

func (p *tableFile) more(most int) (int, error) {
	had := p.rows
	for p.rows-had < most {
		columns, err := p.t.Next(min(most-(p.rows-had), 1<<13))
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, p.wrap(err)
		}
		if err := p.add(columns); err != nil {
			return 0, err
		}
	}
	if p.done+p.rows == 0 {
		return 0, p.fail(0, ErrFormat, "has no rows")
	}
	return p.rows - had, nil
}

// add takes a piece of every column.
func (p *tableFile) add(columns []Column) error {
	d, at, n := p.to-p.from, p.done+p.rows, max(len(columns[0].Numbers), len(columns[0].Texts))
	if err := p.allow(p.rows+n, d); err != nil {
		return err
	}
	for i := range n {
		if p.label < 0 {
			break
		}
		if err := p.targets.add(at+i, []byte(columns[p.label].text(i))); err != nil {
			return err
		}
	}
	base := len(p.x)
	p.x = append(p.x, make([]float64, n*d)...)
	for j, c := range columns[p.from:p.to] {
		name := fmt.Sprintf("column %d (%s)", p.from+j+1, quote(p.names[p.from+j]))
		if c.Numbers == nil {
			return p.badCell(0, name, at, j, c.Texts[0], 0, noNumber)
		}
		for i, v := range c.Numbers {
			if v-v != 0 {
				return p.badCell(0, name, at+i, j, "-", v, notFinite)
			}
			p.x[base+i*d+j] = v
		}
	}
	p.rows += n
	return nil
}

// text is cell i as a label.
func (c Column) text(i int) string {
	if c.Numbers == nil {
		return c.Texts[i]
	}
	return strconv.FormatFloat(c.Numbers[i], 'g', -1, 64)
}

func (p *tableFile) inHand() (n, stored, d int) { return p.rows, len(p.x), p.to - p.from }

func (p *tableFile) fixed() bool { return true }

func (p *tableFile) take(_ int, sparse bool) (*Set, error) {
	set, err := p.dense(p.x, p.rows, p.to-p.from, p.targets, sparse)
	if err != nil {
		return nil, err
	}
	set.Names = p.names[p.from:p.to:p.to]
	if p.label >= 0 {
		set.LabelName = p.names[p.label]
	}
	p.done += p.rows
	p.x, p.rows = make([]float64, 0, len(p.x)), 0
	p.targets.letGo()
	return set, nil
}
