package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
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
func draw(ctx context.Context, m layers.Layer, examples data.Examples, o Options) (*sample, error) {
	src, err := rows.New(ctx, "Maximise", m, examples)
	if err == nil {
		src.Block = blockRows
		err = src.Check(func(p data.Pairs, _ int) error {
			if p.X.Dtype() != m.Dtype() {
				return fmt.Errorf("train: Maximise: x is %v and the map %v; both must be the same: %w", p.X.Dtype(),
					m.Dtype(), domain.ErrDtype)
			}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	n := src.N
	if src.Memory == nil {
		err = src.EachRaw(func(_ rows.Names, x ops.Matrix, _ *mat.Dense) error { n += x.Shape()[0]; return nil })
		_, src = src.Split(min(1, float64(o.Rows)/float64(n)), o.Seed)
	} else if n > o.Rows {
		drawn := data.Shuffle(n, o.Seed)[:o.Rows]
		slices.Sort(drawn)
		src = src.Take(drawn)
	}
	s := new(sample)
	if err == nil {
		err = src.EachRaw(func(names rows.Names, x ops.Matrix, y *mat.Dense) error {
			if t, ok := x.(*tensor.Dense); ok {
				x = t.Clone().(*tensor.Dense)
			}
			if _, err := layers.Transform(m, nil, x); err != nil { // here its place is known
				return names.Blame(m, x, err)
			}
			s.blocks, s.n, s.k = append(s.blocks, x), s.n+x.Shape()[0], y.RawMatrix().Cols
			s.y = append(s.y, mat.DenseCopyOf(y).RawMatrix().Data...)
			return nil
		})
	}
	if err == nil && s.n < 3 {
		err = fmt.Errorf("train: Maximise: %d rows decide, and it takes at least 3: %w", s.n, domain.ErrShape)
	}
	return s, err
}

// stopped is the error of a context that has ended.
func stopped(ctx context.Context) error {
	if err := given.Stopped(ctx); err != nil {
		return fmt.Errorf("train: Maximise: stopped: %w", err)
	}
	return nil
}
