package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// npyHeader is the accepted header of an array file.
type npyHeader struct {
	descr   string // '<f8'
	fortran bool
	rows    int
	cols    int
}

// maxNPYHeader is the limit of NumPy for a header that is read without trust.
const maxNPYHeader = 10000

var (
	npyDict  = regexp.MustCompile(`^\s*\{(.*)\}\s*$`)
	npyDescr = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`)
	npyOrder = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)\b`)
	npyShape = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([0-9L, \t]*)\)`)
	npyType  = regexp.MustCompile(`^[<>|=]?(f[48]|[iu][1248])$`)
)

// npyFile is an array; one in Fortran order is read whole.
type npyFile struct {
	tableRows
	h     npyHeader
	read  int       // rows, with those that are left out
	cells []float64 // decoded last, in the order of the file
}

// npyCells bounds the cells that are decoded at once, unless a row has more.
const npyCells = 1 << 15

// newNPY checks the header. Elements are decoded a buffer at a time, so memory is proportional to the bytes in the
// file, whatever the header states.
func newNPY(s *source) (rows, error) {
	h, err := s.npyHeader()
	if err != nil {
		return nil, s.placed(err)
	}
	if h.rows == 0 || h.cols == 0 {
		return nil, s.fail(0, ErrFormat, "the array is %d x %d: it has no cells", h.rows, h.cols)
	}
	width := float64(h.descr[len(h.descr)-1] - '0')
	switch row := float64(h.cols) * width; {
	case s.meter.packed != unpacked && s.meter.small && row*float64(h.rows) > mostUnpacked:
		return nil, s.wrap(s.meter.unpacks(mostUnpacked + 1))
	case s.meter.packed == unpacked && s.meter.small && row > float64(s.meter.in.total): // before a column takes memory
		return nil, s.npyEnd(io.EOF, fmt.Sprintf("after less than one of %d rows of %d elements", h.rows, h.cols))
	}
	s.byRow = true
	p := &npyFile{tableRows: tableRows{source: s, targets: newTargets(s)}, h: h}
	err = p.start("the array", 0, h.cols)
	p.row.texts = nil
	return p, err
}

func (p *npyFile) more(most int) (int, error) {
	p.want = most
	for p.rows < most && p.read < p.h.rows {
		n := min(most-p.rows, p.h.rows-p.read)
		switch {
		case p.h.fortran && n < p.h.rows:
			return 0, p.fail(0, ErrFormat, "the array is in Fortran order, whose rows cannot be read block by block; "+
				"save it with numpy.ascontiguousarray")
		case !p.h.fortran:
			n = min(n, max(1, npyCells/p.h.cols))
		}
		if err := p.decode(n); err != nil {
			return 0, p.placed(err)
		}
		for i := range n {
			if err := p.addRow(i, n); err != nil {
				return 0, err
			}
		}
	}
	return p.rows, p.none()
}

// addRow takes row i of the n rows that were decoded last.
func (p *npyFile) addRow(i, n int) error {
	if p.h.fortran {
		for j := range p.row.numbers {
			p.row.numbers[j] = p.cells[j*n+i]
		}
	} else {
		p.row.numbers = p.cells[i*p.h.cols:][:p.h.cols]
	}
	return p.add(p.done + p.rows)
}

// npyHeader reads and checks the preamble and the dictionary. https://numpy.org/neps/nep-0001-npy-format.html
func (s *source) npyHeader() (h npyHeader, err error) {
	pre := make([]byte, 8)
	if _, err := io.ReadFull(s, pre); err != nil {
		return h, s.npyEnd(err, "in the header")
	}
	if string(pre[:6]) != "\x93NUMPY" {
		return h, s.fail(0, ErrFormat, "does not start with the mark of an .npy file")
	}
	size := 4 // of the header's length; versions 2 and 3 differ only in the header's character set
	switch pre[6] {
	case 1:
		size = 2
	case 2, 3:
	default:
		return h, s.fail(0, ErrFormat, "is .npy version %d; versions 1 to 3 are supported", pre[6])
	}
	length := make([]byte, 4)
	if _, err := io.ReadFull(s, length[:size]); err != nil {
		return h, s.npyEnd(err, "in the header")
	}
	n := binary.LittleEndian.Uint32(length)
	if n > maxNPYHeader {
		return h, s.fail(0, ErrFormat, "announces a header of %d bytes; at most %d are allowed", n, maxNPYHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(s, text); err != nil {
		return h, s.npyEnd(err, "in the header")
	}
	return s.npyLayout(string(text))
}

// npyLayout reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 5), }.
func (s *source) npyLayout(text string) (h npyHeader, err error) {
	text = strings.TrimRight(text, "\x00 \n")
	dict := npyDict.FindStringSubmatch(text)
	if dict == nil {
		return h, s.fail(0, ErrFormat, "the header %s is not a dictionary", quote(text))
	}
	descr, order, shape := npyDescr.FindStringSubmatch(dict[1]), npyOrder.FindStringSubmatch(dict[1]), npyShape.FindStringSubmatch(dict[1])
	if order == nil || shape == nil || !strings.Contains(dict[1], "descr") {
		return h, s.fail(0, ErrFormat, "the header %s lacks descr, fortran_order or shape", quote(text))
	}
	if descr == nil {
		return h, s.fail(0, ErrFormat, "the array is structured; save its columns with astype(float64)")
	}
	if !npyType.MatchString(descr[1]) {
		return h, s.fail(0, ErrFormat, "the element type %s is not float64, float32 or an integer; save the array with astype(float64)", quote(descr[1]))
	}
	var dims []int
	for _, t := range strings.FieldsFunc(shape[1], func(r rune) bool { return strings.ContainsRune(", L\t", r) }) {
		v, err := strconv.Atoi(t)
		if err != nil {
			return h, s.fail(0, ErrFormat, "the shape (%s) is too large", shape[1])
		}
		dims = append(dims, v)
	}
	if len(dims) != 2 {
		return h, s.fail(0, ErrFormat, "the array has %d dimensions, want 2; save it with reshape(n, -1), one row an instance", len(dims))
	}
	if dims[1] > maxColumns {
		return h, s.fail(0, ErrFormat, "the array has %d columns; at most %d are allowed", dims[1], maxColumns)
	}
	if dims[1] > 0 && dims[0] > math.MaxInt/dims[1] {
		return h, s.fail(0, ErrFormat, "the shape (%s) is too large", shape[1])
	}
	return npyHeader{strings.TrimPrefix(descr[1], "="), order[1] == "True", dims[0], dims[1]}, nil
}

// npyEnd explains the unexpected end of a file.
func (s *source) npyEnd(err error, place string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return s.fail(0, ErrFormat, "ends early, %s: it is truncated", place)
	}
	return err
}

// decode decodes n rows in file order into p.cells. Nothing may follow the last row.
func (p *npyFile) decode(n int) (err error) {
	h := p.h
	before := p.read * h.cols
	var lost string
	p.cells, lost, err = decoders[h.descr[len(h.descr)-2:]](p.cells[:0], p.source, strings.HasPrefix(h.descr, ">"), n*h.cols)
	if lost != "" {
		i, j := h.place(before + len(p.cells))
		return p.fail(0, domain.ErrDomain, "the integer %s at row %d, column %d of the array is 2^53 or more in absolute value, where float64 rounds; save the array with astype(float64) if that is meant", lost, i, j)
	}
	if err != nil {
		return p.npyEnd(err, fmt.Sprintf("after at least %d of %d x %d elements", before+len(p.cells), h.rows, h.cols))
	}
	if p.read += n; p.read < h.rows {
		return nil
	}
	switch _, err := p.ReadByte(); {
	case err == nil:
		return p.fail(0, ErrFormat, "goes on after its %d x %d elements (trailing garbage)", h.rows, h.cols)
	case err != io.EOF:
		return err
	}
	return nil
}

// decoders has an entry for each type that npyType accepts.
var decoders = map[string]func(out []float64, r io.Reader, big bool, size int) (_ []float64, lost string, err error){
	"f8": decode[float64], "f4": decode[float32],
	"i1": decode[int8], "i2": decode[int16], "i4": decode[int32], "i8": decode[int64],
	"u1": decode[uint8], "u2": decode[uint16], "u4": decode[uint32], "u8": decode[uint64],
}

// place is the row and column, from 0, of the k-th element of the file.
func (h npyHeader) place(k int) (i, j int) {
	if h.fortran {
		return k % h.rows, k / h.rows
	}
	return k / h.cols, k % h.cols
}

type element interface {
	float64 | float32 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// decode appends size elements, big-endian or little-endian, to out, which is empty. With an error it returns the
// elements before the buffer that failed, and with lost, an integer that float64 may round, those before it.
func decode[T element](out []float64, r io.Reader, big bool, size int) (_ []float64, lost string, err error) {
	const buffer = 1 << 13
	out = grown(out, min(size, freeCells))
	buf := make([]T, min(size, buffer))
	width := binary.Size(buf[:1])
	raw := make([]byte, len(buf)*width)
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	one := T(1)
	whole := one/2 == 0 // T is an integer type
	for len(out) < size {
		part := buf[:min(len(buf), size-len(out))]
		b := raw[:len(part)*width]
		if _, err := io.ReadFull(r, b); err != nil {
			return out, "", err
		}
		n := len(out)
		out = slices.Grow(out, len(part))
		switch {
		case whole || big:
			if _, err := binary.Decode(b, order, part); err != nil {
				return out, "", err
			}
			for _, v := range part {
				f := float64(v)
				if whole && (f >= 1<<53 || f <= -1<<53) {
					return out, fmt.Sprint(v), nil
				}
				out = append(out, f)
			}
		case width == 4: // what is read most is decoded without a call for each element
			out = out[:n+len(part)]
			to := out[n:]
			for ; len(to) >= 4 && len(b) >= 16; to, b = to[4:], b[16:] { // four at once, whose bounds are known
				to[0] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
				to[1] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4:])))
				to[2] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[8:])))
				to[3] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[12:])))
			}
			for i := range to {
				to[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
			}
		default:
			out = out[:n+len(part)]
			for i := range part {
				out[n+i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
	}
	return out, "", nil
}
