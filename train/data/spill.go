package data

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// spill holds the rows of all files of a stream as numbers, in a file without a name. A row is
//
//	dense   d cells (8 bytes each), or
//	sparse  the number of its entries (4), their columns (4 each), their values (8 each),
//	then    its targets (8 each), the number of its class (4),
//	        and the length (4) and the bytes of its name, if it has these,
//
// all little-endian. Several passes may read it at once.
type spill struct {
	file   *os.File
	size   int64
	files  []spilled
	labels []string // the classes, by number
}

// spilled is a file in a spill.
type spilled struct {
	start   int64
	rows    int
	dims    int
	fixed   bool
	sparse  bool
	targets int
	read    int64 // the bytes that the rows were parsed from
	like    Set   // a set without rows
	classes bool
	named   bool
}

// errSpill marks the reason why rows are not kept.
var errSpill = errors.New("the rows are parsed again in every pass")

// defaultSpill is the default of StreamOptions.SpillBytes.
const defaultSpill = 16 << 30

// spiller writes a spill.
type spiller struct {
	spill
	w     *bufio.Writer
	limit int64
	codes map[string]uint32
	row   []byte
	err   error // why there is no spill
}

func newSpiller(files int, limit int64) *spiller {
	p := &spiller{limit: limit, codes: make(map[string]uint32)}
	p.files = make([]spilled, files)
	if p.file, p.err = createSpill(os.TempDir()); p.err == nil {
		p.w = bufio.NewWriterSize(p.file, 1<<20)
	}
	return p
}

// tee are rows of file i that take also writes to a spill.
type tee struct {
	rows
	to *spiller
	i  int
}

func (t tee) take(d int, sparse bool) (*Set, error) {
	set, err := t.rows.take(d, sparse)
	if err == nil && t.to.err == nil {
		if t.to.err = t.to.add(t.i, set, t.rows); t.to.err != nil {
			t.to.drop()
		}
	}
	return set, err
}

// add writes the next rows of file i.
func (p *spiller) add(i int, set *Set, from rows) error {
	f := &p.files[i]
	if f.rows == 0 {
		f.start, f.like = p.size, *set
		f.like.X, f.like.Y, f.like.Labels, f.like.IDs = nil, nil, nil, nil
		_, f.sparse = set.X.(*ops.CSR)
		f.targets, f.classes, f.named = set.Targets(), set.Labels != nil, set.IDs != nil
		f.fixed = from.fixed()
	}
	f.rows, f.dims, f.read = f.rows+set.Rows(), set.Dims(), from.bytes()
	return (&Block{Set: set, at: make([]place, set.Rows())}).entries(func(e entry) error {
		if err := p.encode(f, e); err != nil {
			return err
		}
		if p.size += int64(len(p.row)); p.size > p.limit {
			return fmt.Errorf("they take more than the %d bytes allowed for them (StreamOptions.SpillBytes)", p.limit)
		}
		_, err := p.w.Write(p.row)
		return err
	})
}

