package data

import "strconv"

// tableRows are the rows held of a file whose columns are features, labels and row names. The readers of CSV, arrays
// and registered tables share it.
type tableRows struct {
	*source
	names      []string // of the columns, nil if the file has none
	targets    *targets
	at         roles       // the roles of the columns
	cells      *tableCells // nil: the features are numbers, in x
	x          []float64
	rows, done int  // rows held; rows taken
	fresh      bool // whether each piece of rows brings its own memory for x
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
	room := len(p.x)
	if p.fresh {
		room = 0
	}
	p.x, p.rows = make([]float64, 0, room), 0
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
