package given

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
)

// Stopped is the error of a context that has ended, with its cause where it has another.
func Stopped(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != err {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// Memory are rows in memory.
func Memory(rows data.Examples) (p data.Pairs, ok bool) {
	if q, ok := rows.(*data.Pairs); ok {
		return *q, true
	}
	p, ok = rows.(data.Pairs)
	return p, ok
}

// Located names the place of the pairs that an error is about.
func Located(p data.Pairs, err error) error {
	if err == nil || p.Locate == nil {
		return err
	}
	return p.Locate(err)
}

// EachBlock calls f with the blocks of rows that are read, as check returns them. It asks stop before each and at the
// end.
func EachBlock(ctx context.Context, who string, rows data.Examples, check func(data.Pairs) (data.Pairs, error),
	stop func() error, f func(b data.Pairs) error) error {
	empty := true
	for b, err := range rows.Blocks(ctx, 0) {
		if err != nil {
			return err
		}
		if err := stop(); err != nil {
			return err
		}
		whole, err := check(b)
		if err == nil {
			err = f(whole)
		}
		if err != nil {
			return Located(b, err)
		}
		empty = false
	}
	if empty {
		return fmt.Errorf("train: %s: there are no rows to fit; add some: %w", who, domain.ErrShape)
	}
	return stop()
}

// Targets are the targets of all rows that each hands to its argument in blocks.
func Targets(who string, each func(f func(b data.Pairs) error) error) (*mat.Dense, error) {
	var all []float64
	k, n := 0, 0
	err := each(func(b data.Pairs) error {
		y := b.Y.RawMatrix()
		if n > 0 && y.Cols != k {
			return fmt.Errorf("train: %s: a block has %d targets a row, those before it have %d: %w",
				who, y.Cols, k, domain.ErrShape)
		}
		first := n
		if err := CheckTargets(who, b.Y, func(i int) int { return first + i }); err != nil {
			return err
		}
		k, n = y.Cols, n+y.Rows
		if err := domain.CheckSize("train: "+who+": the targets and scores of rows that are read", 4*8, n, k); err != nil {
			return err
		}
		for i := range y.Rows {
			all = append(all, b.Y.RawRowView(i)...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return mat.NewDense(n, k, all), nil
}

// TargetRows are some rows of y.
func TargetRows(y *mat.Dense, index []int) *mat.Dense {
	out := mat.NewDense(len(index), y.RawMatrix().Cols, nil)
	for i, r := range index {
		out.SetRow(i, y.RawRowView(r))
	}
	return out
}