// encode makes the bytes of a row.
func (p *spiller) encode(f *spilled, e entry) error {
	b, le := p.row[:0], binary.LittleEndian
	if f.sparse {
		b = le.AppendUint32(b, uint32(len(e.x)))
		for _, c := range e.cols {
			b = le.AppendUint32(b, uint32(c))
		}
	}
	for _, v := range e.x {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range e.y {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	if f.classes {
		code, ok := p.codes[e.label]
		if !ok {
			if len(p.labels) == maxClasses {
				return fmt.Errorf("they have more than %d classes", maxClasses)
			}
			code = uint32(len(p.labels))
			p.codes[e.label], p.labels = code, append(p.labels, e.label)
		}
		b = le.AppendUint32(b, code)
	}
	if f.named {
		b = append(le.AppendUint32(b, uint32(len(e.id))), e.id...)
	}
	p.row = b
	return nil
}

// drop closes the file, which frees the disk.
func (p *spiller) drop() {
	if p.file != nil {
		p.file.Close()
		p.file, p.w = nil, nil
	}
}

// finish returns the spill, or why there is none.
func (p *spiller) finish() (*spill, error) {
	if p.err == nil {
		p.err = p.w.Flush()
	}
	if p.err != nil {
		p.drop()
		return nil, fmt.Errorf("data: %w: no file of them is kept in %s: %w", errSpill, os.TempDir(), p.err)
	}
	done := p.spill
	p.file = nil // which drop would close
	return &done, nil
}

// open reads the rows of file i.
func (p *spill) open(i int, name string, o Options) rows {
	f := &p.files[i]
	end := p.size
	for _, next := range p.files[i+1:] {
		if next.rows > 0 {
			end = next.start
			break
		}
	}
	s := &source{name: name, o: o, meter: &meter{total: f.read}}
	return &spillRows{source: s, spill: p, f: f, left: f.rows, in: bufio.NewReaderSize(io.NewSectionReader(p.file, f.start, end-f.start), 1<<18)}
}

// spillRows reads the rows of a file from a spill.
type spillRows struct {
	*source
	spill *spill
	f     *spilled
	left  int
	in    *bufio.Reader
	wide  []byte // for reads that do not fit the buffer

	n    int // in hand
	x    []float64
	cols []int32
	ends []int
	y    []float64
	text []string
	ids  []string
}

func (p *spillRows) fixed() bool { return p.f.fixed }

func (p *spillRows) inHand() (n, stored, d int) { return p.n, len(p.x), max(p.f.dims, p.o.Dims) }

// next returns the next n bytes, valid until the next call.
func (p *spillRows) next(n int) (b []byte, err error) {
	if n <= p.in.Size() {
		if b, err = p.in.Peek(n); err == nil {
			p.in.Discard(n)
		}
	} else {
		p.wide = slices.Grow(p.wide[:0], n)[:n]
		b = p.wide
		_, err = io.ReadFull(p.in, b)
	}
	if err != nil {
		return nil, p.wrap(fmt.Errorf("its rows, which are kept in %s, cannot be read: %w", os.TempDir(), err))
	}
	return b, nil
}

func (p *spillRows) more(most int) (int, error) {
	n := min(most, p.left)
	if p.n == 0 {
		p.start(n)
	}
	for range n {
		if err := p.row(); err != nil {
			return 0, err
		}
	}
	p.n, p.left = p.n+n, p.left-n
	return n, nil
}

// start makes room for n rows.
func (p *spillRows) start(n int) {
	if p.f.sparse {
		p.ends = []int{0}
		p.x, p.cols = make([]float64, 0, len(p.x)), make([]int32, 0, len(p.cols))
	} else {
		p.x = make([]float64, 0, n*p.f.dims)
	}
	p.y, p.text, p.ids = nil, nil, nil
	if p.f.targets > 0 {
		p.y = make([]float64, 0, n*p.f.targets)
	}
	if p.f.classes {
		p.text = make([]string, 0, n)
	}
}

// row decodes a row.
func (p *spillRows) row() error {
	cells, le := p.f.dims, binary.LittleEndian
	size := 8 * p.f.targets
	if p.f.sparse {
		b, err := p.next(4)
		if err != nil {
			return err
		}
		cells = int(le.Uint32(b))
		size += 4 * cells
	}
	if p.f.classes {
		size += 4
	}
	if p.f.named {
		size += 4
	}
	b, err := p.next(size + 8*cells)
	if err != nil {
		return err
	}
	if p.f.sparse {
		for range cells {
			p.cols = append(p.cols, int32(le.Uint32(b)))
			b = b[4:]
		}
		p.ends = append(p.ends, len(p.cols))
	}
	for range cells {
		p.x = append(p.x, math.Float64frombits(le.Uint64(b)))
		b = b[8:]
	}
	for range p.f.targets {
		p.y = append(p.y, math.Float64frombits(le.Uint64(b)))
		b = b[8:]
	}
	if p.f.classes {
		p.text = append(p.text, p.spill.labels[le.Uint32(b)])
		b = b[4:]
	}
	if p.f.named {
		if b, err = p.next(int(le.Uint32(b))); err != nil {
			return err
		}
		p.ids = append(p.ids, string(b))
	}
	return nil
}

func (p *spillRows) take(d int, sparse bool) (*Set, error) {
	n := p.n
	set := p.f.like
	set.Y, set.Labels, set.IDs = p.y, p.text, p.ids
	p.n = 0
	if !p.f.sparse {
		x := tensor.New(tensor.WithShape(n, p.f.dims), tensor.WithBacking(p.x))
		if set.X = x; !sparse {
			return &set, nil
		}
		var err error
		set.X, err = ops.CSROf(x)
		return &set, err
	}
	rows := 1 // what is made for a column is made for each
	if !sparse {
		rows = n
	}
	if err := p.allow(rows, d); err != nil {
		return nil, err
	}
	x, err := ops.NewCSR(n, d, p.ends, p.cols, p.x)
	if set.X = x; err == nil && !sparse {
		set.X, err = x.Dense(nil)
	}
	return &set, err
}
