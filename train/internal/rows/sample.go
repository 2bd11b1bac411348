package rows

import (
	"container/heap"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Scored is the largest number of rows that choose lambda if not all rows have to.
const Scored = 2048

// Sample keeps a uniform random sample of up to Scored rows: those with the least ranks, whatever the blocks.
type Sample struct {
	rank   func(file, row int) float64
	rows   sampledRows
	blocks []SampledBlock // the rows in order, once they are asked for
}

// sampledRow is a row on the heap.
type sampledRow struct {
	rank float64
	at   int
	z, y []float64
}

// SampledBlock are some rows of a finished sample.
type SampledBlock struct {
	Rows Names
	Z    []float64 // [rows, D]
	Y    *mat.Dense
}

// sampledRows are a heap with the largest rank first.
type sampledRows []sampledRow

func (s sampledRows) Len() int           { return len(s) }
func (s sampledRows) Less(i, j int) bool { return s[i].rank > s[j].rank }
func (s sampledRows) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sampledRows) Push(x any)        { *s = append(*s, x.(sampledRow)) }
func (s *sampledRows) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// NewSample returns an empty sample, which the seed draws.
func NewSample(seed uint64) *Sample { return &Sample{rank: data.Rank(seed)} }

// Add takes rows, as Rows.
func (s *Sample) Add(rows Names, z *tensor.Dense, y *mat.Dense) error {
	d := z.Shape()[1]
	for i := range z.Shape()[0] {
		r := sampledRow{at: rows.At(i)}
		r.rank = s.rank(0, r.at)
		full := len(s.rows) == Scored
		if full && r.rank >= s.rows[0].rank {
			continue
		}
		if full { // its numbers take the place of the others
			r.z, r.y = s.rows[0].z, s.rows[0].y
		} else {
			r.z, r.y = make([]float64, d), make([]float64, y.RawMatrix().Cols)
		}
		if z.Dtype() == tensor.Float32 {
			widenRow(r.z, z.Float32s()[i*d:])
		} else {
			copy(r.z, z.Float64s()[i*d:])
		}
		copy(r.y, y.RawRowView(i))
		if full {
			s.rows[0] = r
			heap.Fix(&s.rows, 0)
		} else {
			heap.Push(&s.rows, r)
		}
	}
	return nil
}

// InTurn is Add for rows that are numbered in the order in which they come.
func (s *Sample) InTurn() Rows {
	n := 0
	return func(_ Names, z *tensor.Dense, y *mat.Dense) error {
		first := n
		n += z.Shape()[0]
		return s.Add(Names{First: first}, z, y)
	}
}

func widenRow[T domain.Float](dst []float64, src []T) {
	for j := range dst {
		dst[j] = float64(src[j])
	}
}

// All returns the rows in blocks, in order. No more can be added. A nil sample has none.
func (s *Sample) All() []SampledBlock {
	switch {
	case s == nil:
		return nil
	case s.blocks != nil || len(s.rows) == 0:
		return s.blocks
	}
	slices.SortFunc(s.rows, func(a, b sampledRow) int { return a.at - b.at })
	d, k := len(s.rows[0].z), len(s.rows[0].y)
	for part := range slices.Chunk(s.rows, BlockRows(d)) {
		b := SampledBlock{Names{Index: make([]int, len(part))}, make([]float64, 0, len(part)*d),
			mat.NewDense(len(part), k, nil)}
		for i := range part {
			b.Rows.Index[i], b.Z = part[i].at, append(b.Z, part[i].z...)
			b.Y.SetRow(i, part[i].y)
			part[i].z = nil
		}
		s.blocks = append(s.blocks, b)
	}
	s.rows = nil
	return s.blocks
}

// Both hands rows to one and then to the other.
func Both(f, g Rows) Rows {
	return func(rows Names, z *tensor.Dense, y *mat.Dense) error {
		if err := f(rows, z, y); err != nil {
			return err
		}
		return g(rows, z, y)
	}
}
