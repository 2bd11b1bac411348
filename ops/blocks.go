package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// InBlocks computes dst [n, cols], allocated if nil, from x [n, d], some rows at a time: f gets matching rows of dst
// and x, both over the memory of the whole matrices (or of a copy of an x that is not contiguous). An error about a
// cell counts its row from the start of x. Errors: shapes or a nil f (ErrShape), rows below 1 (ErrParam), the errors of
// f.
func InBlocks(who string, dst, x *tensor.Dense, rows, cols int,
	f func(dst, x *tensor.Dense) error) (*tensor.Dense, error) {
	x, err := matrixOf(who, "x", "[n, d]", x)
	if err != nil {
		return nil, err
	}
	if rows < 1 {
		return nil, fmt.Errorf("%s: %d rows at a time, want 1 at least: %w", who, rows, ErrParam)
	}
	if err := given(who, "the function of a block", f); err != nil {
		return nil, err
	}
	n := x.Shape()[0]
	if dst, err = output(who, dst, x.Dtype(), n, cols); err != nil {
		return nil, err
	}
	rows = min(rows, n)
	for lo := 0; lo < n; lo += rows {
		hi := min(lo+rows, n)
		if err := f(Rows(dst, lo, hi), Rows(x, lo, hi)); err != nil {
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
