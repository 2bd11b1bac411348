package data

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// Locate adds the file, and the line if it is known, to an error about the set. It changes the number of the row or bag
// in the error to the number in that file, also for a set that Take made. It changes nothing but row numbers for a set
// without Source.
func (s *Set) Locate(err error) error {
	return locate(err, func(row int) (file string, line, at int) {
		file, at = s.Source, row
		if row >= 0 && s.lines != nil {
			line = s.lines[row]
		}
		if row >= 0 && s.taken != nil {
			at = s.taken[row]
		}
		return file, line, at
	})
}

// locate adds the file, and the line unless it is 0, to an error about rows. place returns the file of row i, its line
// and its number there; for row -1, if the error names no row, the file alone counts.
func locate(err error, place func(row int) (file string, line, at int)) error {
	if err == nil {
		return nil
	}
	moved := func(row int, who string) (int, string) {
		file, line, at := place(row)
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
