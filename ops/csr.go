package ops

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// Matrix is rows of input: a *tensor.Dense [n, d] or a *CSR. *Bags implements it too, for functions that map sets.
type Matrix interface {
	Shape() tensor.Shape
	Dims() int
	Dtype() tensor.Dtype
}

// CSR is a sparse matrix [n, d] of float32 or float64 in compressed sparse rows, like scipy.sparse.csr_matrix: for each
// row the stored columns, in rising order, and their values. Cells that are not stored are 0.
//
// It is a Gorgonia value, so a node of shape [n, d] can hold it (G.WithValue, G.Let) in place of a dense tensor, with a
// different number of entries at each run. The ops of this package read it; Gorgonia's own do not. It is data: no op
// has a gradient for it. A map takes operations in proportion to the entries, and only W is dense.
//
// Methods that return a part share memory where possible, and no method changes an entry. A CSR is safe for concurrent
// use while nobody changes the slices that it was made of.
type CSR struct{ of entries }

// entries holds the rows as a *sparse[float32] or a *sparse[float64].
type entries interface {
	size() (rows, cols int)
	pattern() (ptr []int, col []int32)
	values() any // a []float32 or []float64
	slice(lo, hi int) entries
	take(idx []int) entries
	takeColumns(from, to int, scale float64) entries
	clone() entries
	cleared() entries
	zeroBased() bool
}

// sparse is a CSR of one element type. base is added to every cell, stored or not: one number, or one for each column;
// nil is 0. With it ln(x + c) of a sparse x is sparse.
type sparse[T domain.Float] struct {
	simd.CSR[T]
	base []T
}

// NewCSR makes a matrix from its three slices, which it keeps. Row i has the entries pointers[i] to pointers[i+1] of
// columns and values. Columns count from 0; values is a []float32 or []float64.
//
// Errors: pointers that do not start at 0, that fall, or that do not end at the number of entries, slices of different
// lengths, columns of a row that do not rise or are out of range (ErrShape); values of another type (ErrDtype). A map
// checks the values when it reads them.
func NewCSR(rows, cols int, pointers []int, columns []int32, values any) (*CSR, error) {
	switch v := values.(type) {
	case []float32:
		return wrapped(newSparse(rows, cols, pointers, columns, v))
	case []float64:
		return wrapped(newSparse(rows, cols, pointers, columns, v))
	}
	return nil, fmt.Errorf("ops: CSR: values are %T, want []float32 or []float64: %w", values, ErrDtype)
}

func newSparse[T domain.Float](rows, cols int, ptr []int, col []int32, val []T) (*sparse[T], error) {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("ops: CSR: %s: %w", fmt.Sprintf(format, args...), ErrShape)
	}
	switch {
	case rows < 0 || cols < 0 || cols > maxColumns:
		return nil, bad("%d rows of %d columns, want at least 0 of 0 to %d", rows, cols, maxColumns)
	case len(ptr) != rows+1:
		return nil, bad("%d row pointers for %d rows, want one more than rows", len(ptr), rows)
	case len(col) != len(val):
		return nil, bad("%d columns and %d values, want one column a value", len(col), len(val))
	case ptr[0] != 0 || ptr[rows] != len(val):
		return nil, bad("row pointers from %d to %d, want from 0 to the %d values", ptr[0], ptr[rows], len(val))
	}
	for i := range rows {
		if ptr[i+1] < ptr[i] || ptr[i+1] > len(val) {
			return nil, bad("row %d has the entries %d to %d of %d; row pointers must not fall",
				i, ptr[i], ptr[i+1], len(val))
		}
		last := int32(-1)
		for _, j := range col[ptr[i]:ptr[i+1]] {
			if j < 0 || int(j) >= cols {
				return nil, bad("row %d has column %d of %d; columns count from 0", i, j, cols)
			}
			if j <= last {
				return nil, bad("row %d has column %d after column %d; sort the columns of a row, and add up those "+
					"that are given twice", i, j, last)
			}
			last = j
		}
	}
	return &sparse[T]{CSR: simd.CSR[T]{Rows: rows, Cols: cols, Ptr: ptr, Col: col, Val: val}}, nil
}

// maxColumns is the largest number of columns: their indices are int32.
const maxColumns = 1<<31 - 1

// sparseOf is x in its element type, which must be T.
func sparseOf[T domain.Float](x *CSR) *sparse[T] { return x.of.(*sparse[T]) }

// wrapped returns s as a CSR, or the error.
func wrapped[T domain.Float](s *sparse[T], err error) (*CSR, error) {
	if err != nil {
		return nil, err
	}
	return &CSR{s}, nil
}

// Rows returns n.
func (x *CSR) Rows() int { return x.Shape()[0] }

// Cols returns d.
func (x *CSR) Cols() int { return x.Shape()[1] }

// Stored returns the number of entries, including stored zeros.
func (x *CSR) Stored() int {
	p := x.Pointers()
	return p[len(p)-1] - p[0]
}

