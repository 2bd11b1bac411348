package data

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// plainSlots makes p ready for scanLine. It returns the place in x of the number in each field, -1 of those that are
// read as texts, and nil if the separator may occur in a number.
func (p *csvFile) plainSlots() []int32 {
	if !strings.ContainsRune(",;\t|", p.layout.comma) {
		return nil
	}
	p.row.texts, p.row.numbers = make([][]byte, p.fields), make([]float64, p.fields)
	slots := slices.Repeat([]int32{-1}, p.fields)
	for _, j := range p.looked {
		slots[j] = int32(j)
	}
	if p.cells == nil {
		for k, j := range p.at.features {
			slots[j] = int32(k)
		}
	}
	return slots
}

// scan reads simple lines, without quotes, in place in the buffer of the reader, until p.want rows are held. It reads a
// cell as a number before it knows where the cell ends, and copies nothing. It stops before the first line that is not
// simple or not complete. The first line and doubtful ones are left to encoding/csv, which would read every line alike,
// with the same errors.
func (p *csvFile) scan() error {
	for p.slots != nil && p.rows < p.want {
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

// scanLine reads the line at the start of b, which is complete, into p.row, and without cells its numbers to the end of
// p.x. It returns the length of the line; 0 leaves the line to encoding/csv.
func (p *csvFile) scanLine(b []byte) (length int, blank bool) {
	switch {
	case b[0] == '\n':
		return 1, true
	case b[0] == '\r' && b[1] == '\n':
		return 2, true
	}
	comma, x, d := byte(p.layout.comma), p.row.numbers, len(p.at.features)
	if p.cells == nil {
		p.reserve(1)
		x = p.x[len(p.x) : len(p.x)+d]
	}
	i, last := 0, len(p.slots)-1
	for j, slot := range p.slots {
		numeric := slot >= 0 && (p.cells == nil || p.cells[j].Texts == nil)
		if numeric {
			for b[i] == ' ' {
				i++
			}
			if v, n := decimal(b[i:]); n > 0 && (math.Abs(v) < 1<<53 || !lossy(string(b[i:i+n]), v)) {
				if next := i + n + after(b[i+n:], comma, j == last); next > i+n {
					x[slot], i = v, next
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
		if numeric {
			if v, flaw := cellNumber(string(text), number); flaw == sound {
				x[slot] = v
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
