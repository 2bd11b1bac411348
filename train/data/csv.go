package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops/domain"
)

// csvFile collects the rows of a CSV file: the features as numbers, or under Options.Columns and for a Frame the cells.
type csvFile struct {
	tableRows
	r      *csv.Reader
	layout *layout
	fields int    // in each line
	first  int    // number of the first line that is not blank
	doubt  string // the first class, where it is text and all after it are numbers
	whole  bool   // whether the file is read at once
	ended  bool
}

func newCSV(s *source) (rows, error) { return newSeparated(s, s.o.Delimiter) }

// newTSV is newCSV for fields that tabs separate.
func newTSV(s *source) (rows, error) {
	if s.o.Delimiter != 0 {
		return newSeparated(s, s.o.Delimiter)
	}
	return newSeparated(s, '\t')
}

func newSeparated(s *source, comma rune) (rows, error) {
	l := layoutOf(s, comma)
	p := &csvFile{tableRows: tableRows{source: s, targets: newTargets(s, "line")}, r: csv.NewReader(s.Reader), layout: l}
	p.r.Comma = l.comma
	p.r.FieldsPerRecord = -1 // counted here, to say what was expected
	p.r.ReuseRecord = true
	return p, nil
}

func (p *csvFile) more(most int) (int, error) {
	had := p.rows
	p.whole = p.done == 0 && most == math.MaxInt
	for p.rows-had < most && !p.ended {
		record, err := p.r.Read()
		if err == io.EOF {
			p.ended = true
			return p.rows - had, p.finish()
		}
		if err != nil {
			return 0, p.syntax(err)
		}
		line, _ := p.r.FieldPos(0)
		for i, f := range record {
			record[i] = trimmed(f)
		}
		if p.fields == 0 {
			if err := p.start(line, record); err != nil {
				return 0, err
			}
			if p.names != nil {
				continue
			}
		}
		if err := p.row(line, record); err != nil {
			return 0, err
		}
	}
	return p.rows - had, nil
}

// trimmed is strings.TrimSpace, at once where there is nothing to trim.
func trimmed(f string) string {
	if n := len(f); n == 0 || f[0] > ' ' && f[0] < 0x80 && f[n-1] > ' ' && f[n-1] < 0x80 {
		return f
	}
	return strings.TrimSpace(f)
}

// syntax names the line of an error of encoding/csv.
func (p *csvFile) syntax(err error) error {
	var e *csv.ParseError
	if errors.As(err, &e) {
		return p.fail(e.Line, ErrFormat, "%v at byte %d of the line", e.Err, e.Column)
	}
	return p.wrap(err)
}

// start takes the layout from the first line and the names, if it is a header.
func (p *csvFile) start(line int, record []string) (err error) {
	p.fields, p.first = len(record), line
	if p.fields == 1 {
		if i := strings.IndexAny(record[0], ",;|"); i >= 0 {
			return p.fail(line, ErrFormat, "the line has one field and holds %q; fields are separated by commas, semicolons or tabs", record[0][i])
		}
	}
	// The names of labels are needed to tell a header, and a header to find them. Those of a number have no say.
	switch p.o.Header {
	case HeaderYes:
		p.names = []string{}
	case HeaderAuto:
		guess, err := p.o.rolesOf(nil, p.fields)
		feature := guess.feature
		if err != nil { // the label has a name
			feature = func(int) bool { return true }
		}
		if p.o.namesOf(record) || p.layout.header(feature) {
			p.names = []string{}
		}
	}
	if p.names != nil {
		if err := p.takeNames(line, record); err != nil {
			return err
		}
	}
	if p.at, err = p.o.rolesOf(p.names, p.fields); err != nil {
		return p.fail(line, ErrFormat, "%v", err)
	}
	p.targets.names, p.targets.places = p.names, p.at.labels
	d := len(p.at.features)
	if d == 0 {
		return p.fail(line, ErrFormat, "the line has one field, the label, and no features; read it without a label if it is a feature")
	}
	if p.o.tables() {
		if p.cells, err = newTableCells(p.source, p.names, p.at, p.fields); err != nil {
			return err
		}
	} else if p.o.Dims > 0 && d != p.o.Dims {
		return p.fail(line, domain.ErrShape, "the line has %d features, want %d (label %v)", d, p.o.Dims, p.o.Label)
	}
	for _, note := range p.layout.told {
		p.tell("%s", note)
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
		case twice && p.o.tables():
			return p.fail(line, ErrFormat, "the header calls column %d and column %d %s; rename one", other+1, j+1, quote(name))
		case !utf8.ValidString(name):
			return p.notUTF8(line, fmt.Sprintf("the name of column %d", j+1), name)
		}
		seen[name] = j
		p.names = append(p.names, strings.Clone(name))
	}
	return nil
}