// Density returns the share of cells that are stored, and 0 for a matrix without cells.
func (x *CSR) Density() float64 {
	return float64(x.Stored()) / max(1, float64(x.Rows())*float64(x.Cols()))
}

// Pointers returns the row pointers: row i has the entries Pointers()[i] to Pointers()[i+1] of Columns and of the
// values. In a part of a matrix they need not begin at 0. The slice is the matrix's own.
func (x *CSR) Pointers() []int {
	ptr, _ := x.of.pattern()
	return ptr
}

// Columns returns the columns of the entries. The slice is the matrix's own.
func (x *CSR) Columns() []int32 {
	_, col := x.of.pattern()
	return col
}

// Float32s returns the values of the entries of a float32 matrix, else nil. The slice is the matrix's own.
func (x *CSR) Float32s() []float32 {
	v, _ := x.of.values().([]float32)
	return v
}

// Float64s returns the values of the entries of a float64 matrix, else nil. The slice is the matrix's own.
func (x *CSR) Float64s() []float64 {
	v, _ := x.of.values().([]float64)
	return v
}

func (s *sparse[T]) size() (rows, cols int)            { return s.Rows, s.Cols }
func (s *sparse[T]) pattern() (ptr []int, col []int32) { return s.Ptr, s.Col }
func (s *sparse[T]) values() any                       { return s.Val }

// Slice returns the rows lo to hi (exclusive), over the same memory. It panics if they are out of range.
func (x *CSR) Slice(lo, hi int) *CSR {
	checkPart("CSR", lo, hi, x.Rows())
	return &CSR{x.of.slice(lo, hi)}
}

// checkPart panics unless lo to hi is a part of n rows.
func checkPart(of string, lo, hi, n int) {
	if lo < 0 || hi < lo || hi > n {
		panic(fmt.Sprintf("ops: %s: rows %d to %d of %d", of, lo, hi, n))
	}
}

func (s *sparse[T]) slice(lo, hi int) entries { return s.part(lo, hi) }

// part is slice in the element type.
func (s *sparse[T]) part(lo, hi int) *sparse[T] {
	part := *s
	part.Ptr, part.Rows = s.Ptr[lo:hi+1:hi+1], hi-lo
	return &part
}

// Take returns a copy of the rows idx, in that order, with repeats. It panics if an index is out of range.
func (x *CSR) Take(idx []int) *CSR {
	for _, i := range idx {
		if i < 0 || i >= x.Rows() {
			panic(fmt.Sprintf("ops: CSR: row %d of %d", i, x.Rows()))
		}
	}
	return &CSR{x.of.take(idx)}
}

func (s *sparse[T]) take(idx []int) entries {
	stored := 0
	for _, i := range idx {
		stored += s.Ptr[i+1] - s.Ptr[i]
	}
	out := s.empty(len(idx), s.Cols, stored)
	for k, i := range idx {
		out.Col = append(out.Col, s.Col[s.Ptr[i]:s.Ptr[i+1]]...)
		out.Val = append(out.Val, s.Val[s.Ptr[i]:s.Ptr[i+1]]...)
		out.Ptr[k+1] = len(out.Col)
	}
	out.base = s.base
	return out
}

// empty returns a matrix without entries, with capacity for room of them.
func (s *sparse[T]) empty(rows, cols, room int) *sparse[T] {
	return &sparse[T]{CSR: simd.CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int, rows+1),
		Col: make([]int32, 0, room), Val: make([]T, 0, room)}}
}

// TakeColumns returns scale·x[:, from:to] as a new matrix. It panics if the columns are out of range.
func (x *CSR) TakeColumns(from, to int, scale float64) *CSR {
	if from < 0 || to < from || to > x.Cols() {
		panic(fmt.Sprintf("ops: CSR: columns %d to %d of %d", from, to, x.Cols()))
	}
	return &CSR{x.of.takeColumns(from, to, scale)}
}

func (s *sparse[T]) takeColumns(from, to int, factor float64) entries {
	scale := T(factor)
	out := s.empty(s.Rows, to-from, 0)
	for i := range s.Rows {
		row := s.Col[s.Ptr[i]:s.Ptr[i+1]]
		lo, _ := slices.BinarySearch(row, int32(from))
		hi, _ := slices.BinarySearch(row, int32(to))
		for t := s.Ptr[i] + lo; t < s.Ptr[i]+hi; t++ {
			out.Col, out.Val = append(out.Col, s.Col[t]-int32(from)), append(out.Val, scale*s.Val[t])
		}
		out.Ptr[i+1] = len(out.Col)
	}
	if s.base != nil {
		base := s.base
		if len(base) > 1 {
			base = base[from:to]
		}
		out.base = make([]T, len(base))
		for j, v := range base {
			out.base[j] = scale * v
		}
	}
	return out
}

// zeroBased reports whether the cells that are not stored are zeros.
func (s *sparse[T]) zeroBased() bool { return s.base == nil }
