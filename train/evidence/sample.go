package evidence

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
)

// blockRows is the number of rows that go through the map at once.
const blockRows = 512

// sample holds the rows that are used.
type sample struct {
	blocks []ops.Matrix
	n, k   int
	y      []float64 // [n, k]
}

// draw takes the rows to use, in order: o.Rows of those in memory, or each row of a stream with the same probability.
func draw(ctx context.Context, m layers.Layer, rows data.Examples, o Options) (*sample, error) {
	check := func(p data.Pairs) (data.Pairs, error) { return checked(m, p) }
	each := func(rows data.Examples, f func(b data.Pairs) error) error {
		return given.EachBlock(ctx, "Maximise", rows, check, func() error { return stopped(ctx) }, f)
	}
	n := 0
	if err := each(rows, func(b data.Pairs) error { n += b.X.Shape()[0]; return nil }); err != nil {
		return nil, err
	}
	if _, memory := given.Memory(rows); memory && n > o.Rows {
		drawn := make(map[int]bool, o.Rows)
		for _, i := range data.Shuffle(n, o.Seed)[:o.Rows] {
			drawn[i] = true
		}
		rows = data.Part(rows, func(_, row int) bool { return drawn[row] })
	} else if n > o.Rows {
		rows = data.Part(rows, data.Held(float64(o.Rows)/float64(n), o.Seed))
	}
	s := new(sample)
	err := each(rows, func(p data.Pairs) error {
		b, k := p.Y.Dims()
		if s.n > 0 && k != s.k {
			return fmt.Errorf("train: Maximise: a block has %d targets a row, those before it have %d: %w", k, s.k,
				domain.ErrShape)
		}
		s.n, s.k = s.n+b, k
		for i := range b {
			s.y = append(s.y, p.Y.RawRowView(i)...)
		}
		for lo, x := range data.Blocks(p.X, blockRows) {
			if _, err := layers.Transform(m, nil, x); err != nil { // here its place is known
				return domain.InBlock(lo, err)
			}
			s.blocks = append(s.blocks, x)
		}
		return nil
	})
	if err == nil && s.n < 3 {
		err = fmt.Errorf("train: Maximise: %d rows decide, and it takes at least 3: %w", s.n, domain.ErrShape)
	}
	return s, err
}

// checked returns pairs that the map takes, with finite targets.
func checked(m layers.Layer, p data.Pairs) (data.Pairs, error) {
	p, err := p.Check("train: Maximise")
	if err != nil {
		return p, err
	}
	switch {
	case p.X.Dims() != 2 || p.X.Shape()[1] != m.Dims():
		return p, fmt.Errorf("train: Maximise: x has shape %v, the map takes %d columns; give the data that the map was made "+
			"for: %w", p.X.Shape(), m.Dims(), domain.ErrShape)
	case p.X.Dtype() != m.Dtype():
		return p, fmt.Errorf("train: Maximise: x is %v and the map %v; both must be the same: %w",
			p.X.Dtype(), m.Dtype(),
			domain.ErrDtype)
	}
	return p, given.CheckTargets("Maximise", p.Y, func(i int) int { return i })
}

// stopped is the error of a context that has ended.
func stopped(ctx context.Context) error {
	if err := given.Stopped(ctx); err != nil {
		return fmt.Errorf("train: Maximise: stopped: %w", err)
	}
	return nil
}
