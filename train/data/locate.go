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
	return locate(err, func(row int) (string, int) {
		file, at := s.Source, row
		if row >= 0 && s.lines != nil {
			file = fmt.Sprintf("%s:%d", file, s.lines[row])
		}
		if row >= 0 && s.taken != nil {
			at = s.taken[row]
		}
		return file, at
	})
}

// locate adds the file to an error about rows. place returns the file of row i and its number there; for row -1, if the
// error names no row, the file alone counts.
func locate(err error, place func(row int) (file string, at int)) error {
	if err == nil {
		return nil
	}
	who := func(who, file string) string {
		if strings.Contains(who, file) {
			return who
		}
		return file + ": " + who
	}
	var cell *domain.CellError
	var row *domain.RowError
	switch {
	case errors.As(err, &cell) && cell.OfInput():
		moved := *cell
		index := &moved.Row
		if moved.OfBag {
			index = &moved.Bag
		}
		file, at := place(*index)
		*index, moved.Who = at, who(cell.Who, file)
		return &moved
	case errors.As(err, &row):
		moved := *row
		file, at := place(row.Row)
		moved.Row, moved.Who = at, who(row.Who, file)
		return &moved
	}
	file, _ := place(-1)
	if file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
