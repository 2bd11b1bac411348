package data

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Source is an origin of rows with labels or targets: a *Set holds them as numbers, a *Frame as a table, and a *Stream
// reads them in blocks, again in every pass.
type Source interface{ source() }

func (*Set) source()    {}
func (*Frame) source()  {}
func (*Stream) source() {}

// FromSlices copies rows into a matrix [n, d] of float64. Errors (domain.ErrShape): no rows, an empty row, rows of
// different lengths.
func FromSlices(rows [][]float64) (*tensor.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, fmt.Errorf("data: FromSlices: there are no rows, or the first is empty: %w", domain.ErrShape)
	}
	d := len(rows[0])
	for i, row := range rows {
		if len(row) != d {
			return nil, fmt.Errorf("data: FromSlices: row %d has %d numbers, row 0 has %d: %w", i, len(row), d, domain.ErrShape)
		}
	}
	return tensor.New(tensor.WithShape(len(rows), d), tensor.WithBacking(slices.Concat(rows...))), nil
}

// FromMatrix copies a gonum matrix, view or transpose into a matrix [n, d] of float64. Errors: domain.ErrShape for a
// matrix that is nil or empty.
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
