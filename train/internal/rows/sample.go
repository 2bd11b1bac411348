package rows

import (
	"slices"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Scored is the largest number of rows that choose lambda if not all rows have to.
const Scored = 2048

// Sample keeps a uniform random sample of up to Scored rows: those with the least ranks, whatever the blocks.
type Sample struct {
	rank   func(file, row int) float64
	rows   []sampledRow
	last   int            // of the rows, the one with the largest rank, if there are Scored
	blocks []SampledBlock // the rows in order, once they are asked for
}

// sampledRow is a row of the sample.
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

// NewSample returns an empty sample, which the seed draws.
func NewSample(seed uint64) *Sample { return &Sample{rank: data.Rank(seed, "lambda")} }

// Add takes rows, as Rows.
func (s *Sample) Add(rows Names, z *tensor.Dense, y *mat.Dense) error {
	d := z.Shape()[1]
	for i := range z.Shape()[0] {
		at := rows.At(i)
		rank := s.rank(0, at)
		if len(s.rows) < Scored {
			s.last = len(s.rows)
			s.rows = append(s.rows, sampledRow{z: make([]float64, d), y: make([]float64, y.RawMatrix().Cols)})
		} else if rank >= s.rows[s.last].rank {
			continue
		}
		r := &s.rows[s.last] // its numbers take the place of the others
		r.rank, r.at = rank, at
		given.Cells(r.z, z, i*d)
		copy(r.y, y.RawRowView(i))
		for j := 0; len(s.rows) == Scored && j < Scored; j++ {
			if s.rows[j].rank > s.rows[s.last].rank {
				s.last = j
			}
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
