package data

import (
	"bytes"
	"math"
)

// scan reads simple lines, without quotes, in place in the buffer of the reader, until p.want rows are held. It reads a
// cell as a number before it knows where the cell ends, and copies nothing. It stops before the first line that is not
// simple or not complete. The first line and doubtful ones are left to encoding/csv, which would read every line alike,
// with the same errors.
func (p *csvFile) scan() error {
	for p.plain && p.rows < p.want {
		buffer, whole, err := p.wholeLines()
		if err != nil || whole == 0 {
			return err
		}
		at := 0
		for at < whole && p.rows < p.want {
			n, blank := p.scanLine(buffer[at:])
			if n == 0 {
				_, err := p.Discard(at)
				return err
			}
			at += n
			p.no++
			if !blank {
				if err := p.add(p.no); err != nil {
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

// scanLine reads the line at the start of b, which is complete, into p.row. It returns the length of the line; 0 leaves
// the line to encoding/csv.
func (p *csvFile) scanLine(b []byte) (length int, blank bool) {
	switch {
	case b[0] == '\n':
		return 1, true
	case b[0] == '\r' && b[1] == '\n':
		return 2, true
	}
	comma, i, last := byte(p.layout.comma), 0, p.fields-1
	for j := range p.numeric {
		if p.isNumeric(j) {
			for b[i] == ' ' {
				i++
			}
			if v, n := decimal(b[i:]); n > 0 && (math.Abs(v) < 1<<53 || !lossy(string(b[i:i+n]), v)) {
				if next := i + n + after(b[i+n:], comma, j == last); next > i+n {
					p.row.numbers[j], i = v, next
					continue
				}
			}
		}
		end := i
		for ; b[end] != comma && b[end] != '\n'; end++ {
			if b[end] == '"' {
				return 0, false
			}
		}
		if (b[end] == '\n') != (j == last) {
			return 0, false
		}
		text := bytes.TrimSpace(b[i:end])
		i = end + 1
		p.row.texts[j], p.row.numbers[j] = text, p.fieldNumber(j, string(text))
	}
	return i, false
}

// after is the length of the separator at the start of b, or of the end of the line after the last field; 0 for
// anything else.
func after(b []byte, comma byte, last bool) int {
	switch {
	case !last && b[0] == comma, last && b[0] == '\n':
		return 1
	case last && b[0] == '\r' && b[1] == '\n':
		return 2
	}
	return 0
}
