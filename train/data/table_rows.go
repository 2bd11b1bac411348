package data

import (
	"strconv"

	"github.com/bochner-go/bochner/ops/domain"
)

// tableRows are the rows held of a file whose columns are features, labels and row names. The readers of CSV, arrays
// and registered tables share it.
type tableRows struct {
	*source
	names      []string // of the columns, nil if the file has none
	targets    *targets
	at         roles       // the roles of the columns
	cells      *tableCells // nil: the features are numbers, in x
	x          []float64
	ids        []string // of the rows, unless cells have them
	rows, done int      // rows held; rows taken
	want       int      // the number of rows to hold
}

// start decides what the columns of a table are. what names the table, or its line, for messages.
func (p *tableRows) start(what string, line, width int) (err error) {
	if p.at, err = p.o.rolesOf(p.names, width); err != nil {
		return p.fail(line, ErrFormat, "%v", err)
	}
	p.targets.names, p.targets.places = p.names, p.at.labels
	switch d := len(p.at.features); {
	case d == 0:
		return p.fail(line, ErrFormat, "%s has no features beside the label; read it without a label if its one column is a feature", what)
	case p.o.tables():
		p.cells, err = newTableCells(p.source, p.names, p.at, width)
	case p.o.Dims > 0 && d != p.o.Dims:
		return p.fail(line, domain.ErrShape, "%s has %d features, want %d (label %v)", what, d, p.o.Dims, p.o.Label)
	}
	return err
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

func (p *tableRows) inHand() (n, stored, d int) {
	if p.cells != nil {
		return p.cells.inHand(p.rows)
	}
	return p.rows, len(p.x), len(p.at.features)
}

func (p *tableRows) fixed() bool { return true }

// let releases the rows held.
func (p *tableRows) let() {
	p.done += p.rows
	p.x, p.ids, p.rows = make([]float64, 0, len(p.x)), nil, 0
	p.targets.letGo()
}

func (p *tableRows) frame() *Frame {
	defer p.let()
	return p.cells.frame(p.rows, p.targets)
}

func (p *tableRows) take(_ int, sparse bool) (*Set, error) {
	if p.cells != nil {
		return p.cells.set(p.frame(), sparse)
	}
	set, err := p.dense(p.x, p.rows, len(p.at.features), p.targets, sparse)
	if err != nil {
		return nil, err
	}
	set.IDs = p.ids
	if p.names != nil {
		set.Names, set.LabelNames = at(p.names, p.at.features), at(p.names, p.at.labels)
	} else if len(p.at.labels) > 1 {
		for _, j := range p.at.labels {
			set.LabelNames = append(set.LabelNames, strconv.Itoa(j+1))
		}
	}
	p.let()
	return set, nil
}
