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
	first   int    // the number of the first line that is not blank
	doubt   string // the first class, if it is text and all later ones are numbers
	ended   bool
	plain   bool           // whether lines may be plain: no number has the separator in it
	numeric []bool         // the fields that are read as numbers, as long as their column holds numbers alone
	bags    map[string]int // for Options.bags: the first row of each bag
	row     csvRow
}

// csvRow is a line of data.
type csvRow struct {
	texts   [][]byte  // the fields, trimmed, unless they are in numbers
	numbers []float64 // the fields that were read as numbers; NaN for others
	bytes   []byte    // the memory of texts
}

// set takes the fields of a record.
func (p *csvFile) set(record []string) {
	r := &p.row
	r.bytes = r.bytes[:0]
	for j, f := range record {
		at := len(r.bytes)
		r.bytes = append(r.bytes, f...)
		r.texts[j], r.numbers[j] = r.bytes[at:], p.fieldNumber(j, f)
	}
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
	p := &csvFile{tableRows: tableRows{source: s, targets: newTargets(s, "line")}, layout: layoutOf(s, s.o.Delimiter),
		bags: map[string]int{}}
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
	p.numeric, p.row = make([]bool, p.fields), csvRow{texts: make([][]byte, p.fields), numbers: make([]float64, p.fields)}
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
	p.set(record)
	return p.add(line)
}

// add takes the row, unless it lacks a label.
func (p *csvFile) add(line int) error {
	for _, j := range p.at.labels {
		if p.targets.lacks(line, p.row.texts[j]) {
			return nil
		}
	}
	var err error
	if p.cells == nil {
		err = p.addNumbers(line)
	} else {
		err = p.addCells(line)
	}
	if err != nil {
		return err
	}
	for _, j := range p.at.labels {
		text := p.row.texts[j]
		if err := p.targets.add(line, text); err != nil {
			if _, f := number(string(text)); line == p.first && f == noNumber && len(text) > 0 {
				err = fmt.Errorf("%w (if line %d is a header, say so)", err, line)
			}
			return err
		}
	}
	if p.at.id >= 0 {
		if err := p.addID(line); err != nil {
			return err
		}
	}
	p.doubtHeader()
	p.rows++
	return p.allow(p.rows, len(p.at.features))
}

// addCells takes the cells of a line.
func (p *csvFile) addCells(line int) error {
	for _, j := range p.looked {
		c := &p.cells[j]
		if v := p.row.numbers[j]; v == v {
			c.Numbers = append(roomy(c.Numbers), v)
		} else if err := p.addText(line, 0, j, string(p.row.texts[j])); err != nil {
			return err
		}
	}
	p.lines = append(p.lines, line)
	return nil
}

// addID takes the name of the row or, for Options.bags, of its bag, whose rows have one label.
func (p *csvFile) addID(line int) error {
	id := string(p.row.texts[p.at.id])
	p.ids = append(p.ids, id)
	switch {
	case p.cells != nil && !utf8.ValidString(id):
		return p.notUTF8(line, p.column(p.at.id), id)
	case !p.o.bags:
		return nil
	}
	if id == "" {
		return p.fail(line, ErrFormat, "the bag has no name; drop the row or fill it in")
	}
	first, known := p.bags[id]
	if !known {
		p.bags[id] = p.rows
	} else if t := p.targets; t.labels != nil && t.labels[p.rows] != t.labels[first] || t.y != nil && t.y[p.rows] != t.y[first] {
		return p.fail(line, ErrFormat, "bag %s has the label %s and had another; a bag has one label", quote(id), quote(string(p.row.texts[p.at.labels[0]])))
	}
	return nil
}

// addNumbers takes the features of a line as numbers.
func (p *csvFile) addNumbers(line int) error {
	p.reserve(1)
	x := p.x[len(p.x):][:len(p.at.features)]
	for k, j := range p.at.features {
		if x[k] = p.row.numbers[j]; x[k] != x[k] {
			return p.noFeature(line, k, j, string(p.row.texts[j]))
		}
	}
	p.x = p.x[:len(p.x)+len(x)]
	return nil
}

// noFeature is the error for the text of feature k in field j.
func (p *csvFile) noFeature(line, k, j int, text string) error {
	v, f := number(text)
	if f == sound {
		return p.lossyCell(line, p.column(j), text)
	}
	err := p.badCell(line, p.column(j), p.done+p.rows, k, text, v, f)
	if line == p.first && f == noNumber {
		err = fmt.Errorf("%w (the line is no header: a header has no number among its features)", err)
	}
	return err
}

// doubtHeader keeps the first class in doubt as long as it is text and all others are numbers.
func (p *csvFile) doubtHeader() {
	first := p.done+p.rows == 0
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
