package data

import (
	"fmt"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops/domain"
)

// Label says which column of a CSV or .npy row is the class or target. In LIBSVM text it is always the first token:
// LabelLast and LabelFirst mean the same there, and LabelNone ignores it.
type Label int

const (
	// LabelLast is the last column.
	LabelLast Label = iota
	// LabelFirst is the first column.
	LabelFirst
	// LabelNone says that every column is a feature.
	LabelNone
)

// String returns the name that ParseLabel reads.
func (l Label) String() string { return domain.Word(l, "last", "first", "none") }

// ParseLabel reads last, first or none. Errors: domain.ErrParam for another text.
func ParseLabel(s string) (l Label, err error) {
	err = domain.ParseWord(&l, "data: label position", s)
	return l, err
}

// Task says what the label column holds.
type Task int

const (
	// Classification takes labels as texts of classes. Numbers are made canonical: "+1", "1" and "1.0" are the class
	// "1".
	Classification Task = iota
	// Regression takes labels as finite numbers.
	Regression
)

// String returns "classification" or "regression".
func (t Task) String() string { return domain.Word(t, "classification", "regression") }

// Form says how a Set holds its rows.
type Form int

const (
	// FormAuto makes LIBSVM text sparse if at most a tenth of its cells are not 0 and the dense matrix would have at
	// least 2^16 cells; otherwise it is dense. CSV and .npy, which write every cell, are dense.
	FormAuto Form = iota
	// FormDense makes a *tensor.Dense of any file.
	FormDense
	// FormSparse makes an *ops.CSR of any file. CSV and .npy are read dense and then converted.
	FormSparse
)

// The thresholds of FormAuto.
const (
	sparseShare = 10
	sparseCells = 1 << 16
)

// Options says how to read a file. The zero value reads a classification file with the label last and takes the width
// from the file.
type Options struct {
	Label Label
	Task  Task
	// LabelNames are the columns of labels or targets in a table, by name or by number from 1; Label then has no
	// effect. Several are for Regression.
	LabelNames []string
	// DropUnlabelled leaves out the rows whose label or target is empty or a mark of a missing value (see ReadFrame).
	// The other cells of such a row are ignored, also those that would be an error; but an integer of Parquet that
	// float64 may round remains one. Rows are counted without them. Without DropUnlabelled an empty label is an error,
	// and a mark is a class, or a target that is no number.
	DropUnlabelled bool
	// Header says whether the first line of CSV names the columns.
	Header Header
	// Delimiter separates the fields of CSV; 0: the first lines decide.
	Delimiter rune
	// Columns turns the rows of a table into numbers, and finds the columns of each file by name; nil: every column is
	// a number. If LabelNames is nil and Label is not LabelNone, the labels are the ones that Columns names.
	Columns *Columns
	// ID is the column of a table whose texts name the rows, by name or by number from 1; empty: none.
	ID string
	// Tell receives, each time a file is read, notes about doubtful decisions; nil: they are dropped. Streams call it
	// from their own goroutines.
	Tell func(note string) `json:"-"`
	// Dims is the number of features; 0: the file decides. Rows of LIBSVM text are padded with zeros to it, and an
	// index beyond it is an error. CSV and .npy must have exactly that many feature columns.
	Dims int
	// MaxCells is the largest number of dense cells, rows x features; 0 is 2^22 plus 4096 for each byte read. For
	// sparse rows the limit holds for one row.
	MaxCells int
	// Form says whether the rows are dense or sparse.
	Form Form
	// MaxWindow is the largest window of zstd data in bytes, in 2^10..2^28; 0 is 2^28, and 2^27 for data of less than
	// 64 KiB. Reading holds that much memory.
	// gzip has a window of 2^15 bytes.
	MaxWindow int

	frames bool // rows are read as a Frame, whose cells Columns leaves as they are
	bags   bool // rows are samples, whose IDs name their bags
}

// tables says whether rows are read as cells of a table.
func (o Options) tables() bool { return o.frames || o.Columns != nil }

func (o Options) validate() error {
	switch {
	case o.Label < LabelLast || o.Label > LabelNone:
		return fmt.Errorf("data: Options.Label = %v is unknown, want LabelLast, LabelFirst or LabelNone: %w", o.Label, domain.ErrParam)
	case o.Header < HeaderAuto || o.Header > HeaderNo:
		return fmt.Errorf("data: Options.Header = %v is unknown, want HeaderAuto, HeaderYes or HeaderNo: %w", o.Header, domain.ErrParam)
	case o.Delimiter != 0 && (o.Delimiter == '"' || o.Delimiter == '\r' || o.Delimiter == '\n' || !utf8.ValidRune(o.Delimiter) || o.Delimiter == utf8.RuneError):
		return fmt.Errorf("data: Options.Delimiter = %q separates no fields, want for example ',', ';' or '\\t': %w", o.Delimiter, domain.ErrParam)
	case len(o.LabelNames) > 1 && o.Task == Classification:
		return fmt.Errorf("data: Options.LabelNames = %q: several are targets of Regression: %w", o.LabelNames, domain.ErrParam)
	case o.Columns != nil && o.Columns.Validate() != nil:
		return o.Columns.Validate()
	case o.Task < Classification || o.Task > Regression:
		return fmt.Errorf("data: Options.Task = %v is unknown, want Classification or Regression: %w", o.Task, domain.ErrParam)
	case o.Dims < 0 || o.Dims > maxIndex:
		return fmt.Errorf("data: Options.Dims = %d is not in 0..%d: %w", o.Dims, maxIndex, domain.ErrParam)
	case o.Form < FormAuto || o.Form > FormSparse:
		return fmt.Errorf("data: Options.Form = %d is unknown, want FormAuto, FormDense or FormSparse: %w", int(o.Form), domain.ErrParam)
	case o.MaxWindow != 0 && (o.MaxWindow < 1<<10 || o.MaxWindow > maxLine):
		return fmt.Errorf("data: Options.MaxWindow = %d is not 0 and not in %d..%d: %w", o.MaxWindow, 1<<10, maxLine, domain.ErrParam)
	case o.MaxCells < 0:
		return fmt.Errorf("data: Options.MaxCells = %d is negative: %w", o.MaxCells, domain.ErrParam)
	}
	return nil
}
