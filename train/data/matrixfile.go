package data

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/wholefile"
	"gorgonia.org/tensor"
)

// MatrixFile writes a matrix row by row to a .npy or .csv file. The file appears under its name when it is complete.
type MatrixFile struct {
	path       string
	rows, cols int
	dt         tensor.Dtype
	csv        bool
	file       *wholefile.File
	w          *bufio.Writer
	written    int
}

// AnyRows stands for the number of rows of a MatrixFile that takes any number.
const AnyRows = -1

// NewMatrixFile starts a file of rows x cols numbers; rows may be AnyRows. A name that ends in .csv gives CSV, without
// a header line and with 17 digits a number; any other name gives .npy with the element type dt. Errors:
// domain.ErrParam for rows below 0 other than AnyRows, and for cols below 1; domain.ErrDtype unless dt is Float64 or
// Float32; the errors of the file system.
func NewMatrixFile(path string, rows, cols int, dt tensor.Dtype) (*MatrixFile, error) {
	switch {
	case rows < 0 && rows != AnyRows || cols < 1:
		return nil, fmt.Errorf("data: NewMatrixFile %s: %d x %d numbers, want at least 0 rows, or AnyRows, and 1 column: %w",
			path, rows, cols, domain.ErrParam)
	case dt != tensor.Float64 && dt != tensor.Float32:
		return nil, fmt.Errorf("data: NewMatrixFile %s: the element type is %v, want float64 or float32: %w",
			path, dt, domain.ErrDtype)
	}
	file, err := wholefile.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := &MatrixFile{path: path, rows: rows, cols: cols, dt: dt, csv: filepath.Ext(path) == ".csv", file: file, w: bufio.NewWriterSize(file, 1<<20)}
	if !f.csv {
		f.w.Write(f.npyHeader(max(rows, 0)))
	}
	return f, nil
}

// npyHeader is version 1.0 of the format, padded to a multiple of 64 bytes: 128 for any number of rows. npyio writes
// whole arrays only.
func (f *MatrixFile) npyHeader(rows int) []byte {
	descr := "<f8"
	if f.dt == tensor.Float32 {
		descr = "<f4"
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, f.cols)
	dict += strings.Repeat(" ", 63-(10+len(dict))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dict))), dict...)
}

// Write appends the rows of x [n, cols]. Errors: domain.ErrShape for another number of columns or a view;
// domain.ErrDtype unless x is Float64 or Float32; the errors of the file system.
func (f *MatrixFile) Write(x *tensor.Dense) error {
	m, err := matrixOf("data: MatrixFile.Write", x)
	if err != nil {
		return err
	}
	if m.cols != f.cols {
		return fmt.Errorf("data: MatrixFile.Write: x has %d columns and the file %d: %w", m.cols, f.cols, domain.ErrShape)
	}
	f.written += m.rows
	buf := make([]byte, 0, 64)
	for i, v := range ops.Float64s(x) {
		switch {
		case f.csv:
			buf = strconv.AppendFloat(buf[:0], v, 'g', 17, 64)
			if (i+1)%f.cols == 0 {
				buf = append(buf, '\n')
			} else {
				buf = append(buf, ',')
			}
		case f.dt == tensor.Float32:
			buf = binary.LittleEndian.AppendUint32(buf[:0], math.Float32bits(float32(v)))
		default:
			buf = binary.LittleEndian.AppendUint64(buf[:0], math.Float64bits(v))
		}
		if _, err := f.w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Close completes the file and gives it its name if err is nil. Otherwise it removes the file and returns err. Fewer or
// more rows than NewMatrixFile was told are an error, too.
func (f *MatrixFile) Close(err error) error {
	if err != nil {
		return f.file.Close(err)
	}
	err = f.w.Flush()
	if err == nil && f.rows != AnyRows && f.written != f.rows {
		err = fmt.Errorf("%d rows written of %d", f.written, f.rows)
	}
	if err == nil && f.rows == AnyRows && !f.csv {
		_, err = f.file.WriteAt(f.npyHeader(f.written), 0)
	}
	if err = f.file.Close(err); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}
