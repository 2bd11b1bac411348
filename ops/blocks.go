package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// InBlocks computes dst [n, cols], allocated if nil, from x [n, d], some rows at a time: f gets matching rows of dst
// and x, both over the memory of the whole matrices (or of a copy of an x that is not contiguous). Of sparse rows it
// gets dense copies. An error about a cell counts its row from the start of x. Errors: shapes or a nil f (ErrShape),
// another element type (ErrDtype), rows below 1 (ErrParam), the errors of f.
func InBlocks(who string, dst *tensor.Dense, x Matrix, rows, cols int,
	f func(dst, x *tensor.Dense) error) (*tensor.Dense, error) {
	x, err := matrixOf(who, x)
	switch {
	case err != nil:
		return nil, err
	case rows < 1:
		return nil, fmt.Errorf("%s: %d rows at a time, want 1 at least: %w", who, rows, ErrParam)
	case f == nil:
		return nil, fmt.Errorf("%s: the function of a block is nil: %w", who, ErrShape)
	}
	n := x.Shape()[0]
	if dst, err = output(who, dst, x.Dtype(), n, cols); err != nil {
		return nil, err
	}
	for lo := 0; lo < n; lo += rows {
		rows = min(rows, n-lo)
		block, dense := x.(*tensor.Dense)
		if dense {
			block = Rows(block, lo, lo+rows)
		} else if block, err = x.(*CSR).Slice(lo, lo+rows).Dense(nil); err != nil {
			return nil, err
		}
		if err := f(Rows(dst, lo, lo+rows), block); err != nil {
			return nil, domain.InBlock(lo, err)
		}
	}
	return dst, nil
}

// Rows returns the rows lo to hi (exclusive) of a contiguous matrix, or these entries of a vector, over the same
// memory. It panics if they are out of range, or x is nil, not contiguous, or neither float32 nor float64.
func Rows(x *tensor.Dense, lo, hi int) *tensor.Dense {
	if !IsContiguous(x) || x.Dims() < 1 || x.Dtype() != tensor.Float32 && x.Dtype() != tensor.Float64 {
		panic("ops: Rows: want rows of a contiguous matrix of float32 or float64")
	}
	checkPart("Rows", lo, hi, x.Shape()[0])
	shape := x.Shape().Clone()
	shape[0] = hi - lo
	cols := tensor.Shape(shape[1:]).TotalSize()
	if len(shape) == 1 {
		cols = 1
	}
	return cellsFrom(x, lo*cols, shape)
}
