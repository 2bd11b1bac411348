// Package data reads labelled rows from files, cuts them into blocks and parts, and scales them.
//
// # Formats
//
// Read takes the format from the extension: .libsvm, .svm, .svmlight and .txt are LIBSVM text, .csv is CSV, .tsv the
// same with tabs, .npy is a NumPy array; each may be gzip or zstd data, with or without a further .gz or .zst. A program
// that imports train/data/parquet reads .parquet too. A Set holds the rows as one float64 matrix, dense, or sparse where
// LIBSVM text is (Options.Form has the rule), and either the class of each row (its text) or its target (a number).
// ReadBags reads sets of samples from CSV, and ReadImageBags images as sets of pixels, as a Set whose rows are bags; the
// scaler cube brings their samples into the unit cube. What is sparse takes memory in proportion to the values that are
// not 0, in reading and after.
//
// # Tables
//
// A table has names, categories, dates and gaps. ReadFrame reads it as a Frame. Frame.Learn, or Stream.Learn in a pass
// over files, decides by the training rows what each column becomes. The result, Columns, makes a Set of any frame whose
// columns have these names, in any order, and as Options.Columns it makes readers and streams do so.
//
// # More rows than memory
//
// OpenStream reads the rows of one or many files, or of folders, in blocks, as often as asked, in order or through a
// shuffle buffer; the same readers serve it and Read. Survey tells in one pass what is needed before: the width, the
// classes, and a sample of rows. It keeps the rows of text as numbers in a temporary file, which later passes read
// (StreamOptions.SpillBytes), so that a row is parsed once. Stream.Split holds rows out, and Chain.FitBlocks fits a
// scaler. What is held in memory is set by the block, not by the rows.
//
// # What a file may not do
//
// A value that is NaN, infinite, too large for float64, or too small for it without being 0 is an error that wraps
// domain.ErrDomain and names the file, the line, the column, the value and a remedy; so is the like of a target or of
// a class. A number is decimal: hexadecimal floats and digits with underscores are text. A file that does not follow
// its format is ErrFormat, one of another width than asked for is domain.ErrShape.
//
// A small file cannot make a reader allocate much: what is kept while reading is proportional to the bytes read (after
// decompression), a line is at most 256 MiB long, an index at most 2^24, and the dense matrix has at most 2^22 cells
// plus 4096 for each byte read, unless Options.MaxCells says otherwise; of a sparse matrix that is the limit for a row.
package data

import (
	"errors"
	"fmt"
)

// The sentinels of this package; NaN and the infinities wrap domain.ErrDomain, a wrong width domain.ErrShape.
var (
	// ErrFormat marks a file that does not follow its format.
	ErrFormat = errors.New("malformed file")
	// ErrTooLarge marks a file of more cells than Options.MaxCells; it is an ErrFormat.
	ErrTooLarge = fmt.Errorf("more cells than allowed: %w", ErrFormat)
	// ErrLabel marks a class that was not among those known.
	ErrLabel = errors.New("unknown class")
	// ErrTask marks classes that look like targets: numbers that most rows have one of their own of.
	ErrTask = errors.New("classes that look like targets")
	// ErrZeros marks sparse rows under a scaler that makes other numbers of zeros.
	ErrZeros = errors.New("zeros do not stay zero")
)

// The limits of the package comment.
const (
	maxIndex     = 1 << 24 // the largest feature index of a LIBSVM file
	maxLine      = 1 << 28 // bytes in a line of text
	maxColumns   = 1 << 22 // columns of an array
	freeCells    = 1 << 22 // dense cells any file may have
	cellsPerByte = 4096    // dense cells that each byte read adds to them
)
