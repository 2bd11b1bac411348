package data

import (
	"fmt"
	"iter"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Fit learns from the training rows, which stay as they are. Errors, which leave the scaler as it was:
// domain.ErrDomain for a value that is not finite; domain.ErrShape for a matrix without rows or columns; ErrZeros for
// sparse rows under a scaler that changes zeros.
func (s *Scaler) Fit(x ops.Matrix) error {
	return newLearning(s).fit(once(x, nil))
}

// FitBlocks is Fit for rows in blocks. It ranges over blocks once for each scaler that learns; each range must yield
// the same rows. Up to rounding the result is the same as Fit on all rows. Errors, which leave the scaler as it was:
// as for Fit and of blocks; domain.ErrParam for nil blocks; domain.ErrShape for no rows.
func (s *Scaler) FitBlocks(blocks iter.Seq2[ops.Matrix, error]) error {
	if blocks == nil {
		return fmt.Errorf("%s: the sequence of blocks is nil: %w", s.who(), domain.ErrParam)
	}
	return newLearning(s).fit(blocks)
}

// learning is a fit on its way: a pass for each scaler of the lists that learns.
type learning struct {
	s      *Scaler
	lists  [][]step
	todo   [][]step // the last of the first list learns in this pass, from rows as those before it return them
	cols   int
	sparse bool
}

func newLearning(s *Scaler) *learning {
	l := &learning{s: s, lists: s.fresh()}
	for _, list := range l.lists {
		for k, t := range list {
			if t.vectors() != nil {
				l.todo = append(l.todo, list[:k+1])
			}
		}
	}
	return l
}

func (l *learning) done() bool { return len(l.todo) == 0 }

// block lets the step of this pass learn from a block; where none learns the block tells the width.
func (l *learning) block(x ops.Matrix) error {
	if b, ok := x.(*ops.Bags); ok && b != nil {
		return b.InBag(l.block(b.Samples()))
	}
	m, err := rowsOf(l.s.who(), x)
	switch {
	case err != nil:
		return err
	case m.rows == 0 || m.cols == 0:
		return fmt.Errorf("%s: cannot be fitted to %d rows of %d columns: %w", l.s.who(), m.rows, m.cols, domain.ErrShape)
	case l.cols > 0 && m.cols != l.cols:
		return fmt.Errorf("%s: cannot be fitted to a block of %d columns after one of %d columns: %w",
			l.s.who(), m.cols, l.cols, domain.ErrShape)
	}
	if err := ops.CheckRows(domain.Reals(), l.s.who(), x); err != nil {
		return err
	}
	if l.cols, l.sparse = m.cols, m.ptr != nil; l.done() {
		return nil
	}
	last := len(l.todo[0]) - 1
	t := l.todo[0][last]
	if l.sparse && t.centres() {
		return l.s.stepKeepsZeros(t, l.cols)
	}
	if err := domain.CheckSize(l.s.who(), 32, m.cols); err != nil { // what is learned of a column, twice
		return err
	}
	t.learn(m.through(l.todo[0][:last]), m.rows, m.cols)
	return nil
}

// next ends a pass.
func (l *learning) next() error {
	switch {
	case l.cols == 0:
		return fmt.Errorf("%s: cannot be fitted to no rows: %w", l.s.who(), domain.ErrShape)
	case l.done():
		return nil
	}
	t := l.todo[0][len(l.todo[0])-1]
	t.finish()
	if l.sparse {
		if err := l.s.stepKeepsZeros(t, l.cols); err != nil {
			return err
		}
	}
	l.todo = l.todo[1:]
	return nil
}

// fit makes the passes that are left. Where no step learns, the first block of a pass tells the width.
func (l *learning) fit(blocks iter.Seq2[ops.Matrix, error]) error {
	for !l.done() || l.cols == 0 {
		for x, err := range blocks {
			if err == nil {
				err = l.block(x)
			}
			if err != nil {
				return err
			}
			if l.done() {
				break
			}
		}
		if err := l.next(); err != nil {
			return err
		}
	}
	l.s.lists, l.s.cols = l.lists, l.cols
	return nil
}

// entries are rows, to be read before the next one.
type entries = iter.Seq2[[]int32, []float64]

// through yields the rows as the steps return them. No step overflows on the rows that it was fitted to: norms and
// ranges end in [-1, 1], and standard scores are at most √n.
func (m matrix) through(steps []step) entries {
	return func(yield func([]int32, []float64) bool) {
		var buf []float64
		for i := range m.rows {
			lo, hi, cols := m.bounds(i)
			if m.single || len(steps) > 0 {
				_, buf = m.load(i, buf)
			} else {
				buf = m.f64[lo:hi:hi]
			}
			for _, s := range steps {
				s.scale(cols, buf)
			}
			if !yield(cols, buf) {
				return
			}
		}
	}
}
