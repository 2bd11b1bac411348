package data

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// csvFile collects the rows of a CSV file.
type csvFile struct {
	*source
	targets *targets
	r       *csv.Reader
	x       []float64
	rows    int      // in hand
	done    int      // rows that were taken
	fields  int      // in each line
	first   int      // number of the first line that is not blank
	from    int      // features are the fields [from, to)
	to      int      //
	label   int      // field of the label, -1 if there is none
	header  []string // all names, nil without a header
	doubt   string   // the first class, where it is text and all after it are numbers
	ended   bool
}

func newCSV(s *source) (rows, error) { return newSeparated(s, separator(s)) }

// newTSV is newCSV for fields that tabs separate.
func newTSV(s *source) (rows, error) { return newSeparated(s, '\t') }

// separator is what separates the fields of the first line that is not blank, outside of quotes: a comma, or where there
// is none a semicolon, or else a tab.
func separator(s *source) rune {
	head, _ := s.Peek(1 << 14) // a failing Peek is left for the parser to meet
	line, quoted := bytes.TrimLeft(head, " \t\r\n"), false
	found := map[byte]bool{}
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case b == '\n' && !quoted:
			return first(found)
		case !quoted:
			found[b] = true
		}
	}
	return first(found)
}

func first(found map[byte]bool) rune {
	for _, b := range []byte(",;\t") {
		if found[b] {
			return rune(b)
		}
	}
	return ','
}

func newSeparated(s *source, comma rune) (rows, error) {
	p := &csvFile{source: s, targets: newTargets(s, "line"), r: csv.NewReader(s.Reader)}
	p.r.Comma = comma
	p.r.FieldsPerRecord = -1 // counted here, to say what was expected
	p.r.ReuseRecord = true
	return p, nil
}

func (p *csvFile) more(most int) (int, error) {
	had := p.rows
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
			record[i] = strings.TrimSpace(f)
		}
		if p.fields == 0 {
			if err := p.start(line, record); err != nil {
				return 0, err
			}
			if p.header != nil {
				continue
			}
		}
		if err := p.row(line, record); err != nil {
			return 0, err
		}
	}
	return p.rows - had, nil
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
func (p *csvFile) start(line int, record []string) error {
	p.fields, p.first = len(record), line
	p.from, p.to, p.label = p.o.Label.split(p.fields)
	d := p.to - p.from
	if p.fields == 1 {
		if i := strings.IndexAny(record[0], ",;|"); i >= 0 {
			return p.fail(line, ErrFormat, "the line has one field and holds %q; fields are separated by commas, semicolons or tabs", record[0][i])
		}
	}
	if d == 0 {
		return p.fail(line, ErrFormat, "the line has one field, the label, and no features; read it with LabelNone if it is a feature")
	}
	if p.o.Dims > 0 && d != p.o.Dims {
		return p.fail(line, domain.ErrShape, "the line has %d features, want %d (label %v)", d, p.o.Dims, p.o.Label)
	}
	if !isHeader(record[p.from:p.to]) {
		return nil
	}
	for j, name := range record {
		if name == "" {
			return p.fail(line, ErrFormat, "the header has no name for column %d; name it, or drop the column (pandas: to_csv(index=False))", j+1)
		}
		p.header = append(p.header, strings.Clone(name))
	}
	return nil
}

// isHeader is the rule stated at ReadCSV for the feature fields of the first line.
func isHeader(fields []string) bool {
	names := false
	for _, f := range fields {
		if _, flaw := number(f); flaw != noNumber {
			return false
		}
		switch strings.ToLower(f) {
		case "", "na", "n/a", "null", "none", "?", "-":
		default:
			names = true
		}
	}
	return names
}

// row parses one line of data.
func (p *csvFile) row(line int, record []string) error {
	if len(record) != p.fields {
		return p.fail(line, ErrFormat, "the line has %d fields, line %d has %d; all lines must have the same number", len(record), p.first, p.fields)
	}
	for j, text := range record[p.from:p.to] {
		v, f := number(text)
		if f != sound {
			err := p.badCell(line, p.column(p.from+j), p.done+p.rows, j, text, v, f)
			if line == p.first && f == noNumber {
				err = fmt.Errorf("%w (the line is no header: a header has no number among its features)", err)
			}
			return err
		}
		p.x = append(p.x, v)
	}
	if p.label >= 0 {
		text := record[p.label]
		if err := p.targets.add(line, []byte(text)); err != nil {
			if _, f := number(text); line == p.first && f == noNumber && text != "" {
				err = fmt.Errorf("%w (if line %d is a header, its feature names must not be numbers)", err, line)
			}
			return err
		}
	}
	p.doubtHeader()
	p.rows++
	return p.allow(p.rows, p.to-p.from)
}

// doubtHeader keeps the first class in doubt as long as it is text and all others are numbers.
func (p *csvFile) doubtHeader() {
	first := p.done+p.rows == 0
	if p.header != nil || len(p.targets.labels) == 0 || !first && p.doubt == "" {
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
	if p.header == nil {
		return fmt.Sprintf("column %d", field+1)
	}
	return fmt.Sprintf("column %d (%s)", field+1, quote(p.header[field]))
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

func (p *csvFile) inHand() (n, stored, d int) { return p.rows, len(p.x), p.to - p.from }

func (p *csvFile) fixed() bool { return true }

func (p *csvFile) take(_ int, sparse bool) (*Set, error) {
	set, err := p.dense(p.x, p.rows, p.to-p.from, p.targets, sparse)
	if err != nil {
		return nil, err
	}
	if p.header != nil {
		set.Names = p.header[p.from:p.to:p.to]
		if p.label >= 0 {
			set.LabelName = p.header[p.label]
		}
	}
	p.done += p.rows
	p.x, p.rows = make([]float64, 0, len(p.x)), 0
	p.targets.letGo()
	return set, nil
}