// row parses one line of data.
func (p *csvFile) row(line int, record []string) error {
	if len(record) != p.fields {
		return p.fail(line, ErrFormat, "the line has %d fields, line %d has %d; all lines must have the same number", len(record), p.first, p.fields)
	}
	if p.cells != nil {
		if err := p.cells.row(line, record, p.layout.comma); err != nil {
			return err
		}
	} else if err := p.numbers(line, record); err != nil {
		return err
	}
	for _, j := range p.at.labels {
		text := record[j]
		if err := p.targets.add(line, []byte(text)); err != nil {
			if _, f := number(text); line == p.first && f == noNumber && text != "" {
				err = fmt.Errorf("%w (if line %d is a header, say so)", err, line)
			}
			return err
		}
	}
	p.doubtHeader()
	p.rows++
	return p.allow(p.rows, len(p.at.features))
}

// numbers takes the features of a line as numbers.
func (p *csvFile) numbers(line int, record []string) error {
	for k, j := range p.at.features {
		text := record[j]
		v, f := number(text)
		if f != sound {
			err := p.badCell(line, p.column(j), p.done+p.rows, k, text, v, f)
			if line == p.first && f == noNumber {
				err = fmt.Errorf("%w (the line is no header: a header has no number among its features)", err)
			}
			return err
		}
		if lossy(text, v) {
			return p.lossyCell(line, p.column(j), text)
		}
		p.x = append(roomy(p.x), v)
	}
	if p.whole && p.rows == reserveRows {
		p.reserve()
	}
	return nil
}

// reserveRows is after how many rows a file is taken to go on like that.
const reserveRows = 1000

// reserve makes room for the rest of the file, up to 1 GB, as the rows so far let expect.
func (p *csvFile) reserve() {
	left := float64(p.size-p.r.InputOffset()) / float64(p.r.InputOffset())
	if cells := left * float64(len(p.x)); cells > 0 {
		p.x = slices.Grow(p.x, int(min(1.01*cells, 1<<27)))
	}
}

// doubtHeader keeps the first class in doubt as long as it is text and all others are numbers.
func (p *csvFile) doubtHeader() {
	first := p.done+p.rows == 0
	if p.names != nil || len(p.targets.labels) == 0 || !first && p.doubt == "" {
		return
	}
	label := p.targets.labels[len(p.targets.labels)-1]
	switch _, f := number(label); {
	case first && f != sound:
		p.doubt = label
	case !first && f != sound:
		p.doubt = ""
	}
}

// column is the name of a field for messages, counted from 1.
func (p *csvFile) column(field int) string {
	return columnName(p.names, field)
}

// finish looks back at the end of the file.
func (p *csvFile) finish() error {
	switch {
	case p.fields == 0:
		return p.fail(0, ErrFormat, "has no rows")
	case p.done+p.rows == 0:
		return p.fail(0, ErrFormat, "has a header and no rows")
	case p.doubt != "" && p.done+p.rows > 1:
		return p.fail(p.first, ErrFormat, "the class %s is the only one that is no number, so the line may be a header whose names are numbers; give the columns names", quote(p.doubt))
	}
	return nil
}
