// Package data reads labelled rows from files, divides them into blocks and parts, and scales them.
//
// # Formats
//
// Read takes the format from the extension: .libsvm, .svm, .svmlight and .txt are LIBSVM text, .csv is CSV, .tsv is CSV
// with tabs, .npy is a NumPy array. Each may be gzip or zstd data, with or without a further .gz or .zst. A program
// that imports train/data/parquet reads .parquet too. A Set holds the rows as one float64 matrix, dense or sparse (see
// Options.Form), with the class (text) or the target (number) of each row. ReadBags reads sets of samples from CSV, and
// ReadImageBags images as sets of pixels, into a Set whose rows are ops.Bags; the scaler cube moves their samples into
// the unit cube. Sparse rows take memory in proportion to the values that are not 0, during reading and after.
//
// # Tables
//
// A table has names, categories, dates and gaps. ReadFrame reads it as a Frame. Frame.Learn, or Stream.Learn in a pass
// over files, decides from the training rows what each column becomes. The result, Columns, makes a Set of any frame
// with columns of these names, in any order. As Options.Columns it makes readers and streams do so.
//
// # More rows than memory
//
// OpenStream reads the rows of files or folders in blocks, any number of times, in order or through a shuffle buffer,
// with the same readers as Read. Stream.Survey finds in one pass the width, the classes and a sample of rows.
// Stream.Split holds rows out, and Scaler.FitBlocks fits a scaler. Memory depends on the block size, not on the number
// of rows. Text is parsed again in every pass; Convert writes it in another format once, which reads several times
// as fast.
//
// # Refused files
//
// A value that is NaN, infinite, too large for float64, or not 0 but 0 in float64 is an error that wraps
// domain.ErrDomain and names the file, the line, the column, the value and a remedy. The same holds for targets and
// classes. A number is decimal: hexadecimal floats and digits with underscores are text. A file that does not follow
// its format is ErrFormat; a file of another width than asked for is domain.ErrShape. An Error has the file, the line,
// the problem and the remedy as fields.
//
// A small file cannot make a reader allocate much; tables.md, beside this file, has the limits.
package data

import (
	"errors"
	"fmt"
)

// The errors of this package. NaN and the infinities wrap domain.ErrDomain, a wrong width wraps domain.ErrShape.
var (
	// ErrFormat marks a file that does not follow its format.
	ErrFormat = errors.New("malformed file")
	// ErrTooLarge marks a file with more cells than Options.MaxCells; it wraps ErrFormat.
	ErrTooLarge = fmt.Errorf("more cells than allowed: %w", ErrFormat)
	// ErrLabel marks a class that is not among the known ones.
	ErrLabel = errors.New("unknown class")
	// ErrTask marks labels that are not classes, because most rows have a different one: targets, or texts.
	ErrTask = errors.New("labels that are not classes")
	// ErrColumn marks a label or a row name that is to come from a column that the file lacks; it wraps ErrFormat.
	ErrColumn = fmt.Errorf("%w", ErrFormat)
	// ErrZeros marks sparse rows under a scaler that changes zeros.
	ErrZeros = errors.New("zeros do not stay zero")
)

// The limits that tables.md lists.
const (
	maxIndex     = 1 << 24 // the largest feature index of a LIBSVM file
	maxLine      = 1 << 28 // bytes in a line of text
	maxColumns   = 1 << 22 // columns of a table or an array
	freeCells    = 1 << 22 // dense cells any file may have
	cellsPerByte = 4096    // dense cells that each byte read adds to them
	smallFile    = 1 << 16 // bytes; less of packed data become at most mostUnpacked
	mostUnpacked = 1 << 23
	smallColumns = 1 << 20 // of a table
	smallWindow  = 1 << 27 // of zstd data of so few bytes
	mostRatio    = 2048    // bytes that each byte of more packed data may become
)
