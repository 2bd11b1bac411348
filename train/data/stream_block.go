package data

import (
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// Block holds some rows of a stream, which may come from several files.
type Block struct {
	*Set
	files []string
	at    []place
}

// place is the origin of a row: the number of its file, and its number in the file, from 0.
type place struct{ file, row int }

// Place returns the file of row i and its number there, from 0. It panics when i is out of range.
func (b *Block) Place(i int) (file string, row int) {
	mustIndex("data: Block.Place", len(b.at), []int{i})
	p := b.at[i]
	return b.files[p.file], p.row
}

// Locate adds the file to an error about the block, and changes the row in it to the number in that file.
func (b *Block) Locate(err error) error {
	if len(b.at) == 0 {
		return err
	}
	return locate(err, func(row int) (string, int) { return b.Place(max(row, 0)) })
}

// entry is a row of a block: all its cells, or those in the columns cols.
type entry struct {
	x     []float64
	cols  []int32
	y     []float64
	label string
	id    string
	at    place
}

// entries calls f with every row, in the memory of the block.
func (b *Block) entries(f func(e entry) error) error {
	var ptr []int
	var cols []int32
	var x []float64
	d := b.Dims()
	if s, ok := b.X.(*ops.CSR); ok {
		ptr, cols, x = s.Pointers(), s.Columns(), s.Float64s()
	} else {
		x = b.X.(*tensor.Dense).Float64s()
	}
	for i := range b.Rows() {
		e := entry{at: b.at[i]}
		if ptr != nil {
			e.x, e.cols = x[ptr[i]:ptr[i+1]], cols[ptr[i]:ptr[i+1]]
		} else {
			e.x = x[i*d : (i+1)*d]
		}
		if b.Y != nil {
			k := b.Targets()
			e.y = b.Y[i*k : (i+1)*k]
		}
		if b.Labels != nil {
			e.label = b.Labels[i]
		}
		if b.IDs != nil {
			e.id = b.IDs[i]
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

// keep copies an entry into the memory of e.
func (e *entry) keep(from entry) {
	e.x, e.cols = append(e.x[:0], from.x...), append(e.cols[:0], from.cols...)
	e.y, e.label, e.id, e.at = append(e.y[:0], from.y...), from.label, from.id, from.at
}

// builder assembles rows into a block of the kind of like.
type builder struct {
	like  *Block
	x     []float64
	cols  []int32
	ends  []int
	at    []place
	y     []float64
	names []string
	ids   []string
}

func (b *builder) add(e entry) {
	b.x, b.cols = append(b.x, e.x...), append(b.cols, e.cols...)
	b.ends = append(b.ends, len(b.x))
	b.at = append(b.at, e.at)
	if b.like.Y != nil {
		b.y = append(b.y, e.y...)
	}
	if b.like.Labels != nil {
		b.names = append(b.names, e.label)
	}
	if b.like.IDs != nil {
		b.ids = append(b.ids, e.id)
	}
}

// block returns the added rows as a block of d columns, and empties the builder.
func (b *builder) block(d int, sparse bool) (*Block, error) {
	n := len(b.at)
	set := &Set{Y: b.y, Labels: b.names, IDs: b.ids, Names: b.like.Names, LabelNames: b.like.LabelNames, Columns: b.like.Columns, Source: b.like.Source}
	var err error
	if sparse {
		set.X, err = ops.NewCSR(n, d, append([]int{0}, b.ends...), b.cols, b.x)
	} else {
		set.X = tensor.New(tensor.WithShape(n, d), tensor.WithBacking(b.x))
	}
	out := &Block{Set: set, files: b.like.files, at: b.at}
	*b = builder{like: b.like, x: make([]float64, 0, len(b.x)), cols: make([]int32, 0, len(b.cols)), ends: b.ends[:0]}
	return out, err
}

// cutter cuts rows into blocks of size rows.
type cutter struct {
	size int
	emit func(*Block) error
	b    builder
}

// room is the number of rows that complete the block.
func (c *cutter) room() int { return c.size - len(c.b.at) }

// add takes at most room() rows.
func (c *cutter) add(b *Block) error {
	if len(c.b.at) == 0 && b.Rows() == c.size {
		return c.emit(b)
	}
	c.b.like = b
	return b.entries(c.one)
}

func (c *cutter) one(e entry) error {
	c.b.add(e)
	if c.room() > 0 {
		return nil
	}
	return c.flush()
}

// flush emits the rows held.
func (c *cutter) flush() error {
	if len(c.b.at) == 0 {
		return nil
	}
	_, sparse := c.b.like.X.(*ops.CSR)
	b, err := c.b.block(c.b.like.Dims(), sparse)
	if err != nil {
		return err
	}
	return c.emit(b)
}

// reservoir draws a uniform sample of rows (Vitter 1985, algorithm R).
type reservoir struct {
	size int
	rng  *rand.Rand
	seen int
	pool []entry
}

func (r *reservoir) add(e entry) {
	r.seen++
	k := len(r.pool)
	if k < r.size {
		r.pool = append(r.pool, entry{})
	} else if k = r.rng.IntN(r.seen); k >= r.size {
		return
	}
	r.pool[k].keep(e)
}

// mixer is the shuffle buffer.
type mixer struct {
	size int
	rng  *rand.Rand
	pool []entry
	out  *cutter
}

func (m *mixer) add(b *Block) error {
	m.out.b.like = b
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
