package data

import (
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// entry is a row of a block: all its cells, or those in the columns cols.
type entry struct {
	x     []float64
	cols  []int32
	y     []float64
	label string
	id    string
	at    place
	line  int
}

// entries calls f with every row, in the memory of the block.
func (s *Set) entries(f func(e entry) error) error {
	m, err := rowsOf("data: Set", s.X)
	if err != nil {
		return err
	}
	for i, at := range s.at {
		lo, hi, cols := m.bounds(i)
		e := entry{x: m.f64[lo:hi], cols: cols, at: at}
		if s.Y != nil {
			k := s.Targets()
			e.y = s.Y[i*k : (i+1)*k]
		}
		if s.Labels != nil {
			e.label = s.Labels[i]
		}
		if s.IDs != nil {
			e.id = s.IDs[i]
		}
		if s.lines != nil {
			e.line = s.lines[i]
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

// in is the entry as a row of d columns, sparse or dense.
func (e entry) in(d int, sparse bool) entry {
	out, is := e, len(e.cols) == len(e.x) // also of a sparse row without values
	switch {
	case sparse && !is:
		out.x, out.cols = nil, nil
		for j, v := range e.x {
			if v != 0 {
				out.x, out.cols = append(out.x, v), append(out.cols, int32(j))
			}
		}
	case !sparse && is:
		out.x, out.cols = make([]float64, d), nil
		for t, j := range e.cols {
			out.x[j] = e.x[t]
		}
	}
	return out
}

// keep copies an entry into the memory of e, unless e is nil.
func (e *entry) keep(from entry) {
	if e == nil {
		return
	}
	e.x, e.cols = append(e.x[:0], from.x...), append(e.cols[:0], from.cols...)
	e.y, e.label, e.id, e.at, e.line = append(e.y[:0], from.y...), from.label, from.id, from.at, from.line
}

// cutter cuts rows into blocks of size rows.
type cutter struct {
	size   int
	emit   func(*Set) error
	like   *Set // has labels, targets and IDs if the rows have
	dims   int  // of the rows
	sparse bool

	x           []float64 // the rows held
	cols        []int32
	ends        []int
	at          []place
	lines       []int
	y           []float64
	labels, ids []string
}

// room is the number of rows that complete the block.
func (c *cutter) room() int { return c.size - len(c.at) }

// rowsLike prepares for the rows of a block.
func (c *cutter) rowsLike(b *Set) {
	c.like, c.dims = b, b.Dims()
	_, c.sparse = b.X.(*ops.CSR)
}

// add takes at most room() rows.
func (c *cutter) add(b *Set) error {
	if len(c.at) == 0 && b.Rows() == c.size {
		return c.emit(b)
	}
	c.rowsLike(b)
	return b.entries(c.one)
}

// one takes a row.
func (c *cutter) one(e entry) error {
	c.x, c.cols = append(c.x, e.x...), append(c.cols, e.cols...)
	c.ends = append(c.ends, len(c.x))
	c.at, c.lines, c.y = append(c.at, e.at), append(c.lines, e.line), append(c.y, e.y...)
	if c.like.Labels != nil {
		c.labels = append(c.labels, e.label)
	}
	if c.like.IDs != nil {
		c.ids = append(c.ids, e.id)
	}
	if c.room() > 0 {
		return nil
	}
	return c.flush()
}

// flush emits the rows held.
func (c *cutter) flush() (err error) {
	n := len(c.at)
	if n == 0 {
		return nil
	}
	set := &Set{Y: c.y, Labels: c.labels, IDs: c.ids, Names: c.like.Names, LabelNames: c.like.LabelNames,
		Columns: c.like.Columns, Source: c.like.Source, origin: origin{c.like.files, c.at, c.lines}}
	if c.sparse {
		set.X, err = ops.NewCSR(n, c.dims, append([]int{0}, c.ends...), c.cols, c.x)
	} else {
		set.X = tensor.New(tensor.WithShape(n, c.dims), tensor.WithBacking(c.x))
	}
	if err != nil {
		return err
	}
	c.x, c.cols, c.ends = make([]float64, 0, len(c.x)), make([]int32, 0, len(c.cols)), c.ends[:0]
	c.at, c.lines, c.y, c.labels, c.ids = nil, nil, nil, nil, nil
	return c.emit(set)
}

// reservoir draws a uniform sample of size items (Vitter 1985, algorithm R).
type reservoir[T any] struct {
	size int
	rng  *rand.Rand
	seen int
	pool []T
}

// slot sees an item. It returns its place in the sample, whose old content it replaces, and nil if it is not drawn.
func (r *reservoir[T]) slot() *T {
	r.seen++
	k := len(r.pool)
	if k < r.size {
		r.pool = append(r.pool, *new(T))
	} else if k = r.rng.IntN(r.seen); k >= r.size {
		return nil
	}
	return &r.pool[k]
}

// mixer is the shuffle buffer.
type mixer struct {
	size int
	rng  *rand.Rand
	pool []entry
	out  *cutter
}

func (m *mixer) add(b *Set) error {
	m.out.rowsLike(b)
	return b.entries(func(e entry) error {
		if len(m.pool) < m.size {
			m.pool = append(m.pool, entry{})
			m.pool[len(m.pool)-1].keep(e)
			return nil
		}
		slot := &m.pool[m.rng.IntN(m.size)]
		if err := m.out.one(*slot); err != nil {
			return err
		}
		slot.keep(e)
		return nil
	})
}

// rest empties the buffer.
func (m *mixer) rest() error {
	m.rng.Shuffle(len(m.pool), func(i, j int) { m.pool[i], m.pool[j] = m.pool[j], m.pool[i] })
	for _, e := range m.pool {
		if err := m.out.one(e); err != nil {
			return err
		}
	}
	return nil
}
