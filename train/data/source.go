package data

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"gorgonia.org/tensor"
)

// Read reads the file at path in the format that its extension names (see the package comment). Errors: see ReadLIBSVM,
// ReadCSV and ReadNPY; ErrFormat for another extension; the errors of the file system.
func Read(path string, o Options) (*Set, error) {
	r, err := openFile(path, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	return readWhole(r, o)
}

// ReadLIBSVM reads LIBSVM (svmlight) text, plain, gzip or zstd. name stands for the file in messages and in Set.Source.
//
// A row is `label index:value ...`, separated by spaces or tabs. Indices count from 1 and increase within a row;
// missing features are 0. Text after a # and blank lines are ignored. The width is Options.Dims or else the highest
// index of the file, which a row may name with the value 0. A label is one token without a comma; several labels a row,
// and the qid: tokens of ranking, are errors. Options.Form says when the rows stay sparse. Errors: ErrFormat;
// domain.ErrDomain for a value that is not finite; domain.ErrShape for an index beyond Options.Dims.
func ReadLIBSVM(r io.Reader, name string, o Options) (*Set, error) {
	return read(r, name, o, formatLIBSVM)
}

// ReadCSV reads comma-separated values (RFC 4180), plain, gzip or zstd. name stands for the file in messages and in
// Set.Source.
//
// Options.Delimiter separates the fields. If it is 0, the first 64 KiB decide: a comma if the first line has one
// outside of quotes, else a semicolon, else a tab; another of these wins if it cuts all lines into equally many fields
// and gives more numbers. Numbers have a decimal point; ReadFrame reads other tables.
//
// Options.Header says whether the first line is a header. HeaderAuto decides by the first 100 lines and ignores the
// field of the label:
//
//   - It is a header if it holds all names of Options.LabelNames or Options.Columns.
//   - It is a row if one of its fields is a number, unless its numbers count up: 0, 1, 2 and so on, as pandas writes by
//     default, or years.
//   - Otherwise it is a header if one of its fields is a name above numbers or dates, or if all columns are texts and
//     none of its fields comes again below. A name is neither empty nor a mark of a missing value (see ReadFrame).
//
// Options.Tell reports doubtful cases. Blank lines are skipped, fields are trimmed, and lines may end with a carriage
// return alone. All rows have the same number of fields. Without Options.Columns no field may be empty.
//
// Errors: ErrFormat; domain.ErrDomain for a number that is not finite, and for a whole number of 2^53 or more in
// absolute value, which float64 may round; domain.ErrShape for another width than Options.Dims.
func ReadCSV(r io.Reader, name string, o Options) (*Set, error) {
	return read(r, name, o, formatCSV)
}

// ReadNPY reads a NumPy array file, plain, gzip or zstd. name stands for the file in messages and in Set.Source.
//
// The array is 2-d, in C or Fortran order, of float64, float32 or integers of either byte order. Its header has at most
// 10000 bytes, the limit of NumPy, and nothing may follow the array. Errors: ErrFormat; domain.ErrDomain for a number
// that is not finite, and for an integer of 2^53 or more in absolute value, which float64 may round; domain.ErrShape
// for another width than Options.Dims.
func ReadNPY(r io.Reader, name string, o Options) (*Set, error) {
	return read(r, name, o, formatNPY)
}

func read(r io.Reader, name string, o Options, f format) (*Set, error) {
	s, err := open(r, name, o, f.text)
	if err != nil {
		return nil, err
	}
	defer s.close()
	rows, err := f.rows(s)
	if err != nil {
		return nil, err
	}
	return readWhole(rows, o)
}

// source is an open file: decompressed, past its byte order mark, with its name for errors.
type source struct {
	*bufio.Reader
	name  string
	o     Options
	meter *meter
	size  int64    // of the file, 0 if it is not known
	shut  []func() // called by close

	byRow bool // whether rows are told by their numbers, from 0, and not by their lines, from 1

	commas, commaTold bool // whether numbers may have decimal commas; whether one was reported
}

func (s *source) close() {
	for _, f := range s.shut {
		f()
	}
}

func open(r io.Reader, name string, o Options, text bool) (*source, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if domain.IsNil(r) {
		return nil, fmt.Errorf("data: %s: the reader is nil: %w", name, domain.ErrParam)
	}
	const size = 1 << 16
	in := &meter{r: r}
	raw := bufio.NewReaderSize(in, size)
	s := &source{name: name, o: o, meter: &meter{r: raw, in: in, most: mostUnpacked}}
	head, err := raw.Peek(4)
	if err != nil && err != io.EOF {
		return nil, s.wrap(err)
	}
	if len(head) == 0 {
		return nil, s.fail(0, ErrFormat, "is empty")
	}
	window := maxLine
	if _, err := raw.Peek(smallFile); err == io.EOF {
		s.meter.small, window = true, smallWindow
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, s.wrap(gzipped.explain(err))
		}
		s.meter.r, s.meter.packed = z, gzipped
	case string(head) == "\x28\xb5\x2f\xfd":
		window = cmp.Or(o.MaxWindow, window)
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(window)),
			zstd.WithDecoderLowmem(s.meter.small))
		if err != nil {
			return nil, s.wrap(zstandard.explain(err))
		}
		s.shut = append(s.shut, z.Close)
		s.meter.r, s.meter.packed = z, zstandard
	}
	s.Reader = bufio.NewReaderSize(s.meter, size)
	if !text {
		return s, nil
	}
	// A failing Peek is left for the parser to meet.
	head, _ = s.Peek(64)
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		s.close()
		return nil, s.fail(0, ErrFormat, "is UTF-16 text; save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		s.close()
		return nil, s.fail(0, ErrFormat, "has zero bytes, so it is UTF-16 or no text; save it as UTF-8")
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err := s.Discard(3)
		return s, err
	}
	return s, nil
}

