package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// records hands lines of separated text to encoding/csv, no further than the record that it reads, which goes on over
// the line breaks between quotes. It limits the columns and the bytes of a record before it is held whole.
type records struct {
	p       *csvFile
	r       *csv.Reader
	lines   int // that r has read
	most    int // columns of the first record
	comma   []byte
	quoted  bool // whether the last byte was between quotes
	columns int  // separators of the record so far
	bytes   int  // of the record so far
}

func newRecords(p *csvFile) *records {
	r := &records{p: p, comma: []byte(string(p.layout.comma)), most: maxColumns}
	if p.meter.packed != unpacked && p.meter.small {
		r.most = smallColumns
	}
	r.r = csv.NewReader(r)
	r.r.Comma = p.layout.comma
	r.r.FieldsPerRecord = -1 // counted by csvFile, to say what was expected
	r.r.ReuseRecord = true
	return r
}

// Read reads from one line.
func (r *records) Read(b []byte) (int, error) {
	if _, err := r.p.Peek(1); err != nil {
		return 0, err
	}
	next, _ := r.p.Peek(min(len(b), r.p.Buffered()))
	if i := bytes.IndexByte(next, '\n'); i >= 0 {
		next = next[:i+1]
		r.lines++
	}
	n := copy(b, next)
	if err := r.count(b[:n]); err != nil {
		return 0, err
	}
	return r.p.Discard(n)
}

// count takes further bytes of the record. It returns an error if the record is too long.
func (r *records) count(b []byte) error {
	r.bytes += len(b)
	for quote := true; quote; {
		var part []byte
		part, b, quote = bytes.Cut(b, []byte{'"'})
		if !r.quoted {
			r.columns += bytes.Count(part, r.comma)
		}
		r.quoted = r.quoted != quote
	}
	line := r.p.no + 1
	if r.bytes > maxLine {
		return r.p.fail(line, ErrFormat, "the line, or a quoted cell of it, is longer than %d bytes; "+
			"see that quotes are closed, and leave such texts out", maxLine)
	}
	if r.bytes < 1<<16 { // shorter lines are left to the parser
		return nil
	}
	return r.check(line, r.columns+1)
}

// check returns an error for a line of too many columns.
func (r *records) check(line, columns int) error {
	switch p := r.p; {
	case p.fields > 0 && columns > p.fields:
		return p.fail(line, ErrFormat, "the line has at least %d fields, line %d has %d; all lines must have the same number",
			columns, p.first, p.fields)
	case columns > r.most:
		return p.fail(line, ErrFormat, "the line has at least %d columns, and at most %d are allowed; "+
			"write the table as LIBSVM text, which leaves zeros out, or in parts", columns, r.most)
	}
	return nil
}

// begin begins a record.
func (r *records) begin() { r.quoted, r.columns, r.bytes = false, 0, 0 }

// read reads the next record by encoding/csv, and returns the line on which it begins.
func (r *records) read() (line int, record []string, err error) {
	before := r.p.no - r.lines // lines that r has not read
	r.begin()
	record, err = r.r.Read()
	var e *csv.ParseError
	var known *Error
	switch {
	case errors.As(err, &e):
		return 0, nil, r.p.fail(before+e.Line, ErrFormat, "%v at byte %d of the line", e.Err, e.Column)
	case err == io.EOF || errors.As(err, &known):
		return 0, nil, err
	case err != nil:
		return 0, nil, r.p.wrap(err)
	}
	line, _ = r.r.FieldPos(0)
	r.p.no = before + r.lines
	return before + line, trimmed(record), nil
}

// trimmed cuts blanks off the fields.
func trimmed(record []string) []string {
	for i, f := range record {
		record[i] = strings.TrimSpace(f)
	}
	return record
}

// wholeLines returns the buffer and the length of the complete lines at its start. If there are none it reads on, into
// a larger buffer if need be. The length is 0 at the end of the file and if reading fails; the next read will meet the
// same error.
func (p *csvFile) wholeLines() (buffer []byte, whole int, err error) {
	for searched := 0; ; searched = len(buffer) {
		buffer, _ = p.Peek(p.Buffered())
		tail := max(0, len(buffer)-1<<12)
		if i := bytes.LastIndexByte(buffer[tail:], '\n'); i >= 0 {
			return buffer, tail + i + 1, nil
		}
		if whole = bytes.IndexByte(buffer[searched:], '\n') + 1; whole > 0 {
			return buffer, searched + whole, nil
		}
		if len(buffer) == p.Reader.Size() {
			p.records.begin()
			if err := p.records.count(buffer); err != nil {
				return nil, 0, err
			}
			p.Reader = bufio.NewReaderSize(p.Reader, 2*len(buffer))
		}
		if _, err := p.Peek(len(buffer) + 1); err != nil {
			return nil, 0, nil
		}
	}
}
