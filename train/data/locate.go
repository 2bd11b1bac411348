package data

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// origin says where rows come from.
type origin struct {
	files []string // nil: all rows are of one file, the Source
	at    []place  // of each row; nil: row i is row i of the file
	lines []int    // of each row in its file, from 1, or 0 if it is not known; nil: none is
}

// place is the number of a file, and the number of a row in it, from 0.
type place struct{ file, row int }

// of returns the file of row i of a source, the number of the row in it, and its line, or 0 if that is not known.
func (o origin) of(source string, i int) (file string, row, line int) {
	file, row = source, i
	if o.at != nil {
		row = o.at[i].row
	}
	if o.files != nil {
		file = o.files[o.at[i].file]
	}
	if o.lines != nil {
		line = o.lines[i]
	}
	return file, row, line
}

// take is the origin of the rows idx.
func (o origin) take(idx []int) origin {
	out := origin{o.files, pick(o.at, idx, 1), pick(o.lines, idx, 1)}
	if o.at == nil {
		out.at = make([]place, len(idx))
		for k, i := range idx {
			out.at[k].row = i
		}
	}
	return out
}

// Place returns the file of row i and its number there, from 0. It panics when i is out of range.
func (s *Set) Place(i int) (file string, row int) {
	mustIndex("data: Set.Place", s.Rows(), []int{i})
	file, row, _ = s.of(s.Source, i)
	return file, row
}

// Locate adds the file, and the line if it is known, to an error about the set. It changes the number of the row or bag
// in the error to the number in that file. It changes nothing but row numbers for a set without Source.
func (s *Set) Locate(err error) error {
	return locate(err, func(row int) (file string, at, line int) {
		if row < 0 {
			return s.Source, row, 0
		}
		return s.of(s.Source, row)
	})
}

// locate adds the file, and the line unless it is 0, to an error about rows. place returns the file of row i, its number
// there and its line; for row -1, if the error names no row, the file alone counts.
func locate(err error, place func(row int) (file string, at, line int)) error {
	if err == nil {
		return nil
	}
	moved := func(row int, who string) (int, string) {
		file, at, line := place(row)
		if line > 0 {
			file = fmt.Sprintf("%s:%d", file, line)
		}
		if strings.Contains(who, file) {
			return at, who
		}
		return at, file + ": " + who
	}
	if own := domain.InputCell(err); own != nil {
		index := &own.Row
		if own.OfBag {
			index = &own.Bag
		}
		*index, own.Who = moved(*index, own.Who)
		return own
	}
	var row *domain.RowError
	if errors.As(err, &row) {
		own := *row
		own.Row, own.Who = moved(own.Row, own.Who)
		return &own
	}
	file, _, _ := place(-1)
	if file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
