package data

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Source is where rows come from, with their labels or targets: a *Set holds them, a *Frame holds a table whose columns
// are yet to become numbers, a *Stream reads them in blocks, again in every pass.
type Source interface{ source() }

func (*Set) source()    {}
func (*Frame) source()  {}
func (*Stream) source() {}

var (
	_ Source = (*Frame)(nil)
	_ Source = (*Set)(nil)
	_ Source = (*Stream)(nil)
)

// FromSlices is the rows as a matrix [n, d] of float64, a copy. Errors: no row, an empty row, and rows of different
// lengths (domain.ErrShape).
func FromSlices(rows [][]float64) (*tensor.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, fmt.Errorf("data: FromSlices: there are no rows, or the first is empty: %w", domain.ErrShape)
	}
	d := len(rows[0])
	x := make([]float64, 0, len(rows)*d)
	for i, row := range rows {
		if len(row) != d {
			return nil, fmt.Errorf("data: FromSlices: row %d has %d numbers, row 0 has %d: %w", i, len(row), d, domain.ErrShape)
		}
		x = append(x, row...)
	}
	return tensor.New(tensor.WithShape(len(rows), d), tensor.WithBacking(x)), nil
}

// FromMatrix is a gonum matrix, a view or a transpose too, as a matrix [n, d] of float64, a copy. Errors: a matrix
// that is nil or empty (domain.ErrShape).
func FromMatrix(m mat.Matrix) (*tensor.Dense, error) {
	if m == nil {
		return nil, fmt.Errorf("data: FromMatrix: the matrix is nil: %w", domain.ErrShape)
	}
	n, d := m.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("data: FromMatrix: the matrix is %d x %d: %w", n, d, domain.ErrShape)
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(mat.DenseCopyOf(m).RawMatrix().Data)), nil
}
