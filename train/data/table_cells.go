package data

import (
	"fmt"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// tableCells collects the cells of the columns that are used.
type tableCells struct {
	s      *source
	names  []string // of all columns
	named  bool
	at     roles
	looked []int // the columns that are collected
	cells  []column
	ids    []string
	lines  []int
	commas bool  // whether a decimal comma was found
	plan   *plan // positions of the inputs of Options.Columns
	said   map[string]bool
}

// newTableCells collects the columns that Options.Columns uses, or all features.
func newTableCells(s *source, header []string, at roles, width int) (*tableCells, error) {
	t := &tableCells{s: s, names: namesFor(header, width), named: header != nil, at: at, looked: at.features}
	if c := s.o.Columns; c != nil {
		p, err := c.find(t.names, t.named, at.seen(c))
		if err != nil {
			return nil, s.wrap(err)
		}
		for _, note := range p.told {
			s.tell("%s", note)
		}
		t.looked, t.plan, t.said = p.inputs, p, map[string]bool{}
	}
	t.start()
	return t, nil
}

// seen says which columns may be inputs. Without names they are found by position, so labels count as well.
func (r roles) seen(c *Columns) func(j int) bool {
	if c.Named {
		return r.feature
	}
	return func(int) bool { return true }
}

func (t *tableCells) start() {
	t.cells, t.ids, t.lines = make([]column, len(t.names)), nil, nil
	for _, j := range t.looked {
		t.cells[j].numbers = []float64{}
	}
}

// row takes the cells of a line.
func (t *tableCells) row(line int, r *csvRow, comma rune) error {
	read := func(text string) (float64, flaw) {
		v, f := cellNumber(text)
		if f != noNumber || comma == ',' {
			return v, f
		}
		if v, f = numberIn(text, comma); f == sound && !t.commas {
			t.commas = true
			t.s.tell("line %d has the number %s: commas are taken for decimal points", line, quote(text))
		}
		return v, f
	}
	for _, j := range t.looked {
		if v := r.numbers[j]; v == v {
			c := &t.cells[j]
			c.numbers = append(roomy(c.numbers), v)
			continue
		}
		text := string(r.texts[j])
		t.cells[j].add(text, read)
		if d := t.cells[j].texts; d != nil && d.fresh() && !utf8.ValidString(text) {
			return t.s.notUTF8(line, t.column(j), text)
		}
	}
	if j := t.at.id; j >= 0 {
		id := string(r.texts[j])
		if !utf8.ValidString(id) {
			return t.s.notUTF8(line, t.column(j), id)
		}
		t.ids = append(t.ids, id)
	}
	t.lines = append(t.lines, line)
	return nil
}

func (t *tableCells) column(j int) string {
	if !t.named {
		return fmt.Sprintf("column %d", j+1)
	}
	return columnName(t.names, j)
}

// fresh says whether the last cell has the newest text.
func (d *dictionary) fresh() bool {
	return int(d.codes[len(d.codes)-1]) == len(d.texts)-1
}

// inHand counts rows and matrix columns.
func (t *tableCells) inHand(rows int) (n, stored, d int) {
	if d = len(t.looked); t.s.o.Columns != nil {
		d = t.s.o.Columns.Dims()
	}
	return rows, rows * d, d
}

// frame returns the rows held with their targets, and releases them.
func (t *tableCells) frame(rows int, labels *targets) *Frame {
	f := &Frame{Names: t.names, Named: t.named, Y: labels.y, Labels: labels.labels, LabelNames: at(t.names, t.at.labels), IDs: t.ids, Source: t.s.name,
		Tell: t.s.o.Tell, columns: t.cells, rows: rows, lines: t.lines, said: t.said}
	if t.at.id >= 0 {
		f.idName = t.names[t.at.id]
	}
	t.start()
	return f
}

// set makes a Set of a frame by Options.Columns.
func (t *tableCells) set(f *Frame, sparse bool) (*Set, error) {
	set, err := t.s.o.Columns.set(f, t.plan)
	if err != nil || !sparse {
		return set, err
	}
	set.X, err = ops.CSROf(set.X.(*tensor.Dense))
	return set, err
}

// tell calls Tell with a note about the file.
func (s *source) tell(format string, args ...any) {
	if s.o.Tell != nil {
		s.o.Tell(s.name + ": " + fmt.Sprintf(format, args...))
	}
}
