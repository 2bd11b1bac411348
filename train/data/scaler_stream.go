package data

import (
	"fmt"
	"iter"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// FitBlocks is Fit for rows in blocks. It ranges over blocks once for each scaler that learns; each range must yield
// the same rows. Up to rounding the result is the same as Fit on all rows. Errors, which leave the scaler as it was:
// as for Fit and of blocks; domain.ErrParam for nil blocks; domain.ErrShape for no rows.
func (c *Chain) FitBlocks(blocks iter.Seq2[ops.Matrix, error]) error {
	if blocks == nil {
		return fmt.Errorf("%s: the sequence of blocks is nil: %w", who(c), domain.ErrParam)
	}
	return newLearning(c).fit(blocks)
}

// learning is a fit of a chain to blocks, on its way: a pass for each scaler that learns.
type learning struct {
	c      *Chain
	steps  []step
	at     int // the scaler that learns in this pass; with none left len(steps)
	cols   int
	sparse bool
}

func newLearning(c *Chain) *learning {
	l := &learning{c: c}
	for _, s := range c.steps {
		l.steps = append(l.steps, newStep(s.Name()))
	}
	l.skip()
	return l
}

// skip goes on to a scaler that learns.
func (l *learning) skip() {
	for l.at < len(l.steps) && !l.steps[l.at].learns() {
		l.at++
	}
}

// block lets the scaler of this pass learn from a block; where none learns the block tells the width.
func (l *learning) block(x ops.Matrix) (err error) {
	var steps []step
	if l.at < len(l.steps) {
		steps = l.steps[:l.at+1]
	}
	_, l.sparse = x.(*ops.CSR)
	l.cols, err = l.c.learnBlock(x, steps, l.cols)
	return err
}

// next ends a pass.
func (l *learning) next() error {
	if l.sparse {
		if err := keepsZeros(l.c, l.steps[l.at]); err != nil {
			return err
		}
	}
	l.at++
	l.skip()
	return nil
}

// pass lets the scaler of this pass learn from the blocks; where none learns the first block tells the width.
func (l *learning) pass(blocks iter.Seq2[ops.Matrix, error]) error {
	for x, err := range blocks {
		if err == nil {
			err = l.block(x)
		}
		if err != nil || l.at == len(l.steps) {
			return err
		}
	}
	return nil
}

// fit makes the passes that are left.
func (l *learning) fit(blocks iter.Seq2[ops.Matrix, error]) error {
	for l.at < len(l.steps) {
		if err := l.pass(blocks); err != nil {
			return err
		}
		if err := l.next(); err != nil {
			return err
		}
	}
	if l.cols == 0 {
		if err := l.pass(blocks); err != nil {
			return err
		}
	}
	if l.cols == 0 {
		return fmt.Errorf("%s: cannot be fitted to no rows: %w", who(l.c), domain.ErrShape)
	}
	if err := adopt(l.c.steps, l.steps); err != nil {
		return err
	}
	l.c.cols = l.cols
	return nil
}

// learnBlock lets the last of the steps learn from x as the steps before it return it. x has cols columns unless that
// is 0.
func (c *Chain) learnBlock(x ops.Matrix, steps []step, cols int) (int, error) {
	if err := given(c, x); err != nil {
		return 0, err
	}
	if b, ok := x.(*ops.Bags); ok {
		cols, err := c.learnBlock(b.Samples(), steps, cols)
		return cols, b.InBag(err)
	}
	n, d := x.Shape()[0], x.Shape()[1]
	if n == 0 || d == 0 || cols > 0 && d != cols {
		return 0, fmt.Errorf("%s: cannot be fitted to a block of %d rows of %d columns after one of %d columns: %w", who(c), n, d, cols, domain.ErrShape)
	}
	if err := ops.CheckRows(domain.Reals(), who(c), x); err != nil {
		return 0, err
	}
	if len(steps) == 0 {
		return d, nil
	}
	last := len(steps) - 1
	if s, ok := x.(*ops.CSR); ok {
		// One that moves zeros before it has learnt anything moves them whatever it learns.
		if err := keepsZeros(c, newStep(steps[last].Name())); err != nil {
			return 0, err
		}
		steps[last].learnSparse(entriesOf(s).through(steps[:last]), n, d)
		return d, nil
	}
	t, _ := x.(*tensor.Dense)
	m, err := matrixOf(who(c), t)
	if err != nil {
		return 0, err
	}
	steps[last].learn(m.through(steps[:last]), d)
	return d, nil
}
