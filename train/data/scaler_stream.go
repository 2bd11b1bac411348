package data

import (
	"fmt"
	"iter"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// FitBlocks is Fit for rows that come in blocks, which are read once for each scaler that has anything to learn: blocks yields the same rows
// each time it is ranged over. The result is as of Fit on all rows, to rounding. Errors are as for Fit, for the block that they
// are in, and as for blocks; the scaler is then as before.
func (c *Chain) FitBlocks(blocks iter.Seq2[ops.Matrix, error]) error {
	if blocks == nil {
		return fmt.Errorf("%s: the sequence of blocks is nil: %w", who(c), domain.ErrParam)
	}
	cols, sparse := 0, false
	trial := make([]step, len(c.steps))
	for k, s := range c.steps {
		trial[k] = newStep(s.Name())
		if !trial[k].learns() {
			continue
		}
		for x, err := range blocks {
			if err == nil {
				cols, err = c.learnBlock(x, trial[:k+1], cols)
				_, sparse = x.(*ops.CSR)
			}
			if err != nil {
				return err
			}
		}
		if sparse {
			if err := keepsZeros(c, trial[k]); err != nil {
				return err
			}
		}
	}
	if cols == 0 { // nothing learns: one block tells the width
		for x, err := range blocks {
			if err == nil {
				cols, err = c.learnBlock(x, nil, 0)
			}
			if err != nil {
				return err
			}
			break
		}
	}
	if cols == 0 {
		return fmt.Errorf("%s: cannot be fitted to no rows: %w", who(c), domain.ErrShape)
	}
	if err := adopt(c.steps, trial); err != nil {
		return err
	}
	c.cols = cols
	return nil
}

// learnBlock lets the last of the steps learn from what those before it make of x, of cols columns unless that is 0.
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
