package data

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// ReadFrame reads tables whole as one frame: CSV, TSV, .npy and, with train/data/parquet, Parquet files, and the files
// of folders. All files have the columns of the first, found by name if they have names.
//
// The header and the separator of CSV are as in ReadCSV. A missing value is an empty cell, one of ?, -, ., NA, N/A,
// #N/A, <NA>, NaN, -nan, null, none and \N in any case, or NaT. If commas do not separate fields, a number may have a
// decimal comma, which Options.Tell reports. A number that float64 cannot hold, such as inf, 1e400 or a whole number of
// 2^53 or more in absolute value, counts as text, which Learn refuses beside numbers.
//
// Options.Columns says where the labels are, but the cells stay as they are.
//
// Errors: as for Read; ErrFormat for files with different columns, for a header with the same name twice or an empty
// one after the first column, and for text that is not UTF-8; domain.ErrParam for a nil context; ctx.Err(), which is
// checked after each file.
func ReadFrame(ctx context.Context, o Options, paths ...string) (*Frame, error) {
	if err := checkContext(ctx, "ReadFrame"); err != nil {
		return nil, err
	}
	files, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	var all *Frame
	for _, file := range files {
		f, err := readFrame(file, o, math.MaxInt)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = f
			continue
		}
		if err := all.join(f); err != nil {
			return nil, err
		}
	}
	if len(files) > 1 {
		all.Source, all.lines = strings.Join(paths, ", "), nil
	}
	return all, nil
}

// PeekFrame is ReadFrame for at most the first rows of one file. Errors: as for ReadFrame; domain.ErrParam for rows
// below 1.
func PeekFrame(o Options, file string, rows int) (*Frame, error) {
	if rows < 1 {
		return nil, fmt.Errorf("data: PeekFrame: %d rows, want at least 1: %w", rows, domain.ErrParam)
	}
	return readFrame(file, o, rows)
}

// readFrame reads up to a number of rows.
func readFrame(file string, o Options, rows int) (*Frame, error) {
	o.frames = true
	r, err := openFile(file, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if _, err := r.more(rows); err != nil {
		return nil, err
	}
	return r.(framer).frame(), nil
}

// IsTable says whether the extension of path is one of a table whose columns may have names: CSV, TSV, or a format of
// RegisterTable.
func IsTable(path string) bool {
	ext, _ := extension(path)
	_, ok := tables[ext]
	return ok || ext == ".csv" || ext == ".tsv"
}

// placesOf are the positions in f of the columns of like.
func (f *Frame) placesOf(like *Frame) ([]int, error) {
	places, at := make([]int, len(like.Names)), placesByName(f.Names)
	for j, name := range like.Names {
		var is bool
		if places[j], is = at[name]; !is || len(f.Names) != len(like.Names) || f.Named != like.Named {
			return nil, fmt.Errorf("data: %s: its columns are %s, and those of %s are %s; give files of the same columns: %w", f.Source,
				listed(f.Names, 10), like.Source, listed(like.Names, 10), ErrFormat)
		}
	}
	return places, nil
}

// inOrderOf puts the columns in the order of like.
func (f *Frame) inOrderOf(like *Frame) error {
	places, err := f.placesOf(like)
	if err != nil {
		return err
	}
	f.Names, f.columns = like.Names, pick(f.columns, places, 1)
	return nil
}

// placesByName are the positions of names, of which each is there once.
func placesByName(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for j, name := range names {
		at[name] = j
	}
	return at
}

// join appends the rows of another frame.
func (f *Frame) join(g *Frame) error {
	if err := g.inOrderOf(f); err != nil {
		return err
	}
	for j := range f.columns {
		f.columns[j].join(&g.columns[j])
	}
	f.Y, f.Labels, f.IDs = append(f.Y, g.Y...), append(f.Labels, g.Labels...), append(f.IDs, g.IDs...)
	f.rows += g.rows
	return nil
}
