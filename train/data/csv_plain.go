package data

import (
	"bufio"
	"bytes"
	"math"
	"slices"
	"strings"
)

// plainLines reads the lines of CSV that have no quote and no surprise where they stand in the reader's buffer: a cell is
// read as a number before it is known where it ends, and nothing is copied. What it is not sure of it leaves to
// encoding/csv, which every line can go through, to the same rows and errors.
type plainLines struct {
	comma  byte
	fields []field
}

// field is what a field of each line is read as.
type field struct {
	number bool
	slot   int // of the number in x
}

// newPlainLines is nil where fields are separated by what may be in a number.
func newPlainLines(p *csvFile) *plainLines {
	if !strings.ContainsRune(",;\t|", p.layout.comma) {
		return nil
	}
	l := &plainLines{comma: byte(p.layout.comma), fields: make([]field, p.fields)}
	features := p.at.features
	if p.cells != nil {
		features = p.cells.looked
		p.row.numbers = make([]float64, p.fields)
	}
	for k, j := range features {
		l.fields[j] = field{number: true, slot: k}
		if p.cells != nil {
			l.fields[j].slot = j
		}
	}
	p.row.texts = make([][]byte, p.fields)
	return l
}

// scan takes up to most rows, and ends before the first line that is not plain or not whole.
func (p *csvFile) scan(most int) error {
	for had := p.rows; p.plain != nil && p.rows-had < most; {
		buffer, whole := p.wholeLines()
		if whole == 0 {
			return nil
		}
		at := 0
		for at < whole && p.rows-had < most {
			n, blank := p.scanLine(buffer[at:])
			if n == 0 {
				_, err := p.Discard(at)
				return err
			}
			at += n
			p.lines++
			p.base++
			if !blank {
				if err := p.add(p.lines); err != nil {
					return err
				}
			}
		}
		if _, err := p.Discard(at); err != nil {
			return err
		}
	}
	return nil
}

// wholeLines is what is in the buffer, and the length of the lines at its start that end in it. Where none does it reads
// on, into a larger buffer if need be. There is none at the end of the file, and where reading fails, which encoding/csv
// meets as well.
func (p *csvFile) wholeLines() (buffer []byte, whole int) {
	for {
		buffer, _ = p.Peek(p.Buffered())
		tail := max(0, len(buffer)-1<<12)
		if i := bytes.LastIndexByte(buffer[tail:], '\n'); i >= 0 {
			return buffer, tail + i + 1
		}
		if whole = bytes.IndexByte(buffer, '\n') + 1; whole > 0 {
			return buffer, whole
		}
		if len(buffer) == p.Reader.Size() {
			p.Reader = bufio.NewReaderSize(p.Reader, 2*len(buffer))
			p.parser()
		}
		if _, err := p.Peek(len(buffer) + 1); err != nil {
			return nil, 0
		}
	}
}

// scanLine reads the line at the start of b, which ends in b, to p.row, and its numbers to the end of p.x where there are
// no cells. It returns the length of the line; 0 where encoding/csv is to read it.
func (p *csvFile) scanLine(b []byte) (length int, blank bool) {
	switch {
	case b[0] == '\n':
		return 1, true
	case b[0] == '\r' && b[1] == '\n':
		return 2, true
	}
	l, x, d := p.plain, p.row.numbers, len(p.at.features)
	if p.cells == nil {
		p.reserve()
		x = p.x[len(p.x) : len(p.x)+d]
	}
	i, last := 0, len(l.fields)-1
	for j, f := range l.fields {
		number := f.number && (p.cells == nil || p.cells.cells[j].texts == nil)
		if number {
			for b[i] == ' ' {
				i++
			}
			if v, n := leading(b[i:]); n > 0 && (math.Abs(v) < 1<<53 || !lossy(string(b[i:i+n]), v)) {
				if next := i + n + l.after(b[i+n:], j == last); next > i+n {
					x[f.slot], i = v, next
					continue
				}
			}
		}
		end := i
		for ; b[end] != l.comma && b[end] != '\n'; end++ {
			if b[end] == '"' {
				return 0, false
			}
		}
		if (b[end] == '\n') != (j == last) {
			return 0, false
		}
		text := bytes.TrimSpace(b[i:end])
		i = end + 1
		if number {
			if v, flaw := cellNumber(string(text)); flaw == sound {
				x[f.slot] = v
				continue
			}
			if p.cells == nil {
				return 0, false
			}
		}
		if p.cells != nil {
			x[j] = math.NaN()
		}
		p.row.texts[j] = text
	}
	if p.cells == nil {
		p.x = p.x[:len(p.x)+d]
	}
	return i, false
}

// after is the length of what is at the start of b where it ends a field, or the last field of a line; else 0.
func (l *plainLines) after(b []byte, last bool) int {
	switch {
	case !last && b[0] == l.comma, last && b[0] == '\n':
		return 1
	case last && b[0] == '\r' && b[1] == '\n':
		return 2
	}
	return 0
}

// reserve makes room in x for one row more, or for all that are to come as far as that is known.
func (p *csvFile) reserve() {
	d := len(p.at.features)
	if cap(p.x)-len(p.x) >= d {
		return
	}
	more := len(p.x) + d
	if n := p.expected((p.done + p.rows) * d); n > 0 {
		more = max(d, n)
		if left := max(1, p.want-p.rows); left < more/d {
			more = left * d
		}
	}
	p.x = slices.Grow(p.x, more)
}
