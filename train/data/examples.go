package data

import (
	"context"
	"fmt"
	"iter"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Examples are rows with their targets, for any number of passes. Pairs are in memory, Streamed reads files, and any
// other type with the method serves as well.
type Examples interface {
	// Blocks yields the rows block by block; it stops after an error. An epoch, from 0, has the same rows in the same
	// order in every call. Another epoch may have another order.
	Blocks(ctx context.Context, epoch int) iter.Seq2[Pairs, error]
}

var (
	_ Examples = Pairs{}
	_ Examples = Streamed{}
)

// Pairs are rows in memory with their targets: all of them, or a block.
type Pairs struct {
	X      ops.Matrix            // [n, d], as the map takes them
	Y      *mat.Dense            // [n, k]; for classes as OneVersusRest returns them
	Locate func(err error) error // adds the origin of a row to an error about it; nil: errors name the row number alone
}

// Blocks yields the pairs as one block.
func (p Pairs) Blocks(context.Context, int) iter.Seq2[Pairs, error] {
	return once(p, nil)
}

// Check returns the pairs with dense rows in row-major order, copied if necessary. Errors begin with who:
// domain.ErrParam for nil X; domain.ErrShape and domain.ErrDtype unless X is a matrix of floats with one row of targets
// for each row.
func (p Pairs) Check(who string) (Pairs, error) {
	var err error
	if p.X, err = RowMajor(who, "x", p.X); err != nil {
		return p, err
	}
	if n := p.X.Shape()[0]; p.Y == nil || p.Y.RawMatrix().Rows != n {
		var shape []int
		if p.Y != nil {
			r, c := p.Y.Dims()
			shape = []int{r, c}
		}
		return p, fmt.Errorf("%s: x has %d rows, y is %v; give one row of targets for each row of x: %w", who, n, shape, domain.ErrShape)
	}
	return p, nil
}

// RowMajor returns x itself if it is sparse or ops.Bags, and otherwise a row-major matrix of floats with the same rows,
// x itself or a copy. Errors begin with who and call x what: domain.ErrParam for nil, domain.ErrShape unless it is a
// matrix, domain.ErrDtype for another element type.
func RowMajor(who, what string, x ops.Matrix) (ops.Matrix, error) {
	if domain.IsNil(x) {
		return nil, fmt.Errorf("%s: %s is nil: %w", who, what, domain.ErrParam)
	}
	t, dense := x.(*tensor.Dense)
	if !dense {
		return x, nil
	}
	if t.Dims() != 2 {
		return nil, fmt.Errorf("%s: %s must be a matrix, one instance a row, not %v: %w", who, what, t.Shape(), domain.ErrShape)
	}
	if dt := t.Dtype(); dt != tensor.Float64 && dt != tensor.Float32 {
		return nil, fmt.Errorf("%s: %s are %v, not float64 or float32; convert them: %w", who, what, dt, domain.ErrDtype)
	}
	return ops.Contiguous(t)
}

// Take returns a copy of some of the pairs, in the given order. Its Locate turns the number of a row in an error into
// the one that the row has in p. It panics for pairs that Check refuses, without rows to take, and when one is out of
// range.
func (p Pairs) Take(rows []int) Pairs {
	if _, err := p.Check("data: Pairs.Take"); err != nil {
		panic(err.Error())
	}
	if len(rows) == 0 {
		panic("data: Pairs.Take: there are no rows to take")
	}
	out := Pairs{X: Rows(p.X, rows), Y: mat.NewDense(len(rows), p.Y.RawMatrix().Cols, nil)}
	for i, r := range rows {
		out.Y.SetRow(i, p.Y.RawRowView(r))
	}
	out.Locate = func(err error) error {
		err = locate(err, func(row int) (file string, at, line int) {
			if row < 0 || row >= len(rows) {
				return "", row, 0
			}
			return "", rows[row], 0
		})
		if p.Locate == nil {
			return err
		}
		return p.Locate(err)
	}
	return out
}

// Streamed are the rows of a stream as a model takes them: scaled, in its element type, with targets.
type Streamed struct {
	Stream  *Stream
	Scaler  *Scaler      // fitted; nil changes nothing
	Classes Classes      // nil: the rows have targets
	Dtype   tensor.Dtype // Float64 or Float32
}

// check returns an error if there is no context or no stream.
func (s Streamed) check(ctx context.Context) error {
	if err := checkContext(ctx, "Streamed"); err != nil || s.Stream != nil {
		return err
	}
	return fmt.Errorf("data: Streamed: the stream of rows is nil: %w", domain.ErrParam)
}

// Blocks yields the rows in the order of an epoch of the stream, read and scaled in the background. OneVersusRest turns
// classes into targets. Errors, with the file and the row: as for the stream, the scaler and Set.As; ErrLabel for a
// class that is not in Classes; domain.ErrParam for Classes with targets, or for labels without Classes.
func (s Streamed) Blocks(ctx context.Context, epoch int) iter.Seq2[Pairs, error] {
	if err := s.check(ctx); err != nil {
		return once(Pairs{}, err)
	}
	return ahead(s.Stream.o.Ahead, each(s.Stream.blocks(ctx, epoch), s.pairs))
}

func (s Streamed) pairs(b *Set) (Pairs, error) {
	if s.Scaler != nil {
		var err error
		if b.X, err = s.Scaler.ApplyInPlace(b.X); err != nil {
			return Pairs{}, b.Locate(err)
		}
	}
	x, err := b.As(s.Dtype)
	if err != nil {
		return Pairs{}, b.Locate(err)
	}
	out := Pairs{X: x, Locate: func(err error) error { return b.Locate(s.Scaler.Locate(err)) }}
	switch {
	case s.Classes == nil && b.Y != nil:
		out.Y = mat.NewDense(b.Rows(), b.Targets(), b.Y)
	case s.Classes != nil && b.Labels != nil:
		idx, err := s.Classes.Index(b.Labels)
		if err != nil {
			return Pairs{}, b.Locate(err)
		}
		if out.Y, err = OneVersusRest(idx, len(s.Classes)); err != nil {
			return Pairs{}, b.Locate(err)
		}
	default:
		return Pairs{}, b.Locate(fmt.Errorf("data: Streamed: Classes go with the labels of classification, and none with the targets of regression: %w", domain.ErrParam))
	}
	return out, nil
}

// Matrices yields the rows without targets and unscaled, as Scaler.FitBlocks takes them.
func (s Streamed) Matrices(ctx context.Context) iter.Seq2[ops.Matrix, error] {
	if err := s.check(ctx); err != nil {
		return once[ops.Matrix](nil, err)
	}
	return each(s.Stream.Blocks(ctx, 0), func(b *Set) (ops.Matrix, error) { return b.X, nil })
}

// Part selects rows: keep says whether to take a row, given its file and its number in the file. For rows other than
// Streamed the file is 0 and the number counts all rows, so that these must have the same order in every epoch. A nil
// keep takes all rows.
func Part(rows Examples, keep func(file, row int) bool) Examples {
	if keep == nil || domain.IsNil(rows) {
		return rows
	}
	if s, ok := rows.(Streamed); ok && s.Stream != nil {
		s.Stream = s.Stream.where(keep)
		return s
	}
	return kept{rows, keep}
}

// kept is a part of rows.
type kept struct {
	Examples
	keep func(file, row int) bool
}

func (k kept) Blocks(ctx context.Context, epoch int) iter.Seq2[Pairs, error] {
	return sequence(func(emit func(Pairs) error) error {
		first := 0
		for b, err := range k.Examples.Blocks(ctx, epoch) {
			if err == nil {
				b, err = b.Check("data: Part")
			}
			if err != nil {
				return err
			}
			var rows []int
			n := b.Y.RawMatrix().Rows
			for i := range n {
				if k.keep(0, first+i) {
					rows = append(rows, i)
				}
			}
			first += n
			if len(rows) == 0 {
				continue
			}
			if err := emit(b.Take(rows)); err != nil {
				return err
			}
		}
		return nil
	})
}
