package service

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// readArray reads at most maxRows rows of an array, whose columns are those of a table in their order. NaN is a missing
// value. It tells what is unlike the training rows.
func readArray(body net.Buffers, of *table, maxRows int) (x *tensor.Dense, notes []string, err error) {
	again := slices.Clone(body) // reading cuts the blocks
	read := func(body net.Buffers, c *data.Columns, tell func(string)) (*data.Set, error) {
		return data.ReadNPY(&body, "body", data.Options{Label: data.LabelNone, Columns: c, MaxCells: maxRows * len(c.Inputs), MaxWindow: maxWindow, Tell: tell})
	}
	set, err := read(body, of.array, func(note string) { notes = append(notes, note) })
	switch {
	case errors.Is(err, data.ErrFormat):
		if _, wrong := read(again, of.loose, nil); wrong == nil { // the array is well formed
			err = &refused{http.StatusUnprocessableEntity, err.Error()}
		}
		return nil, nil, err
	case errors.Is(err, domain.ErrShape):
		return nil, nil, fmt.Errorf("%w; send the %d columns that /model lists, in their order", err, len(of.names))
	case err != nil:
		return nil, nil, inColumn(of.names, err)
	}
	x, err = set.Dense()
	return x, notes, err
}

// inColumn is an error that names the column of a cell.
func inColumn(names []string, err error) error {
	var cell *domain.CellError
	if !errors.As(err, &cell) || !cell.OfInput() || cell.Col >= len(names) {
		return err
	}
	named := *cell
	named.Who += ": column " + quote(names[cell.Col])
	return &named
}
