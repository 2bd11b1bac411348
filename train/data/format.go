package data

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rows hands out the rows of an open file in order. Read and Stream know a format through it alone.
type rows interface {
	// more parses up to most rows, which are then held, and returns their number. It is less than most at the end of
	// the file, where more makes the final checks. No rows may be held before.
	more(most int) (n int, err error)
	// inHand returns the number of stored values in the rows held, and of features so far; a later index may increase
	// the latter.
	inHand() (stored, d int)
	// take returns the rows held as a set of d columns, sparse or dense, and releases them.
	take(d int, sparse bool) (*Set, error)
	// fixed says whether the file states its width at the start.
	fixed() bool
	close()
}

// framer are rows that can be a frame.
type framer interface {
	frame() *Frame
}

// format says how the rows of an open file are read.
type format struct {
	text   bool
	sparse bool // whether rows are indices and values, without columns
	rows   func(s *source) (rows, error)
}

var (
	formatLIBSVM = format{true, true, newLIBSVM}
	formatCSV    = format{true, false, newCSV}
	formatTSV    = format{true, false, newTSV}
	formatNPY    = format{false, false, newNPY}
	formats      = map[string]format{".libsvm": formatLIBSVM, ".svm": formatLIBSVM, ".svmlight": formatLIBSVM, ".txt": formatLIBSVM,
		".csv": formatCSV, ".tsv": formatTSV, ".npy": formatNPY}
)

// extension returns the format and the compression in the name of a file.
func extension(path string) (ext string, packed packing) {
	stem := strings.ToLower(path)
	if p := packings[filepath.Ext(stem)]; p != unpacked {
		packed, stem = p, strings.TrimSuffix(stem, filepath.Ext(stem))
	}
	return filepath.Ext(stem), packed
}

// checkName returns an error for a name without a known format.
func checkName(path string) error {
	ext, packed := extension(path)
	_, format := formats[ext]
	_, table := tables[ext]
	switch {
	case format, table && packed == unpacked:
		return nil
	case table:
		return fmt.Errorf("data: %s: %s files are packed in themselves; unpack it: %w", path, ext, ErrFormat)
	case ext == ".parquet":
		return fmt.Errorf("data: %s: this program does not read Parquet; it must import train/data/parquet: %w", path, ErrFormat)
	}
	names := append([]string{".libsvm", ".svm", ".svmlight", ".txt", ".csv", ".tsv", ".npy"}, slices.Sorted(maps.Keys(tables))...)
	return fmt.Errorf("data: %s: the extension %q names no format; want one of %s, all but .parquet also with .gz or .zst: %w", path, ext, strings.Join(names, ", "), ErrFormat)
}

// openFile opens the file at path.
func openFile(path string, o Options) (r rows, err error) {
	if err := checkName(path); err != nil {
		return nil, err
	}
	ext, named := extension(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	var s *source
	defer func() {
		switch {
		case err != nil && s != nil:
			s.close()
		case err != nil:
			f.Close()
		}
	}()
	if t, ok := tables[ext]; ok {
		return newTable(f, path, o, t)
	}
	if s, err = open(f, path, o, formats[ext].text); err != nil {
		return nil, err
	}
	s.shut = append(s.shut, func() { f.Close() })
	if info, err := f.Stat(); err == nil && s.meter.packed == unpacked {
		s.size = info.Size()
	}
	if named != unpacked && s.meter.packed != named {
		return nil, s.fail(0, ErrFormat, "is named %s and is not %v data; decompress it or rename it", filepath.Ext(path), named)
	}
	return formats[ext].rows(s)
}

// readWhole reads the rest of a file.
func readWhole(r rows, o Options) (*Set, error) {
	n, err := r.more(math.MaxInt)
	if err != nil {
		return nil, err
	}
	stored, d := r.inHand()
	return r.take(d, o.sparse(n, d, stored, r.fixed()))
}

// sparse is the rule of Form. A format that writes every cell has fixed columns, and is dense unless asked otherwise.
func (o Options) sparse(n, d, stored int, fixed bool) bool {
	cells := float64(n) * float64(d)
	return o.Form == FormSparse || o.Form == FormAuto && !fixed && cells >= sparseCells && sparseShare*float64(stored) <= cells
}
