package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
)

// bagLabel names the column of the labels of bags.
const bagLabel = "label"

// ReadBags reads a CSV file of bags at path, plain, gzip or zstd. See ReadBagsCSV.
func ReadBags(path string, o Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	return ReadBagsCSV(f, path, o)
}

// ReadBagsCSV reads sets of samples from comma-separated values (RFC 4180), plain, gzip or zstd. name stands for the
// file in messages and in Set.Source. The first line names the columns: "bag", "label" and the coordinates, which are
// numbers. With Options.Label of LabelNone a label is left out if there is one. Each further line is a sample. The rows
// of a bag need not be consecutive; they keep their order. Set.X is an *ops.Bags of float64.
//
// Options.Task, Delimiter, DropUnlabelled, Dims and MaxCells are as for ReadCSV. Label only says whether there is a
// label. Errors: as for ReadCSV; ErrColumn for a header without "bag" or "label"; ErrFormat for an empty bag name, and
// for rows of one bag with different labels.
func ReadBagsCSV(r io.Reader, name string, o Options) (*Set, error) {
	o.bags, o.Header, o.ID, o.LabelNames, o.Columns, o.Form = true, HeaderYes, "bag", nil, nil, FormDense
	if o.Label != LabelNone {
		o.LabelNames = []string{bagLabel}
	}
	set, err := ReadCSV(r, name, o)
	var missing *Error
	if errors.As(err, &missing) && missing.Err == ErrColumn {
		missing.Remedy = "the first line must name the columns, bag, label (or read the file with LabelNone) and the coordinates"
	}
	if err != nil {
		return nil, err
	}
	return set.group()
}

// group makes a bag of the rows with the same ID.
func (s *Set) group() (*Set, error) {
	number := map[string]int{}
	var rows [][]int // of each bag
	for i, id := range s.IDs {
		k, known := number[id]
		if !known {
			k = len(rows)
			number[id], rows = k, append(rows, nil)
		}
		rows[k] = append(rows[k], i)
	}
	offsets, first := []int{0}, make([]int, len(rows))
	for k, of := range rows {
		offsets, first[k] = append(offsets, offsets[k]+len(of)), of[0]
	}
	bags, err := ops.NewBags(Rows(s.X, slices.Concat(rows...)).(*tensor.Dense), offsets)
	if err != nil {
		return nil, err
	}
	out := s.Take(first)
	out.X, out.origin = bags, origin{}
	return out, nil
}
