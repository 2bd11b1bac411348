package data

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// csvFile collects the rows of a CSV file: the features as numbers, or for Options.Columns and for a Frame the cells.
type csvFile struct {
	tableRows
	records *records
	no      int // lines so far
	layout  *layout
	fields  int    // in each line
	doubt   string // the first class, if it is text and all later ones are numbers
	ended   bool
	plain   bool   // whether lines may be plain: no number has the separator in it
	numeric []bool // the fields that are read as numbers, as long as their column holds numbers alone
}

// isNumeric says whether field j is read as a number.
func (p *csvFile) isNumeric(j int) bool {
	return p.numeric[j] && (p.cells == nil || p.cells[j].Texts == nil)
}

// fieldNumber is the number in field j, and NaN if the field stays a text.
func (p *csvFile) fieldNumber(j int, text string) float64 {
	if p.isNumeric(j) {
		if v, f := cellNumber(text, number); f == sound {
			return v
		}
	}
	return math.NaN()
}

// newTSV is newCSV for fields separated by tabs.
func newTSV(s *source) (rows, error) {
	s.o.Delimiter = cmp.Or(s.o.Delimiter, '\t')
	return newCSV(s)
}

func newCSV(s *source) (rows, error) {
	p := &csvFile{tableRows: tableRows{source: s, targets: newTargets(s)}, layout: layoutOf(s, s.o.Delimiter)}
	p.records = newRecords(p)
	return p, nil
}

func (p *csvFile) more(most int) (int, error) {
	p.want = most
	for p.rows < most && !p.ended {
		if err := p.scan(); err != nil {
			return 0, err
		}
		if p.rows == most {
			break
		}
		line, record, err := p.records.read()
		if err == io.EOF {
			p.ended = true
			err = p.finish()
		} else if err == nil {
			err = p.record(line, record)
		}
		if err != nil {
			return 0, err
		}
	}
	return p.rows, nil
}

// start takes the layout from the first line, and the names if it is a header.
func (p *csvFile) start(line int, record []string) error {
	if err := p.records.check(line, len(record)); err != nil {
		return err
	}
	p.fields, p.first = len(record), line
	if p.fields == 1 {
		if i := strings.IndexAny(record[0], ",;|"); i >= 0 {
			return p.fail(line, ErrFormat, "the line has one field and holds %q; fields are separated by commas, semicolons or tabs", record[0][i])
		}
	}
	// The names of labels are needed to tell a header, and a header to find them. Those of a number have no say.
	isHeader := p.o.Header == HeaderYes
	if p.o.Header == HeaderAuto {
		guess, err := p.o.rolesOf(nil, p.fields)
		feature := guess.feature
		if err != nil { // the label has a name
			feature = func(int) bool { return true }
		}
		isHeader = p.o.namesOf(record) || p.layout.header(feature)
	}
	if isHeader {
		if err := p.takeNames(line, record); err != nil {
			return err
		}
	}
	if err := p.tableRows.start("the line", line, p.fields); err != nil {
		return err
	}
	p.commas = p.cells != nil && p.layout.comma != ','
	for _, note := range p.layout.told {
		p.tell("%s", note)
	}
	p.plain = strings.ContainsRune(",;\t|", p.layout.comma)
	p.numeric = make([]bool, p.fields)
	for _, j := range p.looked {
		p.numeric[j] = true
	}
	return nil
}

// takeNames takes the header.
func (p *csvFile) takeNames(line int, record []string) error {
	seen := map[string]int{}
	for j, name := range record {
		other, twice := seen[name]
		switch {
		case name == "" && !(p.o.tables() && j == 0): // an index of pandas, which Learn leaves out
			return p.fail(line, ErrFormat, "the header has no name for column %d; name it, or drop the column (pandas: to_csv(index=False))", j+1)
		case twice && (p.o.tables() || p.o.bags):
			return p.fail(line, ErrFormat, "the header calls column %d and column %d %s; rename one", other+1, j+1, quote(name))
		case !utf8.ValidString(name):
			return p.notUTF8(line, fmt.Sprintf("the name of column %d", j+1), name)
		}
		seen[name] = j
		p.names = append(p.names, strings.Clone(name))
	}
	return nil
}

// record takes one record. The first decides what the columns are.
func (p *csvFile) record(line int, record []string) error {
	if p.fields == 0 {
		if err := p.start(line, record); err != nil || p.names != nil {
			return err
		}
	}
	if len(record) != p.fields {
		return p.fail(line, ErrFormat, "the line has %d fields, line %d has %d; all lines must have the same number", len(record), p.first, p.fields)
	}
	p.row.clear()
	for j, f := range record {
		p.row.set(j, p.fieldNumber(j, f), f)
	}
	return p.add(line)
}

// add takes the row of a line, unless it lacks a label.
func (p *csvFile) add(line int) error {
	if err := p.tableRows.add(line); err != nil {
		return err
	}
	p.doubtHeader()
	return nil
}

// doubtHeader keeps the first class in doubt as long as it is text and all others are numbers.
func (p *csvFile) doubtHeader() {
	first := p.done+p.rows == 1
	if p.names != nil || len(p.targets.labels) == 0 || !first && p.doubt == "" {
		return
	}
	label := p.targets.labels[len(p.targets.labels)-1]
	if _, f := number(label); f != sound {
		p.doubt = ""
		if first {
			p.doubt = label
		}
	}
}

// finish makes the checks at the end of the file.
func (p *csvFile) finish() error {
	switch {
	case p.fields == 0:
		return p.fail(0, ErrFormat, "has no rows")
	case p.done+p.rows == 0:
		return p.targets.none("a header and ")
	case p.doubt != "" && p.done+p.rows > 1:
		return p.fail(p.first, ErrFormat, "the class %s is the only one that is no number, so the line may be a header whose names are numbers; give the columns names", quote(p.doubt))
	}
	return nil
}
