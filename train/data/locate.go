package data

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// Locate names the file in an error about the set, and counts the row or the bag that it names as in that file, even
// where the set is what Take took of another. A set with no Source has no file to name.
func (s *Set) Locate(err error) error {
	return locate(err, func(row int) (string, int) {
		if s.taken == nil || row < 0 {
			return s.Source, row
		}
		return s.Source, s.taken[row]
	})
}

// locate names the file in an error about rows. place says which file row i came from and its number there; of row -1,
// where the error names none, the file alone.
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
		var file string
		file, *index = place(*index)
		moved.Who = who(cell.Who, file)
		return &moved
	case errors.As(err, &row):
		moved := *row
		var file string
		file, moved.Row = place(row.Row)
		moved.Who = who(row.Who, file)
		return &moved
	}
	file, _ := place(-1)
	if file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