// packing is the compression of a file.
type packing uint8

const (
	unpacked packing = iota
	gzipped
	zstandard
)

func (p packing) String() string { return [...]string{"unpacked", "gzip", "zstd"}[p] }

// packings are the extensions of compressed files.
var packings = map[string]packing{".gz": gzipped, ".zst": zstandard, ".zstd": zstandard}

// meter counts the bytes that it hands on, and limits and explains gzip and zstd data.
type meter struct {
	r      io.Reader
	packed packing
	in     *meter // of the bytes before they are unpacked
	small  bool   // whether these are less than smallFile
	most   int64  // bytes that they may then become
	total  int64
	err    error // the first error, which every later Read returns
}

func (m *meter) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.r.Read(p)
	m.total += int64(n)
	m.err = m.packed.explain(err)
	if m.packed != unpacked {
		if err := m.unpacks(m.total); err != nil {
			n, m.err = 0, err
		}
	}
	return n, m.err
}

// unpacks returns an error if the packed data, as far as they are read, may not become so many bytes.
func (m *meter) unpacks(bytes int64) error {
	most := m.most
	if !m.small {
		most = mostRatio * m.in.total
	}
	if bytes <= most {
		return nil
	}
	return fmt.Errorf("%d bytes of %v data become more than %d; if that is right, unpack the file first: %w",
		m.in.total, m.packed, most, ErrFormat)
}

// explain says what is wrong with packed data. Errors of the file itself stay as they are.
func (p packing) explain(err error) error {
	var file *fs.PathError
	var corrupt flate.CorruptInputError
	switch {
	case p == unpacked || err == nil || err == io.EOF || errors.As(err, &file):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %v data end early, the file is truncated; fetch it again: %w", p, ErrFormat)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("a gzip header is wrong: the file is damaged, or other bytes follow the gzip data (trailing garbage): %w", ErrFormat)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded): // the latter of a frame that is its own window
		return fmt.Errorf("the zstd data ask for a larger window than is allowed; pack them without --long or --ultra: %w", ErrFormat)
	case p == zstandard || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt):
		return fmt.Errorf("the %v data are damaged (%v); fetch the file again: %w", p, err, ErrFormat)
	}
	return err
}

func (s *source) fail(line int, sentinel error, format string, args ...any) error {
	return newError(s.name, line, sentinel, format, args...)
}

// failAt is fail for a row: its line, or its number.
func (s *source) failAt(row int, sentinel error, format string, args ...any) error {
	if !s.byRow {
		return s.fail(row, sentinel, format, args...)
	}
	return s.fail(0, sentinel, "row %d: "+format, append([]any{row}, args...)...)
}

// unit is what tells a row.
func (s *source) unit() string {
	if s.byRow {
		return "row"
	}
	return "line"
}

// wrap adds the file to an error of the underlying reader.
func (s *source) wrap(err error) error { return fmt.Errorf("%s: %w", whereIn(s.name, 0), err) }

// placed adds the file to an error that lacks it.
func (s *source) placed(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return s.wrap(err)
}

// limit is the number of dense cells that the bytes read so far allow.
func (s *source) limit() uint64 {
	if s.o.MaxCells > 0 {
		return uint64(s.o.MaxCells)
	}
	return freeCells + cellsPerByte*uint64(s.meter.total)
}

// allow returns an error if n rows of d features are more cells than the limit.
func (s *source) allow(n, d int) error {
	hi, cells := bits.Mul64(uint64(n), uint64(d))
	if limit := s.limit(); hi != 0 || cells > limit {
		return s.fail(0, ErrTooLarge, "%d rows of %d features are more than the %d cells allowed for it; if the file is right, allow more (Options.MaxCells)", n, d, limit)
	}
	return nil
}

// expected estimates the number of cells in the rest of the file, plus 1 %, from the cells so far. It is 0 if the size
// of the file is not known or too little was read, and at most 2^27.
func (s *source) expected(cells int) int {
	const enough = 1 << 18
	if s.size == 0 {
		return 0
	}
	read := s.meter.total - int64(s.Buffered())
	if s.size <= read || read < enough {
		return 0
	}
	return int(min(1.01*float64(cells)/float64(read)*float64(s.size-read), 1<<27))
}

// set makes a Set of the parts.
func (s *source) set(x ops.Matrix, t *targets) *Set {
	return &Set{X: x, Y: t.y, Labels: t.labels, Source: s.name}
}

// denseOf is a matrix of cells row by row.
func denseOf(x []float64, n, d int) *tensor.Dense {
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x[:n*d:n*d]))
}
