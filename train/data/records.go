package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// records limits the records of separated text on their way to the parser, which holds each of them whole: the columns
// and the bytes. A record goes on over the line breaks between quotes.
type records struct {
	r       io.Reader
	comma   []byte
	most    int  // columns
	first   int  // the line that has so many; 0: most is the limit
	quoted  bool // whether the last byte was between quotes
	columns int  // separators of the record so far
	bytes   int  // of the record so far
	line    int  // of the record's start, from 0
	breaks  int  // lines that it went on over
}

// recordError is a record that is too large.
type recordError struct {
	line int
	text string
}

func (e *recordError) Error() string { return e.text }

// limitRecords lets the records of s pass the limits.
func (s *source) limitRecords(comma rune) *records {
	s.meter.text = false // whose lines are no records
	ahead, _ := s.Peek(s.Buffered())
	r := &records{r: io.MultiReader(bytes.NewReader(ahead), s.from), comma: []byte(string(comma)), most: maxColumns}
	if s.meter.packed != unpacked && s.meter.small {
		r.most = smallColumns
	}
	s.Reader = bufio.NewReaderSize(r, s.Reader.Size())
	return r
}

// check returns an error for a line of too many columns.
func (r *records) check(line, columns int) error {
	switch {
	case columns <= r.most:
		return nil
	case r.first > 0:
		return &recordError{line, fmt.Sprintf("the line has at least %d fields, line %d has %d; all lines must have the same number",
			columns, r.first, r.most)}
	}
	return &recordError{line, fmt.Sprintf("the line has at least %d columns, and at most %d are allowed; "+
		"write the table as LIBSVM text, which leaves zeros out, or in parts", columns, r.most)}
}

func (r *records) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			r.count(rest)
			break
		}
		r.count(rest[:i])
		r.bytes++
		r.quoted, rest = !r.quoted, rest[i+1:]
	}
	if err := r.check(r.line+1, r.columns+1); err != nil && r.bytes > len(p) { // shorter lines are left to the parser
		return 0, err
	}
	if r.bytes > maxLine {
		return 0, &recordError{r.line + 1, fmt.Sprintf("the line, or a quoted cell of it, is longer than %d bytes; "+
			"see that quotes are closed, and leave such texts out", maxLine)}
	}
	return n, err
}

// count takes bytes without quotes.
func (r *records) count(b []byte) {
	if r.quoted {
		r.bytes += len(b)
		r.breaks += bytes.Count(b, newline)
		return
	}
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		r.line += r.breaks + bytes.Count(b[:i+1], newline)
		r.columns, r.bytes, r.breaks = 0, 0, 0
		b = b[i+1:]
	}
	r.columns += bytes.Count(b, r.comma)
	r.bytes += len(b)
}

var newline = []byte{'\n'}
